// d(e, v) where e reads results of networks: the chain rule through them. A network is a node of its own, so within a
// kernel its result is an input; its slopes by its arguments are further networks, evaluated at the same entities.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/ad/derivative.h"
#include "compiler/lower/lowering.h"
#include "compiler/passes/passes.h"

namespace asb::lower {

using ir::Type;
using ir::ValueId;
using model::Expr;
using model::ExprKind;

namespace {

/// Values that `of` is made from, `by` and what lies under it left out.
std::vector<bool> between(const ir::Function& function, ValueId of, ValueId by) {
  std::vector<bool> read(function.insts.size(), false);
  if (of == by) return read;
  read[of.index] = true;
  for (uint32_t i = of.index + 1; i-- > 0;) {
    if (!read[i] || i == by.index) continue;
    for (const ValueId arg : function.insts[i].args) read[arg.index] = true;
  }
  read[by.index] = false;
  return read;
}

/// de/dN (shape e ++ shape N) times dN/dv (shape N ++ shape v).
ValueId chained(ir::Builder& b, ValueId outer, ValueId inner, const Type& e, const Type& N, const Type& v) {
  const ValueId a = b.reshape(outer, Type::matrix(e.entries(), N.entries()));
  const ValueId c = b.reshape(inner, Type::matrix(N.entries(), v.entries()));
  std::vector<int32_t> dims(e.dims.begin(), e.dims.begin() + e.rank);
  dims.insert(dims.end(), v.dims.begin(), v.dims.begin() + v.rank);
  return b.reshape(b.matmul(a, c), Type::real(dims));
}

}  // namespace

// de/dv = ∂e/∂v + Σ_j ∂e/∂N_j dN_j/dv,   dN_j/dv = Σ_k ∂N_j/∂arg_k darg_k/dv
// over the network results N_j that e reads beside v; every N_j is independent in ∂e. Arguments are repeated in this
// kernel, from the same v.
Result<ValueId> Lowering::total_derivative(Context& context, ValueId of, ValueId by, Span span) {
  ir::Builder& b = context.builder;
  ValueId result = ad::derivative(b, of, by, {});
  std::vector<ValueId> networks;
  const std::vector<bool> read = between(context.function, of, by);
  for (uint32_t i = 0; i < read.size(); ++i) {
    const ir::Inst& inst = context.function.insts[i];
    if (read[i] && inst.op == ir::Op::Input && called_.contains(context.nodes[inst.index].index))
      networks.push_back(ValueId(i));
  }
  for (const ValueId N : networks) {
    const NodeId node = context.nodes[context.function[N].index];
    const auto [call, is_slope] = called_.at(node.index);
    for (size_t k = 0; k < call->args.size(); ++k) {
      const auto argument = value(context, call->args[k]);
      if (!argument) return argument;
      const auto way = total_derivative(context, *argument, by, span);
      if (!way) return way;
      if (b.is_zero(*way)) continue;
      if (is_slope)
        return not_yet(fmt::format("a second derivative of the network `{}`", model_.networks[model::NetworkId(call->ref)].name), span);
      const NodeId slope = network_slope(node, static_cast<int32_t>(k));
      if (!slope) continue;
      const Type e = b.type(of), n = b.type(N), a = b.type(*argument), v = b.type(by);
      const ValueId through = chained(b, input(context, slope), *way, n, a, v);
      const ValueId part = of == N ? through : chained(b, ad::derivative(b, of, N, {}), through, e, n, v);
      result = b.add(result, part);
    }
  }
  return result;
}

/// ∂N/∂arg_k at the entities of the node, shape N ++ shape arg_k; none where the network doesn't depend on the argument.
NodeId Lowering::network_slope(NodeId node, int32_t k) {
  auto [at, fresh] = slopes_.try_emplace({node.index, k});
  if (!fresh) return at->second;
  const graph::Node network = plan_.graph.nodes[node];
  ir::Function function = plan_.graph.functions[std::get<graph::Network>(network.kind).function];
  ir::Builder b(function);
  const ValueId slope = ad::derivative(b, function.outputs[0].values[0], b.input(k), {});
  if (b.is_zero(slope)) return {};
  const Type type = b.type(slope);
  function.outputs.clear();
  b.add_output("slope", slope);
  function.name = fmt::format("d_{}_{}", network.name, function.inputs[k].name);
  const auto made = plan_.graph.functions.add(ir::remove_dead(ir::share_subexpressions(function)));
  const NodeId result = add({graph::Network{made, -1}, network.space, type, network.rate, network.inputs,
                             plan_.graph.functions[made].name, network.span});
  called_[result.index] = {called_.at(node.index).call, true};
  return at->second = result;
}

namespace {

bool same_variable(const model::Model& model, model::ExprId expr, model::ExprId by) {
  if (expr == by) return true;
  const Expr &a = model.exprs[expr], &b = model.exprs[by];
  if (a.kind != b.kind || !a.args.empty() || !b.args.empty()) return false;
  switch (a.kind) {
    case ExprKind::RestPosition: return true;
    case ExprKind::Param:
    case ExprKind::Unknown:
    case ExprKind::Latent:
    case ExprKind::Data:
    case ExprKind::Field:
    case ExprKind::Nodal: return a.ref == b.ref;
    default: return false;
  }
}

}  // namespace

// A sum, a derived nodal quantity and a field at nodes are values of other kernels, whose derivative by v isn't taken
// here: refused where they depend on v, so that no derivative lacks a term in silence. `X` inside a sum is another X.
const Expr* Lowering::hidden_dependence(model::ExprId id, model::ExprId by, bool outside) {
  if (same_variable(model_, id, by)) return outside ? &model_.exprs[id] : nullptr;
  const auto key = std::tuple(id.index, by.index, outside);
  if (const auto found = hidden_.find(key); found != hidden_.end()) return found->second;
  const Expr& e = model_.exprs[id];
  const Expr* found = nullptr;
  const auto look = [&](model::ExprId in, bool other_kernel) {
    if (found) return;
    const Expr* below = hidden_dependence(in, by, outside || other_kernel);
    found = below && other_kernel && !outside ? &e : below;  // the outermost one is shown
  };
  const bool by_position = model_.exprs[by].kind == ExprKind::RestPosition;
  if (e.kind == ExprKind::Field) {
    const model::Field& field = model_.fields[model::FieldId(e.ref)];
    look(field.body, static_cast<bool>(field.at_nodes));
  } else if (e.kind == ExprKind::Nodal) {
    look(model_.nodals[model::NodalId(e.ref)].body, true);
  } else if (e.kind == ExprKind::Reduce) {
    if (!by_position) look(e.args[0], true);
  } else {
    for (const model::ExprId arg : e.args) look(arg, false);
  }
  return hidden_[key] = found;
}

}  // namespace asb::lower
