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
    if (std::holds_alternative<Solve>(node.kind) || std::holds_alternative<Adjoint>(node.kind)) return not_yet(node, "a solve");
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

/// What a solution depends on: its objective with the solution in place of the iterate, and what stands in it beside.
struct Equilibrium {
  NodeId objective;
  std::vector<NodeId> reads;               ///< nodes of the objective that don't lead to the solution, read by those that do
  std::vector<const plan::Fix*> fixes;     ///< with a value
};

class Reverse {
 public:
  Reverse(Graph& graph, plan::Plan* plan, const Seeds& seeds, std::span<const NodeId> wrt)
      : graph_(graph), plan_(plan), cotangent_(seeds) {
    for (const NodeId id : wrt) leads_[id] = true;
  }

  Result<void> run() {
    // Nodes between the seeds and wrt, each after all that read it.
    std::vector<NodeId> order;
    std::map<NodeId, bool> seen;
    const std::function<void(NodeId)> visit = [&](NodeId id) {
      if (seen[id]) return;
      seen[id] = true;
      const std::vector<NodeId> inputs = graph_.nodes[id].inputs;
      for (const NodeId in : inputs) visit(in);
      if (plan_ && std::holds_alternative<Solve>(graph_.nodes[id].kind)) {
        const Equilibrium& e = equilibrium(id);
        for (const NodeId in : e.reads) visit(in);
        for (const plan::Fix* fix : e.fixes) visit(fix->value);
      }
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
  void cut(NodeId id) { leads_[id] = false; }

 private:
  bool leads(NodeId id) {
    const auto found = leads_.find(id);
    if (found != leads_.end()) return found->second;
    const std::vector<NodeId> inputs = graph_.nodes[id].inputs;
    bool result = std::ranges::any_of(inputs, [&](NodeId in) { return leads(in); });
    if (plan_ && std::holds_alternative<Solve>(graph_.nodes[id].kind)) {
      const Equilibrium& e = equilibrium(id);
      result = std::ranges::any_of(e.reads, [&](NodeId in) { return leads(in); }) ||
               std::ranges::any_of(e.fixes, [&](const plan::Fix* fix) { return leads(fix->value); });
    }
    return leads_[id] = result;
  }

  const Equilibrium& equilibrium(NodeId solution) {
    const auto found = equilibria_.find(solution);
    if (found != equilibria_.end()) return found->second;
    const auto at = std::get<Solve>(graph_.nodes[solution].kind);
    const plan::Solve& solve = plan_->solves[at.solve.index];
    const plan::UnknownId unknown = solve.unknowns[at.unknown];
    Equilibrium e;
    const NodeId iterate = iterate_of(graph_, unknown.index);
    e.objective = replace(graph_, solve.objective, {{iterate, solution}});
    std::map<NodeId, bool> moves;  // leads to the solution
    const std::function<bool(NodeId)> visit = [&](NodeId id) -> bool {
      if (id == solution) return true;
      if (const auto known = moves.find(id); known != moves.end()) return known->second;
      bool any = false;
      std::vector<NodeId> fixed;
      for (const NodeId in : graph_.nodes[id].inputs) {
        if (visit(in)) any = true;
        else fixed.push_back(in);
      }
      if (any)
        for (const NodeId in : fixed)
          if (std::ranges::find(e.reads, in) == e.reads.end()) e.reads.push_back(in);
      return moves[id] = any;
    };
    visit(e.objective);
    for (const plan::Fix& fix : plan_->fixes)
      if (fix.unknown == unknown && fix.value) e.fixes.push_back(&fix);
    return equilibria_[solution] = std::move(e);
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
    if (const auto* network = std::get_if<Network>(&node.kind)) return spread_network(node, *network, bar);
    if (std::holds_alternative<Solve>(node.kind)) return spread_solve(id, bar);
    if (std::holds_alternative<Adjoint>(node.kind)) return not_yet(node, "an adjoint");
    return {};
  }

  Result<void> spread_network(const Node& node, const Network& network, NodeId bar) {
    if (network.pulled >= 0) return not_yet(node, "the derivative of a network");
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!leads(node.inputs[i])) continue;
      const Node input = graph_.nodes[node.inputs[i]];
      std::vector<NodeId> inputs = node.inputs;
      inputs.push_back(bar);
      add(node.inputs[i], graph_.nodes.add({Network{network.function, static_cast<int32_t>(i)}, input.space, input.type,
                                            static_cast<ir::Rate>(union_of_rates(graph_, inputs)), inputs, "bar_" + input.name,
                                            node.span}));
    }
    return {};
  }

  Result<void> spread_solve(NodeId solution, NodeId bar) {
    if (!plan_) return not_yet(graph_.nodes[solution], "a solve");
    const Node node = graph_.nodes[solution];
    const Solve at = std::get<Solve>(node.kind);
    const Equilibrium e = equilibrium(solution);
    const ir::Rate rate = graph_.nodes[bar].rate | node.rate;
    const NodeId w = graph_.nodes.add({Adjoint{at.solve, at.unknown}, node.space, node.type, rate, {bar}, "adjoint_" + node.name, node.span});
    Function negate;
    Builder b(negate);
    b.add_output("value", b.neg(b.add_input("w", node.type, rate | ir::kAxisMesh)));
    const NodeId direction = add_map(graph_, std::move(negate), {w}, node.space, "direction", node.span);
    // D = -wᵀ dE/dx, a scalar; all that E reads beside x gets its pull back.
    const auto D = push_forward(graph_, {{solution, direction}}, e.objective);
    if (!D) return fail(D.error());
    if (!*D) return {};
    std::vector<NodeId> wanted;
    for (const NodeId in : e.reads)
      if (leads(in)) wanted.push_back(in);
    const bool held = std::ranges::any_of(e.fixes, [&](const plan::Fix* fix) { return leads(fix->value); });
    const size_t others = wanted.size();
    if (held) wanted.push_back(solution);
    Reverse inner(graph_, nullptr, {{*D, constant(graph_, 1.0, graph_.nodes[*D].type)}}, wanted);
    inner.cut(direction);
    for (const NodeId in : wanted) inner.hold(in);
    if (auto done = inner.run(); !done) return done;
    for (size_t k = 0; k < others; ++k)
      if (const NodeId contribution = inner.cotangent(wanted[k])) add(wanted[k], contribution);
    if (!held) return {};
    NodeId at_held = bar;  // dL/dx_c = bar_c - (H w)_c
    if (const NodeId rest = inner.cotangent(solution)) at_held = add_nodes(graph_, bar, rest);
    for (const plan::Fix* fix : e.fixes) {
      if (!leads(fix->value)) continue;
      if (auto done = spread_fix(*fix, node, at_held); !done) return done;
    }
    return {};
  }

  /// At the nodes of `on`: 1 where `fix` holds them too, else 0. A set names a node once.
  NodeId claims_of(const plan::Fix& fix, SpaceId on, SpaceId nodes) {
    Function f;
    Builder b(f);
    b.add_output("value", b.constant(1));
    const NodeId ones = add_map(graph_, std::move(f), {}, fix.on, "claims", fix.span);
    const NodeId all = graph_.nodes.add({Scatter{GatherKind::Value, 0}, nodes, ir::Type::scalar(), ir::kAxisMesh, {ones}, "claims", fix.span});
    return graph_.nodes.add({Gather{GatherKind::Value, 0}, on, ir::Type::scalar(), ir::kAxisMesh, {all}, "claims", fix.span});
  }

  /// A held value receives the cotangent at its nodes, the components that it holds.
  Result<void> spread_fix(const plan::Fix& fix, const Node& unknown, NodeId at_held) {
    const Node value = graph_.nodes[fix.value];
    const NodeId there = graph_.nodes.add({Gather{GatherKind::Value, 0}, fix.on, unknown.type, graph_.nodes[at_held].rate,
                                           {at_held}, "bar_" + unknown.name, fix.span});
    NodeId contribution = there;
    const int32_t n = unknown.type.entries();
    std::vector<const plan::Fix*> later;  // which take nodes from this one
    for (const plan::Fix& other : plan_->fixes)
      if (&other > &fix && other.unknown == fix.unknown && other.over) later.push_back(&other);
    if (!fix.components.empty() || !later.empty()) {
      Function pick;
      Builder b(pick);
      std::vector<NodeId> inputs = {there};
      const ValueId v = b.add_input("bar", unknown.type, input_rate(graph_, there));
      std::vector<int32_t> components = fix.components;
      if (components.empty())
        for (int32_t k = 0; k < n; ++k) components.push_back(k);
      std::vector<ValueId> share(static_cast<size_t>(n), b.constant(1));
      for (const plan::Fix* other : later) {
        const NodeId claims = claims_of(*other, fix.on, unknown.space);
        inputs.push_back(claims);
        const ValueId count = b.add_input("claims", ir::Type::scalar(), input_rate(graph_, claims));
        const ValueId left = b.sub(b.constant(1), count);
        for (int32_t k = 0; k < n; ++k)
          if (other->components.empty() || std::ranges::find(other->components, k) != other->components.end())
            share[static_cast<size_t>(k)] = b.mul(share[static_cast<size_t>(k)], left);
      }
      std::vector<ValueId> rows(value.type.entries(), b.constant(0));
      const bool whole = value.type.entries() == n && n != static_cast<int32_t>(components.size());
      for (size_t j = 0; j < components.size(); ++j) {
        const ValueId entry = unknown.type.is_scalar() ? v : b.extract(v, components[j]);
        rows[whole ? components[j] : static_cast<int32_t>(j)] = b.mul(share[static_cast<size_t>(components[j])], entry);
      }
      b.add_output("value", value.type.is_scalar() ? rows[0] : b.stack(rows, value.type));
      contribution = add_map(graph_, std::move(pick), std::move(inputs), fix.on, "bar_" + value.name, fix.span);
    }
    if (value.space == kSingle)
      contribution = graph_.nodes.add({Reduce{Reduction::Sum}, kSingle, value.type,
                                       static_cast<ir::Rate>(graph_.nodes[contribution].rate & ~ir::kAxisMesh), {contribution},
                                       "bar_" + value.name, fix.span});
    add(fix.value, contribution);
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
  plan::Plan* plan_;
  Seeds cotangent_;
  std::map<NodeId, bool> leads_, independent_;
  std::map<NodeId, Equilibrium> equilibria_;
};

Result<std::vector<NodeId>> run_reverse(Reverse& reverse, std::span<const NodeId> wrt) {
  for (const NodeId id : wrt) reverse.hold(id);
  if (auto done = reverse.run(); !done) return fail(done.error());
  std::vector<NodeId> out;
  for (const NodeId id : wrt) out.push_back(reverse.cotangent(id));
  return out;
}

}  // namespace

Result<NodeId> push_forward(Graph& graph, const Seeds& tangents, NodeId of) { return Forward(graph, tangents).tangent(of); }

Result<std::vector<NodeId>> pull_back(Graph& graph, const Seeds& cotangents, std::span<const NodeId> wrt) {
  Reverse reverse(graph, nullptr, cotangents, wrt);
  return run_reverse(reverse, wrt);
}

Result<std::vector<NodeId>> pull_back(plan::Plan& plan, const Seeds& cotangents, std::span<const NodeId> wrt) {
  Reverse reverse(plan.graph, &plan, cotangents, wrt);
  return run_reverse(reverse, wrt);
}

NodeId iterate_of(const Graph& graph, uint32_t unknown) {
  NodeId found;
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const auto* leaf = std::get_if<Leaf>(&graph.nodes[NodeId(i)].kind);
    if (leaf && leaf->kind == LeafKind::Unknown && leaf->ref == unknown) found = NodeId(i);
  }
  return found;
}

NodeId constant(Graph& graph, double number, const ir::Type& type) {
  Function one;
  Builder b(one);
  b.add_output("value", b.constant(number, type));
  return add_map(graph, std::move(one), {}, kSingle, "constant", {});
}

Result<NodeId> gradient(Graph& graph, NodeId scalar, NodeId wrt) {
  const auto result = pull_back(graph, {{scalar, constant(graph, 1.0, graph.nodes[scalar].type)}}, std::span(&wrt, 1));
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
