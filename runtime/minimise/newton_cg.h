// Truncated Newton by conjugate gradients on the exact Hessian: for energies with a constant
// stiffness K ⊗ I, whose factor preconditions every step of every solve, and for bodies too large
// for a factor per step.
#pragma once

#include <span>

#include "runtime/minimise/objective.h"
#include "runtime/minimise/report.h"

namespace asb {

/// Minimises from x; x ends at the last accepted point. Line-search Newton-CG ([Nocedal2006]
/// Alg. 7.1): inner iterations on H d = −g stop at eta |g| in the norm of the preconditioner, eta =
/// min(largest_forcing, √(|g|/|g₀|))
/// ([Eisenstat1996] for why), or at negative curvature ([Steihaug1983]) with the iterate reached,
/// or with M⁻¹(−g) if that happens at once. Deviations: preconditioned; and no trust region, the
/// line search bounds the step. Preconditioner: objective.constant_factor(); where there is none, a
/// factor of the Hessian that is kept until the inner iterations cost more than a new one.
[[nodiscard]] SolveReport newton_cg(Objective& objective, std::span<double> x,
                                    const SolveOptions& options);

}  // namespace asb
