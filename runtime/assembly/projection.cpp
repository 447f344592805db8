// See projection.h. Exact-first Newton needs it only after a failed factorisation.
#include "runtime/assembly/projection.h"

#include <Eigen/Eigenvalues>

#include "runtime/assembly/chain.h"

namespace asb {

void clamp_eigenvalues(double* H, int64_t blocks, int n) {
  if (n <= 12) {
    for (int64_t block = 0; block < blocks; ++block)
      clamp_eigenvalues_in_lanes(H + block * (static_cast<int64_t>(n) * (n + 1) / 2) * kLanes, n);
    return;
  }
  using Matrix = Eigen::MatrixXd;
  Matrix A(n, n);
  Eigen::SelfAdjointEigenSolver<Matrix> solver(n);
  const int64_t size = static_cast<int64_t>(n) * (n + 1) / 2;
  for (int64_t block = 0; block < blocks; ++block)
    for (int l = 0; l < kLanes; ++l) {
      double* at = H + block * size * kLanes + l;
      for (int r = 0; r < n; ++r)
        for (int c = r; c < n; ++c) A(r, c) = A(c, r) = at[packed(r, c, n) * kLanes];
      if (!A.allFinite()) continue;
      solver.compute(A);
      if (solver.info() != Eigen::Success || solver.eigenvalues()(0) >= 0) continue;
      const auto clamped = solver.eigenvalues().cwiseMax(0.0);
      A.noalias() = solver.eigenvectors() * clamped.asDiagonal() * solver.eigenvectors().transpose();
      for (int r = 0; r < n; ++r)
        for (int c = r; c < n; ++c) at[packed(r, c, n) * kLanes] = A(r, c);
    }
}

}  // namespace asb
