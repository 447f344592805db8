// See session.h: evaluation of nodes.
#include "runtime/execute/session.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/overloaded.h"
#include "runtime/assembly/chain.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/mesh/vec3.h"

namespace asb {

struct Session::Threads {
  explicit Threads(int n) : control(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(n)) {}
  tbb::global_control control;
};

Session::Session(const plan::Plan& plan, Backend& backend, SessionOptions options)
    : plan_(plan), backend_(backend), options_(std::move(options)) {
  if (options_.threads > 0) threads_ = std::make_unique<Threads>(options_.threads);
  use_one_blas_thread();
  values_.resize(plan_.graph.nodes.size());
}

Session::~Session() = default;

void Session::say(const std::string& line) const {
  if (options_.say) options_.say(line);
}

Result<void> Session::prepare() {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  auto kernels = backend_.compile(plan_.kernels);
  if (!kernels) return fail(kernels.error());
  kernels_ = std::make_shared<std::vector<std::unique_ptr<Kernel>>>(std::move(*kernels));
  const double compiled = seconds();
  times_.emplace_back(backend_.compile_times().from_cache ? "kernels (cached)" : "kernels", compiled);
  if (auto built = build_bodies(); !built) return built;
  times_.emplace_back("bodies", seconds() - compiled);
  for (const std::string& text : plan_.notes) note(false, text);
  return {};
}

Values Session::to_lanes(const ir::Type& type, std::span<const double> by_entity) const {
  const int n = type.entries();
  const int64_t count = static_cast<int64_t>(by_entity.size()) / n;
  Values out{type, false, AlignedVector(blocks_for(count) * n * kLanes)};
  for (int64_t block = 0; block < blocks_for(count); ++block)
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < kLanes; ++l)
        out.data[(block * n + k) * kLanes + l] = by_entity[std::min(block * kLanes + l, count - 1) * n + k];
  return out;
}

Result<std::vector<double>> Session::node_major(graph::NodeId id) {
  const auto values = evaluate(id);
  if (!values) return fail(values.error());
  const auto data = space(plan_.graph.nodes[id].space);
  if (!data) return fail(data.error());
  const int n = (*values)->type.entries();
  std::vector<double> out((*data)->ids.size() * n);
  for (size_t i = 0; i < (*data)->ids.size(); ++i)
    for (int k = 0; k < n; ++k) out[i * n + k] = (*values)->data[(i / kLanes * n + k) * kLanes + i % kLanes];
  return out;
}

std::unique_ptr<Session> Session::fork(int frame) {
  auto child = std::make_unique<Session>(plan_, backend_, options_);
  child->parent_ = this;
  child->kernels_ = kernels_;
  child->bodies_ = bodies_;
  child->frame_ = frame;
  return child;
}

void Session::set_frame(int frame) {
  if (frame == frame_) return;
  frame_ = frame;
  starts_.clear();
  forget(ir::kAxisFrame);
}

void Session::set_tables(const Tables* tables) {
  options_.tables = tables;
  forget(ir::kAxisParams);
}

void Session::give(plan::UnknownId unknown, std::vector<double> iterate, std::vector<double> direction) {
  given_[unknown.index] = {std::move(iterate), std::move(direction)};
  forget(ir::kAxisIteration);
}

void Session::set_tolerances(double forward, double adjoint) {
  options_.tolerance = forward;
  options_.adjoint_tolerance = adjoint;
}

void Session::forget(ir::Rate axes) {
  for (uint32_t i = 0; i < values_.size(); ++i)
    if (values_[i] && (plan_.graph.nodes[graph::NodeId(i)].rate & axes)) values_[i].reset();
  // Outputs of a function are kept together: forget them with the rate of its inputs.
  std::erase_if(map_outputs_, [&](const auto& entry) {
    for (const ir::Input& in : plan_.graph.functions[graph::FunctionId(entry.first)].inputs)
      if (in.rate & axes) return true;
    return false;
  });
  for (auto& [id, outcome] : solved_)
    if (outcome && !outcome->values.empty()) {
      starts_[id].values = outcome->values[0];
      starts_[id].force_scale = outcome->report.force_scale;
    }
  solved_.clear();
  pulls_.clear();
  adjoint_defect_ = adjoint_reach_ = adjoint_noise_ = 0;
}

Result<const Values*> Session::evaluate(graph::NodeId id) {
  constexpr ir::Rate kVaries = ir::kAxisParams | ir::kAxisFrame | ir::kAxisStep | ir::kAxisIteration;
  if (parent_ && !(plan_.graph.nodes[id].rate & kVaries)) {
    const std::lock_guard lock(parent_->shared_);
    return parent_->evaluate(id);
  }
  if (values_.size() < plan_.graph.nodes.size()) values_.resize(plan_.graph.nodes.size());
  if (!values_[id.index]) {
    auto made = make(id);
    if (!made) return fail(made.error());
    values_[id.index] = std::make_unique<Values>(std::move(*made));
  }
  return values_[id.index].get();
}

Result<Values> Session::make(graph::NodeId id) {
  const graph::Node& node = plan_.graph.nodes[id];
  return std::visit(
      Overloaded{[&](const graph::Leaf& l) { return leaf(node, l); },
                 [&](const graph::Map& m) { return map(node, m); },
                 [&](const graph::Gather& g) { return gather(node, g); },
                 [&](const graph::Reduce& r) { return reduce(node, r); },
                 [&](const graph::Solve& s) -> Result<Values> {
                   const auto outcome = solve(s.solve);
                   if (!outcome) return fail(outcome.error());
                   const std::vector<double>& values = (*outcome)->values[s.unknown];
                   if (node.space == graph::kSingle)
                     return Values{node.type, true, AlignedVector(values.begin(), values.end())};
                   return to_lanes(node.type, values);
                 },
                 [&](const graph::Scatter& g) { return scatter(node, g); },
                 [&](const graph::Adjoint& a) { return adjoint(node, a); },
                 [&](const graph::Network& n) { return network(node, n); }},
      node.kind);
}

Result<Values> Session::leaf(const graph::Node& node, const graph::Leaf& leaf) {
  switch (leaf.kind) {
    case graph::LeafKind::RestPosition: {
      const Body& body = (*bodies_)[leaf.ref];
      const std::vector<Vec3>& points = body.is_mesh ? body.mesh.nodes : body.surface.vertices;
      return to_lanes(node.type, {points.data()->data(), points.size() * 3});
    }
    case graph::LeafKind::Param: {
      if (options_.tables && leaf.ref < options_.tables->params.size() && !options_.tables->params[leaf.ref].empty()) {
        const std::vector<double>& v = options_.tables->params[leaf.ref];
        return Values{node.type, true, AlignedVector(v.begin(), v.end())};
      }
      const auto value = evaluate(plan_.params[leaf.ref].initial);
      if (!value) return fail(value.error());
      return Values(**value);
    }
    case graph::LeafKind::CellSize: {
      const auto& lattice = (*bodies_)[leaf.ref].mesh.lattice;
      if (!lattice)
        return fail("no-cell-size", fmt::format("`{}` has no cell size: its cells differ", plan_.geometries[leaf.ref].name), {},
                    node.span);
      return Values{node.type, true, {lattice->spacing[0]}};
    }
    case graph::LeafKind::RestBox: {
      const Body& body = (*bodies_)[leaf.ref];
      const std::vector<Vec3>& points = body.is_mesh ? body.mesh.nodes : body.surface.vertices;
      const Box3 box = bounding_box(points);
      Values out{node.type, true, AlignedVector(6)};
      std::ranges::copy(box.low, out.data.begin());
      std::ranges::copy(box.high, out.data.begin() + 3);
      return out;
    }
    case graph::LeafKind::Measure: {
      const auto data = space(graph::SpaceId(leaf.ref));
      if (!data) return fail(data.error());
      Values out{node.type, false, (*data)->measure};
      const auto kind = static_cast<graph::Reduction>(leaf.extra);
      if (kind == graph::Reduction::Sum || kind == graph::Reduction::Mean)
        for (double& w : out.data) w = w == 0 ? 0 : 1;
      if (kind == graph::Reduction::Mean || kind == graph::Reduction::MeanIntegral) {
        const double total = fixed_sum(out.data);
        for (double& w : out.data) w /= total;
      }
      return out;
    }
    case graph::LeafKind::Data: {
      const plan::Data& data = plan_.data[leaf.ref];
      if (data.value) {
        const auto value = evaluate(data.value);
        if (!value) return fail(value.error());
        return Values(**value);
      }
      const auto found = data_of_frame(leaf.ref);
      if (!found) return fail(found.error());
      if (node.space == graph::kSingle) return Values{node.type, true, AlignedVector((*found)->begin(), (*found)->end())};
      return to_lanes(node.type, **found);
    }
    case graph::LeafKind::Latent: {
      const plan::Latent& latent = plan_.latents[leaf.ref];
      const size_t n = static_cast<size_t>(node.type.entries());
      const int row = leaf.extra > 0 ? leaf.extra - 1 : frame_;
      if (row < 0)
        return fail("no-frame", fmt::format("`{}` has a value per frame, and no frame is chosen", latent.name),
                    fmt::format("give one: `--set {}='{}[0]'`", latent.name, latent.name), node.span);
      const auto* table = options_.tables && leaf.ref < options_.tables->latents.size() ? &options_.tables->latents[leaf.ref] : nullptr;
      if (!table || table->size() < (row + 1) * n)
        return fail("no-latent", fmt::format("`{}` has no value for frame {}", latent.name, row),
                    "train first, or name a checkpoint with `--from`", node.span);
      return Values{node.type, true, AlignedVector(table->begin() + row * n, table->begin() + (row + 1) * n)};
    }
    case graph::LeafKind::Weight: {
      const auto* table = options_.tables && leaf.ref < options_.tables->weights.size() ? &options_.tables->weights[leaf.ref] : nullptr;
      if (!table || table->empty())
        return fail("no-weight", fmt::format("the weight `{}` has no values", plan_.weights[leaf.ref].path),
                    "train first, or name a checkpoint with `--from`", node.span);
      return Values{node.type, true, AlignedVector(table->begin(), table->end())};
    }
    case graph::LeafKind::Unknown:
    case graph::LeafKind::Direction: {
      const auto found = given_.find(leaf.ref);
      ASB_CHECK(found != given_.end(), "an iterate outside of its solve");
      return to_lanes(node.type, leaf.kind == graph::LeafKind::Unknown ? found->second.first : found->second.second);
    }
    case graph::LeafKind::RestNormal:
    case graph::LeafKind::State:
    case graph::LeafKind::Previous:
    case graph::LeafKind::Step:
    case graph::LeafKind::Steps:
    case graph::LeafKind::TimeStep: break;
  }
  return fail("not-yet", fmt::format("`{}` is not executed yet", node.name), {}, node.span);
}

Result<Values> Session::map(const graph::Node& node, const graph::Map& map) {
  auto& outputs = map_outputs_[map.function.index];
  if (outputs.empty()) {
    const ir::Function& function = plan_.graph.functions[map.function];
    int64_t blocks = 1;
    if (node.space != graph::kSingle) {
      const auto data = space(node.space);
      if (!data) return fail(data.error());
      blocks = (*data)->entity_blocks();
    }
    std::vector<const Values*> inputs;
    for (const graph::NodeId in : node.inputs) {
      const auto value = evaluate(in);
      if (!value) return fail(value.error());
      inputs.push_back(*value);
    }
    std::vector<Values> made;
    for (const ir::Output& output : function.outputs)
      made.push_back({output.type, false, AlignedVector(blocks * output.type.entries() * kLanes)});
    const plan::KernelId id = plan_.kernel_of_function[map.function.index];
    ASB_CHECK(static_cast<bool>(id), "a map without a kernel");
    const Kernel& kernel = *(*kernels_)[id.index];
    const int64_t step = std::max<int64_t>(64, backend_.preferred_blocks());
    tbb::parallel_for(tbb::blocked_range<int64_t>(0, (blocks + step - 1) / step, 1), [&](const auto& range) {
      for (int64_t t = range.begin(); t < range.end(); ++t) {
        const int64_t first = t * step, count = std::min(step, blocks - first);
        std::vector<const double*> in;
        std::vector<double*> out;
        for (const Values* v : inputs)
          in.push_back(v->single ? v->data.data() : v->data.data() + first * v->type.entries() * kLanes);
        for (Values& v : made) out.push_back(v.data.data() + first * v.type.entries() * kLanes);
        kernel.run(in.data(), out.data(), 0, count);
      }
    });
    if (node.space == graph::kSingle)
      for (Values& v : made) {  // one entity, in lane 0
        v.single = true;
        for (int k = 0; k < v.type.entries(); ++k) v.data[k] = v.data[k * kLanes];
        v.data.resize(v.type.entries());
      }
    outputs = std::move(made);
  }
  return outputs[map.output];
}

Result<Values> Session::gather(const graph::Node& node, const graph::Gather& gather) {
  if (gather.kind != graph::GatherKind::Value && gather.kind != graph::GatherKind::Gradient)
    return fail("not-yet", fmt::format("`{}` at corners or parent cells is not executed yet", node.name), {}, node.span);
  const graph::NodeId source = node.inputs[0];
  const auto from = node_major(source);
  if (!from) return fail(from.error());
  const auto found = stencil(node.space, plan_.graph.nodes[source].space);
  if (!found) return fail(found.error());
  const Stencil& s = **found;
  const int c = plan_.graph.nodes[source].type.entries();
  const LocalShape shape{gather.kind == graph::GatherKind::Gradient, c};
  if (shape.is_gradient && s.G.empty())
    return fail("no-gradient", fmt::format("`grad` of `{}` isn't defined at these entities", node.name),
                "gradients are taken at points of the mesh that the field lives on", node.span);
  const int n = shape.entries();
  Values out{node.type, false, AlignedVector(s.entity_blocks() * n * kLanes)};
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, s.blocks(), 64), [&](const auto& range) {
    AlignedVector corner(static_cast<size_t>(s.corners) * c * kLanes);
    for (int64_t b = range.begin(); b < range.end(); ++b) {
      gather_corners(s, b, from->data(), c, corner.data());
      for (int q = 0; q < s.points; ++q)
        gather_local(s, b, q, shape, corner.data(), out.data.data() + (b * s.points + q) * n * kLanes);
    }
  });
  return out;
}

Result<Values> Session::scatter(const graph::Node& node, const graph::Scatter& scatter) {
  const graph::NodeId source = node.inputs[0];
  const auto from = evaluate(source);
  if (!from) return fail(from.error());
  const auto found = stencil(plan_.graph.nodes[source].space, node.space);
  if (!found) return fail(found.error());
  const auto target = space(node.space);
  if (!target) return fail(target.error());
  const Stencil& s = **found;
  const int c = node.type.entries();
  const LocalShape shape{scatter.kind == graph::GatherKind::Gradient, c};
  const int n = shape.entries();
  const int64_t rows = static_cast<int64_t>(s.corners) * c * kLanes;
  AlignedVector forces(s.blocks() * rows, 0.0);
  alignas(64) double ones[kLanes];
  std::fill(ones, ones + kLanes, 1.0);
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, s.blocks(), 64), [&](const auto& range) {
    AlignedVector broadcast(static_cast<size_t>(n) * kLanes);
    for (int64_t b = range.begin(); b < range.end(); ++b)
      for (int q = 0; q < s.points; ++q) {
        const double* p = (*from)->data.data() + (b * s.points + q) * n * kLanes;
        if ((*from)->single) {
          for (int k = 0; k < n; ++k) std::fill_n(broadcast.data() + k * kLanes, kLanes, (*from)->data[k]);
          p = broadcast.data();
        }
        scatter_local(s, b, q, shape, ones, p, forces.data() + b * rows);
      }
  });
  // Padding lanes repeat the last group; node_incidence names real groups only.
  const int64_t n_nodes = static_cast<int64_t>((*target)->ids.size());
  std::vector<double> sums(n_nodes * c, 0.0);
  add_forces(node_incidence(s, n_nodes), forces, c, 1.0, sums, {});
  return to_lanes(node.type, sums);
}

Result<Values> Session::reduce(const graph::Node& node, const graph::Reduce& reduce) {
  const graph::NodeId source = node.inputs[0];
  const auto from = evaluate(source);
  if (!from) return fail(from.error());
  const auto data = space(plan_.graph.nodes[source].space);
  if (!data) return fail(data.error());
  const int n = node.type.entries();
  const AlignedVector& measure = (*data)->measure;
  const bool by_measure = reduce.kind == graph::Reduction::Integral || reduce.kind == graph::Reduction::MeanIntegral;
  Values out{node.type, true, AlignedVector(n)};
  std::vector<double> terms;
  for (int k = 0; k < n; ++k) {
    terms.clear();
    for (int64_t b = 0; b < (*data)->entity_blocks(); ++b)
      for (int l = 0; l < kLanes; ++l) {
        const double w = measure[b * kLanes + l];
        if (w == 0) continue;  // padding
        const double v = (*from)->single ? (*from)->data[k] : (*from)->data[(b * n + k) * kLanes + l];
        terms.push_back(by_measure ? w * v : v);
      }
    switch (reduce.kind) {
      case graph::Reduction::Integral:
      case graph::Reduction::Sum: out.data[k] = fixed_sum(terms); break;
      case graph::Reduction::MeanIntegral: out.data[k] = fixed_sum(terms) / fixed_sum(measure); break;
      case graph::Reduction::Mean: out.data[k] = fixed_sum(terms) / static_cast<double>(terms.size()); break;
      case graph::Reduction::Min: out.data[k] = *std::min_element(terms.begin(), terms.end()); break;
      case graph::Reduction::Max: out.data[k] = *std::max_element(terms.begin(), terms.end()); break;
    }
  }
  return out;
}

}  // namespace asb
