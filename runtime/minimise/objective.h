// What a minimiser sees: a function of the free values of one solve. Implemented by runtime/assembly from
// the forms of the plan; by small closed-form functions in tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace asb {

/// Symmetric sparse matrix, lower triangle by columns (what CHOLMOD takes with stype -1): for column j the rows
/// row[column[j] .. column[j+1]) ascending, diagonal first.
struct SymmetricMatrix {
  int32_t n = 0;
  std::vector<int64_t> column;  ///< n + 1
  std::vector<int32_t> row;
  std::vector<double> value;
};

enum class Projection : uint8_t { None, Clamp };

struct Evaluation {
  double energy = 0;     ///< [J]
  double magnitude = 0;  ///< Σ|E_e| before cancellation: the scale of round-off in energy
  bool finite = true;    ///< energy (and gradient if asked) is finite at every point
};

/// Applies an approximate inverse of the Hessian to a vector of free values.
class Preconditioner {
 public:
  virtual ~Preconditioner() = default;
  virtual void apply(std::span<const double> r, std::span<double> z) = 0;
};

/// All vectors hold free values only, in a fixed order.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual size_t size() const = 0;
  virtual Evaluation energy(std::span<const double> x) = 0;
  /// Fills g. Also updates force_scale().
  virtual Evaluation gradient(std::span<const double> x, std::span<double> g) = 0;
  /// r of numerics.md: largest value so far of ‖(Σ_e |f_ae|)_a‖₂, stored with a solution and restored by a warm start.
  virtual double force_scale() const = 0;
  virtual void set_force_scale(double r) = 0;
  /// max|x| over all values, fixed ones included, and sqrt of the number of free values come from the minimiser.
  virtual double largest_value(std::span<const double> x) const = 0;
  /// Body diagonal d, for reported displacement errors.
  virtual double diameter() const = 0;
  /// Assembles the Hessian at x. The pattern is the same in every call.
  virtual void hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) = 0;
  /// Prepares product() at x.
  virtual void linearise(std::span<const double> x) = 0;
  /// Hv = H(x) v with the exact Hessian at the last linearise().
  virtual void product(std::span<const double> v, std::span<double> Hv) = 0;
  /// Largest t in (0, inf] such that x + t d stays in the domain (0.9 of the smallest root of det F(x + t d) = 0).
  virtual double step_bound(std::span<const double> x, std::span<const double> d) = 0;
  /// The constant preconditioner K ⊗ I if the energy has one (found from its forms), else null.
  virtual Preconditioner* constant_factor() { return nullptr; }
  /// Mean diagonal of the preconditioner or Hessian, k in the convergence test.
  virtual double mean_stiffness() = 0;
};

}  // namespace asb
