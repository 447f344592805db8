// Expansion: laws of the small matrices, and rotation against a singular value decomposition over all magnitudes.
#include <gtest/gtest.h>

#include <cmath>

#include "backends/interpreter/rotation.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"
#include "tests/compiler/ir/functions.h"

namespace asb::ir {
namespace {

using interpreter::Tensor;

Function of_matrix(int32_t n, Op op) {
  Function f;
  Builder b(f);
  const ValueId M = b.add_input("M", Type::matrix(n, n), 0);
  b.add_output("out", b.make(op, {M}));
  return expand(f);
}

std::vector<double> run(const Function& f, const std::vector<double>& M) {
  std::vector<double> result;
  for (const auto& x : test::values_of(f, {Tensor::of(f.inputs[0].type, M)})) result.push_back(x.value);
  return result;
}

std::vector<double> product(const std::vector<double>& A, const std::vector<double>& B) {
  std::vector<double> C(9, 0);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k) C[3 * i + j] += A[3 * i + k] * B[3 * k + j];
  return C;
}

std::vector<double> some_rotation(unsigned seed) {
  const auto R = interpreter::closest_rotation_3x3(test::some_numbers(9, seed).data()).R;
  return {R.begin(), R.end()};
}

std::vector<double> with_stretches(double a, double b, double c, unsigned seed) {
  return product(product(some_rotation(seed), {a, 0, 0, 0, b, 0, 0, 0, c}), some_rotation(seed + 1));
}

double largest_difference(const std::vector<double>& R, const std::array<double, 9>& expected) {
  double most = 0;
  for (int i = 0; i < 9; ++i) {
    const double d = std::fabs(R[i] - expected[i]);
    if (!(d <= most)) most = d;  // NaN too
  }
  return most;
}

TEST(Expand, gives_entries_row_major) {
  Function f;
  Builder b(f);
  const ValueId M = b.add_input("M", Type::matrix(2, 3), 0);
  b.add_output("same", M);
  b.add_output("transposed", b.transpose(M));
  const Function g = expand(f);
  ASSERT_TRUE(verify(g));
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(g[g.outputs[0].values[k]].extra, k);
    EXPECT_EQ(g[g.outputs[1].values[k]].extra, k % 2 * 3 + k / 2);
  }
}

TEST(Expand, makes_of_a_large_tensor_only_what_is_read) {
  Function f;
  Builder b(f, Rules::None);
  const ValueId M = b.add_input("M", Type::matrix(20, 20), 0);
  b.add_output("out", b.entry(b.matmul(M, M), {3, 4}));
  const Function g = expand(f);
  EXPECT_EQ(test::count(g, Op::Mul), 20);
  EXPECT_EQ(test::count(g, Op::Input), 39);
}

TEST(Expand, leaves_no_structural_zeros) {
  Function f;
  Builder b(f, Rules::None);
  const ValueId M = b.add_input("M", Type::matrix(3, 3), 0), s = b.add_input("s", Type::scalar(), 0);
  const ValueId row = b.insert(b.insert(s, 1, 3), 2, 3);  // s at (2, 1)
  b.add_output("out", b.matmul(row, M));
  const Function g = expand(f);
  EXPECT_EQ(test::count(g, Op::Mul), 3);
  EXPECT_EQ(test::count(g, Op::Add), 0);
}

TEST(Expand, shares_the_cofactor_with_the_determinant) {
  Function f;
  Builder b(f);
  const ValueId M = b.add_input("M", Type::matrix(3, 3), 0);
  b.add_output("det", b.det(M));
  b.add_output("cof", b.cofactor(M));
  EXPECT_EQ(test::count(expand(f), Op::Mul), 18 + 3);
}

TEST(Expand, all_rotations_of_a_function_share_one_body) {
  Function f;
  Builder b(f);
  const ValueId M = b.add_input("M", Type::matrix(3, 3), 0), N = b.add_input("N", Type::matrix(3, 3), 0);
  b.add_output("out", b.add(b.rotation(M), b.rotation(N)));
  const Function g = expand(f);
  EXPECT_EQ(g.bodies.size(), 1u);
  EXPECT_EQ(test::count(g, Op::Iterate), 2);
}

TEST(ExpandedRotation, agrees_with_a_decomposition_within_its_bound) {
  const Function f = of_matrix(3, Op::Rotation);
  constexpr double kEps = 0x1p-52;
  double worst = 0;
  unsigned seed = 0;
  for (const auto& [a, b, c] : {std::array{1.0, 1.0, 1.0}, {1.1, 1.0, 0.9}, {10.0, 1.0, 0.1}, {1.0, 1.0, -0.5},
                                {100.0, 1.0, 1e-2}, {1.0, 1.0, 0.0}, {1.0, 0.5, -0.4}, {1.0, 1.0, -0.98},
                                {1.0, 0.1, -0.05}, {1.0, 0.02, 0.0}, {1e4, 1.0, 1.0}, {1.0, 0.01, -0.009},
                                {2.0, 2.0, 1e-9}, {1.0, 1e-3, 1e-3}, {1.0, 1e-3, 0.0}})
    for (int repeat = 0; repeat < 20; ++repeat) {
      const std::vector<double> M = with_stretches(a, b, c, seed += 2);
      const auto expected = interpreter::closest_rotation_3x3(M.data());
      const double l = a + b + c, D = 2 * (a + b) * (b + c) * (a + c), ratio = l * l * l / D;
      const double bound = 8 * kEps * ratio * ratio;
      const double error = largest_difference(run(f, M), expected.R);
      worst = std::max(worst, error / bound);
      EXPECT_LE(error, bound) << a << " " << b << " " << c << " l³/D " << ratio;
    }
  std::cout << "largest error: " << worst << " of the bound\n";
}

TEST(ExpandedRotation, is_exact_at_rotations) {
  const Function f = of_matrix(3, Op::Rotation);
  for (unsigned seed = 1; seed < 50; ++seed) {
    const std::vector<double> R = some_rotation(seed);
    std::array<double, 9> expected;
    std::copy(R.begin(), R.end(), expected.begin());
    EXPECT_LE(largest_difference(run(f, R), expected), 2e-15);
  }
}

TEST(ExpandedRotation, does_not_depend_on_the_magnitude) {
  const Function f3 = of_matrix(3, Op::Rotation), f2 = of_matrix(2, Op::Rotation);
  const std::vector<double> M = with_stretches(1.3, 0.9, 0.4, 5), N = {1, 0.3, -2, 0.7};
  for (const double s : {1e-100, 1e-150, 1e100, 1e150, 1e-30, 0.1, 3.0}) {
    std::vector<double> sM = M, sN = N;
    for (double& x : sM) x *= s;
    for (double& x : sN) x *= s;
    EXPECT_LE(largest_difference(run(f3, sM), interpreter::closest_rotation_3x3(M.data()).R), 1e-14) << s;
    const auto expected = interpreter::closest_rotation_2x2(N.data()).R;
    const std::vector<double> R = run(f2, sN);
    for (int i = 0; i < 4; ++i) EXPECT_NEAR(R[i], expected[i], 1e-15) << s;
  }
}

TEST(ExpandedRotation, stays_finite_where_it_is_not_unique) {
  for (const int n : {2, 3}) {
    const Function f = of_matrix(n, Op::Rotation);
    std::vector<std::vector<double>> singular = {std::vector<double>(n * n, 0.0), std::vector<double>(n * n, 1.0)};
    if (n == 2) singular.push_back({1, 0, 0, -1});
    if (n == 3) {
      singular.push_back(with_stretches(1, 1, -1, 3));
      singular.push_back(with_stretches(2, 1e-7, 0, 3));
      singular.push_back(with_stretches(1, 0.5, -0.5, 3));
      singular.push_back({-1, 0, 0, 0, -1, 0, 0, 0, -1});
    }
    for (const auto& M : singular)
      for (double r : run(f, M)) EXPECT_LE(std::fabs(r), 1.01);
  }
}

TEST(ExpandedRotation, is_the_identity_at_zero) {
  EXPECT_EQ(run(of_matrix(3, Op::Rotation), std::vector<double>(9, 0)), (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(run(of_matrix(2, Op::Rotation), std::vector<double>(4, 0)), (std::vector<double>{1, 0, 0, 1}));
  EXPECT_EQ(run(of_matrix(2, Op::Rotation), {1, 0, 0, -1}), (std::vector<double>{1, 0, 0, 1}));
}

TEST(ExpandedRotation, hands_nan_on) {
  for (const int n : {2, 3}) {
    std::vector<double> M(n * n, 0.5);
    M[1] = std::nan("");
    for (double r : run(of_matrix(n, Op::Rotation), M)) EXPECT_TRUE(std::isnan(r));
  }
}

}  // namespace
}  // namespace asb::ir
