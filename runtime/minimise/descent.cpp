// See descent.h.
#include "runtime/minimise/descent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/minimise/line_search.h"

namespace asb {
namespace {

/// A body that has moved this many times its own size is running away.
constexpr double kRunAway = 1e4;
/// First length of an escape, as a share of the body's diagonal, and how far it is shortened and
/// lengthened.
constexpr double kEscapeLength = 0.01;
constexpr int kEscapeHalvings = 20;
constexpr int kEscapeDoublings = 6;

}  // namespace

Descent::Descent(Objective& objective, std::span<double> x, const SolveOptions& options,
                 std::string method)
    : objective_(objective), x_(x), options_(options), began_(std::chrono::steady_clock::now()) {
  ASB_CHECK(x.size() == objective.size(), "one value per free value of the objective");
  report_.method = std::move(method);
  g_.resize(x.size());
  g_trial_.resize(x.size());
  x_trial_.resize(x.size());
  x_start_.assign(x.begin(), x.end());
}

bool Descent::start() {
  {
    const PhaseTimer timer(report_.times.evaluate);
    at_ = objective_.gradient(x_, g_);
    ++report_.gradients;
  }
  gradient_ = norm(g_);
  if (!at_.finite || !std::isfinite(at_.energy) || !std::isfinite(gradient_)) {
    end(SolveStatus::NonFiniteStart,
        std::isfinite(at_.energy)
            ? "the gradient is not finite at the start"
            : "the energy is not finite at the start: a cell may be inverted there, or a "
              "number of the program out of its range");
    return false;
  }
  test_ = {.tolerance = options_.tolerance,
           .relative_to_start = options_.relative_to_start,
           .start_gradient = gradient_,
           .mean_stiffness = objective_.mean_stiffness(),
           .n = x_.size()};
  const double largest = objective_.largest_value(x_);
  bound_ = test_.bound(objective_.force_scale(), largest);
  run_away_ = kRunAway * std::max(objective_.diameter(), largest);
  report_.start_gradient = gradient_;
  report_.history.push_back(
      {.energy = at_.energy, .gradient = gradient_, .force_scale = objective_.force_scale()});
  if (options_.progress) options_.progress(report_.history.back());
  return true;
}

bool Descent::must_end() {
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) {
    end(SolveStatus::Interrupted,
        fmt::format("interrupted after {} iterations", report_.iterations));
  } else if (distance_to(x_start_) > run_away_) {
    end(SolveStatus::Unbounded,
        fmt::format("the values run away ({:.3g} from the start, {:.0e} times the body's size) "
                    "while the energy "
                    "falls to {:.6g}: it may have no minimum; is every part of the body held, and "
                    "every load met "
                    "by a stiffness?",
                    distance_to(x_start_), distance_to(x_start_) * kRunAway / run_away_,
                    at_.energy));
  } else if (report_.iterations >= options_.max_iterations) {
    end(SolveStatus::IterationLimit, fmt::format("not converged after {} iterations: |g| = {:.3g}, "
                                                 "to be below {:.3g}; raise `iterations`, "
                                                 "or apply the load in steps",
                                                 report_.iterations, gradient_, bound_));
  } else {
    return false;
  }
  return true;
}

double Descent::clipped_bound(std::span<const double> d) {
  return std::min(1.0, objective_.step_bound(x_, d));
}

bool Descent::step_along(std::span<const double> d, SolveStep how) {
  const double slope = dot(g_, d);
  if (!(slope < 0) || !std::isfinite(slope)) return false;
  SearchResult found;
  {
    const PhaseTimer timer(report_.times.line_search);
    found = backtrack(objective_,
                      {.x = x_,
                       .d = d,
                       .at = at_,
                       .gradient = gradient_,
                       .slope = slope,
                       .longest = clipped_bound(d)},
                      x_trial_, g_trial_);
  }
  report_.energies += found.energies;
  report_.gradients += found.gradients;
  below_resolution_ = found.below_resolution;
  if (!found.accepted) return false;
  if (!found.has_gradient) {
    const PhaseTimer timer(report_.times.evaluate);
    found.at = objective_.gradient(x_trial_, g_trial_);
    ++report_.gradients;
  }
  if (!found.at.finite || !std::isfinite(norm(g_trial_))) return false;
  at_ = found.at;
  how.step = found.t;
  how.trials = found.energies + found.gradients;
  accept(how);
  return true;
}

/// Takes x_trial_, g_trial_ and at_ as the current point.
void Descent::accept(SolveStep how) {
  std::copy(x_trial_.begin(), x_trial_.end(), x_.begin());
  g_.swap(g_trial_);
  gradient_ = norm(g_);
  bound_ = test_.bound(objective_.force_scale(), objective_.largest_value(x_));
  how.iteration = ++report_.iterations;
  how.energy = at_.energy;
  how.gradient = gradient_;
  how.force_scale = objective_.force_scale();
  report_.history.push_back(how);
  if (options_.progress) options_.progress(how);
}

bool Descent::escape_along(std::span<const double> d, double curvature) {
  const double longest = max_abs(d);
  if (!(longest > 0) || !std::isfinite(longest)) return false;
  const double slope = dot(g_, d);
  std::vector<double> along(d.begin(), d.end());
  double best_t = 0;
  {
    const PhaseTimer timer(report_.times.line_search);
    const auto energy_at = [&](double t) {
      move_along(x_, t, along, x_trial_);
      const Evaluation e = objective_.energy(x_trial_);
      ++report_.energies;
      return e.finite ? e.energy : std::numeric_limits<double>::quiet_NaN();
    };
    // Downhill first, then the other way: at an exact saddle both are as good.
    for (int side = 0; side < 2 && best_t == 0; ++side) {
      const double sign = (slope > 0 ? -1.0 : 1.0) * (side == 0 ? 1.0 : -1.0);
      for (size_t i = 0; i < along.size(); ++i) along[i] = sign * d[i];
      const double bound = objective_.step_bound(x_, along);
      double t = std::min(kEscapeLength * objective_.diameter() / longest, bound);
      double best = at_.energy;
      // What the curvature promises is ½ t² dᵀHd; a thousandth of it is asked.
      for (int k = 0; k < kEscapeHalvings && best_t == 0; ++k, t *= 0.5) {
        const double e = energy_at(t);
        if (e < at_.energy + 5e-4 * t * t * curvature) best_t = t, best = e;
      }
      for (int k = 0; k < kEscapeDoublings && best_t > 0 && 2 * best_t <= bound; ++k) {
        const double e = energy_at(2 * best_t);
        if (!(e < best)) break;
        best = e;
        best_t *= 2;
      }
    }
  }
  if (best_t == 0) return false;
  {
    const PhaseTimer timer(report_.times.evaluate);
    move_along(x_, best_t, along, x_trial_);
    const Evaluation reached = objective_.gradient(x_trial_, g_trial_);
    ++report_.gradients;
    if (!reached.finite || !std::isfinite(norm(g_trial_))) return false;
    at_ = reached;
  }
  ++report_.escapes;
  accept({.step = best_t * longest, .kind = StepKind::Escape});
  return true;
}

double Descent::distance_to(std::span<const double> y) const {
  double largest = 0;
  for (size_t i = 0; i < y.size(); ++i) largest = std::max(largest, std::abs(x_[i] - y[i]));
  return largest;
}

void Descent::end(SolveStatus status, std::string reason) {
  report_.status = status;
  report_.reason = std::move(reason);
}

void Descent::end_stalled() {
  end(SolveStatus::Stalled,
      below_resolution_
          ? fmt::format("stalled at round-off: |g| = {:.3g} does not fall, {:.3g} was asked; "
                        "loosen `tol`",
                        gradient_, bound_)
          : fmt::format(
                "stalled after {} iterations: no step lowers the energy ({:.6g}), |g| = {:.3g}, "
                "{:.3g} was "
                "asked; the energy may have a kink here, or its gradient may not be finite nearby",
                report_.iterations, at_.energy, gradient_, bound_));
}

void Descent::end_converged() {
  end(SolveStatus::Converged, fmt::format("converged in {} iterations: |g| = {:.3g}, below {:.3g}",
                                          report_.iterations, gradient_, bound_));
}

void Descent::end_unstable(double curvature) {
  end(SolveStatus::Unstable, fmt::format("unstable equilibrium (buckling): the forces balance, but "
                                         "the energy falls along a mode of "
                                         "relative stiffness {:.3g}; {} steps along such modes did "
                                         "not end in a minimum. Apply the load in "
                                         "steps, or break the symmetry",
                                         curvature, report_.escapes));
}

SolveReport Descent::take_report() {
  report_.energy = at_.energy;
  report_.gradient = gradient_;
  report_.force_scale = objective_.force_scale();
  report_.gradient_bound = bound_;
  SolveTimes& t = report_.times;
  t.total = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  t.other = std::max(
      0.0, t.total - (t.evaluate + t.assemble + t.factor + t.solve + t.products + t.line_search));
  return std::move(report_);
}

}  // namespace asb
