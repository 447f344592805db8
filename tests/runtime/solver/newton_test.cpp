// Newton with factors, on problems whose minima are known: rates, invariance to units, saddles, and
// failures with their reasons.
#include "runtime/minimise/newton.h"

#include <gtest/gtest.h>

#include <cmath>

#include "closed_forms.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/minimise/solve.h"

namespace asb {
namespace {

using namespace test;
using Eigen::Vector2d;
using Eigen::VectorXd;

TEST(Newton, SolvesAQuadraticInOneStep) {
  Eigen::Matrix3d A;
  A << 4, 1, 0, 1, 3, -1, 0, -1, 5;
  const Eigen::Vector3d b(1, 2, 3), expected = A.llt().solve(b);
  Quadratic objective(A, b);
  std::vector<double> x = {10, -20, 5};
  const SolveReport report = newton(objective, x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_EQ(report.iterations, 1);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i], expected[i], 1e-13);
  EXPECT_NEAR(report.energy, -0.5 * b.dot(expected), 1e-13);
}

/// Errors of the iterates fall with order 2: log e_{k+1} ≈ 2 log e_k + c over the last steps.
TEST(Newton, EndsQuadratically) {
  Springs chain = cantilevered_chain(8, 0.3);
  std::vector<double> solution = chain.rest();
  // Out of the straight line, where a slack chain has no stiffness sideways.
  for (size_t i = 1; i < solution.size(); i += 3) solution[i] -= 0.2;
  ASSERT_TRUE(newton(chain, solution, {.tolerance = 1e-14}).converged());
  const VectorXd end = Eigen::Map<VectorXd>(solution.data(), 24);

  std::vector<double> errors;
  chain.on_gradient = [&](const VectorXd& x) { errors.push_back((x - end).norm()); };
  std::vector<double> x = chain.rest();
  for (size_t i = 1; i < x.size(); i += 3) x[i] -= 0.2;
  const SolveReport report = newton(chain, x, {.tolerance = 1e-14});
  ASSERT_TRUE(report.converged()) << report.reason;
  int n_orders = 0;
  for (size_t k = 1; k + 1 < errors.size(); ++k) {
    if (errors[k] > 1e-2 || errors[k + 1] < 1e-13) continue;
    const double order = std::log(errors[k + 1] / errors[k]) / std::log(errors[k] / errors[k - 1]);
    EXPECT_GT(order, 1.7) << "errors " << errors[k - 1] << ", " << errors[k] << ", "
                          << errors[k + 1];
    ++n_orders;
  }
  EXPECT_GE(n_orders, 2);
}

/// A chain with large rotations: at rest along x, it ends hanging down, each spring stretched by
/// load / k.
TEST(Newton, TurnsAHangingChainByNinetyDegrees) {
  const double load = 0.4;
  for (const int n : {1, 4, 12}) {
    Springs chain = cantilevered_chain(n, load);
    std::vector<double> x = chain.rest();
    const SolveReport report = newton(chain, x, {.tolerance = 1e-12});
    ASSERT_TRUE(report.converged()) << n << ": " << report.reason;
    const Eigen::Vector3d tip = chain.point(x, n);
    EXPECT_NEAR(tip.x(), 0, 1e-9) << n;
    EXPECT_NEAR(tip.y(), -(1 + load), 1e-9) << n;  // n springs, each longer by load / n
    EXPECT_LT(report.force_scale, 100) << n;       // trials far away do not loosen the tolerance
  }
}

TEST(Newton, ClampsOnlyWhereTheFactorisationFails) {
  Springs chain = cantilevered_chain(6, 0.3);
  std::vector<double> x = chain.rest();
  for (size_t i = 0; i < x.size(); i += 3) x[i] *= 0.9;  // compressed: indefinite
  for (size_t i = 1; i < x.size(); i += 3) x[i] -= 0.01;
  const SolveReport report = newton(chain, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_GT(chain.n_clamped, 0);
  EXPECT_LT(chain.n_clamped, report.iterations);
  EXPECT_EQ(report.history.back().projection, Projection::None);  // quadratic at the end
  for (size_t k = 1; k < report.history.size(); ++k)
    EXPECT_LE(report.history[k].energy, report.history[k - 1].energy + 1e-14);
}

TEST(Newton, SolvesRosenbrock) {
  Rosenbrock objective;
  std::vector<double> x = {-1.2, 1};
  const SolveReport report = newton(objective, x, {.tolerance = 1e-12});
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_NEAR(x[0], 1, 1e-8);
  EXPECT_NEAR(x[1], 1, 1e-8);
  EXPECT_LT(report.iterations, 40);
}

TEST(Newton, StaysInsideTheDomainOfALogarithm) {
  const Eigen::Vector3d c(1, 100, 0.01);
  LogBarrier objective(c);
  std::vector<double> x = {50, 50, 1};
  const SolveReport report = newton(objective, x, {.tolerance = 1e-14});
  ASSERT_TRUE(report.converged()) << report.reason;
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i] * c[i], 1, 1e-9);
  EXPECT_EQ(objective.n_outside, 0);  // by the step bound, not by rejected trials
}

/// The same without its step bound: trials outside give NaN and are rejected.
class UnboundedSteps : public LogBarrier {
 public:
  using LogBarrier::LogBarrier;
  double step_bound(std::span<const double>, std::span<const double>) override {
    return std::numeric_limits<double>::infinity();
  }
};

TEST(Newton, TakesATrialThatIsNotFiniteAsARejectedStep) {
  UnboundedSteps objective(VectorXd::Constant(2, 1.0));
  std::vector<double> x = {2.5, 0.2};  // the full step goes to x = -1.25
  const SolveReport report = newton(objective, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_GT(objective.n_outside, 0);
  EXPECT_NEAR(x[0], 1, 1e-9);
  EXPECT_LT(report.history[1].step, 1);
}

TEST(Newton, EndsInNoIterationAtItsOwnSolution) {
  Springs chain = cantilevered_chain(6, 0.3);
  std::vector<double> x = chain.rest();
  ASSERT_TRUE(newton(chain, x, {.tolerance = 1e-11}).converged());
  const std::vector<double> solution = x;
  const SolveReport again = newton(chain, x, {.tolerance = 1e-11});
  EXPECT_TRUE(again.converged());
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(x, solution);
}

TEST(Newton, EndsInNoIterationAtAnUnloadedRestState) {
  Springs chain = cantilevered_chain(6, 0);
  std::vector<double> x = chain.rest();
  const SolveReport report = newton(chain, x, {});
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_EQ(report.iterations, 0);
  EXPECT_FALSE(report.note.empty());  // a slack chain has no stiffness sideways, and that is said
}

TEST(Newton, DoesNotDependOnUnits) {
  Springs chain = cantilevered_chain(5, 0.3);
  std::vector<double> x = chain.rest();
  for (size_t i = 1; i < x.size(); i += 3) x[i] -= 0.05;
  const std::vector<double> start = x;
  const SolveReport report = newton(chain, x, {.tolerance = 1e-11});
  ASSERT_TRUE(report.converged());
  for (const double energy : {1e-9, 1e9}) {
    for (const double length : {1.0, 1e3}) {
      Springs inner = cantilevered_chain(5, 0.3);
      Rescaled objective(inner, energy, length);
      std::vector<double> y = start;
      for (double& value : y) value *= length;
      const SolveReport scaled = newton(objective, y, {.tolerance = 1e-11});
      EXPECT_TRUE(scaled.converged()) << scaled.reason;
      EXPECT_EQ(scaled.iterations, report.iterations) << energy << " " << length;
      for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i] / length, x[i], 1e-10);
      EXPECT_NEAR(scaled.predicted_error, report.predicted_error, 1e-10);
    }
  }
}

TEST(Newton, GoesOnFromAMaximumToAMinimum) {
  DoubleWell objective(3);
  std::vector<double> x(3, 0.0);  // g = 0 exactly
  const SolveReport report = newton(objective, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_GT(report.escapes, 0);
  for (const double value : x) EXPECT_NEAR(std::abs(value), 1, 1e-9);
}

TEST(Newton, CallsASaddleUnstableWhereItMayNotLeaveIt) {
  DoubleWell objective(2);
  std::vector<double> x = {1, 0};
  const SolveReport report = newton(objective, x, {.max_escapes = 0});
  EXPECT_EQ(report.status, SolveStatus::Unstable);
  EXPECT_NE(report.reason.find("buckling"), std::string::npos) << report.reason;
  EXPECT_EQ(x, (std::vector<double>{1, 0}));
}

/// A steep truss pressed down stays upright by symmetry, though it would rather sway: the upright
/// state at this load is a saddle (k_xx = 2 (n_x² + (1 − l/|e|) n_y²) < 0).
TEST(Newton, LetsAPressedTrussSwayToOneSide) {
  const double half_span = 0.3, rise = 1;
  const double y = 0.85, length = std::hypot(half_span, y), rest = std::hypot(half_span, rise);
  const double load = 2 * (rest / length - 1) * y;  // holds the apex at y while upright
  TwoBarTruss upright(half_span, rise, load);
  std::vector<double> x = {0, y};
  const SolveReport held = newton(upright, x, {.max_escapes = 0});
  EXPECT_EQ(held.status, SolveStatus::Unstable) << held.reason;
  EXPECT_NEAR(x[0], 0, 1e-12);

  x = {0, rise};
  const SolveReport report = newton(upright, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  SymmetricMatrix H;
  upright.hessian(x, Projection::None, H);
  EXPECT_GT(H.value[0], 0);
  EXPECT_GT(H.value[0] * H.value[2] - H.value[1] * H.value[1], 0);
  EXPECT_LT(report.energy, held.energy);
}

/// One bar below zero, |x|: the gradient jumps and never vanishes.
class Kink : public DenseObjective {
 public:
  Kink() : DenseObjective(1) {}

 protected:
  double value(const VectorXd& x, double& magnitude) const override {
    return magnitude = std::abs(x[0] - 0.3);
  }
  VectorXd slope(const VectorXd& x, VectorXd& absolute) const override {
    absolute[0] = 1;
    return VectorXd::Constant(1, x[0] < 0.3 ? -1 : 1);
  }
  Eigen::MatrixXd curvature(const VectorXd&) const override {
    return Eigen::MatrixXd::Constant(1, 1, 1.0);
  }
};

TEST(Newton, ReportsAStallWithItsReason) {
  Kink objective;
  std::vector<double> x = {5};
  const SolveReport report = newton(objective, x, {});
  EXPECT_EQ(report.status, SolveStatus::Stalled) << report.reason;
  EXPECT_NE(report.reason.find("stalled"), std::string::npos);
  EXPECT_NEAR(x[0], 0.3, 1e-3);
}

TEST(Newton, ReportsAnEnergyWithoutAMinimum) {
  Quadratic falling(Eigen::Matrix2d::Zero(), Vector2d(1, 2));
  std::vector<double> x = {0, 0};
  const SolveReport report = newton(falling, x, {});
  EXPECT_EQ(report.status, SolveStatus::Unbounded) << report.reason;
  EXPECT_NE(report.reason.find("held"), std::string::npos) << report.reason;
  EXPECT_LT(report.iterations, 40);
}

TEST(Newton, ReportsAStartThatIsNotFinite) {
  LogBarrier objective(VectorXd::Constant(2, 1.0));
  std::vector<double> x = {1, -1};
  const SolveReport report = newton(objective, x, {});
  EXPECT_EQ(report.status, SolveStatus::NonFiniteStart);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_EQ(x, (std::vector<double>{1, -1}));
}

TEST(Newton, StopsAtTheLimitAndOnTheFlagWithTheLastPoint) {
  Rosenbrock objective;
  std::vector<double> x = {-1.2, 1};
  const SolveReport limited = newton(objective, x, {.max_iterations = 3});
  EXPECT_EQ(limited.status, SolveStatus::IterationLimit);
  EXPECT_EQ(limited.iterations, 3);
  EXPECT_DOUBLE_EQ(objective.energy(x).energy, limited.energy);

  std::atomic<bool> stop = false;
  int calls = 0;
  x = {-1.2, 1};
  const SolveReport stopped =
      newton(objective, x, {.stop = &stop, .progress = [&](const SolveStep& step) {
                              EXPECT_EQ(step.iteration, calls++);
                              if (step.iteration == 2) stop = true;
                            }});
  EXPECT_EQ(stopped.status, SolveStatus::Interrupted);
  EXPECT_EQ(stopped.iterations, 2);
  EXPECT_EQ(calls, 3);
}

TEST(Newton, PredictsTheErrorThatIsLeft) {
  Eigen::Matrix2d A;
  A << 2, 0.5, 0.5, 1;
  const Vector2d b(1, 1), expected = A.llt().solve(b);
  Quadratic objective(A, b);
  std::vector<double> x = {expected[0] + 1e-4, expected[1]};
  const SolveReport report = newton(objective, x, {.tolerance = 1e-3});
  ASSERT_TRUE(report.converged());
  EXPECT_EQ(report.iterations, 0);
  EXPECT_NEAR(report.predicted_error, 1e-4, 1e-9);
}

TEST(Newton, SplitsItsTimeIntoPhases) {
  Springs chain = cantilevered_chain(30, 0.3);
  std::vector<double> x = chain.rest();
  const SolveReport report = newton(chain, x, {});
  const SolveTimes& t = report.times;
  EXPECT_GT(t.factor, 0);
  EXPECT_GT(t.evaluate, 0);
  EXPECT_NEAR(t.evaluate + t.assemble + t.factor + t.solve + t.products + t.line_search + t.other,
              t.total, 1e-6 + 1e-6 * t.total);
  EXPECT_EQ(report.history.size(), static_cast<size_t>(report.iterations) + 1);
}

TEST(Solve, ChoosesNewtonForASmallBodyWithoutAConstantStiffness) {
  Springs chain = cantilevered_chain(3, 0.3);
  std::vector<double> x = chain.rest();
  const SolveReport report = solve(chain, x, {});
  EXPECT_TRUE(report.converged());
  EXPECT_EQ(report.method.rfind("newton:", 0), 0u) << report.method;
  EXPECT_NE(report.method.find("chosen"), std::string::npos);
}

TEST(Solve, TakesAnObjectiveWithoutFreeValues) {
  Quadratic objective(Eigen::MatrixXd(0, 0), VectorXd(0));
  const SolveReport report = solve(objective, {}, {});
  EXPECT_TRUE(report.converged()) << report.reason;
  EXPECT_EQ(report.iterations, 0);
}

}  // namespace
}  // namespace asb
