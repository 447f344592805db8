// What a program wants, collected: outputs, shows, positions, and the story of its solves.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "runtime/execute/session.h"
#include "runtime/mesh/element.h"

namespace asb {

namespace {

std::vector<Vec3> as_points(const std::vector<double>& values) {
  std::vector<Vec3> points(values.size() / 3);
  for (size_t i = 0; i < points.size(); ++i) points[i] = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
  return points;
}

SolveResult story_of(const plan::Solve& plan, const SolveOutcome& outcome) {
  const SolveReport& r = outcome.report;
  SolveResult s;
  s.name = plan.name;
  s.unknowns = outcome.n_free;
  s.method = r.method;
  s.status = status_name(r.status);
  s.converged = r.converged();
  s.sentence = r.reason;
  s.tolerance = r.gradient_bound;
  for (const SolveStep& step : r.history)
    s.history.push_back({step.iteration, step.energy, step.gradient, step.step, step.inner});
  s.counts = {{"iterations", r.iterations},       {"energy evaluations", r.energies}, {"gradients", r.gradients},
              {"Hessians", r.hessians},           {"factorisations", r.factorisations}, {"Hessian-vector products", r.products},
              {"solves with the factor", r.preconditioner_solves}, {"inverted points", outcome.inverted},
              {"factor bytes", static_cast<int64_t>(outcome.factor_bytes + r.factor_bytes)}};
  s.times = {{"constant factor", outcome.factor_seconds}, {"evaluate", r.times.evaluate}, {"assemble", r.times.assemble},
             {"factor", r.times.factor}, {"solve", r.times.solve}, {"products", r.times.products},
             {"line search", r.times.line_search}, {"other", r.times.other}, {"total", r.times.total}};
  return s;
}

}  // namespace

Result<void> Session::add_show(const plan::Show& show, RunResult& result) {
  const auto values = evaluate(show.node);
  if (!values) return fail(values.error());
  const graph::Node& node = plan_.graph.nodes[show.node];
  const graph::Space& where = plan_.graph.spaces[node.space];
  const auto data = space(node.space);
  if (!data) return fail(data.error());
  const Body& body = (*bodies_)[where.geometry.index];
  const int n = show.type.entries();
  ShowResult out{.name = show.name, .on = plan_.geometries[where.geometry.index].name, .at = ShowAt::Nodes, .components = n,
                 .unit = show.unit, .values = {}};
  size_t count = 0;
  switch (where.entities) {
    case graph::Entities::Quadrature:
    case graph::Entities::Cells: out.at = ShowAt::Cells; count = static_cast<size_t>(cell_count(body.mesh)); break;
    case graph::Entities::Vertices: out.at = ShowAt::Vertices; count = body.surface.vertices.size(); break;
    default: count = body.mesh.nodes.size(); break;
  }
  // Entities outside a narrowed set have no value.
  out.values.assign(count * n, std::numeric_limits<double>::quiet_NaN());
  const SpaceData& d = **data;
  for (size_t g = 0; g < d.ids.size(); ++g) {
    double total = 0;
    std::vector<double> sum(n, 0.0);
    for (int q = 0; q < d.points; ++q) {
      const size_t block = g / kLanes * d.points + q, lane = g % kLanes;
      const double w = d.measure[block * kLanes + lane];
      total += w;
      for (int k = 0; k < n; ++k)
        sum[k] += w * ((*values)->single ? (*values)->data[k] : (*values)->data[(block * n + k) * kLanes + lane]);
    }
    for (int k = 0; k < n; ++k) out.values[static_cast<size_t>(d.ids[g]) * n + k] = show.scale * sum[k] / total;
  }
  result.shows.push_back(std::move(out));
  return {};
}

/// Every frame by itself; outputs get one value a frame, bodies and shows are those of the first.
Result<RunResult> Session::run_frames(int frames) {
  const auto names = frame_names(frames);
  if (!names) return fail(names.error());
  RunResult all;
  for (int f = 0; f < static_cast<int>(names->size()); ++f) {
    if (options_.stop && *options_.stop) break;
    say(fmt::format("frame {}", (*names)[f]));
    const std::unique_ptr<Session> one = fork(f);
    one->options_.say = nullptr;
    auto result = one->run();
    if (!result) return result;
    for (SolveResult& solve : result->solves) solve.name += fmt::format(" [{}]", (*names)[f]);
    for (Note& n : result->notes) n.text = fmt::format("frame {}: {}", (*names)[f], n.text);
    if (f == 0) {
      all = std::move(*result);
      for (size_t o = 0; o < all.outputs.size(); ++o)
        if (plan_.graph.nodes[plan_.outputs[o].node].rate & ir::kAxisFrame) all.outputs[o].frames = {(*names)[f]};
      continue;
    }
    for (size_t o = 0; o < all.outputs.size(); ++o) {
      if (!(plan_.graph.nodes[plan_.outputs[o].node].rate & ir::kAxisFrame)) continue;
      all.outputs[o].frames.push_back((*names)[f]);
      all.outputs[o].values.insert(all.outputs[o].values.end(), result->outputs[o].values.begin(), result->outputs[o].values.end());
    }
    all.solves.insert(all.solves.end(), result->solves.begin(), result->solves.end());
    all.notes.insert(all.notes.end(), result->notes.begin(), result->notes.end());
  }
  all.notes.insert(all.notes.begin(), notes_.begin(), notes_.end());
  all.times.insert(all.times.begin(), times_.begin(), times_.end());
  return all;
}

Result<RunResult> Session::run() {
  if (frame_ < 0 && !plan_.frames.empty() && options_.frames) {
    ir::Rate rate = 0;
    for (const plan::Output& o : plan_.outputs) rate |= plan_.graph.nodes[o.node].rate;
    for (const plan::Show& s : plan_.shows) rate |= plan_.graph.nodes[s.node].rate;
    for (const plan::Position& p : plan_.positions) rate |= plan_.graph.nodes[p.node].rate;
    if (rate & ir::kAxisFrame) return run_frames(0);
  }
  auto lap = [this, last = std::chrono::steady_clock::now()](const char* stage) mutable {
    const auto now = std::chrono::steady_clock::now();
    times_.emplace_back(stage, std::chrono::duration<double>(now - last).count());
    last = now;
  };
  RunResult result;
  result.program = plan_.name;
  result.summary = plan_.documentation;
  result.backend = backend_.name();
  result.device = backend_.description();
  for (uint32_t s = 0; s < plan_.solves.size(); ++s) {
    const auto outcome = solve(graph::SolveId(s));
    if (!outcome) return fail(outcome.error());
    result.solves.push_back(story_of(plan_.solves[s], **outcome));
    if (!(*outcome)->report.converged())
      note(true, fmt::format("solve {} ended without an equilibrium ({}): what follows is its last state",
                             plan_.solves[s].name, status_name((*outcome)->report.status)));
  }
  lap("solves");
  std::vector<std::string> left_out;
  for (const plan::Output& output : plan_.outputs) {
    const auto values = evaluate(output.node);
    if (!values && values.error().name == "no-frame") {
      left_out.push_back(output.name);
      continue;
    }
    if (!values) return fail(values.error());
    OutputResult out{.name = output.name, .unit = output.unit, .shape = {}, .values = {}};
    const ir::Type& type = (*values)->type;
    out.shape.assign(type.dims.begin(), type.dims.begin() + type.rank);
    for (const double v : (*values)->data) {
      out.values.push_back(v * output.scale);
      if (!std::isfinite(v)) note(true, fmt::format("output `{}` is not finite", output.name));
    }
    result.outputs.push_back(std::move(out));
  }
  // Bodies, where they are now.
  for (size_t g = 0; g < plan_.geometries.size(); ++g) {
    const Body& body = (*bodies_)[g];
    std::vector<Vec3> deformed;
    for (const plan::Position& position : plan_.positions) {
      if (position.geometry.index != g) continue;
      const auto values = node_major(position.node);
      if (!values) return fail(values.error());
      deformed = as_points(*values);
    }
    const std::string& name = plan_.geometries[g].name;
    if (body.is_mesh) result.meshes.push_back({name, &body.mesh, std::move(deformed)});
    else if (body.held_by) result.surfaces.push_back({name, &body.surface, std::move(deformed)});
  }
  // Targets of this frame stand beside the result, shifted along x by its width and a fifth.
  for (size_t d = 0; d < plan_.data.size(); ++d) {
    const plan::Data& data = plan_.data[d];
    if (data.loader != "positions" || frame_ < 0) continue;
    const Body& body = (*bodies_)[plan_.graph.spaces[data.space].geometry.index];
    const auto goal = data_of_frame(static_cast<uint32_t>(d));
    if (!goal || (*goal)->size() != body.surface.vertices.size() * 3) continue;
    std::vector<Vec3> points = as_points(**goal);
    double lo = points[0][0], hi = lo;
    for (const Vec3& p : points) lo = std::min(lo, p[0]), hi = std::max(hi, p[0]);
    for (Vec3& p : points) p[0] += 1.2 * (hi - lo);
    result.surfaces.push_back({data.name + " (target, beside)", &body.surface, std::move(points)});
  }
  for (const plan::Show& show : plan_.shows)
    if (auto added = add_show(show, result); !added) {
      if (added.error().name != "no-frame") return fail(added.error());
      left_out.push_back(show.name);
    }
  if (!left_out.empty()) note(false, fmt::format("no frame is chosen: `{}` left out", fmt::join(left_out, "`, `")));
  lap("outputs and shows");
  result.times = times_;
  result.notes = notes_;
  return result;
}

}  // namespace asb
