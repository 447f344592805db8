// Derivatives through solves: Taylor slopes of order 2 for everything that a loss can depend on, in the two ways that adjoint
// systems are solved (conjugate gradients on the constant factor, Cholesky), a reference in numpy, and what is refused.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "asb/gradients.h"
#include "tests/learn/programs.h"
#include "tests/tools/process.h"

namespace asb::test {
namespace {

RunOptions without_torch() {
  RunOptions options;
  options.torch = false;
  return options;
}

Result<GradientCheck> check(const std::string& text, const RunOptions& options = without_torch()) {
  const Program program = load_source("test", text);
  if (!program) {
    ADD_FAILURE() << program.diagnostics();
    return fail("broken", "the program of the test is broken");
  }
  auto result = check_gradients(program, options);
  if (!result) result.error().message = program.render_error(result.error());
  return result;
}

/// All rows are right, and `of` has a row for each of `by`, not at rounding level.
void expect_right(const std::string& text, const std::string& of, const std::set<std::string>& by,
                  const RunOptions& options = without_torch()) {
  const auto found = check(text, options);
  ASSERT_TRUE(found) << found.error().message;
  std::set<std::string> seen;
  for (const TaylorRow& row : found->rows) {
    EXPECT_TRUE(row.good) << row.of << " by " << row.by << ": slope " << row.slope << ", expected " << row.order;
    if (row.of != of) continue;
    seen.insert(row.by);
    EXPECT_FALSE(by.contains(row.by) && row.at_rounding_level) << row.by << " changes too little to be tested";
  }
  for (const std::string& name : by) EXPECT_TRUE(seen.contains(name)) << "no derivative by " << name;
}

const std::string kBox = "mesh m = box(size: [3, 1, 1] m, cells: [4, 2, 2], element: hex8)\n";

TEST(Adjoint, OfAMaterialALoadAndAHeldComponentByCholesky) {
  expect_right("use materials.neo_hookean\n" + kBox + R"(
param mu: Pa = 1000 Pa
param lambda: Pa = 2000 Pa
param load: Pa = 20 Pa
param twist: real = 0.3
fn psi(F: mat3) -> Pa = neo_hookean(F, mu: mu, lambda: lambda)
unknown x: vec3 on m.nodes = X
fix x on m.nodes where X.x < 1 mm
fix x.y on m.nodes where X.x > 2.999 m = X.y + twist * (X.z - 0.5 m)
solve x minimizing integral(m) { psi(grad(x)) } + integral(m) { load * x.z / 1 m }
output tip = mean(m.nodes where X.x > 2.9 m) { x.z }
)",
               "tip", {"mu", "lambda", "load", "twist"});
}

TEST(Adjoint, OfAMovedBoneAndAFieldAtPointsByConjugateGradients) {
  expect_right("use materials.shape_targeting\n" + kBox + R"(
param turn: real = 0.3
param shift: vec3 = [0.2, 0.1, -0.1]
param lift: real = 0.15
param strain: sym3 = sym([[0.1, 0.02, 0], [0.02, -0.05, 0.03], [0, 0.03, 0]])
fn turned(X: vec3, a: real) -> vec3 = [X.x, cos(a) * X.y - sin(a) * X.z, sin(a) * X.y + cos(a) * X.z]
field A: sym3 = I + (1 + X.x / 3 m) * strain
unknown x: vec3 on m.nodes = X
fix x on m.nodes where X.x < 1 mm
fix x on m.nodes where X.x > 2.999 m = turned(X, turn) + shift * 1 m
fix x.z on m.nodes where X.x > 1.4 m and X.x < 1.6 m and X.z < 1 mm = X.z + lift * 1 m
solve x minimizing integral(m) { shape_targeting(grad(x), A) }
output far = sum(m.nodes) { sqnorm(x - X) }
)",
               "far", {"turn", "shift", "lift", "strain"});
}

TEST(Adjoint, OfHeldValuesThatAnotherFixTakesOverAndOfHeldInitialValues) {
  expect_right("use materials.shape_targeting\n" + kBox + R"(
param a: real = 0.1
param b: real = 0.2
param s: real = 1.1
unknown x: vec3 on m.nodes = s * X
fix x on m.nodes where X.x < 1 mm
fix x on m.nodes where X.x > 2.999 m = X + a * [1, 0, 0.5] m
fix x.z on m.nodes where X.x > 2.999 m and X.z < 1 mm = X.z - b * 1 m over
solve x minimizing integral(m) { shape_targeting(grad(x), I) }
output far = sum(m.nodes) { sqnorm(x - X) }
)",
               "far", {"a", "b", "s"});
}

TEST(Adjoint, ThroughTwoSolvesFibresOfALaplaceProblemInAnEnergy) {
  expect_right("use materials.neo_hookean\n" + kBox + R"(
param slope: real = 0.4
param pull: real = 0.3
unknown phi: real on m.nodes = 0
fix phi on m.nodes where X.x < 1 mm
fix phi on m.nodes where X.x > 2.999 m = X.x / 1 m + slope * X.z^2 / 1 m^2
solve phi minimizing integral(m) { 0.5 * sqnorm(grad(phi)) }
fn psi(F: mat3) -> Pa = neo_hookean(F, mu: 1 kPa, lambda: 2 kPa)
unknown x: vec3 on m.nodes = X
fix x on m.nodes where X.x < 1 mm
energy E = integral(m) { let f = normalize(grad(phi)); psi(grad(x)) + pull * 1 kPa * sqnorm(grad(x) * f) }
solve x minimizing E
output far = mean(m.nodes where X.x > 2.9 m) { x.z }
)",
               "far", {"slope", "pull"});
}

TEST(Adjoint, OfWeightsALatentAndBoundedParams) {
  expect_right(learning_bar(), "fit", {"act", "z", "gain", "side"});
}

TEST(Adjoint, OfWeightsByLibTorch) {
  if (const auto torch = open_torch(NetworkPrecision::F64); !torch) GTEST_SKIP() << torch.error().message;
  expect_right(learning_bar(), "learn ", {"act", "z", "gain", "side"}, {});
}

/// Derivatives of the actuated box by three numbers that its actuation is made from, in numpy.
std::map<std::string, double> box_in_numpy(const std::string& folder) {
  Workplace place;
  place.write("box.py", R"(
import sys; sys.path.insert(0, sys.argv[1])
import numpy as np, reference_box
from boxproblem import *
s = reference_box.solve(3, tol=1e-12); X, E, dx = box(3); P = gauss_points(X, E, dx); g = s['grad'].reshape(len(E), 8, 6)
x, z = P[..., 0], P[..., 2]; u = 2 * z / H - 1; a = 1 + .15 * u; o = 0 * a
w, v, t = -.5 * a**-1.5 * u, -np.log(a) * a**-.5, np.sin(2 * np.pi * x)
print('loss %.17g norm %.17g' % (s['loss'], np.linalg.norm(g)))
for name, d in ('bend', (u, o, o, w, o, w)), ('across', (o, o, o, v, o, v)), ('shear', (o, o, o, o, t, o)):
    print('%s %.17g' % (name, np.sum(g * np.stack(d, -1))))
)");
  std::map<std::string, double> values;
  FILE* pipe = ::popen(("/usr/bin/python3 " + place.path("box.py") + " " + folder + " 2>/dev/null").c_str(), "r");
  char name[16];
  double value = 0;
  while (pipe && std::fscanf(pipe, "%15s %lf", name, &value) == 2) values[name] = value;
  if (pipe) ::pclose(pipe);
  return values;
}

TEST(Adjoint, OfTheActuatedBoxAgreesWithNumpy) {
  const std::string folder = source_file("../shared/reference/actuated_box");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << folder << " is not here";
  const auto reference = box_in_numpy(folder);
  if (!reference.contains("shear")) GTEST_SKIP() << "/usr/bin/python3 has no numpy and scipy";
  EXPECT_NEAR(reference.at("loss"), 7.53439520512, 1e-10);
  EXPECT_NEAR(reference.at("norm"), 7.72082, 1e-5);
  const Program program = load_source("box", R"(use materials.shape_targeting
mesh bar = box(size: [1, 0.25, 0.25] m, cells: [12, 3, 3], element: hex8)
param bend: real = 0.15
param shear: real = 0.05
param across: real = 0.5
field A: sym3 = {
  let along = 1 + bend * (2 * X.z / 0.25 m - 1)
  let wide = along^(-across)
  let s = shear * sin(2 * pi * X.x / 1 m)
  sym([[along, 0, 0], [0, wide, s], [0, s, wide]])
}
unknown x: vec3 on bar.nodes = X
fix x on bar.nodes where X.x < 1 mm
solve x minimizing integral(bar) { shape_targeting(grad(x), A, mu: 2 Pa) }
output loss = 0.5 * sum(bar.nodes) { sqnorm(x - X) }
)");
  ASSERT_TRUE(program) << program.diagnostics();
  RunOptions options;
  options.gradients = true;
  options.session.tolerance = 1e-12;
  auto run = prepare_run(program, options);
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(run->plan->gradients.size(), 1u);
  const plan::Gradients& g = run->plan->gradients[0];
  const auto value = run->session->evaluate(g.value);
  ASSERT_TRUE(value);
  EXPECT_NEAR((*value)->data[0], reference.at("loss"), 1e-9 * reference.at("loss"));
  ASSERT_EQ(g.by.size(), 3u);
  for (const plan::Learned& by : g.by) {
    const std::string& name = run->plan->params[by.ref].name;
    const auto gradient = run->session->evaluate(by.gradient);
    ASSERT_TRUE(gradient) << gradient.error().message;
    EXPECT_NEAR((*gradient)->data[0], reference.at(name), 1e-8 * std::abs(reference.at(name))) << name;
  }
}

/// A straight column pressed to half its length: stationary by symmetry, and unstable.
std::string pressed(const std::string& use, const std::string& psi) {
  return use + R"(
mesh m = box(size: [6, 1, 1] m, cells: [6, 2, 2], element: hex8)
param p: real = 0.5
fn psi(F: mat3) -> Pa = )" + psi + R"(
unknown x: vec3 on m.nodes = [p * X.x, X.y, X.z]
fix x on m.nodes where X.x < 1 mm
fix x on m.nodes where X.x > 5.999 m
param side: Pa = 1e-9 Pa
solve x minimizing integral(m) { psi(grad(x)) } + integral(m) { side * x.y / 1 m }
output middle = mean(m.nodes where X.x > 2.9 m and X.x < 3.1 m) { x.y }
)";
}

TEST(Adjoint, OfAnUnstableStateIsRefusedWithAdvice) {
  for (const auto& [use, psi] : {std::pair{"use materials.neo_hookean", "neo_hookean(F, mu: 1 Pa, lambda: 2 Pa)"},
                                 {"use materials.shape_targeting", "shape_targeting(F, I)"}}) {
    const Program program = load_source("test", pressed(use, psi));
    ASSERT_TRUE(program) << program.diagnostics();
    RunOptions options;
    options.gradients = true;
    options.session.max_iterations = 0;  // the state stays the column; minimisers leave it, as they should
    auto run = prepare_run(program, options);
    ASSERT_TRUE(run) << run.error().message;
    bool refused = false;
    for (const plan::Learned& by : run->plan->gradients.at(0).by) {
      const auto gradient = run->session->evaluate(by.gradient);
      if (gradient) continue;
      EXPECT_EQ(gradient.error().name, "adjoint-unstable") << gradient.error().message;
      EXPECT_FALSE(gradient.error().hint.empty());
      refused = true;
    }
    EXPECT_TRUE(refused) << use;
  }
}

TEST(Adjoint, OfAStateThatIsNoEquilibriumIsRefusedWithAdvice) {
  RunOptions options = without_torch();
  const auto loose = check(learning_bar("", " using newton_cg(tol: 1e-3)"), options);
  ASSERT_FALSE(loose);
  EXPECT_EQ(loose.error().name, "grad-not-stationary") << loose.error().message;
  EXPECT_TRUE(contains(loose.error().hint, "tol")) << loose.error().hint;
  options.session.max_iterations = 1;
  const auto unfinished = check(learning_bar(), options);
  ASSERT_FALSE(unfinished);
  EXPECT_EQ(unfinished.error().name, "grad-not-solved") << unfinished.error().message;
}

}  // namespace
}  // namespace asb::test
