// Newton-CG: the counts of the comparison box, the choice of preconditioner, saddles, determinism.
#include "runtime/minimise/newton_cg.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <cmath>

#include "box_problem.h"
#include "closed_forms.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/minimise/newton.h"
#include "runtime/minimise/solve.h"

namespace asb {
namespace {

using namespace test;

TEST(BoxProblem, ItsDerivativesAreThoseOfItsEnergy) {
  BoxProblem box(2);
  std::vector<double> x = box.rest();
  for (size_t i = 0; i < x.size(); ++i) x[i] += 0.01 * std::sin(3.0 * static_cast<double>(i));
  std::vector<double> d(x.size()), g(x.size()), g_plus(x.size()), Hd(x.size()), y(x.size());
  for (size_t i = 0; i < x.size(); ++i) d[i] = std::cos(5.0 * static_cast<double>(i));
  const double E = box.gradient(x, g).energy;
  box.linearise(x);
  box.product(d, Hd);
  double last_value = 0, last_gradient = 0;
  for (const double t : {1e-3, 1e-4}) {  // Taylor: the remainders fall as t³ and t²
    move_along(x, t, d, y);
    const double value =
        std::abs(box.gradient(y, g_plus).energy - E - t * dot(g, d) - 0.5 * t * t * dot(d, Hd));
    add_scaled(-1, g, g_plus);
    add_scaled(-t, Hd, g_plus);
    if (last_value > 0) {
      EXPECT_NEAR(std::log10(last_value / value), 3, 0.1);
      EXPECT_NEAR(std::log10(last_gradient / norm(g_plus)), 2, 0.1);
    }
    last_value = value;
    last_gradient = norm(g_plus);
  }
}

/// Answers of an independent Newton code to tight tolerance; counts as measured for the design, 14
/// / 107 / 121.
TEST(NewtonCg, SolvesTheComparisonBoxWithTheKnownCounts) {
  BoxProblem box(6);
  std::vector<double> x = box.rest();
  const SolveReport report = solve(box, x, {.tolerance = 1e-6, .relative_to_start = true});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_EQ(report.method.rfind("newton_cg:", 0), 0u) << report.method;
  EXPECT_NEAR(box.loss(x), 44.9427702414, 1e-3);
  const Eigen::Vector3d last = box.last_vertex(x);
  EXPECT_NEAR(last.x(), 0.89562997, 1e-5);
  EXPECT_NEAR(last.y(), 0.24851088, 1e-5);
  EXPECT_NEAR(last.z(), -0.35151414, 1e-5);
  RecordProperty("iterations", report.iterations);
  RecordProperty("products", report.products);
  RecordProperty("preconditioner_solves", report.preconditioner_solves);
  EXPECT_LE(report.iterations, 16);
  EXPECT_LE(report.products, 120);
  EXPECT_LE(report.preconditioner_solves, 136);
  EXPECT_LE(report.check_products, 20);
}

TEST(NewtonCg, ReachesTheTightAnswer) {
  BoxProblem box(3);
  std::vector<double> x = box.rest();
  const SolveReport report = newton_cg(box, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_NEAR(box.loss(x), 7.53439520512, 1e-9);
  const Eigen::Vector3d last = box.last_vertex(x);
  EXPECT_NEAR(last.x(), 0.90933389, 1e-8);
  EXPECT_NEAR(last.y(), 0.24842553, 1e-8);
  EXPECT_NEAR(last.z(), -0.32958309, 1e-8);
  EXPECT_LT(report.predicted_error, 1e-9);
  EXPECT_GE(report.predicted_error, 0);
}

TEST(NewtonCg, FindsWhatNewtonFinds) {
  BoxProblem box(2);
  std::vector<double> x = box.rest(), y = x;
  ASSERT_TRUE(newton_cg(box, x, {.tolerance = 1e-11}).converged());
  const SolveReport direct = newton(box, y, {.tolerance = 1e-11});
  ASSERT_TRUE(direct.converged()) << direct.reason;
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-9);
}

TEST(NewtonCg, WorksWithAnEarlierFactorWhereThereIsNoConstantOne) {
  BoxProblem box(2), plain(2);
  plain.use_constant_factor(false);
  std::vector<double> x = box.rest(), y = x;
  ASSERT_TRUE(newton_cg(box, x, {.tolerance = 1e-11}).converged());
  const SolveReport report = newton_cg(plain, y, {.tolerance = 1e-11});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_NE(report.method.find("earlier factor"), std::string::npos);
  EXPECT_GT(report.factorisations, 0);
  EXPECT_LT(report.factorisations, report.iterations);  // kept over steps
  for (size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-9);
}

TEST(NewtonCg, EndsInNoIterationAtRestAndAtItsOwnSolution) {
  BoxProblem still(2, 0);
  std::vector<double> x = still.rest();
  const SolveReport at_rest = newton_cg(still, x, {});
  EXPECT_TRUE(at_rest.converged()) << at_rest.reason;
  EXPECT_EQ(at_rest.iterations, 0);
  EXPECT_EQ(x, still.rest());

  BoxProblem box(2);
  x = box.rest();
  ASSERT_TRUE(newton_cg(box, x, {.tolerance = 1e-11}).converged());
  BoxProblem again(2);
  again.set_force_scale(box.force_scale());  // stored with a solution
  const SolveReport warm = newton_cg(again, x, {.tolerance = 1e-11});
  EXPECT_TRUE(warm.converged());
  EXPECT_EQ(warm.iterations, 0);
}

TEST(NewtonCg, DoesNotDependOnTheScaleOfTheEnergy) {
  BoxProblem box(2);
  box.use_constant_factor(false);  // Rescaled has none either
  std::vector<double> x = box.rest();
  const SolveReport report = newton_cg(box, x, {.tolerance = 1e-10});
  for (const double energy : {1e-9, 1e9}) {
    BoxProblem inner(2);
    Rescaled objective(inner, energy, 1e3);
    std::vector<double> y = inner.rest();
    for (double& value : y) value *= 1e3;
    const SolveReport scaled = newton_cg(objective, y, {.tolerance = 1e-10});
    EXPECT_TRUE(scaled.converged()) << scaled.reason;
    EXPECT_EQ(scaled.iterations, report.iterations);
    EXPECT_EQ(scaled.products, report.products);
    for (size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i] * 1e-3, x[i], 1e-9);
  }
}

TEST(NewtonCg, HasTheSameBitsOnOneAndTwoThreads) {
  std::vector<double> first, second;
  for (const size_t n_threads : {1, 2}) {
    const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, n_threads);
    BoxProblem box(3);
    std::vector<double> x = box.rest();
    ASSERT_TRUE(newton_cg(box, x, {.tolerance = 1e-8}).converged());
    (n_threads == 1 ? first : second) = x;
  }
  EXPECT_EQ(first, second);
}

TEST(NewtonCg, GoesOnFromASaddleAndSaysSoWhereItMayNot) {
  DoubleWell objective(4);
  std::vector<double> x = {1, 0, 0, -1};
  const SolveReport report = newton_cg(objective, x, {.tolerance = 1e-12});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_GT(report.escapes, 0);
  for (const double value : x) EXPECT_NEAR(std::abs(value), 1, 1e-9);
  x = {1, 0, 0, -1};
  const SolveReport held = newton_cg(objective, x, {.max_escapes = 0});
  EXPECT_EQ(held.status, SolveStatus::Unstable) << held.reason;
}

TEST(NewtonCg, TurnsAHangingChain) {
  Springs chain = cantilevered_chain(5, 0.4);
  std::vector<double> x = chain.rest();
  const SolveReport report = newton_cg(chain, x, {.tolerance = 1e-11});
  ASSERT_TRUE(report.converged()) << report.reason;
  EXPECT_NEAR(chain.point(x, 5).y(), -1.4, 1e-8);
  EXPECT_NEAR(chain.point(x, 5).x(), 0, 1e-8);
}

TEST(NewtonCg, ReportsAnEnergyWithoutAMinimum) {
  Quadratic falling(Eigen::Matrix2d::Zero(), Eigen::Vector2d(1, 2));
  std::vector<double> x = {0, 0};
  const SolveReport report = newton_cg(falling, x, {});
  EXPECT_EQ(report.status, SolveStatus::Unbounded) << report.reason;
}

TEST(NewtonCg, StopsOnTheFlag) {
  BoxProblem box(2);
  std::vector<double> x = box.rest();
  std::atomic<bool> stop = false;
  const SolveReport report =
      newton_cg(box, x, {.tolerance = 1e-11, .stop = &stop, .progress = [&](const SolveStep& s) {
                           stop = s.iteration >= 2;
                         }});
  EXPECT_EQ(report.status, SolveStatus::Interrupted);
  EXPECT_EQ(report.iterations, 2);
}

}  // namespace
}  // namespace asb
