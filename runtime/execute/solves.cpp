// A solve of the plan: its unknown laid out, its forms assembled, minimised, and its outcome kept.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <tuple>

#include "runtime/execute/session.h"
#include "runtime/linalg/conjugate_gradients.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/mesh/vec3.h"
#include "runtime/minimise/descent.h"
#include "runtime/minimise/solve.h"

namespace asb {

namespace {

/// Of K⁻¹H in an adjoint: below it the Hessian is singular for what the derivative is worth.
constexpr double kSmallestRitz = 1e-8;

std::string component_name(int c, int components) {
  static constexpr const char* kNames[] = {".x", ".y", ".z"};
  if (components == 1) return "";
  return c < 3 ? kNames[c] : fmt::format("[{}]", c);
}

}  // namespace

Result<UnknownLayout> Session::unknown_layout(const plan::Solve& solve) {
  if (solve.unknowns.size() != 1) return fail("not-yet", "a solve of several unknowns is not executed yet", {}, solve.span);
  const plan::UnknownId id = solve.unknowns[0];
  const plan::Unknown& unknown = plan_.unknowns[id.index];
  if (unknown.space == graph::kSingle)
    return fail("not-yet", "a solve of an unknown without a domain is not executed yet", {}, solve.span);
  const graph::Space& where = plan_.graph.spaces[unknown.space];
  const Body& body = (*bodies_)[where.geometry.index];
  UnknownLayout layout;
  layout.components = unknown.type.entries();
  layout.n_nodes = static_cast<int64_t>(body.mesh.nodes.size());
  layout.diameter = bounding_box(body.mesh.nodes).diagonal();
  const auto initial = evaluate(unknown.initial);
  if (!initial) return fail(initial.error());
  const int c = layout.components;
  layout.values.resize(layout.n_nodes * c);
  for (int64_t i = 0; i < layout.n_nodes; ++i)
    for (int k = 0; k < c; ++k)
      layout.values[i * c + k] =
          (*initial)->single ? (*initial)->data[k] : (*initial)->data[(i / kLanes * c + k) * kLanes + i % kLanes];

  std::vector<int32_t> held_by(layout.values.size(), -1);
  for (size_t f = 0; f < plan_.fixes.size(); ++f) {
    const plan::Fix& fix = plan_.fixes[f];
    if (fix.unknown != id) continue;
    const auto on = space(fix.on);
    if (!on) return fail(on.error());
    const Values* value = nullptr;
    if (fix.value) {
      const auto found = evaluate(fix.value);
      if (!found) return fail(found.error());
      value = *found;
    }
    std::vector<int32_t> components = fix.components;
    if (components.empty())
      for (int k = 0; k < c; ++k) components.push_back(k);
    const int given = value ? value->type.entries() : 0;
    for (size_t g = 0; g < (*on)->ids.size(); ++g)
      for (size_t j = 0; j < components.size(); ++j) {
        const size_t at = static_cast<size_t>((*on)->ids[g]) * c + components[j];
        if (held_by[at] >= 0 && !fix.over)
          return fail("fix-twice",
                      fmt::format("`{}{}` of node {} is held by two `fix` declarations", unknown.name,
                                  component_name(components[j], c), (*on)->ids[g]),
                      "narrow one of the sets, or write `over` behind the later one to let it win", fix.span);
        held_by[at] = static_cast<int32_t>(f);
        if (!value) continue;
        const int k = given == static_cast<int>(components.size()) ? static_cast<int>(j) : components[j];
        layout.values[at] =
            value->single ? value->data[k] : value->data[(g / kLanes * given + k) * kLanes + g % kLanes];
        if (!std::isfinite(layout.values[at]))
          return fail("fix-not-finite",
                      fmt::format("`{}{}` of node {} is held at a value that is not finite", unknown.name,
                                  component_name(components[j], c), (*on)->ids[g]),
                      {}, fix.span);
      }
  }
  layout.free_index.resize(layout.values.size());
  for (size_t i = 0; i < held_by.size(); ++i) layout.free_index[i] = held_by[i] < 0 ? layout.n_free++ : -1;
  // Without a held value something must hold the body: an energy that bends with positions themselves (springs to points).
  const bool is_held_softly = std::ranges::any_of(solve.forms, [](const plan::Form& form) {
    return !form.is_linear && std::ranges::any_of(form.locals, [](const plan::Local& l) { return l.kind == graph::GatherKind::Value; });
  });
  if (layout.n_free == static_cast<int32_t>(layout.values.size()) && !is_held_softly)
    return fail("floating-body", fmt::format("nothing holds `{}`: its position is not determined", unknown.name),
                fmt::format("hold some nodes, for example `fix {} on {}.nodes where X.x < 1 mm`", unknown.name,
                            plan_.geometries[where.geometry.index].name),
                solve.span);
  return layout;
}

Result<AlignedVector> Session::form_weights(const plan::Form& form) {
  const auto data = space(form.space);
  if (!data) return fail(data.error());
  AlignedVector weight = (*data)->measure;
  if (form.reduction == graph::Reduction::Mean || form.reduction == graph::Reduction::MeanIntegral) {
    const double total = fixed_sum(weight);
    for (double& w : weight) w /= total;
  }
  return weight;
}

Result<void> Session::start_from(graph::SolveId id, const SolveOutcome& earlier) {
  const plan::Solve& solve = plan_.solves[id.index];
  const auto layout = unknown_layout(solve);
  if (!layout) return fail(layout.error());
  if (earlier.values.size() != 1 || earlier.values[0].size() != layout->values.size())
    return fail("start-size", fmt::format("the start of `solve {}` has {} values, its unknown has {}", solve.name,
                                          earlier.values.empty() ? 0 : earlier.values[0].size(), layout->values.size()),
                "start from a solve on the same mesh", solve.span);
  starts_[id.index] = {earlier.values[0], {}, earlier.report.force_scale};
  return {};
}

/// What a form reads beside its locals, and its coefficient, as they are now.
Result<std::pair<std::vector<OperandValues>, double>> Session::form_values(const plan::Form& form) {
  std::vector<OperandValues> operands;
  for (const graph::NodeId operand : form.operands) {
    const auto value = evaluate(operand);
    if (!value) return fail(value.error());
    operands.push_back({(*value)->data.data(), (*value)->type.entries(), !(*value)->single});
  }
  double coefficient = 1;
  if (form.coefficient) {
    const auto value = evaluate(form.coefficient);
    if (!value) return fail(value.error());
    coefficient = (*value)->data[0];
    if (!std::isfinite(coefficient))
      return fail("coefficient-not-finite", fmt::format("the factor of `{}` is not finite", form.name), {}, form.span);
  }
  return std::pair(std::move(operands), coefficient);
}

/// The layout of a solve's unknown with the free values of its start, if it has one.
Result<UnknownLayout> Session::started_layout(graph::SolveId id) {
  auto layout = unknown_layout(plan_.solves[id.index]);
  if (!layout) return layout;
  const auto start = starts_.find(id.index);
  if (start != starts_.end() && start->second.values.size() == layout->values.size())
    for (size_t i = 0; i < layout->values.size(); ++i)
      if (layout->free_index[i] >= 0) layout->values[i] = start->second.values[i];
  return layout;
}

Result<std::unique_ptr<SolveObjective>> Session::objective(graph::SolveId id) {
  const plan::Solve& solve = plan_.solves[id.index];
  auto layout = started_layout(id);
  if (!layout) return fail(layout.error());
  const graph::SpaceId nodes = plan_.unknowns[solve.unknowns[0].index].space;
  auto& weights = form_weights_[id.index];
  weights.resize(solve.forms.size());
  std::vector<std::unique_ptr<FormAssembler>> forms;
  for (size_t f = 0; f < solve.forms.size(); ++f) {
    const plan::Form& form = solve.forms[f];
    auto weight = form_weights(form);
    if (!weight) return fail(weight.error());
    weights[f] = std::move(*weight);
    FormInputs in;
    in.form = &form;
    in.weight = &weights[f];
    in.components = layout->components;
    in.kernels = *kernels_;
    in.blocks_per_task = std::max<int64_t>(4, backend_.preferred_blocks());
    const auto found = stencil(form.space, nodes);
    if (!found) return fail(found.error());
    in.stencil = *found;
    auto values = form_values(form);
    if (!values) return fail(values.error());
    std::tie(in.operands, in.coefficient) = std::move(*values);
    forms.push_back(std::make_unique<FormAssembler>(std::move(in)));
  }
  auto made = std::make_unique<SolveObjective>(std::move(*layout), std::move(forms));
  const auto start = starts_.find(id.index);
  if (start != starts_.end()) made->set_force_scale(start->second.force_scale);
  return made;
}

Result<SolveObjective*> Session::kept_objective(graph::SolveId id) {
  Kept& kept = kept_[id.index];
  if (!kept.objective) {
    auto made = objective(id);
    if (!made) return fail(made.error());
    kept.objective = std::move(*made);
    return kept.objective.get();
  }
  // Spaces and stencils stand; values that were fixed for the last solve may have changed.
  const plan::Solve& solve = plan_.solves[id.index];
  auto layout = started_layout(id);
  if (!layout) return fail(layout.error());
  for (size_t f = 0; f < solve.forms.size(); ++f) {
    auto values = form_values(solve.forms[f]);
    if (!values) return fail(values.error());
    kept.objective->forms()[f]->set_operands(std::move(values->first), values->second);
  }
  const auto start = starts_.find(id.index);
  kept.objective->restart(std::move(layout->values), start != starts_.end() ? start->second.force_scale : 0);
  return kept.objective.get();
}

Result<std::vector<double>> Session::free_solution(graph::SolveId id) {
  const auto outcome = solve(id);
  if (!outcome) return fail(outcome.error());
  std::vector<double> x(kept_[id.index].objective->size());
  kept_[id.index].objective->gather_free((*outcome)->values[0], x);
  return x;
}

Result<Values> Session::adjoint(const graph::Node& node, const graph::Adjoint& adjoint) {
  const auto bar = node_major(node.inputs[0]);
  if (!bar) return fail(bar.error());
  const auto x = free_solution(adjoint.solve);
  if (!x) return fail(x.error());
  const PhaseTimer timer(phases_.adjoints);
  SolveObjective& objective = *kept_[adjoint.solve.index].objective;
  std::vector<double> b(objective.size()), w(objective.size(), 0.0);
  objective.gather_free(*bar, b);
  const plan::Solve& planned = plan_.solves[adjoint.solve.index];
  Start& start = starts_[adjoint.solve.index];
  const auto unstable = [&](const std::string& how) {
    return fail("adjoint-unstable",
                fmt::format("the equilibrium of `solve {}` can't be differentiated: its Hessian {}", planned.name, how),
                "the state is at or near buckling: change the load or the start, or solve to a smaller `tol`", planned.span);
  };
  if (Preconditioner* K = objective.constant_factor()) {
    objective.linearise(*x);
    CgOptions options;
    options.relative = options_.adjoint_tolerance;
    options.max_iterations = 2000;
    options.stop = options_.stop;
    options.start_from_w = start.adjoint.size() == w.size();
    if (options.start_from_w) w = start.adjoint;
    const CgReport report =
        conjugate_gradients([&](std::span<const double> in, std::span<double> out) { objective.product(in, out); }, K, b, w, options);
    if (report.status == CgStatus::NegativeCurvature) return unstable("has negative curvature");
    if (report.status == CgStatus::NoCurvature) return unstable("is singular");
    if (report.smallest_ritz > 0 && report.smallest_ritz < kSmallestRitz)
      return unstable(fmt::format("is nearly singular (smallest Ritz value {:.1e})", report.smallest_ritz));
    if (report.status == CgStatus::IterationLimit)
      return unstable(fmt::format("is nearly singular (residual {:.1e} after {} iterations)", report.residual, report.iterations));
    if (report.status == CgStatus::Interrupted) return fail("interrupted", "interrupted", {}, planned.span);
    if (report.status == CgStatus::NotFinite) return fail("adjoint-not-finite", "the derivative of the loss is not finite", {}, planned.span);
    adjoint_iterations_ += report.iterations;
  } else {
    SymmetricMatrix H;
    objective.hessian(*x, Projection::None, H);
    Cholesky factor;
    const auto status = factor.factor(H);
    if (!status) return fail(status.error());
    if (!status->positive_definite) return unstable("is not positive definite");
    if (auto solved = factor.solve(b, w); !solved) return fail(solved.error());
  }
  start.adjoint = w;
  std::vector<double> g(objective.size());
  (void)objective.gradient(*x, g);
  adjoint_defect_ += std::abs(dot(w, g));
  if (const SolveOutcome* outcome = this->outcome(adjoint.solve)) adjoint_noise_ += std::sqrt(dot(w, w)) * outcome->report.gradient_bound;
  adjoint_reach_ += std::sqrt(dot(b, b)) * objective.diameter();
  std::vector<double> all(bar->size(), 0.0);
  objective.scatter_free(w, all);
  return to_lanes(node.type, all);
}

Result<const SolveOutcome*> Session::solve(graph::SolveId id) {
  auto& slot = solved_[id.index];
  if (slot) return slot.get();
  const plan::Solve& planned = plan_.solves[id.index];
  auto made = kept_objective(id);
  if (!made) return fail(made.error());
  SolveObjective& objective = **made;
  auto outcome = std::make_unique<SolveOutcome>();

  SolveOptions options;
  options.tolerance = planned.tolerance > 0 ? planned.tolerance : options_.tolerance;
  options.relative_to_start = planned.relative_to_start;
  options.max_iterations = planned.max_iterations > 0 ? planned.max_iterations : options_.max_iterations;
  options.stop = options_.stop;
  if (options_.step) options.progress = [&](const SolveStep& step) { options_.step(planned.name, step); };
  if (planned.method == "newton") options.method = SolveMethod::Newton;
  else if (planned.method == "newton_cg" || planned.method == "projective") options.method = SolveMethod::NewtonCg;
  else if (!planned.method.empty())
    return fail("not-yet", fmt::format("`{}` is not executed yet", planned.method),
                "use `newton`, `newton_cg` or `projective`, or leave `using` out", planned.span);

  if (options.method != SolveMethod::Newton) {
    const auto start = std::chrono::steady_clock::now();
    // The factor stays while the numbers that it is made from stay.
    std::vector<double> key;
    for (const auto& form : objective.forms())
      for (const OperandValues& v : form->stiffness_operands()) {
        const size_t n = v.per_entity ? static_cast<size_t>(form->stencil().entity_blocks()) * v.entries * kLanes : v.entries;
        key.push_back(form->coefficient());
        key.insert(key.end(), v.data, v.data + n);
      }
    Kept& kept = kept_[id.index];
    if (!objective.scalar_factor() || kept.factor_key != key) {
      if (auto ready = objective.prepare_constant_factor(); !ready) {
        Error error = ready.error();
        if (!error.span) error.span = planned.span;
        return fail(std::move(error));
      }
      kept.factor_key = std::move(key);
    }
    outcome->factor_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (objective.scalar_factor()) outcome->factor_bytes = objective.scalar_factor()->bytes();
    else if (planned.method == "projective")
      return fail("not-projective", fmt::format("`projective` needs an energy whose second derivative at fixed rotation is "
                                                "constant; that of `solve {}` is not", planned.name),
                  "use `newton`, or leave `using` out", planned.span);
  }
  outcome->n_free = static_cast<int64_t>(objective.size());
  say(fmt::format("solve {}: {} unknowns", planned.name, outcome->n_free));
  std::vector<double> x = objective.free_values();
  outcome->report = asb::solve(objective, x, options);
  phases_.solves += outcome->factor_seconds + outcome->report.times.total;
  const std::span<const double> all = objective.full(x);
  outcome->values.emplace_back(all.begin(), all.end());
  outcome->inverted = objective.inverted(x);
  if (outcome->inverted > 0)
    note(true, fmt::format("solve {}: {} points are inverted (det F <= 0) at the end", planned.name, outcome->inverted));
  if (!outcome->report.note.empty()) note(false, fmt::format("solve {}: {}", planned.name, outcome->report.note));
  slot = std::move(outcome);
  return slot.get();
}

}  // namespace asb
