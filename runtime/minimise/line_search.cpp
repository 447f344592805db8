// See line_search.h.
#include "runtime/minimise/line_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/linalg/fixed_sum.h"

namespace asb {
namespace {

constexpr double kArmijo = 1e-4;
/// Share of Σ|E_e| below which a change of energy is round-off.
constexpr double kEnergyResolution = 1e-12;
constexpr int kMaxTrials = 60;
/// Steps shorter than this share of the first show what is round-off in energies.
constexpr double kShort = 1e-3;
/// Halvings of t while |g| decides. |g(x + t d)| ≈ (1 − t)|g|, so a few are enough or none will do.
constexpr int kMaxGradientTrials = 6;

/// Accepts the first t at which |g| does not grow and the energy grows by no more than its round-off.
SearchResult judge_by_gradient(Objective& objective, const SearchStart& start, double round_off,
                               std::span<double> x_trial, std::span<double> g_trial) {
  SearchResult result;
  result.below_resolution = true;
  result.t = start.longest;
  for (int trial = 0; trial < kMaxGradientTrials; ++trial, result.t *= 0.5) {
    move_along(start.x, result.t, start.d, x_trial);
    result.at = objective.gradient(x_trial, g_trial);
    ++result.gradients;
    const double gradient = norm(g_trial);
    if (!result.at.finite || !std::isfinite(gradient)) continue;
    result.any_finite = true;
    if (gradient > start.gradient || result.at.energy - start.at.energy > round_off) continue;
    result.accepted = result.has_gradient = true;
    break;
  }
  return result;
}

}  // namespace

SearchResult backtrack(Objective& objective, const SearchStart& start, std::span<double> x_trial,
                       std::span<double> g_trial) {
  if (std::abs(start.slope) < kEnergyResolution * start.at.magnitude)
    return judge_by_gradient(objective, start, std::numeric_limits<double>::infinity(), x_trial, g_trial);
  SearchResult result;
  result.t = start.longest;
  bool judged = false;
  for (int trial = 0; trial < kMaxTrials; ++trial) {
    move_along(start.x, result.t, start.d, x_trial);
    result.at = objective.energy(x_trial);
    ++result.energies;
    const bool finite = result.at.finite && std::isfinite(result.at.energy);
    result.any_finite = result.any_finite || finite;
    const double change = result.at.energy - start.at.energy;
    if (finite && change <= kArmijo * result.t * start.slope) {
      result.accepted = true;
      return result;
    }
    // A change that the slope does not explain on a short step is round-off: Σ|E_e| knows nothing of what cancels
    // inside one element (mu/2 (I1 − 3) near rest).
    const double explained = std::abs(result.t * start.slope);
    if (finite && !judged && result.t < kShort * start.longest && std::abs(change) > 10 * explained) {
      judged = true;
      SearchResult by_gradient = judge_by_gradient(objective, start, 10 * std::abs(change), x_trial, g_trial);
      by_gradient.energies = result.energies;
      if (by_gradient.accepted) return by_gradient;
      result.gradients += by_gradient.gradients;
    }
    // Minimum of the parabola through E(0), E'(0) and E(t).
    const double curvature = change - result.t * start.slope;
    const double proposed = finite && curvature > 0 ? -0.5 * start.slope * result.t * result.t / curvature : 0.0;
    result.t = finite ? std::clamp(proposed, 0.1 * result.t, 0.5 * result.t) : 0.5 * result.t;
  }
  result.below_resolution = judged;
  return result;
}

}  // namespace asb
