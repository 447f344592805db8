// See newton_cg.h.
#include "runtime/minimise/newton_cg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "runtime/linalg/conjugate_gradients.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/minimise/curvature.h"
#include "runtime/minimise/descent.h"
#include "runtime/minimise/direct_system.h"

namespace asb {
namespace {

/// Inner iterations after which a new factor is cheaper than going on with an old one. A
/// factorisation does `flops` at the speed of matrix products, a solve 4 per entry at the speed of
/// memory, about 16 times slower; counted from the matrix and not timed, so that runs repeat.
int iterations_worth_a_factor(const FactorStatistics& s) {
  if (s.entries == 0) return 1;
  return static_cast<int>(std::clamp(s.flops / (64.0 * static_cast<double>(s.entries)), 5.0, 60.0));
}

class NewtonCg {
 public:
  NewtonCg(Objective& objective, std::span<double> x, const SolveOptions& options)
      : objective_(objective),
        options_(options),
        constant_(objective.constant_factor()),
        state_(
            objective, x, options,
            constant_ != nullptr
                ? fmt::format("newton_cg: {} unknowns, preconditioned by the constant stiffness",
                              x.size())
                : fmt::format(
                      "newton_cg: {} unknowns, preconditioned by an earlier factor of the Hessian",
                      x.size())),
        system_(objective, state_),
        d_(x.size()),
        minus_g_(x.size()),
        hessian_([this](std::span<const double> in, std::span<double> out) {
          objective_.product(in, out);
        }) {}

  SolveReport run();

 private:
  bool renew_factor();
  bool take_step();
  bool gradient_step();
  bool ends_at_minimum();
  void linearise();
  Preconditioner* preconditioner() {
    if (constant_ != nullptr) return constant_;
    return system_.has_factor() ? &system_ : nullptr;
  }
  SolveReport finish();

  Objective& objective_;
  const SolveOptions& options_;
  Preconditioner* constant_;
  Descent state_;
  DirectSystem system_;
  std::vector<double> d_, minus_g_;
  ApplyMatrix hessian_;
  int last_inner_ = 0;
  double stretch_ = 1;  ///< of steps whose length the Hessian does not set
  bool failed_ = false;
};

SolveReport NewtonCg::run() {
  if (!state_.start()) return finish();
  for (;;) {
    if (state_.has_converged()) {
      if (!options_.check_minimum || options_.probe_products <= 0 || ends_at_minimum()) {
        if (!failed_) state_.end_converged();
        return finish();
      }
      if (failed_) return finish();
      continue;  // escaped from a saddle
    }
    if (state_.must_end()) return finish();
    if (!renew_factor()) return finish();
    if (take_step() || gradient_step()) continue;
    if (!failed_ && !state_.must_end()) state_.end_stalled();
    return finish();
  }
}

/// Without a constant stiffness: a factor at the first point, and again when the last step took too
/// many iterations.
bool NewtonCg::renew_factor() {
  if (constant_ != nullptr) return true;
  const bool first = system_.state() == DirectSystem::State::None;
  if (!first &&
      (!system_.has_factor() || last_inner_ <= iterations_worth_a_factor(system_.statistics())))
    return true;
  const auto factored = system_.factor();
  if (factored) return true;
  state_.end(SolveStatus::Failed, factored.error().message);
  failed_ = true;
  return false;
}

void NewtonCg::linearise() {
  const PhaseTimer timer(state_.times().assemble);
  objective_.linearise(state_.x());
}

bool NewtonCg::take_step() {
  linearise();
  for (size_t i = 0; i < d_.size(); ++i) minus_g_[i] = -state_.g()[i];
  // Never far below what ends the solve ([Kelley1995]): the last step would pay for
  // nothing.
  const double eta = std::max(
      std::min(options_.largest_forcing, std::sqrt(state_.gradient() / state_.start_gradient())),
      0.5 * state_.bound() / state_.gradient());
  CgReport cg = conjugate_gradients(hessian_, preconditioner(), minus_g_, d_,
                                    {.relative = eta,
                                     .norm = ResidualNorm::Preconditioned,
                                     .max_iterations = options_.max_inner,
                                     .stop = options_.stop});
  last_inner_ = cg.iterations;
  SolveReport& report = state_.report();
  report.products += cg.products;
  report.preconditioner_solves += cg.applications;
  report.times.products += cg.product_seconds;
  report.times.solve += cg.apply_seconds;
  report.smallest_ritz = cg.smallest_ritz;
  if (cg.status == CgStatus::Interrupted || cg.status == CgStatus::NotFinite) return false;
  // Nothing but the preconditioner sets the length of a step truncated at once: let it grow while
  // it succeeds.
  const bool at_once = cg.is_truncated() && cg.iterations == 0;
  if (at_once)
    for (size_t i = 0; i < d_.size(); ++i) d_[i] = stretch_ * cg.direction[i];
  const bool done = state_.step_along(
      d_,
      {.inner = cg.products, .kind = cg.is_truncated() ? StepKind::Truncated : StepKind::Newton});
  stretch_ = at_once && done && report.history.back().step >= 1 ? 2 * stretch_ : 1;
  return done;
}

/// After a failed search: the preconditioned gradient, which no error of the Hessian can spoil.
bool NewtonCg::gradient_step() {
  if (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed)) return false;
  Preconditioner* M = preconditioner();
  if (M == nullptr) {
    std::copy(minus_g_.begin(), minus_g_.end(), d_.begin());
  } else {
    const PhaseTimer timer(state_.times().solve);
    M->apply(minus_g_, d_);
    ++state_.report().preconditioner_solves;
  }
  return state_.step_along(d_, {.kind = StepKind::Gradient});
}

/// False after an escape from a saddle, and with failed_ set when there is none.
bool NewtonCg::ends_at_minimum() {
  linearise();
  CgReport probe = probe_curvature(hessian_, preconditioner(), d_.size(), options_.probe_products,
                                   options_.stop);
  SolveReport& report = state_.report();
  report.check_products += probe.products;
  report.check_solves += probe.applications;
  report.times.products += probe.product_seconds;
  report.times.solve += probe.apply_seconds;
  report.smallest_ritz = probe.smallest_ritz;
  if (probe.status == CgStatus::NoCurvature)
    report.note = "the Hessian is singular here: some part can move without changing the energy";
  if (probe.status != CgStatus::NegativeCurvature) return true;
  std::vector<double> Hd(d_.size());
  {
    const PhaseTimer timer(report.times.products);
    objective_.product(probe.direction, Hd);
    ++report.check_products;
  }
  if (report.escapes < options_.max_escapes &&
      state_.escape_along(probe.direction, dot(probe.direction, Hd)))
    return false;
  state_.end_unstable(probe.curvature);
  failed_ = true;
  return false;
}

SolveReport NewtonCg::finish() {
  Preconditioner* M = preconditioner();
  if (M != nullptr && !d_.empty() && state_.report().status != SolveStatus::NonFiniteStart) {
    const PhaseTimer timer(state_.times().solve);
    M->apply(state_.g(), d_);
    ++state_.report().check_solves;
    state_.report().predicted_error = max_abs(d_) / objective_.diameter();
  }
  return state_.take_report();
}

}  // namespace

SolveReport newton_cg(Objective& objective, std::span<double> x, const SolveOptions& options) {
  return NewtonCg(objective, x, options).run();
}

}  // namespace asb
