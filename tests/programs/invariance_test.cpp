// What must not change an answer, or the work that it takes: units, stiffness, turning, threads, the backend, and where a
// solve begins.
#include <algorithm>
#include <cmath>

#include "tests/programs/program_testing.h"

namespace asb::test {
namespace {

constexpr graph::SolveId kFirst{0};

const SolveOutcome& outcome(Ran& ran, graph::SolveId id = kFirst) {
  const auto found = ran.session().solve(id);
  if (!found) throw std::runtime_error(ran.program.render_error(found.error()));
  return **found;
}

RunOptions tight(double tolerance = 1e-11, const std::string& backend = "llvm", int threads = 0) {
  RunOptions run;
  run.backend = backend;
  run.session.tolerance = tolerance;
  run.session.threads = threads;
  return run;
}

double diameter(const Ran& ran) {
  double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}, sum = 0;
  for (const Vec3& p : ran.result().meshes.at(0).mesh->nodes)
    for (int k = 0; k < 3; ++k) lo[k] = std::min(lo[k], p[k]), hi[k] = std::max(hi[k], p[k]);
  for (int k = 0; k < 3; ++k) sum += (hi[k] - lo[k]) * (hi[k] - lo[k]);
  return std::sqrt(sum);
}

// |g| of the last steps of Newton: each is about the square of the one before, so the ratio of the logarithms of two falls
// in a row is 2.
TEST(Newton, EndsWithAQuadraticTail) {
  for (const char* path : {"cantilever.asb", "oracle.asb"}) {
    const Ran ran = run_for_test(path, {.edits = {}, .settings = {}, .run = tight(1e-13)});
    const std::vector<IterationRecord>& history = ran.solve("x").history;
    double best = 0;
    // The last gradient may lie at round-off: it is left out.
    for (size_t i = 2; i + 1 < history.size(); ++i) {
      const double before = std::log(history[i - 1].gradient_norm / history[i - 2].gradient_norm);
      const double now = std::log(history[i].gradient_norm / history[i - 1].gradient_norm);
      if (before < -1) best = std::max(best, now / before);
    }
    EXPECT_GE(best, 1.75) << path;
    EXPECT_LE(ran.iterations("x"), 9) << path;
  }
}

TEST(Starts, ABodyAtRestNeedsNoStep) {
  const Ran ran = run_for_test("rest.asb", {.edits = {}, .settings = {}, .run = tight(1e-12)});
  EXPECT_EQ(ran.iterations("x"), 0);
  EXPECT_EQ(ran.iterations("y"), 0);
  EXPECT_EQ(ran.number("moved"), 0);
}

TEST(Starts, ASolveThatBeginsAtItsOwnSolutionNeedsNoStep) {
  for (const char* path : {"cantilever.asb", "oracle.asb", "turned.asb"}) {
    Ran first = prepare_for_test(path, {.edits = {}, .settings = {}, .run = tight(1e-9)});
    for (uint32_t s = 0; s < first.run.plan->solves.size(); ++s) {
      const SolveOutcome& solved = outcome(first, graph::SolveId(s));
      ASSERT_TRUE(solved.report.converged());
      ASSERT_GT(solved.report.iterations, 0);
      Ran again = prepare_for_test(path, {.edits = {}, .settings = {}, .run = tight(1e-9)});
      ASSERT_TRUE(again.session().start_from(graph::SolveId(s), solved));
      // The scale of forces, too: what counts as balanced is what counted before.
      EXPECT_EQ((*again.session().objective(graph::SolveId(s)))->force_scale(), solved.report.force_scale);
      const SolveOutcome& second = outcome(again, graph::SolveId(s));
      EXPECT_TRUE(second.report.converged()) << path;
      EXPECT_EQ(second.report.iterations, 0) << path << ", solve " << s;
      EXPECT_EQ(second.values, solved.values);
    }
  }
}

TEST(Starts, AStartFromAnotherMeshIsRefusedWithBothSizes) {
  Ran coarse = prepare_for_test("cantilever.asb", {.edits = {{"[16, 4, 4]", "[8, 2, 2]"}}, .settings = {}, .run = {}});
  Ran fine = prepare_for_test("cantilever.asb");
  const auto refused = fine.session().start_from(kFirst, outcome(coarse));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().name, "start-size");
  EXPECT_NE(refused.error().message.find("243 values, its unknown has 1275"), std::string::npos) << refused.error().message;
}

// The same body in numbers of another size: lengths a thousand times, forces as they are, so stress a millionth.
TEST(Scales, TheUnitOfLengthChangesNeitherStepsNorTheAnswer) {
  const Edits millimetres = {{"[0.32, 0.08, 0.08] m", "[320, 80, 80] m"}, {"1 MPa", "1 Pa"}, {"9810 N/m^3", "9.81e-6 N/m^3"},
                             {"0.1 mm", "0.1 m"}, {"319.9 mm", "319.9 m"}, {"40 mm", "40 m"}};
  const Ran metres = run_for_test("cantilever.asb", {.edits = {}, .settings = {}, .run = tight()});
  const Ran other = run_for_test("cantilever.asb", {.edits = millimetres, .settings = {}, .run = tight()});
  EXPECT_EQ(metres.iterations("x"), other.iterations("x"));
  std::vector<double> tip = other.output("tip_moves");
  for (double& v : tip) v /= 1000;
  EXPECT_LE(largest_difference(tip, metres.output("tip_moves")), 1e-12);
}

TEST(Scales, TheStiffnessChangesNeitherStepsNorTheAnswer) {
  const Ran soft = run_for_test("cantilever.asb", {.edits = {}, .settings = {}, .run = tight()});
  const Ran stiff = run_for_test("cantilever.asb", {.edits = {{"1 MPa", "1e12 Pa"}, {"9810 N", "9.81e9 N"}}, .settings = {}, .run = tight()});
  EXPECT_EQ(soft.iterations("x"), stiff.iterations("x"));
  EXPECT_LE(largest_difference(soft.output("tip_moves"), stiff.output("tip_moves")), 1e-12);
  for (const char* method : {"newton", "newton_cg"}) {
    const std::string with = std::string("using ") + method + "(tol";
    const Ran one = run_for_test("oracle.asb", {.edits = {{"using newton(tol", with}}, .settings = {}, .run = {}});
    const Ran many = run_for_test("oracle.asb", {.edits = {{"using newton(tol", with}, {"mu: 1 kPa", "mu: 1e9 Pa"}}, .settings = {}, .run = {}});
    EXPECT_EQ(one.iterations("x"), many.iterations("x")) << method;
    EXPECT_LE(many.number("error"), 1e-10) << method;
  }
}

TEST(Rotation, ABodyTurnedWithItsLoadsBendsTheSameAndTakesTheSameSteps) {
  const Ran ran = run_for_test("turned.asb", {.edits = {}, .settings = {}, .run = tight()});
  EXPECT_LE(ran.number("difference"), 1e-10);
  EXPECT_LE(ran.number("actuated_difference"), 1e-10);
  EXPECT_GE(ran.number("bent"), 0.02);
  EXPECT_EQ(ran.iterations("x"), ran.iterations("y"));
  EXPECT_EQ(ran.iterations("u"), ran.iterations("v"));
}

/// Everything that an objective says at one point, and the end of its solve.
std::vector<std::vector<double>> numbers_of(const std::string& path, int threads) {
  Ran ran = prepare_for_test(path, {.edits = {}, .settings = {}, .run = tight(1e-9, "llvm", threads)});
  std::vector<std::vector<double>> all;
  for (uint32_t s = 0; s < ran.run.plan->solves.size(); ++s) {
    auto objective = ran.session().objective(graph::SolveId(s));
    std::vector<double> x = (*objective)->free_values();
    for (size_t i = 0; i < x.size(); ++i) x[i] += 1e-4 * std::sin(static_cast<double>(i));
    std::vector<double> g(x.size()), Hg(x.size());
    all.push_back({(*objective)->energy(x).energy, (*objective)->energy(x).magnitude});
    (*objective)->gradient(x, g);
    (*objective)->linearise(x);
    (*objective)->product(g, Hg);
    SymmetricMatrix H;
    (*objective)->hessian(x, Projection::Clamp, H);
    all.push_back(g);
    all.push_back(Hg);
    all.push_back(H.value);
    all.push_back(outcome(ran, graph::SolveId(s)).values.at(0));
  }
  return all;
}

TEST(Threads, OneAndTwoGiveTheSameBits) {
  for (const std::string path : {"cantilever.asb", "turned.asb", "oracle.asb"}) EXPECT_EQ(numbers_of(path, 1), numbers_of(path, 2)) << path;
}

// Both solved to 1e-11: |x_a - x_b| <= 1e-8 d (docs/numerics.md, "Tolerances between backends").
TEST(Backends, TheInterpreterAndMachineCodeFindTheSameEquilibrium) {
  for (const auto& [path, edits] : {std::pair<const char*, Edits>{"cantilever.asb", {{"[16, 4, 4]", "[8, 2, 2]"}}},
                                    {"turned.asb", {}}, {"homogeneous.asb", {}}}) {
    Ran machine = run_for_test(path, {.edits = edits, .settings = {}, .run = tight()});
    Ran oracle = run_for_test(path, {.edits = edits, .settings = {}, .run = tight(1e-11, "interpreter")});
    const double d = diameter(machine);
    for (uint32_t s = 0; s < machine.run.plan->solves.size(); ++s) {
      const auto& a = outcome(machine, graph::SolveId(s)).values.at(0);
      const auto& b = outcome(oracle, graph::SolveId(s)).values.at(0);
      EXPECT_LE(largest_difference(a, b), 1e-8 * d) << path << ", solve " << s;
    }
  }
}

}  // namespace
}  // namespace asb::test
