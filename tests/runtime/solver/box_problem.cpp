// See box_problem.h.
#include "box_problem.h"

#include <cmath>
#include <map>

#include "base/check.h"

namespace asb::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Corners = Eigen::Matrix<double, 3, 8>;

namespace {

/// Rotation of M = R S by Newton's iteration R ← (R + R⁻ᵀ)/2 ([Higham1986]); M has a positive
/// determinant here.
Matrix3d rotation_of(const Matrix3d& M) {
  Matrix3d R = M;
  for (int k = 0; k < 30; ++k) {
    const Matrix3d next = 0.5 * (R + R.inverse().transpose());
    const double change = (next - R).cwiseAbs().maxCoeff();
    R = next;
    if (change < 1e-15) break;
  }
  return R;
}

Vector3d axial(const Matrix3d& B) { return {B(2, 1), B(0, 2), B(1, 0)}; }

Matrix3d cross_matrix(const Vector3d& w) {
  Matrix3d W;
  W << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
  return W;
}

}  // namespace

BoxProblem::BoxProblem(int n, double actuation) {
  const double h = 0.25 / n;
  weight_ = 2 * h * h * h / 8;
  for (int i = 0; i <= 4 * n; ++i)
    for (int j = 0; j <= n; ++j)
      for (int k = 0; k <= n; ++k) nodes_.emplace_back(i * h, j * h, k * h);
  n_held_ = static_cast<size_t>((n + 1) * (n + 1));
  const auto id = [n](int i, int j, int k) { return (i * (n + 1) + j) * (n + 1) + k; };
  const double near = 0.5 - 0.5 / std::sqrt(3.0);
  for (int q = 0; q < 8; ++q) {
    const std::array<double, 3> xi = {(q & 4) != 0 ? 1 - near : near,
                                      (q & 2) != 0 ? 1 - near : near,
                                      (q & 1) != 0 ? 1 - near : near};
    for (int a = 0; a < 8; ++a) {
      std::array<double, 3> N, d;
      for (int c = 0; c < 3; ++c) {
        const bool high = (a >> (2 - c) & 1) != 0;
        N[c] = high ? xi[c] : 1 - xi[c];
        d[c] = (high ? 1 : -1) / h;
      }
      dN_[q].col(a) = Vector3d(d[0] * N[1] * N[2], N[0] * d[1] * N[2], N[0] * N[1] * d[2]);
    }
  }
  for (int i = 0; i < 4 * n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        std::array<int, 8> cell;
        for (int a = 0; a < 8; ++a) cell[a] = id(i + (a >> 2 & 1), j + (a >> 1 & 1), k + (a & 1));
        cells_.push_back(cell);
        for (int q = 0; q < 8; ++q) {
          const double x = (i + ((q & 4) != 0 ? 1 - near : near)) * h,
                       z = (k + ((q & 1) != 0 ? 1 - near : near)) * h;
          Matrix3d A = Matrix3d::Identity();
          A(0, 0) = 1 + 0.15 * (2 * z / 0.25 - 1);
          A(1, 1) = A(2, 2) = 1 / std::sqrt(A(0, 0));
          A(1, 2) = A(2, 1) = 0.05 * std::sin(2 * M_PI * x);
          A_.push_back(Matrix3d::Identity() + actuation * (A - Matrix3d::Identity()));
        }
      }
  std::vector<int32_t> free_index;
  for (size_t a = 0; a < nodes_.size(); ++a)
    for (int c = 0; c < 3; ++c)
      free_index.push_back(a < n_held_ ? -1 : static_cast<int32_t>(3 * (a - n_held_)) + c);
  auto factor = ScalarFactor::make(scalar_stiffness(), free_index);
  ASB_CHECK(factor.has_value(), "the box is held");
  factor_ = std::move(*factor);
}

SymmetricMatrix BoxProblem::scalar_stiffness() const {
  std::vector<std::map<int, double>> columns(nodes_.size());
  for (const auto& cell : cells_)
    for (int a = 0; a < 8; ++a)
      for (int b = 0; b < 8; ++b)
        if (cell[a] >= cell[b])
          for (int q = 0; q < 8; ++q)
            columns[cell[b]][cell[a]] += weight_ * dN_[q].col(a).dot(dN_[q].col(b));
  SymmetricMatrix K;
  K.n = static_cast<int32_t>(nodes_.size());
  K.column.push_back(0);
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      K.row.push_back(row);
      K.value.push_back(value);
    }
    K.column.push_back(static_cast<int64_t>(K.row.size()));
  }
  return K;
}

std::vector<double> BoxProblem::rest() const {
  std::vector<double> x;
  for (size_t a = n_held_; a < nodes_.size(); ++a)
    x.insert(x.end(), nodes_[a].data(), nodes_[a].data() + 3);
  return x;
}

double BoxProblem::loss(std::span<const double> x) const {
  const std::vector<double> X = rest();
  double sum = 0;
  for (size_t i = 0; i < X.size(); ++i) sum += 0.5 * (x[i] - X[i]) * (x[i] - X[i]);
  return sum;
}

Vector3d BoxProblem::last_vertex(std::span<const double> x) const {
  return Vector3d(&x[x.size() - 3]);
}

double BoxProblem::largest_value(std::span<const double> x) const {
  double largest = 0.25;
  for (const double value : x) largest = std::max(largest, std::abs(value));
  return largest;
}

double BoxProblem::step_bound(std::span<const double>, std::span<const double>) {
  return std::numeric_limits<double>::infinity();
}

void BoxProblem::gather(std::span<const double> x, size_t c, bool differential,
                        Corners& corners) const {
  for (int a = 0; a < 8; ++a) {
    const size_t node = static_cast<size_t>(cells_[c][a]);
    if (node < n_held_)
      corners.col(a) = differential ? Vector3d(Vector3d::Zero()) : nodes_[node];
    else
      corners.col(a) = Vector3d(&x[3 * (node - n_held_)]);
  }
}

void BoxProblem::scatter(const Corners& f, size_t c, std::span<double> out) const {
  for (int a = 0; a < 8; ++a) {
    const size_t node = static_cast<size_t>(cells_[c][a]);
    if (node < n_held_) continue;
    for (int k = 0; k < 3; ++k) out[3 * (node - n_held_) + static_cast<size_t>(k)] += f(k, a);
  }
}

Evaluation BoxProblem::energy(std::span<const double> x) {
  Evaluation e;
  Corners corners;
  for (size_t c = 0; c < cells_.size(); ++c) {
    gather(x, c, false, corners);
    for (size_t q = 0; q < 8; ++q) {
      const Matrix3d F = corners * dN_[q].transpose();
      const Matrix3d& A = A_[8 * c + q];
      e.energy += 0.5 * weight_ * (F - rotation_of(F * A) * A).squaredNorm();
    }
  }
  e.magnitude = e.energy;
  e.finite = std::isfinite(e.energy);
  return e;
}

Evaluation BoxProblem::gradient(std::span<const double> x, std::span<double> g) {
  Evaluation e;
  Corners corners;
  std::fill(g.begin(), g.end(), 0.0);
  std::vector<double> absolute(g.size(), 0.0);
  for (size_t c = 0; c < cells_.size(); ++c) {
    gather(x, c, false, corners);
    Corners f = Corners::Zero();
    for (size_t q = 0; q < 8; ++q) {
      const Matrix3d F = corners * dN_[q].transpose();
      const Matrix3d& A = A_[8 * c + q];
      const Matrix3d difference = F - rotation_of(F * A) * A;
      e.energy += 0.5 * weight_ * difference.squaredNorm();
      f += weight_ * difference * dN_[q];
    }
    scatter(f, c, g);
    for (int a = 0; a < 8; ++a)
      f.col(a).setConstant(f.col(a).norm() / std::sqrt(3.0));  // keeps |f_ae|
    scatter(f, c, absolute);
  }
  double sum = 0;
  for (const double value : absolute) sum += value * value;
  force_scale_ = std::max(force_scale_, std::sqrt(sum));
  e.magnitude = e.energy;
  e.finite = std::isfinite(e.energy);
  return e;
}

void BoxProblem::linearise(std::span<const double> x) {
  R_.resize(A_.size());
  S_.resize(A_.size());
  Corners corners;
  for (size_t c = 0; c < cells_.size(); ++c) {
    gather(x, c, false, corners);
    for (size_t q = 0; q < 8; ++q) {
      const Matrix3d M = corners * dN_[q].transpose() * A_[8 * c + q];
      R_[8 * c + q] = rotation_of(M);
      S_[8 * c + q] = R_[8 * c + q].transpose() * M;
    }
  }
}

/// dP = w (dF − dR A), dR = R [ω]×, (tr S I − S) ω = axial(Rᵀ dM − dMᵀ R), dM = dF A.
Matrix3d BoxProblem::stress_rate(size_t point, const Matrix3d& dF) const {
  const Matrix3d &A = A_[point], &R = R_[point], &S = S_[point];
  const Matrix3d RdM = R.transpose() * dF * A;
  const Matrix3d T = S.trace() * Matrix3d::Identity() - S;
  const Vector3d omega = T.inverse() * axial(RdM - RdM.transpose());
  return weight_ * (dF - R * cross_matrix(omega) * A);
}

void BoxProblem::product(std::span<const double> v, std::span<double> Hv) {
  std::fill(Hv.begin(), Hv.end(), 0.0);
  Corners corners;
  for (size_t c = 0; c < cells_.size(); ++c) {
    gather(v, c, true, corners);
    Corners f = Corners::Zero();
    for (size_t q = 0; q < 8; ++q)
      f += stress_rate(8 * c + q, corners * dN_[q].transpose()) * dN_[q];
    scatter(f, c, Hv);
  }
}

/// Clamp: each cell's 24 × 24 block.
void BoxProblem::hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) {
  linearise(x);
  std::vector<std::map<int32_t, double>> columns(size());
  for (size_t c = 0; c < cells_.size(); ++c) {
    Eigen::Matrix<double, 24, 24> block;
    for (int j = 0; j < 24; ++j) {
      Corners unit = Corners::Zero(), f = Corners::Zero();
      unit(j % 3, j / 3) = 1;
      for (size_t q = 0; q < 8; ++q)
        f += stress_rate(8 * c + q, unit * dN_[q].transpose()) * dN_[q];
      block.col(j) = Eigen::Map<Eigen::Matrix<double, 24, 1>>(f.data());
    }
    if (projection == Projection::Clamp) {
      const Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 24, 24>> eigen(block);
      block = eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0).asDiagonal() *
              eigen.eigenvectors().transpose();
    }
    const auto place = [&](int j) {
      const int node = cells_[c][j / 3] - static_cast<int>(n_held_);
      return node < 0 ? -1 : 3 * node + j % 3;
    };
    for (int j = 0; j < 24; ++j)
      for (int i = 0; i < 24; ++i)
        if (place(j) >= 0 && place(i) >= place(j)) columns[place(j)][place(i)] += block(i, j);
  }
  H = {};
  H.n = static_cast<int32_t>(size());
  H.column.push_back(0);
  for (const auto& column : columns) {
    for (const auto& [row, value] : column) {
      H.row.push_back(row);
      H.value.push_back(value);
    }
    H.column.push_back(static_cast<int64_t>(H.row.size()));
  }
}

}  // namespace asb::test
