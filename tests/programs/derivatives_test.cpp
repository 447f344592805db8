// Derivatives of every program that has a solve, found by glob: a new file is tested at once. Value, gradient and Hessian
// by the slopes of their Taylor remainders; products against the assembled Hessian; the interpreter against machine code.
#include <algorithm>
#include <filesystem>

#include "runtime/linalg/symmetric_matrix.h"
#include "tests/programs/program_testing.h"
#include "tests/support/random.h"
#include "tests/support/taylor.h"

namespace asb::test {
namespace {

using Vector = std::vector<double>;

double inner(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const Vector& a) {
  double result = 0;
  for (const double x : a) result = std::isnan(x) ? HUGE_VAL : std::max(result, std::abs(x));
  return result;
}

Vector along(Vector x, const Vector& d, double t) {
  for (size_t i = 0; i < x.size(); ++i) x[i] += t * d[i];
  return x;
}

/// Hv, and |H||v| as the scale of its rounding.
std::pair<Vector, Vector> multiply_lower(const SymmetricMatrix& H, const Vector& v) {
  Vector Hv(v.size()), scale(v.size());
  for (int32_t j = 0; j < H.n; ++j)
    for (int64_t k = H.column[j]; k < H.column[j + 1]; ++k) {
      const int32_t i = H.row[k];
      Hv[i] += H.value[k] * v[j];
      scale[i] += std::abs(H.value[k] * v[j]);
      if (i == j) continue;
      Hv[j] += H.value[k] * v[i];
      scale[j] += std::abs(H.value[k] * v[i]);
    }
  return {Hv, scale};
}

/// One solve at a random state near its start, where every cell is still upright.
struct State {
  std::unique_ptr<SolveObjective> objective;
  Vector x, v, w;
  double cell = 1;
};

class EveryProgram : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { ran_.emplace(prepare("llvm")); }

  Ran prepare(const char* backend) {
    RunOptions run;
    run.backend = backend;
    run.session.data_folder = stand_in_data();
    run.torch = false;  // networks by the interpreter
    Ran ran = prepare_for_test(GetParam(), {.edits = {}, .settings = {}, .run = run});
    if (!ran.run.plan->frames.empty()) ran.session().set_frame(0);
    return ran;
  }

  size_t solves() const { return ran_->run.plan->solves.size(); }
  std::string name(size_t s) const { return ran_->run.plan->solves[s].name; }

  State state(size_t s) {
    State state;
    auto made = ran_->session().objective(graph::SolveId(static_cast<uint32_t>(s)));
    if (!made) throw std::runtime_error(ran_->program.render_error(made.error()));
    state.objective = std::move(*made);
    Random random(s + 1);
    const auto n = static_cast<int>(state.objective->size());
    const Vector x = state.objective->free_values();
    // About a cell's size: the body's, over the number of nodes along a side.
    state.cell = state.objective->diameter() / std::cbrt(n / 3.0 + 8);
    Vector move = random.uniforms(n);
    const double longest = 0.2 * std::min(state.objective->step_bound(x, move), 0.5 * state.cell);
    state.x = along(x, move, longest);
    state.v = random.uniforms(n);
    state.w = random.uniforms(n);
    const double reach = std::min(state.objective->step_bound(state.x, state.v), 0.5 * state.cell);
    for (double& entry : state.v) entry *= reach;
    for (double& entry : state.w) entry *= reach;
    return state;
  }

  std::optional<Ran> ran_;
};

TEST_P(EveryProgram, GradientAndHessianAreTheDerivativesOfTheEnergy) {
  for (size_t s = 0; s < solves(); ++s) {
    State at = state(s);
    SolveObjective& f = *at.objective;
    Vector g(f.size()), Hv(f.size()), h(f.size());
    const Evaluation e = f.gradient(at.x, g);
    ASSERT_TRUE(e.finite) << name(s);
    EXPECT_NEAR(e.energy, f.energy(at.x).energy, 1e-14 * e.magnitude);
    f.linearise(at.x);
    f.product(at.v, Hv);
    const auto energy = [&](double t) { return f.energy(along(at.x, at.v, t)).energy; };
    EXPECT_TRUE(falls_as_promised(taylor(energy, {e.energy, inner(g, at.v)}, e.magnitude))) << "gradient of " << name(s);
    EXPECT_TRUE(falls_as_promised(taylor(energy, {e.energy, inner(g, at.v), inner(Hv, at.v)}, e.magnitude)))
        << "second derivative of " << name(s);
    const auto slope = [&](double t) {
      f.gradient(along(at.x, at.v, t), h);
      return inner(h, at.w);
    };
    const double noise = f.force_scale() * std::sqrt(inner(at.w, at.w));
    EXPECT_TRUE(falls_as_promised(taylor(slope, {inner(g, at.w), inner(Hv, at.w)}, noise))) << "products of " << name(s);
  }
}

TEST_P(EveryProgram, ProductsAgreeWithTheAssembledHessianAndAreSymmetric) {
  for (size_t s = 0; s < solves(); ++s) {
    State at = state(s);
    SolveObjective& f = *at.objective;
    SymmetricMatrix H;
    f.hessian(at.x, Projection::None, H);
    const auto [assembled, scale] = multiply_lower(H, at.v);
    Vector Hv(f.size()), Hw(f.size());
    f.linearise(at.x);
    f.product(at.v, Hv);
    f.product(at.w, Hw);
    EXPECT_LE(largest_difference(Hv, assembled), 1e-12 * largest(scale)) << name(s);
    EXPECT_GT(largest(Hv), 0) << name(s);
    double magnitude = 0;
    for (size_t i = 0; i < scale.size(); ++i) magnitude += scale[i] * std::abs(at.w[i]);
    EXPECT_NEAR(inner(at.w, Hv), inner(at.v, Hw), 1e-12 * magnitude) << name(s);
    // Clamping each local Hessian adds a positive semi-definite matrix and leaves one.
    SymmetricMatrix clamped;
    f.hessian(at.x, Projection::Clamp, clamped);
    const double curvature = inner(multiply_lower(clamped, at.v).first, at.v);
    EXPECT_GE(curvature, -1e-12 * magnitude) << name(s);
    EXPECT_GE(curvature, inner(Hv, at.v) - 1e-11 * inner(scale, Vector(at.v.size(), largest(at.v)))) << name(s);
  }
}

TEST_P(EveryProgram, TheInterpreterAndMachineCodeAgree) {
  Ran other = prepare("interpreter");
  for (size_t s = 0; s < solves(); ++s) {
    State at = state(s);
    SolveObjective& f = *at.objective;
    auto made = other.session().objective(graph::SolveId(static_cast<uint32_t>(s)));
    ASSERT_TRUE(made);
    SolveObjective& oracle = **made;
    Vector g(f.size()), expected(f.size());
    const Evaluation e = f.gradient(at.x, g), o = oracle.gradient(at.x, expected);
    EXPECT_NEAR(e.energy, o.energy, 1e-12 * o.magnitude) << name(s);
    EXPECT_LE(largest_difference(g, expected), 1e-12 * oracle.force_scale()) << name(s);
    Vector Hv(f.size());
    f.linearise(at.x);
    f.product(at.v, Hv);
    oracle.linearise(at.x);
    oracle.product(at.v, expected);
    EXPECT_LE(largest_difference(Hv, expected), 1e-11 * largest(expected)) << name(s);
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  const std::filesystem::path path = info.param;
  std::string name = path.parent_path().filename().string() + "_" + path.stem().string();
  std::ranges::replace_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Found, EveryProgram, ::testing::ValuesIn(all_programs()), test_name);

// Shape targeting of a body shrunk to a third: in a turn about an axis the energy falls (its local eigenvalue is
// mu (1 - 2/(s_i + s_j)), s the stretches). Clamped, the Hessian must not say so.
TEST(ClampedHessian, HasNoNegativeCurvatureWhereTheExactOneHas) {
  Ran ran = prepare_for_test("rest.asb");
  bool found = false;
  for (uint32_t s = 0; s < ran.run.plan->solves.size(); ++s) {
    if (ran.run.plan->solves[s].name != "x") continue;
    found = true;
    const auto objective = ran.session().objective(graph::SolveId(s));
    ASSERT_TRUE(objective);
    SolveObjective& f = **objective;
    const Vector rest = f.free_values();  // node-major, whole nodes
    ASSERT_EQ(rest.size() % 3, 0u);
    Vector shrunk = rest, turn(rest.size());
    for (size_t i = 0; i < rest.size(); i += 3) {
      for (size_t k = 0; k < 3; ++k) shrunk[i + k] *= 0.3;
      turn[i + 1] = -(rest[i + 2] - 0.25);
      turn[i + 2] = rest[i + 1] - 0.25;
    }
    SymmetricMatrix exact, clamped;
    f.hessian(shrunk, Projection::None, exact);
    f.hessian(shrunk, Projection::Clamp, clamped);
    EXPECT_LT(inner(multiply_lower(exact, turn).first, turn), 0);
    EXPECT_GE(inner(multiply_lower(clamped, turn).first, turn), 0);
  }
  EXPECT_TRUE(found);
}

TEST(EveryMaterial, IsUsedByAProgramThatTheseTestsFind) {
  std::string all;
  for (const std::string& path : all_programs()) all += read_program(path);
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/programs/materials")) {
    const std::string name = entry.path().stem();
    EXPECT_NE(all.find("use materials." + name + "\n"), std::string::npos) << name << " has no program with a solve";
    ++found;
  }
  EXPECT_GE(found, 3);
}

}  // namespace
}  // namespace asb::test
