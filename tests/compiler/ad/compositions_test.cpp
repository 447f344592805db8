// Random compositions of ops; derivatives of derivatives; cuts.
#include "tests/compiler/ad/ad_testing.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

constexpr uint64_t kSeed = 71;

TEST(RandomCompositions, HaveDerivativesThatFallAsTaylorPromises) {
  for (uint64_t seed = kSeed; seed < kSeed + 40; ++seed) {
    Random random(seed);
    const ir::Function function = random_density(random);
    const Arguments at = random_arguments(random, function);
    expect_derivatives({function, real_inputs(function)}, at, random, "seed " + std::to_string(seed), 0.5);
  }
}

TEST(RandomCompositions, WithKinksAgreeForwardAndReverse) {
  for (uint64_t seed = kSeed; seed < kSeed + 40; ++seed) {
    Random random(seed);
    const ir::Function function = random_density(random, {.instructions = 20, .with_kinks = true});
    const Arguments at = random_arguments(random, function);
    const ad::Density density{function, real_inputs(function)};
    const Line line = along(density, at, random_direction(random, density), random_direction(random, density));
    EXPECT_TRUE(interpreter::agrees(line.first_forward, line.first)) << "seed " << seed;
    EXPECT_NEAR(line.second, line.second_dense, 1e-10 * (1 + largest(line.product))) << "seed " << seed;
  }
}

/// Third derivatives along a line, by nesting in each of the eight mixtures of forward and reverse.
TEST(RandomCompositions, HaveTheSameThirdDerivativeByEveryMixtureOfForwardAndReverse) {
  for (uint64_t seed = kSeed; seed < kSeed + 6; ++seed) {
    Random random(seed);
    ir::Function function = random_density(random, {.instructions = 8});
    const Arguments at = random_arguments(random, function);
    Builder b(function);
    const ValueId psi = function.outputs[0].values[0], F = b.input(0);
    const ValueId d = b.add_input("d", Type::matrix(3, 3), ir::kAxisMesh);
    const auto next = [&](ValueId e, bool reverse) {
      const ad::Seed seed_d{F, d}, seed_one{e, b.constant(1)};
      if (reverse) return b.inner(ad::pull_back(b, {&seed_one, 1}, {&F, 1})[0], d);
      return ad::push_forward(b, {&seed_d, 1}, {&e, 1})[0];
    };
    for (int mixture = 0; mixture < 8; ++mixture)
      b.add_output("third", next(next(next(psi, mixture & 1), mixture & 2), mixture & 4));
    Arguments a = at;
    a.push_back(random.uniforms(9));
    const auto out = run(function, a);
    for (int mixture = 1; mixture < 8; ++mixture)
      EXPECT_TRUE(interpreter::agrees(out[1].entries[0], out[1 + mixture].entries[0].value))
          << "seed " << seed << ", mixture " << mixture << ": " << out[1].entries[0].value << " and "
          << out[1 + mixture].entries[0].value;
  }
}

TEST(Derivative, HasTheShapeOfTheValueThenThatOfTheVariable) {
  ir::Function function;
  Builder b(function);
  const ValueId A = b.add_input("A", Type::matrix(2, 3), 0), x = b.add_input("x", Type::vector(3), 0);
  const ValueId y = b.matmul(A, x);                        // ∂y_i/∂A_jk = δ_ij x_k, by rows; ∂y_i/∂x_k = A_ik, by columns
  const ValueId by_A = ad::derivative(b, y, A), z = b.mul(b.inner(x, x), x), by_x = ad::derivative(b, z, x);
  ASSERT_EQ(b.type(by_A), Type::real(std::vector<int32_t>{2, 2, 3}));
  b.add_output("by_A", by_A);
  b.add_output("by_x", by_x);
  b.add_output("y_by_x", ad::derivative(b, y, x));
  const std::vector<double> a = {1, 2, 3, 4, 5, 6}, v = {7, 8, 9};
  const auto out = run(function, {a, v});
  EXPECT_EQ(out[0].values(), (std::vector<double>{7, 8, 9, 0, 0, 0, 0, 0, 0, 7, 8, 9}));
  std::vector<double> expected;  // |x|² δ_ij + 2 x_i x_j
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) expected.push_back((i == j ? dot(v, v) : 0) + 2 * v[i] * v[j]);
  EXPECT_EQ(out[1].values(), expected);
  EXPECT_EQ(out[2].values(), a);
}

TEST(Derivative, IsALiteralZeroWhereNothingDepends) {
  ir::Function function;
  Builder b(function);
  const ValueId x = b.add_input("x", Type::vector(3), 0), y = b.add_input("y", Type::vector(2), 0);
  EXPECT_TRUE(b.is_zero(ad::derivative(b, b.mul(x, x), y)));
  EXPECT_TRUE(b.is_zero(ad::derivative(b, b.sum(y), x)));
  EXPECT_TRUE(b.is_zero(ad::derivative(b, b.floor(x), x)));
}

TEST(Derivative, HoldsWhatTheVariableWasMadeFrom) {  // d(e, v) with v = 2 x, e = v x: x held
  ir::Function function;
  Builder b(function);
  const ValueId x = b.add_input("x", Type::scalar(), 0), v = b.copy(b.scale(2, x)), e = b.mul(v, x);
  b.add_output("by_v", ad::derivative(b, e, v));
  b.add_output("by_x", ad::derivative(b, e, x));
  const ad::Seed seed{e, b.constant(1)};
  const std::vector<ValueId> both = {v, x};  // independent of each other
  const std::vector<ValueId> g = ad::pull_back(b, {&seed, 1}, both);
  b.add_output("v_of_both", g[0]);
  b.add_output("x_of_both", g[1]);
  const auto out = run(function, {{3}});
  EXPECT_EQ(out[0].entries[0].value, 3);
  EXPECT_EQ(out[1].entries[0].value, 12);
  EXPECT_EQ(out[2].entries[0].value, 3);
  EXPECT_EQ(out[3].entries[0].value, 6);
}

TEST(Derivative, OfAVariableByItselfIsTheIdentity) {
  ir::Function function;
  Builder b(function);
  const ValueId x = b.add_input("x", Type::vector(2), 0), y = b.mul(x, x);
  b.add_output("dy_dy", ad::derivative(b, y, y));
  EXPECT_EQ(run(function, {{5, 6}})[0].values(), (std::vector<double>{1, 0, 0, 1}));
}

TEST(Derivative, OfDetThreeTimesIsThePermutationSymbol) {  // ∂³det/∂M³ = e_ijk e_IJK
  ir::Function function;
  Builder b(function);
  const ValueId M = b.add_input("M", Type::matrix(3, 3), 0);
  b.add_output("third", ad::derivative(b, ad::derivative(b, ad::derivative(b, b.det(M), M), M), M));
  Random random(kSeed);
  const std::vector<double> T = run(function, {random.uniforms(9)})[0].values();
  const auto e = [](int i, int j, int k) { return (j - i) * (k - i) * (k - j) / 2; };
  for (int a = 0; a < 9; ++a)
    for (int c = 0; c < 9; ++c)
      for (int f = 0; f < 9; ++f)
        EXPECT_EQ(T[81 * a + 9 * c + f], e(a / 3, c / 3, f / 3) * e(a % 3, c % 3, f % 3));
}

}  // namespace
}  // namespace asb::test
