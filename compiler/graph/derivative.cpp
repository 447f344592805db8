// See derivative.h.
#include "compiler/graph/derivative.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "compiler/ad/derivative.h"
#include "compiler/graph/functions.h"
#include "compiler/passes/passes.h"

namespace asb::graph {
namespace {

using ir::Builder;
using ir::Function;
using ir::ValueId;

tl::unexpected<Error> not_yet(const Node& node, const char* what) {
  return fail("not-yet", fmt::format("the derivative of `{}` through {} can't be compiled yet", node.name, what), {}, node.span);
}

ir::Rate union_of_rates(const Graph& graph, std::span<const NodeId> nodes) {
  ir::Rate rate = 0;
  for (const NodeId id : nodes) rate |= graph.nodes[id].rate;
  return rate;
}

/// Adds a Map of one output; unread inputs are dropped.
NodeId add_map(Graph& graph, Function function, std::vector<NodeId> inputs, SpaceId space, const std::string& name, Span span) {
  function = drop_unread_inputs(ir::remove_dead(ir::share_subexpressions(function)), inputs);
  function.name = fmt::format("{}_{}", name, graph.functions.size());
  const ir::Type type = function.outputs[0].type;
  ir::Rate rate = union_of_rates(graph, inputs);
  if (space != kSingle) rate |= ir::kAxisMesh;
  else rate &= static_cast<ir::Rate>(~ir::kAxisMesh);
  const FunctionId id = graph.functions.add(std::move(function));
  return graph.nodes.add({Map{id, 0}, space, type, rate, std::move(inputs), name, span});
}

ir::Rate input_rate(const Graph& graph, NodeId id) {
  const Node& n = graph.nodes[id];
  return n.space == kSingle ? static_cast<ir::Rate>(n.rate & ~ir::kAxisMesh) : static_cast<ir::Rate>(n.rate | ir::kAxisMesh);
}

/// a + b on one space.
NodeId add_nodes(Graph& graph, NodeId a, NodeId b) {
  Function f;
  Builder builder(f);
  const Node left = graph.nodes[a];
  const ValueId x = builder.add_input("a", left.type, input_rate(graph, a));
  const ValueId y = builder.add_input("b", left.type, input_rate(graph, b));
  builder.add_output("value", builder.add(x, y));
  return add_map(graph, std::move(f), {a, b}, left.space, "sum", left.span);
}

class Forward {
 public:
  Forward(Graph& graph, const Seeds& seeds) : graph_(graph), tangent_(seeds) {}

  Result<NodeId> tangent(NodeId id) {
    if (const auto found = tangent_.find(id); found != tangent_.end()) return found->second;
    const Node node = graph_.nodes[id];
    std::vector<NodeId> inputs;
    bool any = false;
    for (const NodeId in : node.inputs) {
      const auto t = tangent(in);
      if (!t) return t;
      inputs.push_back(*t);
      any = any || *t;
    }
    NodeId result;
    if (any) {
      const auto made = make(node, inputs);
      if (!made) return made;
      result = *made;
    }
    tangent_[id] = result;
    return result;
  }

 private:
  Result<NodeId> make(const Node& node, const std::vector<NodeId>& inputs) {
    if (const auto* map = std::get_if<Map>(&node.kind)) return of_map(node, *map, inputs);
    if (std::holds_alternative<Network>(node.kind)) return not_yet(node, "a network");
    if (std::holds_alternative<Solve>(node.kind)) return not_yet(node, "a solve");
    if (const auto* reduce = std::get_if<Reduce>(&node.kind))
      if (reduce->kind == Reduction::Min || reduce->kind == Reduction::Max) return not_yet(node, "a minimum or maximum");
    Node copy = node;  // Gather, Scatter, Reduce: linear
    copy.inputs = inputs;
    copy.rate |= graph_.nodes[inputs[0]].rate;
    copy.name = "d_" + node.name;
    return graph_.nodes.add(std::move(copy));
  }

  Result<NodeId> of_map(const Node& node, const Map& map, const std::vector<NodeId>& tangents) {
    Function f = graph_.functions[map.function];
    Builder b(f);
    std::vector<ad::Seed> seeds;
    std::vector<NodeId> inputs = node.inputs;
    for (size_t i = 0; i < tangents.size(); ++i) {
      if (!tangents[i]) continue;
      const ValueId value = b.input(static_cast<int32_t>(i));
      const ValueId seed = b.add_input("d_" + f.inputs[i].name, f.inputs[i].type, input_rate(graph_, tangents[i]));
      seeds.push_back({value, seed});
      inputs.push_back(tangents[i]);
    }
    const ValueId of = f.outputs[map.output].values[0];
    const ValueId result = ad::push_forward(b, seeds, std::span(&of, 1))[0];
    if (b.is_zero(result)) return NodeId{};
    f.outputs.clear();
    b.add_output("tangent", result);
    return add_map(graph_, std::move(f), std::move(inputs), node.space, "d_" + node.name, node.span);
  }

  Graph& graph_;
  Seeds tangent_;
};

class Reverse {
 public:
  Reverse(Graph& graph, const Seeds& seeds, std::span<const NodeId> wrt) : graph_(graph), cotangent_(seeds) {
    for (const NodeId id : wrt) leads_[id] = true;
  }

  Result<void> run() {
    // Nodes between the seeds and wrt, each after all that read it.
    std::vector<NodeId> order;
    std::map<NodeId, bool> seen;
    const std::function<void(NodeId)> visit = [&](NodeId id) {
      if (seen[id]) return;
      seen[id] = true;
      for (const NodeId in : graph_.nodes[id].inputs) visit(in);
      order.push_back(id);
    };
    std::vector<NodeId> starts;
    for (const auto& [id, seed] : cotangent_) starts.push_back(id);
    for (const NodeId id : starts) visit(id);
    for (auto id = order.rbegin(); id != order.rend(); ++id) {
      if (!leads(*id) || independent_.contains(*id)) continue;
      const auto found = cotangent_.find(*id);
      if (found == cotangent_.end() || !found->second) continue;
      if (auto done = spread(*id, found->second); !done) return done;
    }
    return {};
  }

  NodeId cotangent(NodeId id) const {
    const auto found = cotangent_.find(id);
    return found == cotangent_.end() ? NodeId{} : found->second;
  }
  void hold(NodeId id) { independent_[id] = true; }

 private:
  bool leads(NodeId id) {
    const auto found = leads_.find(id);
    if (found != leads_.end()) return found->second;
    const std::vector<NodeId> inputs = graph_.nodes[id].inputs;
    const bool result = std::ranges::any_of(inputs, [&](NodeId in) { return leads(in); });
    return leads_[id] = result;
  }

  void add(NodeId to, NodeId contribution) {
    NodeId& slot = cotangent_[to];
    slot = slot ? add_nodes(graph_, slot, contribution) : contribution;
  }

  Result<void> spread(NodeId id, NodeId bar) {
    const Node node = graph_.nodes[id];
    if (const auto* map = std::get_if<Map>(&node.kind)) return spread_map(node, *map, bar);
    if (const auto* gather = std::get_if<Gather>(&node.kind)) {
      const Node source = graph_.nodes[node.inputs[0]];
      add(node.inputs[0], graph_.nodes.add({Scatter{gather->kind, gather->corner}, source.space, source.type,
                                            static_cast<ir::Rate>(graph_.nodes[bar].rate | ir::kAxisMesh), {bar},
                                            "bar_" + source.name, node.span}));
      return {};
    }
    if (const auto* scatter = std::get_if<Scatter>(&node.kind)) {
      const Node source = graph_.nodes[node.inputs[0]];
      add(node.inputs[0], graph_.nodes.add({Gather{scatter->kind, scatter->corner}, source.space, source.type,
                                            static_cast<ir::Rate>(graph_.nodes[bar].rate | ir::kAxisMesh), {bar},
                                            "bar_" + source.name, node.span}));
      return {};
    }
    if (const auto* reduce = std::get_if<Reduce>(&node.kind)) return spread_reduce(node, *reduce, bar);
    if (std::holds_alternative<Network>(node.kind)) return not_yet(node, "a network");
    if (std::holds_alternative<Solve>(node.kind)) return not_yet(node, "a solve");
    return {};
  }

  /// Σ_e w_e v_e: every entity gets w_e · bar, with the weights of the reduction as a leaf.
  Result<void> spread_reduce(const Node& node, const Reduce& reduce, NodeId bar) {
    if (reduce.kind == Reduction::Min || reduce.kind == Reduction::Max) return not_yet(node, "a minimum or maximum");
    const Node source = graph_.nodes[node.inputs[0]];
    const NodeId weight = graph_.nodes.add({Leaf{LeafKind::Measure, source.space.index, static_cast<int32_t>(reduce.kind)},
                                            source.space, ir::Type::scalar(), ir::kAxisMesh, {}, "weight", node.span});
    Function f;
    Builder b(f);
    const ValueId w = b.add_input("weight", ir::Type::scalar(), ir::kAxisMesh);
    const ValueId v = b.add_input("bar", node.type, input_rate(graph_, bar));
    b.add_output("value", b.mul(w, v));
    add(node.inputs[0], add_map(graph_, std::move(f), {weight, bar}, source.space, "bar_" + source.name, node.span));
    return {};
  }

  Result<void> spread_map(const Node& node, const Map& map, NodeId bar) {
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!leads(node.inputs[i])) continue;
      Function f = graph_.functions[map.function];
      Builder b(f);
      const ValueId x = b.input(static_cast<int32_t>(i));
      const ValueId seed = b.add_input("bar", node.type, input_rate(graph_, bar));
      const ad::Seed start{f.outputs[map.output].values[0], seed};
      const ValueId result = ad::pull_back(b, std::span(&start, 1), std::span(&x, 1))[0];
      if (b.is_zero(result)) continue;
      f.outputs.clear();
      b.add_output("cotangent", result);
      std::vector<NodeId> inputs = node.inputs;
      inputs.push_back(bar);
      const Node input = graph_.nodes[node.inputs[i]];
      NodeId contribution = add_map(graph_, std::move(f), std::move(inputs), node.space, "bar_" + input.name, node.span);
      if (input.space == kSingle && node.space != kSingle)  // it was broadcast: its transpose sums over entities
        contribution = graph_.nodes.add({Reduce{Reduction::Sum}, kSingle, input.type,
                                         static_cast<ir::Rate>(graph_.nodes[contribution].rate & ~ir::kAxisMesh), {contribution},
                                         "bar_" + input.name, node.span});
      add(node.inputs[i], contribution);
    }
    return {};
  }

  Graph& graph_;
  Seeds cotangent_;
  std::map<NodeId, bool> leads_, independent_;
};

}  // namespace

Result<NodeId> push_forward(Graph& graph, const Seeds& tangents, NodeId of) { return Forward(graph, tangents).tangent(of); }

Result<std::vector<NodeId>> pull_back(Graph& graph, const Seeds& cotangents, std::span<const NodeId> wrt) {
  Reverse reverse(graph, cotangents, wrt);
  for (const NodeId id : wrt) reverse.hold(id);
  if (auto done = reverse.run(); !done) return fail(done.error());
  std::vector<NodeId> out;
  for (const NodeId id : wrt) out.push_back(reverse.cotangent(id));
  return out;
}

Result<NodeId> gradient(Graph& graph, NodeId scalar, NodeId wrt) {
  Function one;
  Builder b(one);
  b.add_output("value", b.constant(1.0, graph.nodes[scalar].type));
  const NodeId seed = add_map(graph, std::move(one), {}, kSingle, "one", {});
  const auto result = pull_back(graph, {{scalar, seed}}, std::span(&wrt, 1));
  if (!result) return fail(result.error());
  return (*result)[0];
}

NodeId replace(Graph& graph, NodeId of, const Seeds& replaced) {
  Seeds done = replaced;
  const std::function<NodeId(NodeId)> copy = [&](NodeId id) -> NodeId {
    if (const auto found = done.find(id); found != done.end()) return found->second;
    Node node = graph.nodes[id];
    bool changed = false;
    for (NodeId& in : node.inputs) {
      const NodeId now = copy(in);
      changed = changed || now != in;
      in = now;
    }
    NodeId result = id;
    if (changed) {
      node.rate = union_of_rates(graph, node.inputs);
      if (node.space != kSingle) node.rate |= ir::kAxisMesh;
      else node.rate &= static_cast<ir::Rate>(~ir::kAxisMesh);
      result = graph.nodes.add(std::move(node));
    }
    done[id] = result;
    return result;
  };
  return copy(of);
}

}  // namespace asb::graph
