// Expressions and declarations of the Model as nodes of the graph. A symmetric matrix is a full matrix from here on:
// the derivative by one is made symmetric, so that de = inner(T, dv) for symmetric dv.
#include "compiler/lower/lower.h"

#include <fmt/format.h>

#include "compiler/ad/derivative.h"
#include "compiler/lower/builtins.h"
#include "compiler/lower/lowering.h"
#include "dsl/sema/units.h"

namespace asb::lower {

using graph::GatherKind;
using graph::LeafKind;
using ir::Type;
using ir::ValueId;
using model::Expr;
using model::ExprKind;

tl::unexpected<Error> not_yet(std::string what, Span span) {
  return fail("not-yet", fmt::format("{} can't be compiled yet", what),
              "`asb check` accepts the program; leave this part out to run the rest", span);
}

Type ssa_type(const model::Type& type) {
  switch (type.kind) {
    case model::TypeKind::Bool: return Type::boolean();
    case model::TypeKind::Sym: return Type::matrix(type.dims[0], type.dims[0]);
    case model::TypeKind::Int:
    case model::TypeKind::Real: return Type::real(type.dims);
  }
  ASB_UNREACHABLE("type kind");
}

namespace {

/// As shown beside numbers: nothing for dimensionless and free quantities.
std::string unit_text(const model::Type& type) {
  return type.unit.free || sema::is_dimensionless(type.unit) ? "" : sema::spell(type.unit);
}

constexpr ir::Rate kFixed = ir::kAxisMesh | ir::kAxisParams;

/// (T + T with the last two axes exchanged)/2 for a value of shape s ++ [n, n].
ValueId symmetrise_last(ir::Builder& b, ValueId t) {
  const Type type = b.type(t);
  const int n = type.dims[type.rank - 1];
  const int rows = type.entries() / (n * n);
  const ValueId flat = b.reshape(t, Type::real(std::vector<int32_t>{rows, n, n}));
  std::vector<ValueId> parts;
  for (int i = 0; i < rows; ++i) {
    const ValueId m = b.extract(flat, i);
    parts.push_back(b.scale(0.5, b.add(m, b.transpose(m))));
  }
  return b.reshape(b.stack(std::move(parts)), type);
}

}  // namespace

NodeId Lowering::add(graph::Node node) { return plan_.graph.nodes.add(std::move(node)); }

NodeId Lowering::leaf(LeafKind kind, uint32_t ref, SpaceId space, Type type, ir::Rate rate, std::string name) {
  auto [at, fresh] = leaves_.try_emplace({static_cast<int>(kind), ref, space.index});
  if (fresh) at->second = add({graph::Leaf{kind, ref, 0}, space, type, rate, {}, std::move(name), {}});
  return at->second;
}

ValueId Lowering::input(Context& context, NodeId node) {
  auto [at, fresh] = context.inputs.try_emplace(node.index);
  if (fresh) {
    const graph::Node& n = plan_.graph.nodes[node];
    ir::Rate rate = n.rate;
    if (n.space != kSingle) rate |= ir::kAxisMesh;
    else rate &= static_cast<ir::Rate>(~ir::kAxisMesh);
    at->second = context.builder.add_input(n.name, n.type, rate);
    context.nodes.push_back(node);
  }
  return at->second;
}

bool Lowering::reads_iterate(model::ExprId id, model::SolveId inside) {
  const auto key = std::pair(id.index, inside.index);
  if (const auto found = reads_iterate_.find(key); found != reads_iterate_.end()) return found->second;
  const Expr& e = model_.exprs[id];
  bool result = false;
  if (e.kind == ExprKind::Unknown) {
    for (const model::UnknownId u : model_.solves[inside].unknowns) result = result || u.index == e.ref;
  } else if (e.kind == ExprKind::Field) {
    result = reads_iterate(model_.fields[model::FieldId(e.ref)].body, inside);
  } else if (e.kind == ExprKind::Nodal) {
    result = reads_iterate(model_.nodals[model::NodalId(e.ref)].body, inside);
  }
  for (const model::ExprId arg : e.args) result = result || reads_iterate(arg, inside);
  reads_iterate_[key] = result;
  return result;
}

Result<NodeId> Lowering::node_of(model::ExprId expr, SpaceId space, model::SolveId inside) {
  if (inside && !reads_iterate(expr, inside)) inside = {};  // one node for it inside and outside of the solve
  const auto key = std::tuple(expr.index, space.index, inside.index);
  if (const auto found = nodes_.find(key); found != nodes_.end()) return found->second;
  Context context{.space = space, .inside = inside, .function = {}, .builder = ir::Builder(context.function),
                  .values = {}, .fields = {}, .inputs = {}, .nodes = {}, .parameters = {}, .weights = {}, .weight_order = {}};
  const Result<ValueId> result = value(context, expr);
  if (!result) return fail(result.error());
  const Expr& e = model_.exprs[expr];
  ir::Function& function = context.function;
  NodeId node;
  if (function[*result].op == ir::Op::Input) {
    node = context.nodes[function[*result].index];
    if (plan_.graph.nodes[node].space != space) node = {};
  }
  if (!node) {
    context.builder.add_output("value", *result);
    ir::Rate rate = 0;
    for (const ir::Input& in : function.inputs) rate |= in.rate;
    if (space != kSingle) rate |= ir::kAxisMesh;
    function.name = fmt::format("{}_{}", e.name.empty() ? "map" : e.name, plan_.graph.functions.size());
    const Type type = function[*result].type;
    const auto id = plan_.graph.functions.add(std::move(function));
    node = add({graph::Map{id, 0}, space, type, rate, std::move(context.nodes), e.name.empty() ? "map" : e.name,
                e.span});
  }
  nodes_[key] = node;
  return node;
}

Result<ValueId> Lowering::value(Context& context, model::ExprId id) {
  if (const auto found = context.values.find(id.index); found != context.values.end()) return found->second;
  const Expr& expr = model_.exprs[id];
  const Span outer = context.builder.span();
  context.builder.set_span(expr.span);
  Result<ValueId> result = make_value(context, expr, id);
  context.builder.set_span(outer);
  if (result) context.values.emplace(id.index, *result);
  return result;
}

Result<NodeId> Lowering::unknown_node(model::UnknownId id, model::SolveId inside, Span span) {
  const plan::Unknown& unknown = plan_.unknowns[id.index];
  for (uint32_t s = 0; s < model_.solves.size(); ++s) {
    const auto& solve = model_.solves[model::SolveId(s)];
    for (size_t k = 0; k < solve.unknowns.size(); ++k) {
      if (solve.unknowns[k] != id) continue;
      if (inside == model::SolveId(s))
        return leaf(LeafKind::Unknown, id.index, unknown.space, unknown.type, ir::kAxisIteration | ir::kAxisMesh,
                    unknown.name);
      if (const auto lowered = lower_solve(model::SolveId(s)); !lowered) return fail(lowered.error());
      // One node per unknown, found again through the leaf table under a kind of its own.
      auto [at, fresh] = leaves_.try_emplace({-1, id.index, 0});
      if (fresh)
        at->second = add({graph::Solve{solves_.at(s), static_cast<int32_t>(k)}, unknown.space, unknown.type,
                          solve_rate(plan_.solves[solves_.at(s).index]), {}, unknown.name, span});
      return at->second;
    }
  }
  return fail("unknown-unsolved", fmt::format("`{}` is not determined by any solve", unknown.name), {}, span);
}

Result<NodeId> Lowering::nodal_node(const Expr& expr, model::SolveId inside) {
  switch (expr.kind) {
    case ExprKind::Unknown: return unknown_node(model::UnknownId(expr.ref), inside, expr.span);
    case ExprKind::Param: {
      const model::Param& param = model_.params[model::ParamId(expr.ref)];
      if (param.domain) return not_yet(fmt::format("the param `{}`, with one value per entity,", param.name), expr.span);
      return leaf(LeafKind::Param, expr.ref, kSingle, ssa_type(param.type), ir::kAxisParams, param.name);
    }
    case ExprKind::Nodal: {
      const model::Nodal& nodal = model_.nodals[model::NodalId(expr.ref)];
      const auto space = space_of(nodal.domain, false, -1, false);
      if (!space) return fail(space.error());
      return node_of(nodal.body, *space, inside);
    }
    case ExprKind::Let: return nodal_node(model_.exprs[expr.args[0]], inside);
    case ExprKind::Data: return data_node(expr);
    default: break;
  }
  return not_yet(fmt::format("`{}` as a field over nodes", expr.name), expr.span);
}

Result<ValueId> Lowering::nodal_value(Context& context, NodeId nodal, GatherKind kind, int32_t corner, Span span) {
  const graph::Node& from = plan_.graph.nodes[nodal];
  if (from.space == kSingle) {
    if (kind == GatherKind::Value) return input(context, nodal);
    return fail("no-gradient", fmt::format("`{}` is one value everywhere and has no gradient", from.name), {}, span);
  }
  if (from.space == context.space && kind == GatherKind::Value) return input(context, nodal);
  auto [at, fresh] = gathers_.try_emplace({nodal.index, context.space.index, static_cast<int>(kind), corner});
  if (fresh) {
    Type type = from.type;
    if (kind == GatherKind::Gradient) {
      std::vector<int32_t> dims(type.dims.begin(), type.dims.begin() + type.rank);
      dims.push_back(3);
      type = Type::real(dims);
    }
    const std::string name = kind == GatherKind::Gradient ? fmt::format("grad_{}", from.name) : from.name;
    at->second = add({graph::Gather{kind, corner}, context.space, type, static_cast<ir::Rate>(from.rate | ir::kAxisMesh),
                      {nodal}, name, span});
  }
  return input(context, at->second);
}

Result<NodeId> Lowering::data_node(const Expr& expr) {
  const model::Data& data = model_.data[model::DataId(expr.ref)];
  if (!expr.args.empty()) return not_yet("`data` of another frame", expr.span);
  SpaceId space = kSingle;
  if (data.domain) {
    const auto made = space_of(data.domain, false, -1, false);
    if (!made) return fail(made.error());
    space = *made;
  }
  ir::Rate rate = space == kSingle ? 0 : ir::kAxisMesh;
  if (data.per) rate |= ir::kAxisFrame;
  return leaf(LeafKind::Data, expr.ref, space, ssa_type(data.type), rate, data.name);
}

Result<NodeId> Lowering::network_node(Context& context, const Expr& expr) {
  const model::Network& network = model_.networks[model::NetworkId(expr.ref)];
  auto& made = networks_[expr.ref];
  if (!made.function) {
    Context body{.space = kSingle, .inside = {}, .function = {}, .builder = ir::Builder(body.function), .values = {},
                 .fields = {}, .inputs = {}, .nodes = {}, .parameters = {}, .weights = {}, .weight_order = {}};
    for (size_t i = 0; i < network.parameters.size(); ++i)
      body.parameters.push_back(body.builder.add_input(network.parameters[i], ssa_type(network.parameter_types[i]), kFixed));
    const auto result = value(body, network.body);
    if (!result) return fail(result.error());
    if (!body.nodes.empty())
      return fail("network-reads", fmt::format("the network `{}` reads `{}`, which is not one of its arguments", network.name,
                                               plan_.graph.nodes[body.nodes[0]].name),
                  "pass it as an argument", network.span);
    body.builder.add_output("value", *result);
    body.function.name = network.name;
    made.function = plan_.graph.functions.add(std::move(body.function));
    made.weights = std::move(body.weight_order);
  }
  std::vector<NodeId> inputs;
  ir::Rate rate = ir::kAxisParams;
  bool per_entity = false;
  for (const model::ExprId arg : expr.args) {
    // An argument that is the same everywhere is evaluated once.
    const SpaceId where = varies_with_entities(arg) ? context.space : kSingle;
    const auto node = node_of(arg, where, context.inside);
    if (!node) return node;
    inputs.push_back(*node);
    rate |= plan_.graph.nodes[*node].rate;
    per_entity = per_entity || where != kSingle;
  }
  for (const model::WeightId weight : made.weights) {
    const model::Weight& w = model_.weights[weight];
    inputs.push_back(leaf(LeafKind::Weight, weight.index, kSingle, ssa_type(w.type), ir::kAxisParams, w.path));
  }
  const SpaceId space = per_entity ? context.space : kSingle;
  auto [at, fresh] = network_calls_.try_emplace({expr.ref, inputs});
  if (fresh) {
    at->second = add({graph::Network{made.function, -1}, space, ssa_type(expr.type), rate, inputs, network.name, expr.span});
    called_[at->second.index] = {&expr, false};
  }
  return at->second;
}

bool Lowering::varies_with_entities(model::ExprId id) {
  if (const auto found = varies_.find(id.index); found != varies_.end()) return found->second;
  const Expr& e = model_.exprs[id];
  bool result = false;
  switch (e.kind) {
    case ExprKind::RestPosition:
    case ExprKind::RestNormal:
    case ExprKind::Unknown:
    case ExprKind::Gradient:
    case ExprKind::At:
    case ExprKind::Nodal:
    case ExprKind::State: result = true; break;
    case ExprKind::Data: result = static_cast<bool>(model_.data[model::DataId(e.ref)].domain); break;
    case ExprKind::Param: result = static_cast<bool>(model_.params[model::ParamId(e.ref)].domain); break;
    case ExprKind::Field: result = varies_with_entities(model_.fields[model::FieldId(e.ref)].body); break;
    case ExprKind::Reduce: break;
    default:
      for (const model::ExprId arg : e.args) result = result || varies_with_entities(arg);
  }
  varies_[id.index] = result;
  return result;
}

Result<NodeId> Lowering::reduce_node(const Expr& expr, model::SolveId inside) {
  const bool by_measure = expr.reduction == model::Reduction::Integral || expr.by_measure;
  if (expr.into >= 0) return not_yet("sums `into` entities", expr.span);
  if (inside && !reads_iterate(expr.args[0], inside)) inside = {};
  auto& known = reduces_[{expr.args[0].index, expr.domain.index, static_cast<int>(expr.reduction) * 2 + by_measure, inside.index}];
  if (known) return known;
  const auto space = space_of(expr.domain, by_measure, expr.degree,
                              by_measure && expr.degree < 0 && reads_values_of_unknowns(expr.args[0]));
  if (!space) return fail(space.error());
  const auto body = node_of(expr.args[0], *space, inside);
  if (!body) return body;
  graph::Reduction kind = {};
  switch (expr.reduction) {
    case model::Reduction::Integral: kind = graph::Reduction::Integral; break;
    case model::Reduction::Mean: kind = by_measure ? graph::Reduction::MeanIntegral : graph::Reduction::Mean; break;
    case model::Reduction::Sum: kind = graph::Reduction::Sum; break;
    case model::Reduction::Min: kind = graph::Reduction::Min; break;
    case model::Reduction::Max: kind = graph::Reduction::Max; break;
  }
  const graph::Node from = plan_.graph.nodes[*body];
  return known = add({graph::Reduce{kind}, kSingle, from.type, static_cast<ir::Rate>(from.rate & ~ir::kAxisMesh), {*body},
              expr.name.empty() ? "total" : expr.name, expr.span});
}

Result<ValueId> Lowering::derivative(Context& context, const Expr& expr) {
  // The variable first, so that the expression is made from this very value.
  const auto variable = value(context, expr.args[1]);
  if (!variable) return variable;
  const auto of = value(context, expr.args[0]);
  if (!of) return of;
  ir::Builder& b = context.builder;
  const model::Expr& by = model_.exprs[expr.args[1]];
  if (context.space == kSingle && by.kind == ExprKind::Unknown)
    return not_yet("the assembled derivative of a functional by a nodal value", expr.span);
  if (const Expr* hidden = hidden_dependence(expr.args[0], expr.args[1], false))
    return not_yet("a derivative through a sum or a value at nodes", hidden->span);
  const auto result = total_derivative(context, *of, *variable, expr.span);
  if (result && by.type.kind == model::TypeKind::Sym) return symmetrise_last(b, *result);
  return result;
}

Result<ValueId> Lowering::make_value(Context& context, const Expr& expr, model::ExprId id) {
  ir::Builder& b = context.builder;
  std::vector<ValueId> args;
  const auto lower_args = [&]() -> Result<void> {
    for (const model::ExprId arg : expr.args) {
      const auto v = value(context, arg);
      if (!v) return fail(v.error());
      args.push_back(*v);
    }
    return {};
  };
  switch (expr.kind) {
    case ExprKind::Number:
      return expr.type.kind == model::TypeKind::Bool ? b.boolean(expr.number != 0)
                                                     : b.constant(expr.number, ssa_type(expr.type));
    case ExprKind::Identity: return b.identity(expr.type.dims[0]);
    case ExprKind::Param:
    case ExprKind::Unknown:
    case ExprKind::Nodal: {
      const auto node = nodal_node(expr, context.inside);
      if (!node) return fail(node.error());
      return nodal_value(context, *node, GatherKind::Value, 0, expr.span);
    }
    case ExprKind::Gradient:
    case ExprKind::At: {
      const Expr& of = model_.exprs[expr.args[0]];
      NodeId node;
      if (of.kind == ExprKind::RestPosition) {
        node = leaf(LeafKind::RestPosition, plan_.graph.spaces[context.space].geometry.index,
                    vertices_or_nodes(plan_.graph.spaces[context.space].geometry), Type::vector(3), ir::kAxisMesh, "X");
      } else {
        const auto found = nodal_node(of, context.inside);
        if (!found) return fail(found.error());
        node = *found;
      }
      return nodal_value(context, node, expr.kind == ExprKind::At ? GatherKind::Corner : GatherKind::Gradient,
                         expr.index, expr.span);
    }
    case ExprKind::RestPosition: {
      if (context.space == kSingle)
        return fail("no-position", "`X` has no meaning outside a set of entities", {}, expr.span);
      const graph::GeometryId of = plan_.graph.spaces[context.space].geometry;
      const NodeId node = leaf(LeafKind::RestPosition, of.index, vertices_or_nodes(of), Type::vector(3), ir::kAxisMesh,
                               "X");
      return nodal_value(context, node, GatherKind::Value, 0, expr.span);
    }
    case ExprKind::Field: {
      const auto found = context.fields.find(expr.ref);
      if (found != context.fields.end()) return found->second;
      const model::Field& field = model_.fields[model::FieldId(expr.ref)];
      Result<ValueId> result;
      if (field.at_nodes) {
        const auto space = space_of(field.at_nodes, false, -1, false);
        if (!space) return fail(space.error());
        const auto node = node_of(field.body, *space, context.inside);
        if (!node) return fail(node.error());
        result = nodal_value(context, *node, GatherKind::Value, 0, expr.span);
      } else {
        result = value(context, field.body);
      }
      if (!result) return result;
      const ValueId named = b.copy(*result);
      context.fields.emplace(expr.ref, named);
      return named;
    }
    case ExprKind::Let: {
      const auto inner = value(context, expr.args[0]);
      if (!inner) return inner;
      return b.copy(*inner);
    }
    case ExprKind::CellSize: {
      const graph::GeometryId of = geometry_.at(expr.ref);
      return input(context, leaf(LeafKind::CellSize, of.index, kSingle, Type::scalar(), 0, "cell_size"));
    }
    case ExprKind::RestBox: {
      const graph::GeometryId of = geometry_.at(expr.ref);
      const ValueId box = input(context, leaf(LeafKind::RestBox, of.index, kSingle, Type::matrix(2, 3), 0, "rest_box"));
      const ValueId lower = b.extract(box, 0), upper = b.extract(box, 1);
      if (expr.index == 0) return b.scale(0.5, b.add(lower, upper));
      const ValueId side = b.sub(upper, lower);
      return b.scale(0.5, b.max(b.extract(side, 0), b.max(b.extract(side, 1), b.extract(side, 2))));
    }
    case ExprKind::Gap: return not_yet("`gap`", expr.span);
    case ExprKind::Call:
      if (expr.type.kind == model::TypeKind::Sym &&
          (expr.builtin == model::Builtin::Exp || expr.builtin == model::Builtin::Log || expr.builtin == model::Builtin::Sqrt))
        return not_yet("`exp`, `log` or `sqrt` of a symmetric matrix", expr.span);
      if (const auto done = lower_args(); !done) return fail(done.error());
      return lower_builtin(b, expr.builtin, args, ssa_type(expr.type));
    case ExprKind::Stack:
      if (const auto done = lower_args(); !done) return fail(done.error());
      return b.stack(std::move(args));
    case ExprKind::Pick: {
      const auto from = value(context, expr.args[0]);
      if (!from) return from;
      if (expr.drop) return b.extract(*from, expr.indices.front());
      std::vector<ValueId> rows;
      for (const int32_t i : expr.indices) rows.push_back(b.extract(*from, i));
      return b.stack(std::move(rows));
    }
    case ExprKind::Select:
      if (const auto done = lower_args(); !done) return fail(done.error());
      return b.select(args[0], args[1], args[2]);
    case ExprKind::Derivative: return derivative(context, expr);
    case ExprKind::Minimal: {
      if (const auto minimiser = value(context, expr.args[0]); !minimiser) return minimiser;
      return value(context, expr.args[1]);
    }
    case ExprKind::Minimiser: {
      const auto minimiser = value(context, expr.args[0]);
      if (!minimiser) return minimiser;
      return b.envelope(*minimiser);
    }
    case ExprKind::Reduce: {
      const auto node = reduce_node(expr, context.inside);
      if (!node) return fail(node.error());
      return input(context, *node);
    }
    case ExprKind::Data: {
      const auto node = data_node(expr);
      if (!node) return fail(node.error());
      return nodal_value(context, *node, GatherKind::Value, 0, expr.span);
    }
    case ExprKind::Latent: {
      const model::Latent& latent = model_.latents[model::LatentId(expr.ref)];
      int32_t row = 0;
      if (!expr.args.empty()) {
        const Expr& index = model_.exprs[expr.args[0]];
        if (index.kind != ExprKind::Number) return not_yet("a latent indexed by a value", expr.span);
        row = static_cast<int32_t>(index.number) + 1;
      }
      const ir::Rate rate = row == 0 && latent.per ? ir::kAxisParams | ir::kAxisFrame : ir::kAxisParams;
      auto [at, fresh] = leaves_.try_emplace({-2 - row, expr.ref, 0});
      if (fresh)
        at->second = add({graph::Leaf{LeafKind::Latent, expr.ref, row}, kSingle, ssa_type(latent.type), rate, {}, latent.name, expr.span});
      return input(context, at->second);
    }
    case ExprKind::State: return not_yet("`state`", expr.span);
    case ExprKind::Parameter: return context.parameters[expr.ref];
    case ExprKind::Weight: {
      if (!context.parameters.empty()) {  // in a network's body: an input of its function
        auto [at, fresh] = context.weights.try_emplace(expr.ref);
        if (fresh) {
          const model::Weight& weight = model_.weights[model::WeightId(expr.ref)];
          at->second = b.add_input(weight.path, ssa_type(weight.type), ir::kAxisParams);
          context.weight_order.push_back(model::WeightId(expr.ref));
        }
        return at->second;
      }
      const model::Weight& weight = model_.weights[model::WeightId(expr.ref)];
      return input(context, leaf(LeafKind::Weight, expr.ref, kSingle, ssa_type(weight.type), ir::kAxisParams, weight.path));
    }
    case ExprKind::NetworkCall: {
      const auto node = network_node(context, expr);
      if (!node) return fail(node.error());
      return input(context, *node);
    }
    case ExprKind::RestNormal:
    case ExprKind::DeformedNormal: return not_yet("a normal", expr.span);
    case ExprKind::Virtual: return not_yet("`virtual`", expr.span);
    case ExprKind::Previous:
    case ExprKind::Step:
    case ExprKind::Steps:
    case ExprKind::TimeStep: return not_yet("`time`", expr.span);
    case ExprKind::CellMean: return not_yet("`cell_mean`", expr.span);
    case ExprKind::Spectral:
    case ExprKind::Principal:
    case ExprKind::Hole: return not_yet("a spectral function", expr.span);
  }
  (void)id;
  ASB_UNREACHABLE("expression kind");
}

// ------------------------------------------------------------------------------------------- declarations

Result<void> Lowering::declarations() {
  // What nothing may read, and yet would change every answer.
  if (model_.time) return not_yet("`time`", model_.time->span);
  if (!model_.attaches.empty()) return not_yet("`attach`", model_.attaches.front().span);
  for (const model::Param& from : model_.params) {
    if (from.domain) {  // refused where it is read
      plan_.params.push_back({from.name, "", ssa_type(from.type), {}, {}, {}, false});
      continue;
    }
    plan::Param to{.name = from.name, .unit = unit_text(from.type), .type = ssa_type(from.type), .initial = {}, .lo = {}, .hi = {},
                   .is_symmetric = from.type.kind == model::TypeKind::Sym};
    const auto set = [&](model::ExprId expr, NodeId& node) -> Result<void> {
      if (!expr) return {};
      const auto made = node_of(expr, kSingle, {});
      if (!made) return fail(made.error());
      node = *made;
      return {};
    };
    if (auto r = set(from.initial, to.initial); !r) return r;
    if (auto r = set(from.lo, to.lo); !r) return r;
    if (auto r = set(from.hi, to.hi); !r) return r;
    plan_.params.push_back(std::move(to));
  }
  for (const model::Unknown& from : model_.unknowns) {
    SpaceId space = kSingle;
    if (from.domain) {
      const auto made = space_of(from.domain, false, -1, false);
      if (!made) return fail(made.error());
      space = *made;
    }
    plan_.unknowns.push_back({from.name, unit_text(from.type), ssa_type(from.type), space, {}});
  }
  return {};
}

/// A solution varies with all that its objective, its held and its first values vary with, but for its own unknowns.
ir::Rate Lowering::solve_rate(const plan::Solve& solve) const {
  const auto rate_of = [&](NodeId node) { return node ? plan_.graph.nodes[node].rate : ir::Rate{0}; };
  ir::Rate rate = rate_of(solve.objective);
  for (const plan::UnknownId u : solve.unknowns) rate |= rate_of(plan_.unknowns[u.index].initial);
  for (const plan::Fix& fix : plan_.fixes)
    for (const plan::UnknownId u : solve.unknowns)
      if (fix.unknown == u) rate |= rate_of(fix.value);
  return static_cast<ir::Rate>((rate & ~ir::kAxisIteration) | ir::kAxisMesh);
}

Result<void> Lowering::lower_solve(model::SolveId id) {
  if (solves_.contains(id.index)) return {};
  const model::Solve& from = model_.solves[id];
  plan::Solve to;
  to.span = from.span;
  to.method = from.method;
  if (from.kind != model::SolveKind::Minimise) return not_yet("`solve` that isn't `minimizing`", from.span);
  for (const model::Option& option : from.options) {
    const auto number = [&]() -> double {
      return option.value ? model_.exprs[option.value].number : 0.0;
    };
    if (option.name == "tol") to.tolerance = number();
    else if (option.name == "iterations") to.max_iterations = static_cast<int32_t>(number());
    else if (option.name == "relative_to") to.relative_to_start = option.word == "start";
    else return fail("solve-option", fmt::format("`{}` is not an option of a solve", option.name),
                     "options are `tol`, `iterations`, `relative_to: start`", from.span);
  }
  for (const model::UnknownId u : from.unknowns) {
    const model::Unknown& unknown = model_.unknowns[u];
    plan::Unknown& planned = plan_.unknowns[u.index];
    const auto initial = node_of(unknown.initial, planned.space, {});
    if (!initial) return fail(initial.error());
    planned.initial = *initial;
    to.unknowns.push_back(plan::UnknownId(u.index));
    to.name += (to.name.empty() ? "" : ", ") + unknown.name;
    for (const model::Fix& fix : model_.fixes) {
      if (fix.unknown != u) continue;
      const auto on = space_of(fix.domain, false, -1, false);
      if (!on) return fail(on.error());
      plan::Fix made{.unknown = plan::UnknownId(u.index), .components = fix.components, .on = *on, .value = {},
                     .over = fix.over, .span = fix.span};
      // Initial values that vary are held like given ones: derivatives go through them.
      const bool varies = plan_.graph.nodes[*initial].rate & ~ir::kAxisMesh;
      if (fix.value || varies) {
        const auto node = node_of(fix.value ? fix.value : unknown.initial, *on, {});
        if (!node) return fail(node.error());
        made.value = *node;
      }
      plan_.fixes.push_back(std::move(made));
    }
  }
  const auto objective = node_of(from.objective, kSingle, id);
  if (!objective) return fail(objective.error());
  to.objective = *objective;
  // Its own number only now: solves that it reads have been added by the lowering of its objective.
  solves_[id.index] = graph::SolveId(static_cast<uint32_t>(plan_.solves.size()));
  plan_.solves.push_back(std::move(to));
  return {};
}

Result<void> Lowering::wanted() {
  for (const model::Output& output : model_.outputs) {
    const auto node = node_of(output.body, kSingle, {});
    if (!node) return fail(node.error());
    plan_.outputs.push_back({output.name, unit_text(model_.exprs[output.body].type), 1, *node, output.span, false});
  }
  for (const model::Named& loss : model_.losses) {
    const auto node = node_of(loss.body, kSingle, {});
    if (!node) return fail(node.error());
    plan_.outputs.push_back({loss.name, unit_text(model_.exprs[loss.body].type), 1, *node, loss.span, true});
  }
  for (const model::Show& show : model_.shows) {
    const bool cells = model_.domains[show.domain].kind == model::DomainKind::Cells;
    const auto space = space_of(show.domain, cells, -1, false);
    if (!space) return fail(space.error());
    const auto node = node_of(show.body, *space, {});
    if (!node) return fail(node.error());
    plan_.shows.push_back({show.name, unit_text(model_.exprs[show.body].type), 1, *node, ssa_type(model_.exprs[show.body].type), show.span});
  }
  if (auto done = learning(); !done) return done;
  return positions();
}

Result<void> Lowering::learning() {
  for (const model::Frames& f : model_.frames) plan_.frames.push_back({f.name, f.pattern, f.count, f.span});
  const auto initial = [](const model::Initial& i) { return plan::Initial{i.kind, i.a, i.b}; };
  const auto frames_of = [](model::FramesId id) { return id ? static_cast<int32_t>(id.index) : -1; };
  for (const model::Data& d : model_.data) {
    plan::Data to{.name = d.name, .loader = d.loader, .path = d.path, .type = ssa_type(d.type), .space = kSingle,
                  .frames = frames_of(d.per), .value = {}, .unit = 1, .span = d.span};
    if (d.domain) {
      const auto space = space_of(d.domain, false, -1, false);
      if (!space) return fail(space.error());
      to.space = *space;
    }
    if (d.value && d.loader.empty()) {
      const auto node = node_of(d.value, to.space, {});
      if (!node) return fail(node.error());
      to.value = *node;
    } else if (d.value) {
      to.unit = model_.exprs[d.value].number;
    }
    plan_.data.push_back(std::move(to));
  }
  for (const model::Latent& l : model_.latents)
    plan_.latents.push_back({l.name, ssa_type(l.type), frames_of(l.per), l.count, initial(l.initial), l.span});
  for (const model::Weight& w : model_.weights)
    plan_.weights.push_back({w.path, ssa_type(w.type), initial(w.initial),
                             w.network ? model_.networks[w.network].name : std::string(), w.span});
  for (const model::Learn& from : model_.learns) {
    plan::Learn to{.name = from.name, .learned = {}, .objective = {}, .parts = {}, .over = frames_of(from.over),
                   .optimiser = from.optimiser, .rate = {}, .steps = 100, .batch = 0, .span = from.span};
    const auto objective = node_of(from.objective, kSingle, {});
    if (!objective) return fail(objective.error());
    to.objective = *objective;
    for (const model::Named& loss : model_.losses) {
      const auto node = node_of(loss.body, kSingle, {});
      const bool of_frames = node && plan_.graph.nodes[*node].rate & ir::kAxisFrame;
      if (node && (to.over >= 0 || !of_frames)) to.parts.emplace_back(loss.name, *node);
    }
    for (const model::Option& option : from.options) {
      const double number = option.value ? model_.exprs[option.value].number : 0;
      if (option.name == "rate") {
        to.rate = {option.word.empty() ? "constant" : option.word, number, number};
        if (!option.word.empty()) {  // cosine(first, last): a list of numbers
          const std::vector<model::ExprId>& ends = model_.exprs[option.value].args;
          to.rate.first = model_.exprs[ends.front()].number;
          to.rate.last = model_.exprs[ends.back()].number;
        }
      } else if (option.name == "steps") {
        to.steps = static_cast<int32_t>(number);
      } else if (option.name == "batch") {
        to.batch = static_cast<int32_t>(number);
      } else {
        return fail("learn-option", fmt::format("`{}` is not an option of `learn`", option.name),
                    "options are `rate`, `steps`, `batch`", from.span);
      }
    }
    const auto learn = [&](plan::LearnedKind kind, uint32_t ref, NodeId leaf) { to.learned.push_back({kind, ref, leaf, {}}); };
    for (const auto& what : from.learned) {
      if (const auto* param = std::get_if<model::ParamId>(&what)) {
        const model::Param& p = model_.params[*param];
        learn(plan::LearnedKind::Param, param->index,
              leaf(LeafKind::Param, param->index, kSingle, ssa_type(p.type), ir::kAxisParams, p.name));
      } else if (const auto* latent = std::get_if<model::LatentId>(&what)) {
        const auto found = leaves_.find({-2, latent->index, 0});
        if (found != leaves_.end()) learn(plan::LearnedKind::Latent, latent->index, found->second);
      } else if (const auto* network = std::get_if<model::NetworkId>(&what)) {
        for (const model::WeightId w : model_.networks[*network].weights) {
          const model::Weight& weight = model_.weights[w];
          learn(plan::LearnedKind::Weight, w.index,
                leaf(LeafKind::Weight, w.index, kSingle, ssa_type(weight.type), ir::kAxisParams, weight.path));
        }
      } else if (const auto* weight = std::get_if<model::WeightId>(&what)) {
        const model::Weight& w = model_.weights[*weight];
        learn(plan::LearnedKind::Weight, weight->index,
              leaf(LeafKind::Weight, weight->index, kSingle, ssa_type(w.type), ir::kAxisParams, w.path));
      } else {
        return not_yet("learning an unknown", from.span);
      }
    }
    plan_.learns.push_back(std::move(to));
  }
  return {};
}

Result<void> Lowering::positions() {
  for (uint32_t u = 0; u < model_.unknowns.size(); ++u) {
    const model::Unknown& unknown = model_.unknowns[model::UnknownId(u)];
    if (model_.exprs[unknown.initial].kind != ExprKind::RestPosition || !unknown.domain) continue;
    // Only unknowns whose solve something reads: showing a body is no reason to solve for it.
    const auto found = leaves_.find({-1, u, 0});
    if (found == leaves_.end()) continue;
    const graph::GeometryId mesh = plan_.graph.spaces[plan_.unknowns[u].space].geometry;
    plan_.positions.push_back({mesh, found->second});
    for (uint32_t g = 0; g < plan_.geometries.size(); ++g) {
      const auto* embed = std::get_if<plan::Embed>(&plan_.geometries[g].source);
      const auto* boundary = std::get_if<plan::Boundary>(&plan_.geometries[g].source);
      if ((embed ? embed->in : boundary ? boundary->mesh : graph::GeometryId{}) != mesh) continue;
      const graph::GeometryId id(g);
      plan_.positions.push_back({id, add({graph::Gather{GatherKind::Value, 0}, vertices_or_nodes(id), Type::vector(3),
                                          plan_.graph.nodes[found->second].rate, {found->second}, unknown.name, {}})});
    }
  }
  return {};
}

Result<plan::Plan> Lowering::run() {
  plan_.name = model_.name;
  plan_.documentation = model_.documentation;
  plan_.graph.spaces.add({});  // kSingle
  if (auto r = geometries(); !r) return fail(r.error());
  if (auto r = declarations(); !r) return fail(r.error());
  if (auto r = wanted(); !r) return fail(r.error());
  return std::move(plan_);
}

}  // namespace asb::lower

namespace asb {

Result<plan::Plan> lower_to_graph(const model::Model& model) { return lower::Lowering(model).run(); }

}  // namespace asb
