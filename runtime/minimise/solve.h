// The entry to minimisation: picks the method from the structure of the energy where the program
// names none.
#pragma once

#include <span>

#include "runtime/minimise/objective.h"
#include "runtime/minimise/report.h"

namespace asb {

/// Above this many unknowns a factorisation per step costs more than conjugate gradients on an old
/// factor.
inline constexpr size_t kLargestDirect = 30000;

/// Automatic: Newton-CG where the energy has a constant stiffness; Newton up to kLargestDirect
/// unknowns; Newton-CG on an earlier factor above. The choice and its reason stand in
/// report.method.
[[nodiscard]] SolveReport solve(Objective& objective, std::span<double> x,
                                const SolveOptions& options);

}  // namespace asb
