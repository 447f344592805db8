// The rule of `rotation`: orders one to three, at easy and at nasty matrices.
#include <array>

#include "tests/compiler/ad/ad_testing.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

constexpr uint64_t kSeed = 99;

/// psi(M) = inner(W, rotation(M))
ir::Function projected_rotation(int n, Random& random) {
  ir::Function function;
  Builder b(function);
  const ValueId M = b.add_input("M", Type::matrix(n, n), ir::kAxisMesh);
  std::vector<ValueId> w;
  for (int i = 0; i < n * n; ++i) w.push_back(b.constant(random.uniform(-1, 1)));
  b.add_output("psi", b.inner(b.stack(w, Type::matrix(n, n)), b.rotation(M)));
  return function;
}

struct Stretches {
  double a, b, c;
  double size;  ///< of the direction: a share of the smallest sum of two singular values
};

TEST(Rotation, HasDerivativesAtWideRepeatedAndReflectedStretches) {
  Random random(kSeed);
  for (const Stretches s : {Stretches{1.3, 1, 0.8, 0.5}, {10, 1, 0.1, 0.3}, {1, 1, 1, 0.5}, {2, 2, 0.5, 0.5}, {2, 0.5, 0.5, 0.3},
                            {1.5, 1, -0.3, 0.2}, {1, 1, -0.9, 0.03}, {1, 0.6, 0, 0.2}, {1e-3, 1e-3, 2e-3, 5e-4},
                            {1e4, 2e4, 3e4, 1e4}}) {
    const ir::Function function = projected_rotation(3, random);
    const std::vector<double> M = random.with_stretches(s.a, s.b, s.c);
    expect_derivatives({function, {0}}, {M}, random, fmt::format("stretches {} {} {}", s.a, s.b, s.c), s.size, &std::cout);
  }
}

TEST(Rotation, HasDerivativesAtTheIdentityItself) {
  Random random(kSeed);
  const ir::Function function = projected_rotation(3, random);
  expect_derivatives({function, {0}}, {{1, 0, 0, 0, 1, 0, 0, 0, 1}}, random, "identity", 0.5);
}

TEST(Rotation, InThePlaneHasDerivatives) {
  Random random(kSeed);
  for (const std::vector<double>& M : {std::vector<double>{1, 0, 0, 1}, {3, 0.2, -0.4, 0.1}, {1, 0, 0, -0.5}, {0.3, -2, 2, 0.3}}) {
    const ir::Function function = projected_rotation(2, random);
    expect_derivatives({function, {0}}, {M}, random, fmt::format("plane {} {} {} {}", M[0], M[1], M[2], M[3]), 0.2);
  }
}

/// dR along dM, from push_forward.
ir::Function pushed_rotation(ad::DerivativeOptions options = {}) {
  ir::Function function;
  Builder b(function);
  const ValueId M = b.add_input("M", Type::matrix(3, 3), ir::kAxisMesh), dM = b.add_input("dM", Type::matrix(3, 3), ir::kAxisMesh);
  const ValueId R = b.rotation(M);
  const ad::Seed seed{M, dM};
  const ValueId dR = ad::push_forward(b, {&seed, 1}, {&R, 1}, options)[0];
  b.add_output("R", R);
  b.add_output("dR", dR);
  b.add_output("ddR", ad::push_forward(b, {&seed, 1}, {&dR, 1}, options)[0]);
  return function;
}

TEST(Rotation, DerivativeIsTheSumOverPairsOfSingularValues) {  // dR = U ((W - W')_ij / (s_i + s_j)) V', W = U'dM V
  Random random(kSeed);
  const ir::Function function = pushed_rotation();
  for (const std::array<double, 3> s : {std::array{2.0, 1.0, 0.5}, {1.0, 1.0, 1.0}, {10.0, 1.0, 0.1}, {1.0, 0.8, -0.4}}) {
    const std::vector<double> U = random.rotation(), V = random.rotation(), dM = random.uniforms(9);
    std::vector<double> M(9, 0), W(9, 0), expected(9, 0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) {
          M[3 * i + j] += U[3 * i + k] * s[k] * V[3 * j + k];
          for (int l = 0; l < 3; ++l) W[3 * i + j] += U[3 * k + i] * dM[3 * k + l] * V[3 * l + j];
        }
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l)
            if (k != l) expected[3 * i + j] += U[3 * i + k] * (W[3 * k + l] - W[3 * l + k]) / (s[k] + s[l]) * V[3 * j + l];
    EXPECT_LT(distance(run(function, {M, dM}, "dR"), expected), 1e-12 * (1 + largest(expected)) / (s[1] + s[2]));
  }
}

TEST(Rotation, DoesNotChangeWithStretchAndDifferentiatesToNothingThere) {  // dM = R dS with dS symmetric
  Random random(kSeed);
  const ir::Function function = pushed_rotation();
  const std::vector<double> R = random.rotation();
  const auto times = [](const std::vector<double>& A, const std::vector<double>& B) {
    std::vector<double> C(9, 0);
    for (int i = 0; i < 9; ++i)
      for (int k = 0; k < 3; ++k) C[i] += A[i / 3 * 3 + k] * B[3 * k + i % 3];
    return C;
  };
  const std::vector<double> S = {2, 0.3, 0.1, 0.3, 1, -0.2, 0.1, -0.2, 0.7}, dS = {1, 2, 3, 2, -1, 0.5, 3, 0.5, 4};
  const Arguments a = {times(R, S), times(R, dS)};
  EXPECT_LT(distance(run(function, a, "R"), R), 1e-15 * 8);
  EXPECT_LT(largest(run(function, a, "dR")), 1e-14);
  EXPECT_LT(largest(run(function, a, "ddR")), 1e-13);
}

TEST(Rotation, IsFiniteWithAllDerivativesWhereItIsNotUnique) {
  Random random(kSeed);
  const ir::Function function = pushed_rotation();
  const std::vector<double> zero(9, 0.0);
  std::vector<std::vector<double>> matrices = {zero, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {1, 0, 0, 0, 1, 0, 0, 0, -1},
                                               {-1, 0, 0, 0, -1, 0, 0, 0, -1}, random.with_stretches(1, 1e-9, -1e-9)};
  matrices.push_back(std::vector<double>(9, 1e-300));
  for (const std::vector<double>& M : matrices) {
    const Arguments a = {M, random.uniforms(9)};
    for (const char* name : {"R", "dR", "ddR"})
      for (double x : run(function, a, name)) EXPECT_TRUE(std::isfinite(x)) << name << " at " << M[0] << " " << M[4] << " " << M[8];
  }
}

TEST(Rotation, HasTheSameThirdDerivativeInEveryMixture) {
  Random random(kSeed);
  ir::Function function = projected_rotation(3, random);
  Builder b(function);
  const ValueId psi = function.outputs[0].values[0], M = b.input(0);
  const ValueId d = b.add_input("d", Type::matrix(3, 3), ir::kAxisMesh);
  const auto next = [&](ValueId e, bool reverse) {
    const ad::Seed seed_d{M, d}, seed_one{e, b.constant(1)};
    if (reverse) return b.inner(ad::pull_back(b, {&seed_one, 1}, {&M, 1})[0], d);
    return ad::push_forward(b, {&seed_d, 1}, {&e, 1})[0];
  };
  for (int mixture = 0; mixture < 8; ++mixture)
    b.add_output("third", next(next(next(psi, mixture & 1), mixture & 2), mixture & 4));
  for (const auto& M0 : {random.with_stretches(2, 1, 0.5), random.with_stretches(1, 1, 1), random.with_stretches(10, 1, 0.1)}) {
    const auto out = run(function, {M0, random.uniforms(9)});
    for (int mixture = 1; mixture < 8; ++mixture)
      EXPECT_TRUE(interpreter::agrees(out[1].entries[0], out[1 + mixture].entries[0].value)) << mixture;
  }
}

}  // namespace
}  // namespace asb::test
