// When a solve has converged. One rule for all minimisers, so that a tolerance means one thing.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace asb {

/// Note [Convergence]: |g|₂ ≤ max(tol · r, 4 eps · k · √n · max|x|) over free values, where
///   r       largest value so far of ‖(Σ_e |f_ae|)_a‖₂: forces before they cancel [N],
///   k       mean diagonal of the preconditioner or Hessian [N/m],
///   n       number of free values,
///   max|x|  over all values, fixed ones included [m].
/// The second term is the round-off of a gradient assembled from forces k|x|: below it |g| carries
/// nothing. "Relative to the start" has no meaning for an unloaded start (g = 0), so it is an
/// option for comparisons only.
struct ConvergenceTest {
  double tolerance = 1e-8;
  bool relative_to_start = false;
  double start_gradient = 0;  ///< |g| at the start [N]
  double mean_stiffness = 0;  ///< k
  size_t n = 0;

  double bound(double force_scale, double largest_value) const {
    const double scale = relative_to_start ? start_gradient : force_scale;
    const double round_off = 4 * std::numeric_limits<double>::epsilon() * mean_stiffness *
                             std::sqrt(static_cast<double>(n)) * largest_value;
    return std::max(tolerance * scale, round_off);
  }
};

}  // namespace asb
