// See newton.h. The loop of newton() is the algorithm; the rest are its steps.
#include "runtime/minimise/newton.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/linalg/diagonal.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/linalg/symmetric_matrix.h"
#include "runtime/minimise/curvature.h"
#include "runtime/minimise/descent.h"
#include "runtime/minimise/direct_system.h"

namespace asb {
namespace {

/// The last factor of the exact Hessian answers for the end too if x has moved by less than this
/// share of the body: an eigenvalue changes by about that share of the stiffness.
constexpr double kSameHessian = 1e-6;
/// First bound on steps without a factor, as a share of the body; doubled while they succeed.
constexpr double kFirstReach = 0.1;
class Newton {
 public:
  Newton(Objective& objective, std::span<double> x, const SolveOptions& options)
      : objective_(objective),
        options_(options),
        state_(objective, x, options,
               fmt::format("newton: {} unknowns, a factorisation of the Hessian in every step",
                           x.size())),
        system_(objective, state_),
        d_(x.size()),
        minus_g_(x.size()),
        reach_(kFirstReach * objective.diameter()) {}

  SolveReport run();

 private:
  bool take_step();
  bool direct_step();
  bool singular_step();
  bool ends_at_minimum();
  bool fail_with(const Error& error) {
    state_.end(SolveStatus::Failed, error.message);
    failed_ = true;
    return false;
  }
  SolveReport finish();

  Objective& objective_;
  const SolveOptions& options_;
  Descent state_;
  DirectSystem system_;
  std::vector<double> d_, minus_g_;
  double reach_;
  bool failed_ = false;  ///< a status that is not Stalled has been set
};

SolveReport Newton::run() {
  if (!state_.start()) return finish();
  for (;;) {
    if (state_.has_converged()) {
      if (!options_.check_minimum || ends_at_minimum()) {
        if (!failed_) state_.end_converged();
        return finish();
      }
      if (failed_) return finish();
      continue;  // escaped from a saddle
    }
    if (state_.must_end()) return finish();
    if (!take_step()) {
      if (!failed_ && !state_.must_end()) state_.end_stalled();
      return finish();
    }
  }
}

/// The exact Hessian, clamped if need be; if the search fails along the exact step, along the
/// clamped one.
bool Newton::take_step() {
  const auto factored = system_.factor();
  if (!factored) return fail_with(factored.error());
  if (*factored == DirectSystem::State::Singular) return singular_step();
  if (direct_step()) return true;
  if (*factored == DirectSystem::State::Clamped) return false;
  const auto clamped = system_.factor_clamped();
  if (!clamped) return fail_with(clamped.error());
  return *clamped == DirectSystem::State::Clamped && direct_step();
}

bool Newton::direct_step() {
  {
    const PhaseTimer timer(state_.times().solve);
    for (size_t i = 0; i < d_.size(); ++i) minus_g_[i] = -state_.g()[i];
    system_.apply(minus_g_, d_);
    ++state_.report().preconditioner_solves;
  }
  if (!state_.step_along(d_, {.projection = system_.projection(), .kind = StepKind::Newton}))
    return false;
  reach_ = kFirstReach * objective_.diameter();
  return true;
}

/// Truncated conjugate gradients on the exact Hessian with its diagonal ([Nocedal2006] Alg. 7.1).
/// Where the Hessian has no curvature to set the scale, the step goes as far as reach_, which
/// doubles while such steps succeed.
bool Newton::singular_step() {
  const SymmetricMatrix& H = system_.exact_hessian();
  DiagonalPreconditioner diagonal(H);
  for (size_t i = 0; i < d_.size(); ++i) minus_g_[i] = -state_.g()[i];
  CgReport cg = conjugate_gradients(
      [&](auto in, auto out) { multiply(H, in, out); }, &diagonal, minus_g_, d_,
      {.relative = 0.1, .max_iterations = options_.max_inner, .stop = options_.stop});
  state_.times().products += cg.product_seconds;
  state_.report().products += cg.products;
  const bool no_scale = cg.is_truncated() && cg.iterations == 0;
  if (no_scale) d_ = cg.direction;
  const double longest = max_abs(d_);
  if (!(longest > 0) || !std::isfinite(longest)) return false;
  if (no_scale || longest > reach_)
    for (double& entry : d_) entry *= reach_ / longest;
  if (!state_.step_along(d_, {.inner = cg.iterations,
                              .kind = cg.is_truncated() ? StepKind::Truncated : StepKind::Newton}))
    return false;
  reach_ *= state_.report().history.back().step >= 1 ? 2.0 : 0.5;
  return true;
}

/// False after an escape from a saddle, and with failed_ set when there is none.
bool Newton::ends_at_minimum() {
  const bool known = system_.state() == DirectSystem::State::Exact &&
                     system_.moved_since_factor() <= kSameHessian * objective_.diameter();
  if (!known) {
    const auto factored = system_.factor();
    if (!factored) return fail_with(factored.error());
  }
  if (system_.state() == DirectSystem::State::Exact) return true;
  // 1. The exact Hessian has no Cholesky factor: look for the mode, through the clamped factor if
  // there is one.
  const bool has_factor = system_.has_factor();
  const SymmetricMatrix& H = system_.exact_hessian();
  DiagonalPreconditioner diagonal(H);
  Preconditioner* M = has_factor ? static_cast<Preconditioner*>(&system_) : &diagonal;
  const int most = static_cast<int>(std::min<size_t>(d_.size() + 10, 200));
  CgReport probe = probe_curvature([&](auto in, auto out) { multiply(H, in, out); }, M, d_.size(),
                                   most, options_.stop);
  state_.times().products += probe.product_seconds;
  state_.times().solve += probe.apply_seconds;
  state_.report().check_products += probe.products;
  if (has_factor) state_.report().check_solves += probe.applications;
  state_.report().smallest_ritz = probe.smallest_ritz;
  if (probe.status != CgStatus::NegativeCurvature) {
    state_.report().note =
        "the Hessian is singular here: some part can move without changing the energy";
    return true;
  }
  // 2. Leave along it.
  double scale = 0;  // dᵀHd in joules: the quotient is relative to M
  {
    std::vector<double> Hd(d_.size());
    multiply(H, probe.direction, Hd);
    scale = dot(probe.direction, Hd);
  }
  if (state_.report().escapes < options_.max_escapes && state_.escape_along(probe.direction, scale))
    return false;
  state_.end_unstable(probe.curvature);
  failed_ = true;
  return false;
}

SolveReport Newton::finish() {
  if (system_.has_factor() && !d_.empty()) {
    const PhaseTimer timer(state_.times().solve);
    system_.apply(state_.g(), d_);
    ++state_.report().check_solves;
    state_.report().predicted_error = max_abs(d_) / objective_.diameter();
  }
  return state_.take_report();
}

}  // namespace

SolveReport newton(Objective& objective, std::span<double> x, const SolveOptions& options) {
  return Newton(objective, x, options).run();
}

}  // namespace asb
