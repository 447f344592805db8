// See compile.h.
#include "compiler/plan/compile.h"

#include <functional>

#include "compiler/graph/derivative.h"
#include "compiler/graph/forms.h"
#include "compiler/lower/lower.h"

namespace asb {
namespace {

/// Functions of the Map nodes that what is wanted leads to; the rest was made on the way and is not compiled.
std::vector<uint8_t> wanted_functions(const plan::Plan& plan) {
  std::vector<uint8_t> wanted(plan.graph.functions.size(), 0), seen(plan.graph.nodes.size(), 0);
  std::vector<uint8_t> seen_space(plan.graph.spaces.size(), 0);
  std::function<void(graph::NodeId)> visit;
  const std::function<void(graph::SpaceId)> visit_space = [&](graph::SpaceId id) {
    if (!id || seen_space[id.index]++) return;
    const graph::Space& space = plan.graph.spaces[id];
    for (const graph::Narrowing& n : space.narrowings)
      if (n.where) visit(n.where);
    visit_space(space.nodes_of);
  };
  visit = [&](graph::NodeId id) {
    if (!id || seen[id.index]++) return;
    const graph::Node& node = plan.graph.nodes[id];
    visit_space(node.space);
    if (const auto* map = std::get_if<graph::Map>(&node.kind)) wanted[map->function.index] = 1;
    for (const graph::NodeId in : node.inputs) visit(in);
  };
  for (const plan::Param& p : plan.params) {
    visit(p.initial);
    visit(p.lo);
    visit(p.hi);
  }
  for (const plan::Unknown& u : plan.unknowns) visit(u.initial);
  for (const plan::Fix& f : plan.fixes) {
    visit_space(f.on);
    visit(f.value);
  }
  for (const plan::Solve& s : plan.solves)
    for (const plan::Form& form : s.forms) {
      visit_space(form.space);
      visit(form.coefficient);
      for (const graph::NodeId operand : form.operands) visit(operand);
    }
  for (const plan::Solve& s : plan.solves) {
    visit(s.graph_gradient);
    visit(s.graph_product);
  }
  for (const plan::Output& o : plan.outputs) visit(o.node);
  for (const plan::Show& s : plan.shows) visit(s.node);
  for (const plan::Position& p : plan.positions) visit(p.node);
  for (const plan::Data& d : plan.data) {
    visit_space(d.space);
    visit(d.value);
  }
  for (const plan::Gradients& g : plan.gradients) {
    visit(g.value);
    for (const plan::Learned& by : g.by) visit(by.gradient);
  }
  for (const plan::Learn& learn : plan.learns) {
    bool learning = false;
    for (const plan::Learned& what : learn.learned) {
      learning = learning || what.gradient;
      visit(what.gradient);
    }
    if (!learning) continue;  // compiled to run, not to learn
    visit(learn.objective);
    for (const auto& [name, node] : learn.parts) visit(node);
  }
  return wanted;
}

/// Every leaf that can be learned: params, latents of the current frame, weights.
std::vector<plan::Learned> learnable_leaves(const plan::Plan& plan) {
  std::vector<plan::Learned> found;
  for (uint32_t i = 0; i < plan.graph.nodes.size(); ++i) {
    const auto* leaf = std::get_if<graph::Leaf>(&plan.graph.nodes[graph::NodeId(i)].kind);
    if (!leaf) continue;
    if (leaf->kind == graph::LeafKind::Param) found.push_back({plan::LearnedKind::Param, leaf->ref, graph::NodeId(i), {}});
    if (leaf->kind == graph::LeafKind::Latent && leaf->extra == 0)
      found.push_back({plan::LearnedKind::Latent, leaf->ref, graph::NodeId(i), {}});
    if (leaf->kind == graph::LeafKind::Weight) found.push_back({plan::LearnedKind::Weight, leaf->ref, graph::NodeId(i), {}});
  }
  return found;
}

/// Gradient and Hessian-vector product of every objective by the chain rule of the graph: what forms are checked against.
Result<void> add_graph_products(plan::Plan& plan) {
  for (plan::Solve& solve : plan.solves) {
    const plan::UnknownId unknown = solve.unknowns[0];
    const graph::NodeId iterate = graph::iterate_of(plan.graph, unknown.index);
    if (!iterate) continue;
    const graph::Node x = plan.graph.nodes[iterate];
    const graph::NodeId direction =
        plan.graph.nodes.add({graph::Leaf{graph::LeafKind::Direction, unknown.index, 0}, x.space, x.type, x.rate, {}, "direction", {}});
    const auto gradient = graph::gradient(plan.graph, solve.objective, iterate);
    if (!gradient) return fail(gradient.error());
    solve.graph_gradient = *gradient;
    if (!*gradient) continue;
    const auto product = graph::push_forward(plan.graph, {{iterate, direction}}, *gradient);
    if (!product) return fail(product.error());
    solve.graph_product = *product;
  }
  return {};
}

/// Gradients of what is scalar; what has none yet (a minimum over entities) is noted.
Result<void> add_gradients(plan::Plan& plan) {
  std::vector<std::pair<std::string, graph::NodeId>> scalars;
  for (const plan::Output& o : plan.outputs)
    if (plan.graph.nodes[o.node].type.is_scalar()) scalars.emplace_back(o.name, o.node);
  for (const plan::Learn& l : plan.learns) scalars.emplace_back("learn " + l.name, l.objective);
  const std::vector<plan::Learned> leaves = learnable_leaves(plan);
  std::vector<graph::NodeId> wrt;
  for (const plan::Learned& what : leaves) wrt.push_back(what.leaf);
  for (const auto& [name, node] : scalars) {
    const graph::NodeId one = graph::constant(plan.graph, 1.0, ir::Type::scalar());
    const auto gradients = graph::pull_back(plan, {{node, one}}, wrt);
    if (!gradients) {
      if (gradients.error().name != "not-yet") return fail(gradients.error());
      plan.notes.push_back("`" + name + "` has no derivative yet: " + gradients.error().message);
      continue;
    }
    plan::Gradients g{name, node, {}};
    for (size_t k = 0; k < leaves.size(); ++k)
      if ((*gradients)[k]) {
        g.by.push_back(leaves[k]);
        g.by.back().gradient = (*gradients)[k];
      }
    plan.gradients.push_back(std::move(g));
  }
  return {};
}

}  // namespace

Result<plan::Plan> compile(const model::Model& model, const CompileOptions& options) {
  auto plan = lower_to_graph(model);
  if (!plan) return plan;
  if (auto found = find_forms(*plan); !found) return fail(found.error());

  if (options.learning)
    for (plan::Learn& learn : plan->learns) {
      std::vector<graph::NodeId> leaves;
      for (const plan::Learned& what : learn.learned) leaves.push_back(what.leaf);
      const graph::NodeId one = graph::constant(plan->graph, 1.0, ir::Type::scalar());
      const auto gradients = graph::pull_back(*plan, {{learn.objective, one}}, leaves);
      if (!gradients) return fail(gradients.error());
      for (size_t k = 0; k < leaves.size(); ++k) learn.learned[k].gradient = (*gradients)[k];
    }

  if (options.gradients)
    for (const auto add : {add_gradients, add_graph_products})
      if (auto made = add(*plan); !made) return fail(made.error());

  const std::vector<uint8_t> wanted = wanted_functions(*plan);
  plan->kernel_of_function.resize(wanted.size());
  for (uint32_t f = 0; f < wanted.size(); ++f) {
    if (!wanted[f]) continue;
    plan->kernel_of_function[f] = plan::KernelId(static_cast<uint32_t>(plan->kernels.size()));
    plan->kernels.push_back({plan->graph.functions[graph::FunctionId(f)], {}});
  }
  for (KernelPlan& kernel : plan->kernels) {
    ir::PassObserver observer;
    if (options.observer)
      observer = [&](std::string_view pass, const ir::Function& f) { options.observer(kernel.tensor.name, pass, f); };
    auto scalar = ir::run_pipeline(kernel.tensor, observer);
    if (!scalar) return fail(scalar.error());
    kernel.scalar = std::move(*scalar);
  }
  return plan;
}

}  // namespace asb
