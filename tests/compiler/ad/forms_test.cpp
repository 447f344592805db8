// Kernels of a form, on materials with closed-form derivatives.
#include "tests/compiler/ad/ad_testing.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

constexpr uint64_t kSeed = 1234;

ValueId material_input(Builder& b, const char* name) { return b.add_input(name, Type::scalar(), ir::kAxisParams); }

/// mu/2 (|F|² - 3 - 2 log J) + lambda/2 (log J)²
ir::Function neo_hookean() {
  ir::Function function;
  Builder b(function);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh), mu = material_input(b, "mu"), lambda = material_input(b, "lambda");
  const ValueId log_J = b.log(b.det(F));
  const ValueId shear = b.sub(b.sub(b.inner(F, F), b.constant(3)), b.scale(2, log_J));
  b.add_output("psi", b.add(b.mul(b.scale(0.5, mu), shear), b.mul(b.scale(0.5, lambda), b.mul(log_J, log_J))));
  return function;
}

/// [Smith2018] Eq. 14: mu/2 (I_C - 3) + lambda/2 (J - alpha)² - mu/2 log(I_C + 1), alpha = 1 + mu/lambda - mu/(4 lambda)
ir::Function stable_neo_hookean() {
  ir::Function function;
  Builder b(function);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh), mu = material_input(b, "mu"), lambda = material_input(b, "lambda");
  const ValueId I_C = b.inner(F, F), J = b.det(F), half_mu = b.scale(0.5, mu);
  const ValueId alpha = b.add(b.constant(1), b.scale(0.75, b.div(mu, lambda))), volume = b.sub(J, alpha);
  const ValueId shear = b.sub(b.mul(half_mu, b.sub(I_C, b.constant(3))), b.mul(half_mu, b.log(b.add(I_C, b.constant(1)))));
  b.add_output("psi", b.add(shear, b.mul(b.scale(0.5, lambda), b.mul(volume, volume))));
  return function;
}

/// Ogden-like in two locals: F and a pressure p; p (J - 1) - p²/(2 k) + |F|²/2
ir::Function mixed_pressure() {
  ir::Function function;
  Builder b(function);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh), k = material_input(b, "k");
  const ValueId p = b.add_input("p", Type::scalar(), ir::kAxisMesh);
  const ValueId volume = b.mul(p, b.sub(b.det(F), b.constant(1)));
  b.add_output("psi", b.sub(b.add(volume, b.scale(0.5, b.inner(F, F))), b.div(b.mul(p, p), b.scale(2, k))));
  return function;
}

std::vector<double> cofactor(const std::vector<double>& F) {
  std::vector<double> C(9);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      C[3 * i + j] = F[3 * a + c] * F[3 * b + d] - F[3 * a + d] * F[3 * b + c];
    }
  return C;
}

TEST(NeoHookean, HasItsClosedFormStressAndHessian) {
  // P = mu F + (lambda log J - mu) F^-T; dP = mu dF + lambda (F^-T : dF) F^-T - (lambda log J - mu) F^-T dF' F^-T
  Random random(kSeed);
  const double mu = 2, lambda = 5;
  const ir::Function density = neo_hookean();
  const ir::Function all = ad::form_function({density, {0}}, ad::kEnergy | ad::kGradient | ad::kProduct);
  ASSERT_EQ(all.outputs.size(), 3u);
  for (int repeat = 0; repeat < 5; ++repeat) {
    const std::vector<double> F = random.with_stretches(1.5, 1, 0.7), dF = random.uniforms(9);
    std::vector<double> inverse = cofactor(F);  // F^-T = cof F / J
    const double J = F[0] * inverse[0] + F[1] * inverse[1] + F[2] * inverse[2];
    for (double& x : inverse) x /= J;
    const double pressure = lambda * std::log(J) - mu, volume = dot(inverse, dF);
    std::vector<double> P, dP;
    for (int i = 0; i < 9; ++i) {
      double twisted = 0;  // F^-T dF' F^-T
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) twisted += inverse[i / 3 * 3 + k] * dF[3 * l + k] * inverse[3 * l + i % 3];
      P.push_back(mu * F[i] + pressure * inverse[i]);
      dP.push_back(mu * dF[i] + lambda * volume * inverse[i] - pressure * twisted);
    }
    const auto out = run(all, {F, {mu}, {lambda}, dF});
    EXPECT_NEAR(out[0].entries[0].value, mu / 2 * (dot(F, F) - 3 - 2 * std::log(J)) + lambda / 2 * std::pow(std::log(J), 2), 1e-14);
    EXPECT_LT(distance(out[1].values(), P), 1e-13);
    EXPECT_LT(distance(out[2].values(), dP), 1e-12);
  }
}

TEST(StableNeoHookean, IsStressFreeAtRest) {
  const ir::Function density = stable_neo_hookean(), gradient = ad::gradient_function({density, {0}});
  EXPECT_LT(largest(run(gradient, {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {2}, {7}}, "gradient.F")), 1e-14);
}

TEST(Materials, HaveDerivativesThatFallAsTaylorPromises) {
  Random random(kSeed);
  const ir::Function nh = neo_hookean(), stable = stable_neo_hookean(), mixed = mixed_pressure();
  for (int repeat = 0; repeat < 3; ++repeat) {
    expect_derivatives({nh, {0}}, {random.with_stretches(1.5, 1, 0.7), {2}, {5}}, random, "neo-Hookean", 0.3);
    expect_derivatives({nh, {0, 1, 2}}, {random.with_stretches(1.5, 1, 0.7), {2}, {5}}, random, "neo-Hookean, all", 0.2);
    expect_derivatives({stable, {0}}, {random.with_stretches(1.5, 1, -0.4), {2}, {5}}, random, "stable, inverted", 0.3);
    expect_derivatives({mixed, {0, 2}}, {random.with_stretches(1.5, 1, 0.7), {9}, {0.4}}, random, "F and p", 0.3);
  }
}

TEST(Hessian, ListsTheUpperTriangleByRowsOverAllLocalsInOrder) {
  const ir::Function density = mixed_pressure();
  const std::vector<double> F = {1.1, 0.2, 0, -0.1, 0.9, 0.3, 0, 0.1, 1.2};
  const std::vector<double> H = run(ad::hessian_function({density, {0, 2}}), {F, {9}, {0.4}}, "hessian");
  ASSERT_EQ(H.size(), 55u);
  const std::vector<double> C = cofactor(F);
  for (int i = 0, row = 0; i < 9; row += 10 - i, ++i) EXPECT_DOUBLE_EQ(H[row + 9 - i], C[i]) << "∂²psi/∂F∂p = cof F";
  EXPECT_DOUBLE_EQ(H[54], -1.0 / 9);
  EXPECT_DOUBLE_EQ(H[0], 1);
}

TEST(Mixed, IsTheTransposeOfTheChangeOfStress) {  // w : ∂P/∂o by one reverse pass against pushing P forward along o
  Random random(kSeed);
  const ir::Function density = stable_neo_hookean();
  const std::vector<int32_t> others = {0, 1, 2};
  const ir::Function mixed = ad::mixed_function({density, {0}}, others);
  EXPECT_EQ(mixed.inputs.back().name, "direction.F");
  EXPECT_TRUE(mixed.inputs.back().rate & ir::kAxisDirection);
  ir::Function pushed = density;
  Builder b(pushed);
  const ValueId psi = pushed.outputs[0].values[0], F = b.input(0), P = ad::derivative(b, psi, F);
  pushed.outputs.clear();
  for (int32_t i : others) b.add_output("dP", ad::derivative(b, P, b.input(i)));
  const std::vector<double> w = random.uniforms(9);
  const Arguments at = {random.with_stretches(1.5, 1, 0.7), {2}, {5}};
  Arguments with_w = at;
  with_w.push_back(w);
  const auto left = run(mixed, with_w), right = run(pushed, at);
  for (size_t o = 0; o < 3; ++o) {
    const std::vector<double> dP = right[o].values();
    const size_t n = dP.size() / 9;
    for (size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (size_t i = 0; i < 9; ++i) sum += w[i] * dP[i * n + j];
      EXPECT_NEAR(left[o].entries[j].value, sum, 1e-12);
    }
  }
}

}  // namespace
}  // namespace asb::test
