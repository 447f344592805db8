// Clamped Hessians against Eigen's eigenvalues.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "runtime/assembly/chain.h"
#include "runtime/assembly/projection.h"
#include "tests/runtime/assembly/assembly_testing.h"

namespace asb::test {
namespace {

Eigen::MatrixXd matrix_of(const AlignedVector& H, int64_t block, int lane, int n) {
  Eigen::MatrixXd A(n, n);
  for (int r = 0; r < n; ++r)
    for (int c = r; c < n; ++c)
      A(r, c) = A(c, r) = H[(block * (int64_t{n} * (n + 1) / 2) + packed(r, c, n)) * kLanes + lane];
  return A;
}

TEST(Projection, NegativeEigenvaluesBecomeZeroAndTheOthersStay) {
  for (const int n : {1, 2, 3, 8, 9, 12, 13})
    for (const double scale : {1.0, 1e9, 1e-9}) {
      const int64_t blocks = 4;
      AlignedVector H = noise(blocks * n * (n + 1) / 2 * kLanes, 5 + n);
      for (double& h : H) h *= scale;
      const AlignedVector before = H;
      clamp_eigenvalues(H.data(), blocks, n);
      for (int64_t b = 0; b < blocks; ++b)
        for (int l = 0; l < kLanes; ++l) {
          const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix_of(before, b, l, n));
          const Eigen::MatrixXd expected =
              solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
          EXPECT_LE((matrix_of(H, b, l, n) - expected).norm(), 1e-12 * (1e-3 * scale + matrix_of(before, b, l, n).norm())) << n;
        }
    }
}

TEST(Projection, DefiniteMatricesKeepTheirBitsWhateverTheirNeighbours) {
  constexpr int n = 9;
  AlignedVector H = noise(n * (n + 1) / 2 * kLanes, 21);
  for (int k = 0; k < n; ++k)
    for (int l = 0; l < kLanes; l += 2) H[packed(k, k, n) * kLanes + l] += 10;  // every second lane
  const AlignedVector before = H;
  clamp_eigenvalues(H.data(), 1, n);
  bool changed = false;
  for (size_t k = 0; k < H.size(); ++k)
    if (k % 2 == 0) {
      EXPECT_EQ(H[k], before[k]);
    } else {
      changed = changed || H[k] != before[k];
    }
  EXPECT_TRUE(changed);
}

TEST(Projection, ClustersZerosAndDiagonalMatricesAreClamped) {
  constexpr int n = 9;
  AlignedVector H(n * (n + 1) / 2 * kLanes, 0.0);
  for (int k = 0; k < n; ++k) {
    H[packed(k, k, n) * kLanes + 0] = k % 2 ? 1 : -1;              // diagonal already
    H[packed(k, k, n) * kLanes + 1] = 1;                           // the identity
    H[packed(k, k, n) * kLanes + 3] = -2;                          // a multiple of it
    for (int c = k; c < n; ++c) H[packed(k, c, n) * kLanes + 4] = -1;  // rank one
    for (int c = k; c < n; ++c) H[packed(k, c, n) * kLanes + 5] = 1;   // rank one, semi-definite
  }
  const AlignedVector before = H;
  clamp_eigenvalues(H.data(), 1, n);
  for (int l = 0; l < kLanes; ++l) {
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix_of(before, 0, l, n));
    const Eigen::MatrixXd expected =
        solver.eigenvectors() * solver.eigenvalues().cwiseMax(0.0).asDiagonal() * solver.eigenvectors().transpose();
    EXPECT_LE((matrix_of(H, 0, l, n) - expected).norm(), 1e-13) << l;
  }
}

TEST(Projection, AMatrixThatIsNotFiniteIsLeftAloneAndDoesNoHarmToOthers) {
  constexpr int n = 9;
  AlignedVector H = noise(n * (n + 1) / 2 * kLanes, 31);
  AlignedVector without = H;
  H[packed(2, 3, n) * kLanes + 4] = std::numeric_limits<double>::quiet_NaN();
  H[packed(0, 0, n) * kLanes + 5] = std::numeric_limits<double>::infinity();
  const AlignedVector before = H;
  clamp_eigenvalues(H.data(), 1, n);
  clamp_eigenvalues(without.data(), 1, n);
  for (size_t k = 0; k < H.size(); ++k) {
    const size_t lane = k % kLanes;
    if (lane == 4 || lane == 5) {
      EXPECT_TRUE(H[k] == before[k] || (std::isnan(H[k]) && std::isnan(before[k])));
    } else {
      EXPECT_NEAR(H[k], without[k], 1e-13);
    }
  }
}

}  // namespace
}  // namespace asb::test
