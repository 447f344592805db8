// Backtracking along a direction: the Armijo rule while energies can tell, the gradient where they
// cannot.
#pragma once

#include <span>

#include "runtime/minimise/objective.h"

namespace asb {

/// Where a search starts: x, the energy and gradient there, and the direction d with slope g·d < 0.
struct SearchStart {
  std::span<const double> x;
  std::span<const double> d;
  Evaluation at;
  double gradient = 0;  ///< |g|₂
  double slope = 0;     ///< g·d
  double longest = 1;   ///< first t to try
};

struct SearchResult {
  bool accepted = false;
  double t = 0;
  int energies = 0;
  int gradients = 0;
  bool has_gradient = false;      ///< g_trial and `at` are those of the accepted point
  bool below_resolution = false;  ///< the slope was too small for energies to judge
  Evaluation at;
};

/// [Nocedal2006] Alg. 3.1 with c = 1e-4 and the interpolation of Sec. 3.5, kept within [0.1, 0.5]
/// of the last t. Deviations: a trial whose energy is not finite is a rejected step; and where
/// |g·d| < 1e-12 Σ|E_e|, so that round-off hides the decrease, or where short steps show the same,
/// a point is accepted if |g| does not grow. x_trial receives the accepted point.
SearchResult backtrack(Objective& objective, const SearchStart& start, std::span<double> x_trial,
                       std::span<double> g_trial);

}  // namespace asb
