// See direct_system.h.
#include "runtime/minimise/direct_system.h"

#include <algorithm>
#include <limits>

#include "base/check.h"

namespace asb {
namespace {

/// Below this ratio of a pivot to its diagonal entry only round-off made the pivot positive.
constexpr double kSingularPivot = 1e-14;

}  // namespace

void DirectSystem::assemble(Projection projection) {
  const PhaseTimer timer(state_.times().assemble);
  objective_.hessian(state_.x(), projection, H_);
  ++state_.report().hessians;
  holds_exact_ = projection == Projection::None;
  x_assembled_.assign(state_.x().begin(), state_.x().end());
}

Result<bool> DirectSystem::try_factor(Projection projection) {
  assemble(projection);
  const PhaseTimer timer(state_.times().factor);
  const Result<FactorStatus> status = cholesky_.factor(H_);
  ++state_.report().factorisations;
  state_.report().factor_bytes = cholesky_.statistics().peak_bytes;
  state_.report().ordering = cholesky_.statistics().ordering;
  if (!status) return fail(status.error());
  x_factored_ = x_assembled_;
  return status->positive_definite && cholesky_.smallest_pivot_ratio() >= kSingularPivot;
}

Result<DirectSystem::State> DirectSystem::factor() {
  state_now_ = State::None;
  const Result<bool> exact = try_factor(Projection::None);
  if (!exact) return fail(exact.error());
  if (*exact) return state_now_ = State::Exact;
  return factor_clamped();
}

Result<DirectSystem::State> DirectSystem::factor_clamped() {
  state_now_ = State::None;
  const Result<bool> clamped = try_factor(Projection::Clamp);
  if (!clamped) return fail(clamped.error());
  return state_now_ = *clamped ? State::Clamped : State::Singular;
}

void DirectSystem::apply(std::span<const double> r, std::span<double> z) {
  const auto solved = cholesky_.solve(r, z);
  ASB_CHECK(solved.has_value(), "solve with a factor of the Hessian (memory)");
}

const SymmetricMatrix& DirectSystem::exact_hessian() {
  if (!holds_exact_ ||
      !std::equal(x_assembled_.begin(), x_assembled_.end(), state_.x().begin(), state_.x().end()))
    assemble(Projection::None);
  return H_;
}

double DirectSystem::moved_since_factor() const {
  return x_factored_.empty() ? std::numeric_limits<double>::infinity()
                             : state_.distance_to(x_factored_);
}

}  // namespace asb
