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
/// Growth of the energy, as a share of Σ|E_e|, that passes where the slope is below resolution:
/// generous, since what cancels inside an element is not in Σ|E_e|; it is there to refuse wild
/// points before their forces are asked.
constexpr double kRoundOff = 1e-3;
constexpr int kMaxTrials = 60;
/// Steps shorter than this share of the first show what is round-off in energies.
constexpr double kShort = 1e-3;
/// Halvings of t while |g| decides. |g(x + t d)| ≈ (1 − t)|g|, so a few are enough or none will do.
constexpr int kMaxGradientTrials = 6;

/// Accepts the first t at which |g| does not grow and the energy grows by no more than its
/// round-off. A rejected trial leaves no trace in the force scale, which a wild point would raise
/// for good.
SearchResult judge_by_gradient(Objective& objective, const SearchStart& start, double round_off,
                               std::span<double> x_trial, std::span<double> g_trial) {
  SearchResult result;
  result.below_resolution = true;
  result.t = start.longest;
  for (int trial = 0; trial < kMaxGradientTrials; ++trial, result.t *= 0.5) {
    move_along(start.x, result.t, start.d, x_trial);
    result.at = objective.energy(x_trial);
    ++result.energies;
    if (!result.at.finite || !(result.at.energy - start.at.energy <= round_off)) continue;
    const double force_scale = objective.force_scale();
    result.at = objective.gradient(x_trial, g_trial);
    ++result.gradients;
    if (result.at.finite && norm(g_trial) <= start.gradient) {
      result.accepted = result.has_gradient = true;
      break;
    }
    objective.set_force_scale(force_scale);
  }
  return result;
}

}  // namespace

SearchResult backtrack(Objective& objective, const SearchStart& start, std::span<double> x_trial,
                       std::span<double> g_trial) {
  if (std::abs(start.slope) < kEnergyResolution * start.at.magnitude)
    return judge_by_gradient(objective, start, kRoundOff * start.at.magnitude, x_trial, g_trial);
  SearchResult result;
  result.t = start.longest;
  bool judged = false;
  for (int trial = 0; trial < kMaxTrials; ++trial) {
    move_along(start.x, result.t, start.d, x_trial);
    result.at = objective.energy(x_trial);
    ++result.energies;
    const bool finite = result.at.finite && std::isfinite(result.at.energy);
    const double change = result.at.energy - start.at.energy;
    if (finite && change <= kArmijo * result.t * start.slope) {
      result.accepted = true;
      return result;
    }
    // A change that the slope does not explain on a short step is round-off: Σ|E_e| knows nothing
    // of what cancels inside one element (mu/2 (I1 − 3) near rest).
    const double explained = std::abs(result.t * start.slope);
    if (finite && !judged && result.t < kShort * start.longest &&
        std::abs(change) > 10 * explained) {
      judged = true;
      SearchResult by_gradient =
          judge_by_gradient(objective, start, 10 * std::abs(change), x_trial, g_trial);
      by_gradient.energies += result.energies;
      if (by_gradient.accepted) return by_gradient;
      result.energies = by_gradient.energies;
      result.gradients = by_gradient.gradients;
    }
    // Minimum of the parabola through E(0), E'(0) and E(t).
    const double curvature = change - result.t * start.slope;
    const double proposed =
        finite && curvature > 0 ? -0.5 * start.slope * result.t * result.t / curvature : 0.0;
    result.t = finite ? std::clamp(proposed, 0.1 * result.t, 0.5 * result.t) : 0.5 * result.t;
  }
  result.below_resolution = judged;
  return result;
}

}  // namespace asb
