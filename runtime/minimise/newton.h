// Newton with a direct factorisation: for energies without a constant stiffness, up to some ten
// thousand unknowns.
#pragma once

#include <span>

#include "runtime/minimise/objective.h"
#include "runtime/minimise/report.h"

namespace asb {

/// Minimises from x; x ends at the last accepted point. The exact Hessian is tried first and
/// clamped (element Hessians made semi-definite, [Teran2005]) only when its Cholesky factorisation
/// fails, which keeps the quadratic end of Newton's method ([Nocedal2006] Alg. 3.2 with this choice
/// of B_k). Steps are bounded by objective.step_bound and searched by backtrack() of line_search.h.
/// Where the clamped Hessian is singular (a slack chain), the step is a conjugate gradient step
/// truncated at negative curvature, of bounded length. The end is a minimum: the exact Hessian
/// there has a Cholesky factor, or the solve goes on along negative curvature, or says Unstable.
/// Never is a multiple of the identity added.
[[nodiscard]] SolveReport newton(Objective& objective, std::span<double> x,
                                 const SolveOptions& options);

}  // namespace asb
