// See closed_forms.h.
#include "closed_forms.h"

#include <cmath>

namespace asb::test {
namespace {

Eigen::VectorXd vector(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Eigen::MatrixXd clamp(const Eigen::MatrixXd& H) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(H);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).asDiagonal() *
         eigen.eigenvectors().transpose();
}

}  // namespace

SymmetricMatrix lower_triangle(const Eigen::MatrixXd& A) {
  SymmetricMatrix H;
  H.n = static_cast<int32_t>(A.rows());
  H.column.push_back(0);
  for (int32_t j = 0; j < H.n; ++j) {
    for (int32_t i = j; i < H.n; ++i) {
      H.row.push_back(i);
      H.value.push_back(A(i, j));
    }
    H.column.push_back(static_cast<int64_t>(H.row.size()));
  }
  return H;
}

Evaluation DenseObjective::energy(std::span<const double> x) {
  Evaluation e;
  e.energy = value(vector(x), e.magnitude);
  e.finite = std::isfinite(e.energy);
  return e;
}

Evaluation DenseObjective::gradient(std::span<const double> x, std::span<double> g) {
  Eigen::VectorXd absolute = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(n_));
  const Eigen::VectorXd result = slope(vector(x), absolute);
  std::copy(result.data(), result.data() + n_, g.begin());
  force_scale_ = std::max(force_scale_, absolute.norm());
  if (on_gradient) on_gradient(vector(x));
  Evaluation e = energy(x);
  e.finite = e.finite && result.allFinite();
  return e;
}

double DenseObjective::largest_value(std::span<const double> x) const {
  return x.empty() ? 0.0 : vector(x).cwiseAbs().maxCoeff();
}

Eigen::MatrixXd DenseObjective::clamped_curvature(const Eigen::VectorXd& x) const {
  return clamp(curvature(x));
}

void DenseObjective::hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) {
  n_clamped += projection == Projection::Clamp;
  H = lower_triangle(projection == Projection::Clamp ? clamped_curvature(vector(x))
                                                     : curvature(vector(x)));
}

void DenseObjective::linearise(std::span<const double> x) { linearised_ = curvature(vector(x)); }

void DenseObjective::product(std::span<const double> v, std::span<double> Hv) {
  const Eigen::VectorXd result = linearised_ * vector(v);
  std::copy(result.data(), result.data() + n_, Hv.begin());
}

double Quadratic::value(const Eigen::VectorXd& x, double& magnitude) const {
  const double stored = 0.5 * x.dot(A_ * x), work = b_.dot(x);
  magnitude = std::abs(stored) + std::abs(work);
  return stored - work;
}

Eigen::VectorXd Quadratic::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  absolute = (A_ * x).cwiseAbs() + b_.cwiseAbs();
  return A_ * x - b_;
}

double DoubleWell::value(const Eigen::VectorXd& x, double& magnitude) const {
  return magnitude = 0.25 * (x.array().square() - 1).square().sum();
}

Eigen::VectorXd DoubleWell::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  absolute = x.array().cube().abs() + x.array().abs();
  return x.array().cube() - x.array();
}

Eigen::MatrixXd DoubleWell::curvature(const Eigen::VectorXd& x) const {
  return (3 * x.array().square() - 1).matrix().asDiagonal();
}

double Rosenbrock::value(const Eigen::VectorXd& x, double& magnitude) const {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  return magnitude = a * a + 100 * b * b;
}

Eigen::VectorXd Rosenbrock::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  const double a = 1 - x[0], b = x[1] - x[0] * x[0];
  absolute = Eigen::Vector2d(2 * std::abs(a) + 400 * std::abs(b * x[0]), 200 * std::abs(b));
  return Eigen::Vector2d(-2 * a - 400 * b * x[0], 200 * b);
}

Eigen::MatrixXd Rosenbrock::curvature(const Eigen::VectorXd& x) const {
  Eigen::Matrix2d H;
  H << 2 - 400 * (x[1] - 3 * x[0] * x[0]), -400 * x[0], -400 * x[0], 200;
  return H;
}

double LogBarrier::step_bound(std::span<const double> x, std::span<const double> d) {
  double t = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < x.size(); ++i)
    if (d[i] < 0) t = std::min(t, -0.9 * x[i] / d[i]);
  return t;
}

double LogBarrier::value(const Eigen::VectorXd& x, double& magnitude) const {
  magnitude = (c_.array() * x.array()).abs().sum() + x.array().log().abs().sum();
  if (x.minCoeff() <= 0) ++const_cast<LogBarrier*>(this)->n_outside;
  return c_.dot(x) - x.array().log().sum();
}

Eigen::VectorXd LogBarrier::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  absolute = c_.cwiseAbs().array() + x.array().inverse().abs();
  return c_.array() - x.array().inverse();
}

Eigen::MatrixXd LogBarrier::curvature(const Eigen::VectorXd& x) const {
  return x.array().square().inverse().matrix().asDiagonal();
}

Springs::Springs(std::vector<Eigen::Vector3d> points, std::vector<bool> held,
                 std::vector<Spring> springs, std::vector<Eigen::Vector3d> load)
    : DenseObjective(0),
      points_(std::move(points)),
      springs_(std::move(springs)),
      load_(std::move(load)) {
  for (size_t i = 0; i < points_.size(); ++i) {
    first_.push_back(held[i] ? -1 : static_cast<int>(n_));
    if (!held[i]) n_ += 3;
  }
  double sum = 0;
  for (const Spring& s : springs_) sum += 2 * s.k;
  mean_stiffness_ = sum / static_cast<double>(n_);
}

std::vector<double> Springs::rest() const {
  std::vector<double> x(n_);
  for (size_t i = 0; i < points_.size(); ++i)
    if (first_[i] >= 0) std::copy(points_[i].data(), points_[i].data() + 3, x.begin() + first_[i]);
  return x;
}

Eigen::Vector3d Springs::at(const Eigen::VectorXd& x, int i) const {
  return first_[i] < 0 ? points_[i] : Eigen::Vector3d(x.segment<3>(first_[i]));
}

Eigen::Vector3d Springs::point(std::span<const double> x, int i) const { return at(vector(x), i); }

double Springs::value(const Eigen::VectorXd& x, double& magnitude) const {
  double sum = 0;
  magnitude = 0;
  for (const Spring& s : springs_) {
    const double stretch = (at(x, s.b) - at(x, s.a)).norm() - s.l;
    sum += 0.5 * s.k * stretch * stretch;
  }
  magnitude = sum;
  for (size_t i = 0; i < points_.size(); ++i) {
    const double work = load_[i].dot(at(x, static_cast<int>(i)));
    sum -= work;
    magnitude += std::abs(work);
  }
  return sum;
}

Eigen::VectorXd Springs::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(x.size());
  const auto add = [&](int i, const Eigen::Vector3d& f) {
    if (first_[i] < 0) return;
    g.segment<3>(first_[i]) += f;
    absolute.segment<3>(first_[i]) += f.cwiseAbs();
  };
  for (const Spring& s : springs_) {
    const Eigen::Vector3d e = at(x, s.b) - at(x, s.a);
    const Eigen::Vector3d f = s.k * (1 - s.l / e.norm()) * e;
    add(s.a, -f);
    add(s.b, f);
  }
  for (size_t i = 0; i < points_.size(); ++i) add(static_cast<int>(i), -load_[i]);
  return g;
}

/// Per spring k [(1 − l/|e|)(I − nnᵀ) + nnᵀ]; clamped: the first factor not below 0.
Eigen::MatrixXd Springs::assemble(const Eigen::VectorXd& x, bool clamp) const {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(x.size(), x.size());
  for (const Spring& s : springs_) {
    const Eigen::Vector3d e = at(x, s.b) - at(x, s.a);
    const Eigen::Matrix3d nn = e * e.transpose() / e.squaredNorm();
    double across = 1 - s.l / e.norm();
    if (clamp) across = std::max(across, 0.0);
    const Eigen::Matrix3d B = s.k * (across * (Eigen::Matrix3d::Identity() - nn) + nn);
    const int a = first_[s.a], b = first_[s.b];
    if (a >= 0) H.block<3, 3>(a, a) += B;
    if (b >= 0) H.block<3, 3>(b, b) += B;
    if (a >= 0 && b >= 0) {
      H.block<3, 3>(a, b) -= B;
      H.block<3, 3>(b, a) -= B;
    }
  }
  return H;
}

Springs cantilevered_chain(int n, double load) {
  std::vector<Eigen::Vector3d> points, loads(n + 1, Eigen::Vector3d::Zero());
  std::vector<bool> held(n + 1, false);
  std::vector<Springs::Spring> springs;
  for (int i = 0; i <= n; ++i) points.emplace_back(double(i) / n, 0, 0);
  for (int i = 0; i < n; ++i) springs.push_back({i, i + 1, double(n), 1.0 / n});
  held[0] = true;
  loads[n] = Eigen::Vector3d(0, -load, 0);
  return Springs(points, held, springs, loads);
}

TwoBarTruss::TwoBarTruss(double half_span, double rise, double load)
    : DenseObjective(2), half_span_(half_span), load_(load), length_(std::hypot(half_span, rise)) {
  diameter_ = length_;
}

double TwoBarTruss::value(const Eigen::VectorXd& x, double& magnitude) const {
  double sum = 0;
  for (const double foot : {-half_span_, half_span_}) {
    const double stretch = std::hypot(x[0] - foot, x[1]) - length_;
    sum += 0.5 * stretch * stretch;
  }
  magnitude = sum + std::abs(load_ * x[1]);
  return sum + load_ * x[1];
}

Eigen::VectorXd TwoBarTruss::slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const {
  Eigen::Vector2d g(0, load_);
  absolute = g.cwiseAbs();
  for (const double foot : {-half_span_, half_span_}) {
    const Eigen::Vector2d e(x[0] - foot, x[1]);
    const Eigen::Vector2d f = (1 - length_ / e.norm()) * e;
    g += f;
    absolute += f.cwiseAbs();
  }
  return g;
}

Eigen::MatrixXd TwoBarTruss::curvature(const Eigen::VectorXd& x) const {
  Eigen::Matrix2d H = Eigen::Matrix2d::Zero();
  for (const double foot : {-half_span_, half_span_}) {
    const Eigen::Vector2d e(x[0] - foot, x[1]);
    const Eigen::Matrix2d nn = e * e.transpose() / e.squaredNorm();
    H += (1 - length_ / e.norm()) * (Eigen::Matrix2d::Identity() - nn) + nn;
  }
  return H;
}

std::vector<double> Rescaled::inside(std::span<const double> x) const {
  std::vector<double> y(x.begin(), x.end());
  for (double& value : y) value /= s_;
  return y;
}

Evaluation Rescaled::energy(std::span<const double> x) {
  Evaluation e = inner_.energy(inside(x));
  e.energy *= c_;
  e.magnitude *= c_;
  return e;
}

Evaluation Rescaled::gradient(std::span<const double> x, std::span<double> g) {
  Evaluation e = inner_.gradient(inside(x), g);
  e.energy *= c_;
  e.magnitude *= c_;
  for (double& value : g) value *= c_ / s_;
  return e;
}

void Rescaled::hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) {
  inner_.hessian(inside(x), projection, H);
  for (double& value : H.value) value *= c_ / (s_ * s_);
}

void Rescaled::product(std::span<const double> v, std::span<double> Hv) {
  inner_.product(v, Hv);
  for (double& value : Hv) value *= c_ / (s_ * s_);
}

}  // namespace asb::test
