// Makes local Hessians positive semi-definite, in the local variables of a form, as [Teran2005] does per element.
#pragma once

#include "runtime/assembly/lanes.h"

namespace asb {

/// Clamps the eigenvalues of the n×n matrices in `blocks` entity blocks to >= 0. H[(block·n(n+1)/2 + packed)·kLanes + lane].
void clamp_eigenvalues(double* H, int64_t blocks, int n);

/// The same for one block and n <= 12, all lanes together.
void clamp_eigenvalues_in_lanes(double* H, int n);

}  // namespace asb
