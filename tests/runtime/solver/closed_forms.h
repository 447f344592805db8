// Objectives with known minima, for the tests of minimisers. Small and dense; Hessians by hand.
#pragma once

#include <Eigen/Dense>
#include <functional>
#include <limits>
#include <vector>

#include "runtime/minimise/objective.h"

namespace asb::test {

/// Lower triangle of a dense matrix in one fixed full pattern.
SymmetricMatrix lower_triangle(const Eigen::MatrixXd& A);

/// Counts calls and turns dense derivatives into the interface. Clamp: the whole Hessian's
/// eigenvalues, unless a subclass clamps its elements.
class DenseObjective : public Objective {
 public:
  size_t size() const override { return n_; }
  Evaluation energy(std::span<const double> x) override;
  Evaluation gradient(std::span<const double> x, std::span<double> g) override;
  double force_scale() const override { return force_scale_; }
  void set_force_scale(double r) override { force_scale_ = r; }
  double largest_value(std::span<const double> x) const override;
  double diameter() const override { return diameter_; }
  void hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) override;
  void linearise(std::span<const double> x) override;
  void product(std::span<const double> v, std::span<double> Hv) override;
  double step_bound(std::span<const double>, std::span<const double>) override {
    return std::numeric_limits<double>::infinity();
  }
  double mean_stiffness() override { return mean_stiffness_; }

  int n_clamped = 0;
  /// Called with each x whose gradient is asked, to watch convergence.
  std::function<void(const Eigen::VectorXd&)> on_gradient;

 protected:
  explicit DenseObjective(size_t n) : n_(n) {}
  /// magnitude: Σ|E_e|.
  virtual double value(const Eigen::VectorXd& x, double& magnitude) const = 0;
  /// absolute: Σ_e |f_ae| per value.
  virtual Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const = 0;
  virtual Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const = 0;
  virtual Eigen::MatrixXd clamped_curvature(const Eigen::VectorXd& x) const;

  size_t n_;
  double diameter_ = 1;
  double mean_stiffness_ = 1;

 private:
  double force_scale_ = 0;
  Eigen::MatrixXd linearised_;
};

/// ½ xᵀAx − bᵀx.
class Quadratic : public DenseObjective {
 public:
  Quadratic(Eigen::MatrixXd A, Eigen::VectorXd b)
      : DenseObjective(b.size()), A_(std::move(A)), b_(std::move(b)) {}

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd&) const override { return A_; }

 private:
  Eigen::MatrixXd A_;
  Eigen::VectorXd b_;
};

/// Σ_i ¼ (x_i² − 1)²: 2ⁿ minima at ±1, a maximum at 0.
class DoubleWell : public DenseObjective {
 public:
  explicit DoubleWell(size_t n) : DenseObjective(n) {}

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const override;
};

/// Σ_i (1 − x_i)² + 100 (x_{i+1} − x_i²)² over pairs: minimum 0 at (1, 1).
class Rosenbrock : public DenseObjective {
 public:
  Rosenbrock() : DenseObjective(2) {}

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const override;
};

/// cᵀx − Σ log x_i on x > 0, minimum at 1/c_i; step_bound keeps 0.9 of the way to the border.
class LogBarrier : public DenseObjective {
 public:
  explicit LogBarrier(Eigen::VectorXd c) : DenseObjective(c.size()), c_(std::move(c)) {}
  double step_bound(std::span<const double> x, std::span<const double> d) override;
  int n_outside = 0;  ///< energies asked outside the domain

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const override;

 private:
  Eigen::VectorXd c_;
};

/// Springs ½ k (|e| − l)² between points in space, with dead loads; some points are held.
class Springs : public DenseObjective {
 public:
  struct Spring {
    int a, b;
    double k, l;
  };
  /// points: rest positions; held[i]: point i does not move; load: force on every point.
  Springs(std::vector<Eigen::Vector3d> points, std::vector<bool> held, std::vector<Spring> springs,
          std::vector<Eigen::Vector3d> load);
  std::vector<double> rest() const;
  Eigen::Vector3d point(std::span<const double> x, int i) const;

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const override { return assemble(x, false); }
  Eigen::MatrixXd clamped_curvature(const Eigen::VectorXd& x) const override {
    return assemble(x, true);
  }

 private:
  Eigen::MatrixXd assemble(const Eigen::VectorXd& x, bool clamp) const;
  Eigen::Vector3d at(const Eigen::VectorXd& x, int i) const;
  std::vector<Eigen::Vector3d> points_;
  std::vector<int> first_;  ///< first free value of a point, or -1
  std::vector<Spring> springs_;
  std::vector<Eigen::Vector3d> load_;
};

/// A chain of n springs (k, length 1/n) along x, held at x = 0, loaded sideways at its free end.
Springs cantilevered_chain(int n, double load);

/// Two bars from (±half_span, 0) to an apex at height `rise`, pressed down by `load`; the apex
/// moves in the plane.
class TwoBarTruss : public DenseObjective {
 public:
  TwoBarTruss(double half_span, double rise, double load);

 protected:
  double value(const Eigen::VectorXd& x, double& magnitude) const override;
  Eigen::VectorXd slope(const Eigen::VectorXd& x, Eigen::VectorXd& absolute) const override;
  Eigen::MatrixXd curvature(const Eigen::VectorXd& x) const override;

 private:
  double half_span_, load_, length_;
};

/// c E(x / s): the same problem in other units.
class Rescaled : public Objective {
 public:
  Rescaled(Objective& inner, double energy, double length)
      : inner_(inner), c_(energy), s_(length) {}
  size_t size() const override { return inner_.size(); }
  Evaluation energy(std::span<const double> x) override;
  Evaluation gradient(std::span<const double> x, std::span<double> g) override;
  double force_scale() const override { return inner_.force_scale() * c_ / s_; }
  void set_force_scale(double r) override { inner_.set_force_scale(r * s_ / c_); }
  double largest_value(std::span<const double> x) const override {
    return s_ * inner_.largest_value(inside(x));
  }
  double diameter() const override { return s_ * inner_.diameter(); }
  void hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) override;
  void linearise(std::span<const double> x) override { inner_.linearise(inside(x)); }
  void product(std::span<const double> v, std::span<double> Hv) override;
  double step_bound(std::span<const double> x, std::span<const double> d) override {
    return inner_.step_bound(inside(x), inside(d));
  }
  double mean_stiffness() override { return inner_.mean_stiffness() * c_ / (s_ * s_); }

 private:
  std::vector<double> inside(std::span<const double> x) const;
  Objective& inner_;
  double c_, s_;
};

}  // namespace asb::test
