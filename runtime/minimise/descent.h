// The part that Newton and Newton-CG share: the current point with its energy and gradient, the
// convergence test, the step along a direction, the escape along negative curvature, and the report
// being written.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "runtime/minimise/convergence.h"
#include "runtime/minimise/objective.h"
#include "runtime/minimise/report.h"

namespace asb {

/// Adds the wall time of its own life to `sum`.
class PhaseTimer {
 public:
  explicit PhaseTimer(double& sum) : sum_(sum), start_(std::chrono::steady_clock::now()) {}
  ~PhaseTimer() {
    sum_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  PhaseTimer(const PhaseTimer&) = delete;
  PhaseTimer& operator=(const PhaseTimer&) = delete;

 private:
  double& sum_;
  std::chrono::steady_clock::time_point start_;
};

class Descent {
 public:
  /// x is the caller's: at the end it holds the last accepted point.
  Descent(Objective& objective, std::span<double> x, const SolveOptions& options,
          std::string method);

  /// Evaluates at x. False: the solve has ended (not finite).
  [[nodiscard]] bool start();
  bool has_converged() const { return gradient_ <= bound_; }
  /// True, with the status set, at the iteration limit, on the stop flag, and when the values run
  /// away.
  [[nodiscard]] bool must_end();
  /// Searches along d and moves there. False: no step was found and nothing has changed.
  [[nodiscard]] bool step_along(std::span<const double> d, SolveStep how);
  /// Leaves a stationary point along ±d with dᵀHd = curvature < 0. False: the energy falls along
  /// neither.
  [[nodiscard]] bool escape_along(std::span<const double> d, double curvature);

  /// Ends the solve.
  void end(SolveStatus status, std::string reason);
  /// After a failed step_along: says why, as Stalled.
  void end_stalled();
  void end_converged();
  void end_unstable(double curvature);
  SolveReport take_report();

  std::span<const double> x() const { return x_; }
  std::span<const double> g() const { return g_; }
  double gradient() const { return gradient_; }
  double bound() const { return bound_; }
  double start_gradient() const { return test_.start_gradient; }
  SolveReport& report() { return report_; }
  SolveTimes& times() { return report_.times; }
  /// max|x − y| between the current point and another.
  double distance_to(std::span<const double> y) const;

 private:
  void accept(SolveStep how);
  double clipped_bound(std::span<const double> d);

  Objective& objective_;
  std::span<double> x_;
  const SolveOptions& options_;
  SolveReport report_;
  ConvergenceTest test_;
  std::vector<double> g_, x_start_, x_trial_, g_trial_;
  Evaluation at_;
  double gradient_ = 0;            ///< |g|
  double bound_ = 0;               ///< what it is compared with
  double run_away_ = 0;            ///< largest believable max|x − x_start|
  bool below_resolution_ = false;  ///< of the last failed search
  std::chrono::steady_clock::time_point began_;
};

}  // namespace asb
