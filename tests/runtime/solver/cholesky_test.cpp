// Factors: Cholesky against dense solves of Eigen, ScalarFactor against Cholesky of the Kronecker
// product.
#include "runtime/linalg/cholesky.h"

#include <gtest/gtest.h>

#include <random>

#include "closed_forms.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/scalar_factor.h"
#include "runtime/linalg/symmetric_matrix.h"

namespace asb {
namespace {

/// Stiffness of the edges of an n × n × n grid of points, weights 1 to 2; `ground` is added to the
/// diagonal.
SymmetricMatrix grid_stiffness(int n, double ground) {
  const int size = n * n * n;
  Eigen::MatrixXd A = ground * Eigen::MatrixXd::Identity(size, size);
  const auto id = [n](int i, int j, int k) { return (i * n + j) * n + k; };
  const auto join = [&](int a, int b) {
    const double w = 1 + std::abs(std::sin(a + 2.0 * b));
    A(a, a) += w, A(b, b) += w, A(a, b) -= w, A(b, a) -= w;
  };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        if (i + 1 < n) join(id(i, j, k), id(i + 1, j, k));
        if (j + 1 < n) join(id(i, j, k), id(i, j + 1, k));
        if (k + 1 < n) join(id(i, j, k), id(i, j, k + 1));
      }
  SymmetricMatrix S;
  S.n = size;
  S.column.push_back(0);
  for (int j = 0; j < size; ++j) {
    for (int i = j; i < size; ++i)
      if (A(i, j) != 0) S.row.push_back(i), S.value.push_back(A(i, j));
    S.column.push_back(static_cast<int64_t>(S.row.size()));
  }
  return S;
}

Eigen::MatrixXd dense(const SymmetricMatrix& S) {
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(S.n, S.n);
  for (int j = 0; j < S.n; ++j)
    for (int64_t k = S.column[j]; k < S.column[j + 1]; ++k)
      A(S.row[k], j) = A(j, S.row[k]) = S.value[k];
  return A;
}

std::vector<double> random_numbers(size_t n) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> x(n);
  for (double& value : x) value = uniform(random);
  return x;
}

TEST(Cholesky, SolvesManyRightHandSidesLikeADenseFactor) {
  const SymmetricMatrix A = grid_stiffness(7, 0.1);
  Cholesky factor;
  const auto status = factor.factor(A);
  ASSERT_TRUE(status && *status);
  std::vector<double> b = random_numbers(3 * static_cast<size_t>(A.n)), x(b.size());
  ASSERT_TRUE(factor.solve(b, x, 3));
  const Eigen::MatrixXd B = Eigen::Map<Eigen::MatrixXd>(b.data(), A.n, 3);
  const Eigen::MatrixXd expected = dense(A).llt().solve(B);
  EXPECT_LE((Eigen::Map<Eigen::MatrixXd>(x.data(), A.n, 3) - expected).cwiseAbs().maxCoeff(),
            1e-12 * expected.cwiseAbs().maxCoeff());
  EXPECT_EQ(factor.statistics().ordering, "METIS");
  EXPECT_GT(factor.statistics().bytes, 8u * static_cast<size_t>(factor.statistics().entries));
}

TEST(Cholesky, KeepsTheAnalysisWhileThePatternStands) {
  SymmetricMatrix A = grid_stiffness(4, 0.1);
  Cholesky factor;
  ASSERT_TRUE(factor.factor(A));
  for (double& value : A.value) value *= 3;
  ASSERT_TRUE(factor.factor(A));
  EXPECT_EQ(factor.statistics().analyses, 1);
  EXPECT_EQ(factor.statistics().factorisations, 2);
  std::vector<double> b = random_numbers(static_cast<size_t>(A.n)), x(b.size()), back(b.size());
  ASSERT_TRUE(factor.solve(b, x));
  multiply(A, x, back);  // the second values were used, not the first
  for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(back[i], b[i], 1e-12);
  ASSERT_TRUE(factor.factor(grid_stiffness(3, 0.1)));
  EXPECT_EQ(factor.statistics().analyses, 2);
}

TEST(Cholesky, SaysWhereAMatrixIsNotPositiveDefiniteAndRecovers) {
  SymmetricMatrix A = grid_stiffness(5, 0.1);
  const SymmetricMatrix good = A;
  A.value[A.column[62]] = 0.5;  // far below what its neighbours take away
  Cholesky factor;
  auto status = factor.factor(A);
  ASSERT_TRUE(status);
  EXPECT_FALSE(*status);
  EXPECT_GE(status->column, 0);
  EXPECT_LT(status->column, A.n);
  EXPECT_FALSE(factor.is_ready());
  status = factor.factor(good);
  ASSERT_TRUE(status && *status);
  std::vector<double> b = random_numbers(static_cast<size_t>(A.n)), x(b.size()), back(b.size());
  ASSERT_TRUE(factor.solve(b, x));
  multiply(good, x, back);
  for (size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(back[i], b[i], 1e-12);
}

TEST(Cholesky, NamesTheColumnOfANegativeDiagonal) {
  SymmetricMatrix A = grid_stiffness(3, 0.1);
  A.value[A.column[11]] = -1;
  Cholesky factor;
  const auto status = factor.factor(A);
  ASSERT_TRUE(status);
  EXPECT_FALSE(*status);
  EXPECT_EQ(status->column, 11);
}

TEST(Cholesky, RefusesEntriesThatAreNotFinite) {
  SymmetricMatrix A = grid_stiffness(3, 0.1);
  A.value[20] = std::numeric_limits<double>::quiet_NaN();
  Cholesky factor;
  const auto status = factor.factor(A);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().name, "solve-not-finite");
  EXPECT_FALSE(factor.is_ready());
}

TEST(Cholesky, GivesTheSameBitsAgain) {
  const SymmetricMatrix A = grid_stiffness(8, 0.1);
  const std::vector<double> b = random_numbers(static_cast<size_t>(A.n));
  std::vector<double> first(b.size()), second(b.size());
  Cholesky one, two;
  ASSERT_TRUE(one.factor(A));
  ASSERT_TRUE(one.solve(b, first));
  std::srand(99);  // METIS draws from rand()
  ASSERT_TRUE(two.factor(A));
  ASSERT_TRUE(two.solve(b, second));
  EXPECT_EQ(first, second);
}

TEST(Cholesky, TakesAnEmptyAndADiagonalMatrix) {
  SymmetricMatrix empty;
  empty.column = {0};
  Cholesky factor;
  ASSERT_TRUE(factor.factor(empty));
  EXPECT_TRUE(factor.solve({}, {}));
  const SymmetricMatrix diagonal = {
      .n = 3, .column = {0, 1, 2, 3}, .row = {0, 1, 2}, .value = {4, 16, 64}};
  const auto status = factor.factor(diagonal);
  ASSERT_TRUE(status && *status);
  const std::vector<double> b = {4, 8, 16};
  std::vector<double> x(3);
  ASSERT_TRUE(factor.solve(b, x));
  EXPECT_EQ(x, (std::vector<double>{1, 0.5, 0.25}));
}

TEST(Cholesky, PivotRatioDoesNotDependOnUnitsAndSeesASingularMatrix) {
  SymmetricMatrix A = grid_stiffness(4, 0.01);
  Cholesky factor;
  ASSERT_TRUE(factor.factor(A));
  const double ratio = factor.smallest_pivot_ratio();
  EXPECT_GT(ratio, 1e-4);
  EXPECT_LT(ratio, 1);
  for (double& value : A.value) value *= 0x1p30;
  ASSERT_TRUE(factor.factor(A));
  EXPECT_DOUBLE_EQ(factor.smallest_pivot_ratio(), ratio);
  const auto floating = factor.factor(grid_stiffness(4, 0));
  ASSERT_TRUE(floating);
  if (*floating) {  // round-off decides
    EXPECT_LT(factor.smallest_pivot_ratio(), 1e-13);
  }
}

TEST(Blas, IsDescribedAndOnOneThread) {
  EXPECT_NE(blas_description().find("1 thread"), std::string::npos) << blas_description();
  EXPECT_EQ(blas_description().find("1 threads"), std::string::npos);
}

/// Numbers the free values of a grid node by node; `fixed(node, component)`.
template <class Fixed>
std::vector<int32_t> number_free(int n_nodes, Fixed fixed) {
  std::vector<int32_t> index;
  int32_t next = 0;
  for (int a = 0; a < n_nodes; ++a)
    for (int c = 0; c < 3; ++c) index.push_back(fixed(a, c) ? -1 : next++);
  return index;
}

TEST(ScalarFactor, InvertsTheKroneckerProductWithOneFactorPerMask) {
  const SymmetricMatrix K = grid_stiffness(4, 0);
  // x and z are held on the first 16 nodes, y on the first 5.
  const auto index = number_free(K.n, [](int a, int c) { return a < (c == 1 ? 5 : 16); });
  const auto factor = ScalarFactor::make(K, index);
  ASSERT_TRUE(factor);
  EXPECT_EQ((*factor)->n_factors(), 2);
  const size_t n_free = static_cast<size_t>(2 * (64 - 16) + 64 - 5);
  const Eigen::MatrixXd A = dense(K);
  Eigen::MatrixXd whole = Eigen::MatrixXd::Zero(n_free, n_free);
  for (int a = 0; a < K.n; ++a)
    for (int b = 0; b < K.n; ++b)
      for (int c = 0; c < 3; ++c)
        if (index[3 * a + c] >= 0 && index[3 * b + c] >= 0)
          whole(index[3 * a + c], index[3 * b + c]) = A(a, b);
  const std::vector<double> r = random_numbers(n_free);
  std::vector<double> z(n_free);
  (*factor)->apply(r, z);
  const Eigen::VectorXd expected =
      whole.llt().solve(Eigen::Map<const Eigen::VectorXd>(r.data(), n_free));
  EXPECT_LE((Eigen::Map<Eigen::VectorXd>(z.data(), n_free) - expected).cwiseAbs().maxCoeff(),
            1e-12 * expected.cwiseAbs().maxCoeff());
  EXPECT_NEAR((*factor)->mean_diagonal(), whole.diagonal().mean(), 1e-12 * whole.diagonal().mean());
}

TEST(ScalarFactor, SharesOneFactorWhenAllComponentsAreHeldAlike) {
  const SymmetricMatrix K = grid_stiffness(3, 0);
  const auto factor = ScalarFactor::make(K, number_free(K.n, [](int a, int) { return a == 0; }));
  ASSERT_TRUE(factor);
  EXPECT_EQ((*factor)->n_factors(), 1);
  EXPECT_GT((*factor)->bytes(), 0u);
}

TEST(ScalarFactor, RefusesABodyThatNothingHoldsAlongOneAxis) {
  const SymmetricMatrix K = grid_stiffness(3, 0);
  const auto factor =
      ScalarFactor::make(K, number_free(K.n, [](int a, int c) { return a == 0 && c != 2; }));
  ASSERT_FALSE(factor);
  EXPECT_EQ(factor.error().name, "solve-floating-part");
  EXPECT_NE(factor.error().message.find("27 nodes"), std::string::npos) << factor.error().message;
  EXPECT_NE(factor.error().message.find("`z`"), std::string::npos) << factor.error().message;
}

TEST(ScalarFactor, CountsTheNodesOfTheFloatingPartOnly) {
  // Two bars of 3 and 2 nodes; the first is held at node 0.
  const SymmetricMatrix K = {.n = 5,
                             .column = {0, 2, 4, 5, 7, 8},
                             .row = {0, 1, 1, 2, 2, 3, 4, 4},
                             .value = {1, -1, 2, -1, 1, 1, -1, 1}};
  const auto factor = ScalarFactor::make(K, number_free(5, [](int a, int) { return a == 0; }));
  ASSERT_FALSE(factor);
  EXPECT_NE(factor.error().message.find("part of 2 nodes"), std::string::npos)
      << factor.error().message;
}

}  // namespace
}  // namespace asb
