// Conjugate gradients: solutions, both stopping norms, negative curvature, Ritz values.
#include "runtime/linalg/conjugate_gradients.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "runtime/linalg/fixed_sum.h"
#include "runtime/linalg/tridiagonal.h"
#include "runtime/minimise/curvature.h"

namespace asb {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A symmetric matrix with these eigenvalues and fixed eigenvectors.
MatrixXd with_eigenvalues(const VectorXd& eigenvalues) {
  const auto n = eigenvalues.size();
  const std::vector<double> noise =
      fixed_noise(static_cast<size_t>(n * n) + 1000);  // unlike the right-hand sides
  const MatrixXd Q =
      Eigen::Map<const MatrixXd>(noise.data() + 1000, n, n).householderQr().householderQ();
  return Q * eigenvalues.asDiagonal() * Q.transpose();
}

ApplyMatrix product_with(const MatrixXd& A) {
  return [&A](std::span<const double> in, std::span<double> out) {
    Eigen::Map<VectorXd>(out.data(), A.rows()) =
        A * Eigen::Map<const VectorXd>(in.data(), A.rows());
  };
}

class DensePreconditioner : public Preconditioner {
 public:
  explicit DensePreconditioner(const MatrixXd& P) : factor_(P) {}
  void apply(std::span<const double> r, std::span<double> z) override {
    Eigen::Map<VectorXd>(z.data(), factor_.rows()) =
        factor_.solve(Eigen::Map<const VectorXd>(r.data(), factor_.rows()));
  }

 private:
  Eigen::LLT<MatrixXd> factor_;
};

double residual(const MatrixXd& A, const std::vector<double>& b, const std::vector<double>& w) {
  const VectorXd B = Eigen::Map<const VectorXd>(b.data(), A.rows());
  return (B - A * Eigen::Map<const VectorXd>(w.data(), A.rows())).norm() / B.norm();
}

TEST(ConjugateGradients, SolveToTheResidualAsked) {
  const MatrixXd A = with_eigenvalues(VectorXd::LinSpaced(60, 1, 500));
  const std::vector<double> b = fixed_noise(60);
  std::vector<double> w(60);
  for (const double relative : {1e-2, 1e-6, 1e-10}) {
    const CgReport report =
        conjugate_gradients(product_with(A), nullptr, b, w, {.relative = relative});
    EXPECT_EQ(report.status, CgStatus::Converged);
    EXPECT_LE(residual(A, b, w), 1.01 * relative);
    EXPECT_GT(residual(A, b, w), 1e-3 * relative);  // and did not go far beyond it
    EXPECT_EQ(report.products, report.iterations);
  }
}

TEST(ConjugateGradients, EndInOneIterationWithTheMatrixAsPreconditioner) {
  const MatrixXd A = with_eigenvalues(VectorXd::LinSpaced(40, 1, 900));
  DensePreconditioner M(A);
  const std::vector<double> b = fixed_noise(40);
  std::vector<double> w(40);
  const CgReport report = conjugate_gradients(product_with(A), &M, b, w, {.relative = 1e-10});
  EXPECT_EQ(report.iterations, 1);
  EXPECT_EQ(report.applications, 1);
  EXPECT_NEAR(report.smallest_ritz, 1, 1e-10);
}

TEST(ConjugateGradients, NeedAsManyIterationsAsThereAreDifferentEigenvalues) {
  VectorXd eigenvalues = VectorXd::Constant(50, 2);
  eigenvalues.head(10).setConstant(7);
  eigenvalues[49] = 31;
  const MatrixXd A = with_eigenvalues(eigenvalues);
  const std::vector<double> b = fixed_noise(50);
  std::vector<double> w(50);
  const CgReport report = conjugate_gradients(product_with(A), nullptr, b, w, {.relative = 1e-9});
  EXPECT_EQ(report.iterations, 3);
  EXPECT_NEAR(report.smallest_ritz, 2, 1e-8);
  EXPECT_NEAR(report.largest_ritz, 31, 1e-8);
}

TEST(ConjugateGradients, InThePreconditionedNormTakeOneMoreApplicationThanProducts) {
  const MatrixXd A = with_eigenvalues(VectorXd::LinSpaced(60, 1, 50));
  DensePreconditioner M(with_eigenvalues(VectorXd::LinSpaced(60, 1, 5)));
  const std::vector<double> b = fixed_noise(60);
  std::vector<double> w(60);
  const CgReport report = conjugate_gradients(
      product_with(A), &M, b, w, {.relative = 1e-5, .norm = ResidualNorm::Preconditioned});
  EXPECT_EQ(report.status, CgStatus::Converged);
  EXPECT_EQ(report.applications, report.products + 1);
  EXPECT_LE(residual(A, b, w), 3e-5);  // norms differ by at most √5
}

TEST(ConjugateGradients, StartFromAGuessAndDoNothingAtTheSolution) {
  const MatrixXd A = with_eigenvalues(VectorXd::LinSpaced(30, 1, 20));
  const std::vector<double> b = fixed_noise(30);
  std::vector<double> w(30);
  for (const ResidualNorm kind : {ResidualNorm::Plain, ResidualNorm::Preconditioned}) {
    const CgReport cold =
        conjugate_gradients(product_with(A), nullptr, b, w, {.relative = 1e-10, .norm = kind});
    const CgReport warm = conjugate_gradients(
        product_with(A), nullptr, b, w, {.relative = 1e-8, .norm = kind, .start_from_w = true});
    EXPECT_GT(cold.iterations, 5);
    EXPECT_EQ(warm.iterations, 0);
    EXPECT_LE(residual(A, b, w), 1e-8);
  }
}

TEST(ConjugateGradients, ReportADirectionOfNegativeCurvature) {
  VectorXd eigenvalues = VectorXd::LinSpaced(40, 1, 3);
  eigenvalues[5] = -0.2;
  const MatrixXd A = with_eigenvalues(eigenvalues);
  const std::vector<double> b = fixed_noise(40);
  std::vector<double> w(40);
  const CgReport report = conjugate_gradients(product_with(A), nullptr, b, w, {.relative = 1e-12});
  ASSERT_EQ(report.status, CgStatus::NegativeCurvature);
  const VectorXd p = Eigen::Map<const VectorXd>(report.direction.data(), 40);
  EXPECT_LT(p.dot(A * p), 0);
  EXPECT_NEAR(report.curvature, p.dot(A * p) / p.squaredNorm(), 1e-10);
  // The iterate before it still descends: wᵀ(½ A w − b) < 0.
  const VectorXd W = Eigen::Map<const VectorXd>(w.data(), 40),
                 B = Eigen::Map<const VectorXd>(b.data(), 40);
  EXPECT_LT(W.dot(0.5 * (A * W) - B), 0);
}

TEST(ConjugateGradients, MeasureCurvatureAgainstThePreconditioner) {
  VectorXd eigenvalues = VectorXd::LinSpaced(40, 1, 3);
  eigenvalues[5] = -0.2;
  const MatrixXd A = with_eigenvalues(eigenvalues),
                 P = with_eigenvalues(VectorXd::LinSpaced(40, 10, 20));
  DensePreconditioner M(P);
  std::vector<double> w(40);
  const CgReport report =
      conjugate_gradients(product_with(A), &M, fixed_noise(40), w, {.relative = 1e-12});
  ASSERT_EQ(report.status, CgStatus::NegativeCurvature);
  const VectorXd p = Eigen::Map<const VectorXd>(report.direction.data(), 40);
  EXPECT_NEAR(report.curvature, p.dot(A * p) / p.dot(P * p), 1e-9 * std::abs(report.curvature));
}

TEST(ConjugateGradients, StopAtTheLimitAndOnTheFlag) {
  const MatrixXd A = with_eigenvalues(VectorXd::LinSpaced(60, 1, 5000));
  std::vector<double> w(60);
  const CgReport limited = conjugate_gradients(product_with(A), nullptr, fixed_noise(60), w,
                                               {.relative = 1e-12, .max_iterations = 4});
  EXPECT_EQ(limited.status, CgStatus::IterationLimit);
  EXPECT_EQ(limited.products, 4);
  const std::atomic<bool> stop = true;
  const CgReport stopped =
      conjugate_gradients(product_with(A), nullptr, fixed_noise(60), w, {.stop = &stop});
  EXPECT_EQ(stopped.status, CgStatus::Interrupted);
  EXPECT_EQ(stopped.products, 0);
}

TEST(ConjugateGradients, SayWhenTheMatrixGivesNaN) {
  std::vector<double> w(5);
  const CgReport report =
      conjugate_gradients([](std::span<const double>,
                             std::span<double> out) { std::fill(out.begin(), out.end(), NAN); },
                          nullptr, fixed_noise(5), w, {});
  EXPECT_EQ(report.status, CgStatus::NotFinite);
}

TEST(Tridiagonal, ExtremesAreThoseOfEigen) {
  const std::vector<double> a = fixed_noise(30);
  std::vector<double> b(a.begin(), a.begin() + 29);
  b[11] = 0;  // falls apart into two
  MatrixXd T = MatrixXd::Zero(30, 30);
  for (int i = 0; i < 30; ++i) T(i, i) = a[i];
  for (int i = 0; i < 29; ++i) T(i, i + 1) = T(i + 1, i) = b[i];
  const VectorXd expected = Eigen::SelfAdjointEigenSolver<MatrixXd>(T).eigenvalues();
  const Extremes extremes = extreme_eigenvalues(a, b);
  EXPECT_NEAR(extremes.smallest, expected[0], 1e-12);
  EXPECT_NEAR(extremes.largest, expected[29], 1e-12);
  EXPECT_EQ(extreme_eigenvalues({}, {}).largest, 0);
}

}  // namespace
}  // namespace asb
