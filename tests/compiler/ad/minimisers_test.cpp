// Envelope and Live: what a first and a second derivative of a minimised energy see. Closed forms of lessons.md.
#include "tests/compiler/ad/ad_testing.h"

#include <Eigen/Dense>
#include <algorithm>

namespace asb::test {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using ir::ValueId;
using Matrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr uint64_t kSeed = 7;

Matrix matrix(const std::vector<double>& a) { return Eigen::Map<const Matrix>(a.data()); }
std::vector<double> numbers(const Matrix& A) { return {A.data(), A.data() + 9}; }

/// mu/2 |F - R A|², R = rotation(F A'), the minimiser for any A (A is symmetric in use): marked (Envelope) or plain.
ir::Function shape_targeting(bool is_minimal = true) {
  ir::Function function;
  function.name = "shape_targeting";
  Builder b(function);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh), A = b.add_input("A", Type::matrix(3, 3), ir::kAxisMesh);
  const ValueId mu = b.add_input("mu", Type::scalar(), ir::kAxisParams);
  ValueId R = b.rotation(b.matmul(F, b.transpose(A)));
  if (is_minimal) R = b.envelope(R);
  const ValueId E = b.sub(F, b.matmul(R, A));
  b.add_output("psi", b.mul(b.scale(0.5, mu), b.inner(E, E)));
  return function;
}

struct State {
  Matrix F, A, R, dF, dA;
  double mu = 1.7;
  Arguments at() const { return {numbers(F), numbers(A), {mu}}; }
};

State random_state(Random& random) {
  State s;
  s.F = matrix(random.with_stretches(1.4, 1, 0.6));
  const Matrix Q = matrix(random.rotation());
  s.A = Q * Eigen::Vector3d(1.5, 0.9, 0.7).asDiagonal() * Q.transpose();
  s.A = 0.5 * (s.A + s.A.transpose()).eval();
  const ir::Function density = shape_targeting();
  const auto all = interpreter::evaluate(density, tensors(density, s.at()));
  for (size_t i = 0; i < density.insts.size(); ++i)
    if (density.insts[i].op == Op::Rotation) s.R = matrix(all.values[i].values());
  s.dF = matrix(random.uniforms(9));
  s.dA = matrix(random.uniforms(9));
  s.dA = 0.5 * (s.dA + s.dA.transpose()).eval();
  return s;
}

/// dR along dG at G = F A, from the plain rule.
Matrix rotation_derivative(const State& s, const Matrix& dG) {
  ir::Function function;
  Builder b(function);
  const ValueId G = b.add_input("G", Type::matrix(3, 3), 0), d = b.add_input("d", Type::matrix(3, 3), 0), R = b.rotation(G);
  const ad::Seed seed{G, d};
  b.add_output("dR", ad::push_forward(b, {&seed, 1}, {&R, 1})[0]);
  return matrix(run(function, {numbers(s.F * s.A), numbers(dG)})[0].values());
}

int count(const ir::Function& function, Op op) {  // instructions that an output rests on
  std::vector<bool> live(function.insts.size(), false);
  int n = 0;
  for (const ir::Output& output : function.outputs)
    for (ValueId v : output.values) live[v.index] = true;
  for (size_t i = function.insts.size(); i-- > 0;)
    if (live[i]) {
      n += function.insts[i].op == op;
      for (ValueId arg : function.insts[i].args) live[arg.index] = true;
    }
  return n;
}

TEST(ShapeTargeting, StressHoldsTheRotation) {  // P = mu (F - R A)
  Random random(kSeed);
  const State s = random_state(random);
  const ir::Function density = shape_targeting(), gradient = ad::gradient_function({density, {0}});
  EXPECT_LT(distance(run(gradient, s.at(), "gradient.F"), numbers(s.mu * (s.F - s.R * s.A))), 1e-14);
  EXPECT_EQ(count(gradient, Op::Det), 0) << "a first derivative takes no dR";
  EXPECT_EQ(count(gradient, Op::Envelope), 0);
  EXPECT_EQ(count(gradient, Op::Live), 1);
}

TEST(ShapeTargeting, HessianTakesOneDerivativeOfTheRotation) {  // H[dF] = mu (dF - dR[dF A] A)
  Random random(kSeed);
  const ir::Function density = shape_targeting(), product = ad::product_function({density, {0}});
  EXPECT_EQ(count(product, Op::Det), 1);
  for (int i = 0; i < 5; ++i) {
    const State s = random_state(random);
    Arguments a = s.at();
    a.push_back(numbers(s.dF));
    const Matrix expected = s.mu * (s.dF - rotation_derivative(s, s.dF * s.A) * s.A);
    EXPECT_LT(distance(run(product, a, "product.F"), numbers(expected)), 1e-13);
  }
}

TEST(ShapeTargeting, HessianIsThatOfTheSameEnergyWithoutTheMark) {
  Random random(kSeed);
  const State s = random_state(random);
  const ir::Function marked = shape_targeting(), plain = shape_targeting(false);
  EXPECT_LT(distance(run(ad::hessian_function({marked, {0}}), s.at(), "hessian"),
                     run(ad::hessian_function({plain, {0}}), s.at(), "hessian")), 1e-13);
  expect_derivatives({marked, {0}}, s.at(), random, "shape targeting in F", 0.3);
  expect_derivatives({marked, {0, 1}}, s.at(), random, "shape targeting in F and A", 0.2);
  expect_derivatives({marked, {0, 1, 2}}, s.at(), random, "shape targeting in F, A and mu", 0.2);
}

TEST(ShapeTargeting, HessianHasSixEigenvaluesMuAndThreeFromTheTwists) {  // six mu, three mu (1 - eig(3×3))
  Random random(kSeed);
  const State s = random_state(random);
  const ir::Function density = shape_targeting();
  const std::vector<double> upper = run(ad::hessian_function({density, {0}}), s.at(), "hessian");
  Eigen::Matrix<double, 9, 9> H;
  for (int i = 0, k = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j, ++k) H(i, j) = H(j, i) = upper[k];
  // 1 - H/mu = Σ N_n N_n' 2/(s_i + s_j) over the twists N_n = dR direction times A: eigenvalues of the 3×3 Gram matrix
  Eigen::Matrix3d twist;
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(s.F * s.A, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Vector3d l = svd.singularValues();
  Eigen::Matrix<double, 9, 3> N;
  for (int n = 0; n < 3; ++n) {
    const int i = (n + 1) % 3, j = (n + 2) % 3;
    Eigen::Matrix3d T = Eigen::Matrix3d::Zero();
    T(i, j) = -std::sqrt(0.5);
    T(j, i) = std::sqrt(0.5);
    const Matrix twisted = svd.matrixU() * T * svd.matrixV().transpose() * s.A;
    N.col(n) = std::sqrt(2 / (l[i] + l[j])) * Eigen::Map<const Eigen::Matrix<double, 9, 1>>(twisted.data());
  }
  const Eigen::Vector3d gram = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(N.transpose() * N).eigenvalues();
  std::vector<double> expected(6, s.mu);
  for (int n = 0; n < 3; ++n) expected.push_back(s.mu * (1 - gram[n]));
  std::sort(expected.begin(), expected.end());
  const auto eigenvalues = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(H).eigenvalues();
  for (int i = 0; i < 9; ++i) EXPECT_NEAR(eigenvalues[i], expected[i], 1e-13);
}

TEST(ShapeTargeting, MixedDerivativeWithTheTarget) {  // w : dP[dA], dP[dA] = mu (-R dA - dR[F dA] A)
  Random random(kSeed);
  const ir::Function density = shape_targeting();
  const std::vector<int32_t> others = {1, 2};
  const ir::Function mixed = ad::mixed_function({density, {0}}, others);
  for (int i = 0; i < 5; ++i) {
    const State s = random_state(random);
    const Matrix w = matrix(random.uniforms(9));
    Arguments a = s.at();
    a.push_back(numbers(w));
    const Matrix dP = s.mu * (-s.R * s.dA - rotation_derivative(s, s.F * s.dA) * s.A);
    EXPECT_NEAR(dot(run(mixed, a, "mixed.A"), numbers(s.dA)), dot(numbers(w), numbers(dP)), 1e-13);
    EXPECT_NEAR(run(mixed, a, "mixed.mu")[0], dot(numbers(w), numbers(s.F - s.R * s.A)), 1e-14);
  }
}

TEST(ShapeTargeting, HessianWithMinimisersHeldIsConstant) {  // mu I: the constant factor of `projective`
  Random random(kSeed);
  const State s = random_state(random);
  const ir::Function density = shape_targeting();
  const ir::Function held = ad::hessian_function({density, {0}}, {.hold_minimisers = true});
  EXPECT_EQ(count(held, Op::Rotation), 0) << "not even the rotation is needed";
  const std::vector<double> H = run(held, s.at(), "hessian");
  for (int i = 0, k = 0; i < 9; ++i)
    for (int j = i; j < 9; ++j, ++k) EXPECT_EQ(H[k], i == j ? s.mu : 0);
  Arguments a = s.at();
  a.push_back(numbers(s.dF));
  EXPECT_EQ(run(ad::product_function({density, {0}}, {.hold_minimisers = true}), a, "product.F"), numbers(s.mu * s.dF));
}

TEST(ShapeTargeting, RotationIsStationary) {  // the check of `asb grad`: ∂psi/∂R is symmetric in R'·, nothing twists
  Random random(kSeed);
  const State s = random_state(random);
  ir::Function function = shape_targeting();
  Builder b(function);
  ValueId R;
  for (size_t i = 0; i < function.insts.size(); ++i)
    if (function.insts[i].op == Op::Envelope) R = ValueId(static_cast<uint32_t>(i));
  const ValueId psi = function.outputs[0].values[0];
  b.add_output("by_R", ad::derivative(b, psi, R));
  const Matrix G = matrix(run(function, s.at(), "by_R"));
  EXPECT_GT(G.norm(), 0.1) << "the derivative at the mark itself isn't held";
  const Matrix K = s.R.transpose() * G;
  EXPECT_LT((K - K.transpose()).norm(), 1e-13);
}

TEST(Minimiser, InsideAFunctionOfItsEnergyKeepsExactSecondDerivatives) {  // psi², and a nested minimiser
  Random random(kSeed);
  const State s = random_state(random);
  ir::Function function = shape_targeting();
  Builder b(function);
  const ValueId psi = function.outputs[0].values[0];
  function.outputs.clear();
  b.add_output("energy", b.add(b.mul(psi, psi), b.log(b.add(psi, b.constant(1)))));
  expect_derivatives({function, {0, 1}}, s.at(), random, "function of a minimised energy", 0.2);
}

TEST(Minimiser, ThatRestsOnAnotherMinimiserIsDifferentiatedThroughBoth) {
  // z(y) minimises (z - y²)²/2 + z^4/4 only approximately unless solved; take closed forms: y(x) minimises (y - x)²/2,
  // z(y) minimises (z - 3y)²/2; psi = (y - x)²/2 + (z - 3y)²/2 + x³: d²psi/dx² = 6 x whatever the marks.
  ir::Function function;
  Builder b(function);
  const ValueId x = b.add_input("x", Type::scalar(), ir::kAxisMesh);
  const ValueId y = b.envelope(b.scale(1, b.copy(x))), z = b.envelope(b.scale(3, y));
  const auto half_square = [&](ValueId a) { return b.scale(0.5, b.mul(a, a)); };
  const ValueId psi = b.add(b.add(half_square(b.sub(y, x)), half_square(b.sub(z, b.scale(3, y)))), b.pow(x, b.constant(3)));
  const ValueId first = ad::derivative(b, psi, x), second = ad::derivative(b, first, x);
  b.add_output("first", first);
  b.add_output("second", second);
  b.add_output("third", ad::derivative(b, second, x));
  const auto out = run(function, {{2}});
  EXPECT_EQ(out[0].entries[0].value, 12);
  EXPECT_EQ(out[1].entries[0].value, 12);
  EXPECT_EQ(out[2].entries[0].value, 6);
}

TEST(Minimiser, DoesNotVanishFromALaterDerivativeByAnotherVariable) {  // d/dG of dpsi/dF, R = rotation(G), psi = |F - R|²/2
  Random random(kSeed);
  ir::Function function;
  Builder b(function);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), 0), G = b.add_input("G", Type::matrix(3, 3), 0);
  const ValueId E = b.sub(F, b.envelope(b.rotation(G))), psi = b.scale(0.5, b.inner(E, E));
  const ValueId P = ad::derivative(b, psi, F), d = b.add_input("d", Type::matrix(3, 3), 0), R = b.rotation(G);
  const ad::Seed seed{G, d};
  b.add_output("dP", ad::push_forward(b, {&seed, 1}, {&P, 1})[0]);
  b.add_output("minus_dR", b.neg(ad::push_forward(b, {&seed, 1}, {&R, 1})[0]));
  const Arguments a = {random.uniforms(9), random.with_stretches(2, 1, 0.5), random.uniforms(9)};
  EXPECT_GT(largest(run(function, a, "dP")), 0.01);
  EXPECT_EQ(run(function, a, "dP"), run(function, a, "minus_dR"));
}

}  // namespace
}  // namespace asb::test
