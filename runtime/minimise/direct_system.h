// The Hessian at the current point and its factor, exact or clamped, with their counts and times:
// what Newton steps with, and what Newton-CG preconditions with where the energy has no constant
// stiffness.
#pragma once

#include <vector>

#include "base/result.h"
#include "runtime/linalg/cholesky.h"
#include "runtime/linalg/conjugate_gradients.h"
#include "runtime/minimise/descent.h"

namespace asb {

class DirectSystem : public Preconditioner {
 public:
  enum class State : uint8_t { None, Exact, Clamped, Singular };

  DirectSystem(Objective& objective, Descent& state) : objective_(objective), state_(state) {}

  /// Factors the exact Hessian at the current point, or the clamped one if that is not positive
  /// definite in working precision; Singular if neither is. An Error: no factor could be tried.
  [[nodiscard]] Result<State> factor();
  /// Factors the clamped Hessian whatever the exact one is.
  [[nodiscard]] Result<State> factor_clamped();
  State state() const { return state_now_; }
  bool has_factor() const { return state_now_ == State::Exact || state_now_ == State::Clamped; }
  Projection projection() const {
    return state_now_ == State::Exact ? Projection::None : Projection::Clamp;
  }

  /// z = P⁻¹ r with the last factor.
  void apply(std::span<const double> r, std::span<double> z) override;

  /// Assembles the exact Hessian here again if the last one assembled is another.
  const SymmetricMatrix& exact_hessian();
  /// max|x − (point of the last factor)|; infinite before the first.
  double moved_since_factor() const;
  const FactorStatistics& statistics() const { return cholesky_.statistics(); }

 private:
  [[nodiscard]] Result<bool> try_factor(Projection projection);
  void assemble(Projection projection);

  Objective& objective_;
  Descent& state_;
  SymmetricMatrix H_;
  Cholesky cholesky_;
  State state_now_ = State::None;
  bool holds_exact_ = false;  ///< H_ is the exact Hessian at x_assembled_
  std::vector<double> x_factored_, x_assembled_;
};

}  // namespace asb
