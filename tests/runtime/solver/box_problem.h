// The neutral comparison problem, a box of trilinear hexes that bends by shape targeting,
//   E = Σ_q (w/2) |F − R A|² h³/8,  R = rotation of F A,  w = 2,
// written out by hand: the counts of Newton-CG in docs/numerics are for this problem.
#pragma once

#include <Eigen/Dense>
#include <array>
#include <memory>
#include <vector>

#include "runtime/linalg/scalar_factor.h"
#include "runtime/minimise/objective.h"

namespace asb::test {

class BoxProblem : public Objective {
 public:
  /// 4n × n × n cubes on [0, 1] × [0, ¼] × [0, ¼]; all values at X = 0 held. actuation scales A −
  /// I.
  explicit BoxProblem(int n, double actuation = 1);

  std::vector<double> rest() const;
  /// ½ Σ |x − X|².
  double loss(std::span<const double> x) const;
  Eigen::Vector3d last_vertex(std::span<const double> x) const;
  void use_constant_factor(bool use) { use_constant_ = use; }

  size_t size() const override { return 3 * (nodes_.size() - n_held_); }
  Evaluation energy(std::span<const double> x) override;
  Evaluation gradient(std::span<const double> x, std::span<double> g) override;
  double force_scale() const override { return force_scale_; }
  void set_force_scale(double r) override { force_scale_ = r; }
  double largest_value(std::span<const double> x) const override;
  double diameter() const override { return 1.0606601717798212; }
  void hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) override;
  void linearise(std::span<const double> x) override;
  void product(std::span<const double> v, std::span<double> Hv) override;
  double step_bound(std::span<const double>, std::span<const double>) override;
  Preconditioner* constant_factor() override { return use_constant_ ? factor_.get() : nullptr; }
  double mean_stiffness() override { return factor_->mean_diagonal(); }

 private:
  using Gradients = Eigen::Matrix<double, 3, 8>;
  void gather(std::span<const double> x, size_t c, bool differential,
              Eigen::Matrix<double, 3, 8>& corners) const;
  void scatter(const Eigen::Matrix<double, 3, 8>& f, size_t c, std::span<double> out) const;
  Eigen::Matrix3d stress_rate(size_t point, const Eigen::Matrix3d& dF) const;
  SymmetricMatrix scalar_stiffness() const;

  std::vector<Eigen::Vector3d> nodes_;
  size_t n_held_ = 0;  ///< the first nodes
  std::vector<std::array<int, 8>> cells_;
  std::array<Gradients, 8> dN_;             ///< per Gauss point
  double weight_ = 0;                       ///< w h³/8
  std::vector<Eigen::Matrix3d> A_, R_, S_;  ///< per cell and point
  double force_scale_ = 0;
  bool use_constant_ = true;
  std::unique_ptr<ScalarFactor> factor_;
};

}  // namespace asb::test
