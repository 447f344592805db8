// Sets of entities: members of meshes, narrowings, corners, and reductions over them.
#include "dsl/sema/checker.h"

namespace asb::sema {

using model::DomainKind;
using model::GeometryKind;

std::string closest(std::string_view name, const std::vector<std::string>& candidates);

// A mesh, surface or curve as a set: its cells, facets or edges, by quadrature; points and tuples: themselves.
Value Checker::geometry_set(GeometryId geometry, Span span) {
  model::Domain domain;
  domain.of = geometry;
  domain.text = model_.geometries[geometry].name;
  domain.span = span;
  Value set;
  set.kind = ValueKind::Set;
  set.span = span;
  set.geometry = geometry;
  switch (model_.geometries[geometry].kind) {
    case GeometryKind::Mesh:
    case GeometryKind::Grid: domain.kind = DomainKind::Cells; set.by_measure = true; break;
    case GeometryKind::Surface: domain.kind = DomainKind::Facets; set.by_measure = true; break;
    case GeometryKind::Curve: domain.kind = DomainKind::Edges; set.by_measure = true; break;
    case GeometryKind::Points:
    case GeometryKind::Particles: domain.kind = DomainKind::Points; break;
    case GeometryKind::Stencil: domain.kind = DomainKind::Stencil; break;
    case GeometryKind::Pairs: domain.kind = DomainKind::Pairs; break;
    case GeometryKind::Neighbours: domain.kind = DomainKind::Neighbours; break;
  }
  set.domain = model_.domains.add(std::move(domain));
  return set;
}

// sample(D, n): fresh random points of a mesh.
Value Checker::set_of(ast::ExprId expr) {
  if (const auto* call = std::get_if<ast::Call>(&tree_[expr].kind); call && call->function.text == "sample") {
    const Span span = tree_[expr].span;
    if (!argument_count(*call, 2, 2, span)) return {};
    const Value of = set_of(call->arguments[0].value);
    const auto n = compile_time_int(call->arguments[1].value, "the number of samples");
    if (of.is_error() || !n) return {};
    if (!of.by_measure || *n < 1 || *n > kMaxEntries) {
      error(Kind::WrongSet, span, "`sample`", "a mesh, surface or curve, and a number of points");
      return {};
    }
    Value set = of;
    model::Domain domain = model_.domains[of.domain];
    domain.kind = DomainKind::Samples;
    domain.samples = static_cast<int32_t>(*n);
    domain.text = text(span);
    domain.span = span;
    set.domain = model_.domains.add(std::move(domain));
    set.by_measure = false;
    set.span = span;
    return set;
  }
  Value value = expression(expr);
  if (value.is_error()) return {};
  if (value.kind == ValueKind::Geometry) return geometry_set(value.geometry, value.span);
  if (value.kind == ValueKind::Set) return value;
  error(Kind::NotASet, value.span, text(value.span));
  return {};
}

Value Checker::set_member(const Value& base, const ast::Ident& member, const std::vector<ast::Argument>& arguments,
                          Span span) {
  if (base.is_error()) return {};
  if (base.kind != ValueKind::Geometry && base.kind != ValueKind::Set) {
    error(Kind::NotASet, base.span, text(base.span));
    return {};
  }
  const std::string& name = member.text;
  int64_t order = -1;
  for (const ast::Argument& argument : arguments) {
    if (name != "nodes" || argument.label.text != "order") {
      error(Kind::UnknownArgument, argument.label ? argument.label.span : span, name, argument.label.text)
          .with_hint("`m.nodes(order: k)` takes an order");
      return {};
    }
    const auto k = compile_time_int(argument.value, "the order of nodes");
    if (!k) return {};
    order = *k;
    if (order < 1 || order > 2) {
      error(Kind::IndexOutOfRange, tree_[argument.value].span, order, 3);
      return {};
    }
  }
  Value set;
  set.kind = ValueKind::Set;
  set.span = span;
  set.geometry = base.geometry;
  model::Domain domain;
  domain.of = base.geometry;
  domain.text = text(span);
  domain.span = span;
  const GeometryInfo& info = geometry_info_[base.geometry.index];
  domain.order = order > 0 ? static_cast<int32_t>(order) : info.node_order;
  const GeometryKind kind = model_.geometries[base.geometry].kind;
  if (base.kind == ValueKind::Set) {  // S.nodes: the nodes of these cells or facets
    const DomainKind of = model_.domains[base.domain].kind;
    const bool has_nodes = of == DomainKind::Cells || of == DomainKind::Facets || of == DomainKind::Edges;
    const bool on_mesh = kind == GeometryKind::Mesh || kind == GeometryKind::Grid;
    if (!has_nodes || name != (on_mesh ? "nodes" : "vertices")) {
      error(Kind::NoSuchMember, member.span, fmt::format("`{}`", model_.domains[base.domain].text), name)
          .with_hint("`S.nodes` are the nodes of a set of cells or facets of a mesh, `S.vertices` those of a surface's facets");
      return {};
    }
    domain.kind = on_mesh ? DomainKind::Nodes : DomainKind::Vertices;
    domain.nodes_of = base.domain;
    set.domain = model_.domains.add(std::move(domain));
    return set;
  }
  if (name == "cell_size" && (kind == GeometryKind::Mesh || kind == GeometryKind::Grid)) {
    const Type type{.kind = TypeKind::Real, .dims = {}, .unit = info.is_free ? free_unit() : metres()};
    return of_node(add({.kind = ExprKind::CellSize, .type = type, .span = span, .args = {}, .ref = base.geometry.index}),
                   type, span);
  }
  std::vector<std::string> known;
  switch (kind) {
    case GeometryKind::Mesh:
      known = {"cells", "facets", "edges", "nodes"};
      if (info.dimension == 2) known.push_back("hinges");
      break;
    case GeometryKind::Grid: known = {"cells", "nodes"}; break;
    case GeometryKind::Surface: known = {"facets", "edges", "vertices"}; break;
    case GeometryKind::Curve: known = {"edges", "vertices"}; break;
    default: break;
  }
  for (const std::string& k : known)
    if (k == name) {
      domain.kind = k == "cells"    ? DomainKind::Cells
                    : k == "facets" ? DomainKind::Facets
                    : k == "edges"  ? DomainKind::Edges
                    : k == "nodes"  ? DomainKind::Nodes
                    : k == "hinges" ? DomainKind::Hinges
                                    : DomainKind::Vertices;
      set.domain = model_.domains.add(std::move(domain));
      return set;
    }
  Diagnostic& report = error(Kind::NoSuchMember, member.span, fmt::format("`{}`", text(base.span)), name);
  if (known.empty()) report.with_hint(fmt::format("`{}` is a set itself", text(base.span)));
  else report.with_hint(fmt::format("it has `{}`", fmt::join(known, "`, `")));
  return {};
}

Value Checker::narrow(const Value& set, model::Narrowing narrowing, Span span) {
  if (set.is_error()) return {};
  model::Domain domain = model_.domains[set.domain];
  domain.narrowings.push_back(std::move(narrowing));
  domain.text = text(span);
  domain.span = span;
  Value narrowed = set;
  narrowed.domain = model_.domains.add(std::move(domain));
  narrowed.span = span;
  return narrowed;
}

Value Checker::where(const ast::Where& expr, Span span) {
  const Value set = set_of(expr.set);
  if (set.is_error()) return {};
  model::Narrowing narrowing;
  {
    Frame frame(*this);
    Value entities = set;
    entities.by_measure = false;  // a condition holds for a cell or not, at its centroid
    context_ = at_set(entities);
    const Value condition = number(expr.condition);
    if (condition.is_error()) return {};
    if (!condition.is_bool()) {
      error(Kind::WrongOperand, condition.span, "`where`", "a condition", spell_shape(condition.type));
      return {};
    }
    narrowing.where = expr_of(condition);
  }
  return narrow(set, std::move(narrowing), span);
}

Value Checker::within(const ast::Within& expr, Span span) {
  const Value set = set_of(expr.set);
  const GeometryId surface = geometry_argument(expr.surface, "the right of `within`");
  if (set.is_error() || !surface) return {};
  if (model_.geometries[surface].kind != GeometryKind::Surface) {
    error(Kind::WrongGeometry, tree_[expr.surface].span, "the right of `within`", "a closed surface");
    return {};
  }
  model::Narrowing narrowing;
  narrowing.within = surface;
  return narrow(set, std::move(narrowing), span);
}

Context Checker::at_set(const Value& set) {
  Context context;
  context.place = set.by_measure ? Place::Point : Place::Entity;
  context.domain = set.domain;
  context.number = ++contexts_;
  context.sums_unchecked = context_.sums_unchecked;
  context.in_work = context_.in_work;
  return context;
}

// The sets that the corners of an entity belong to; empty if it has none.
std::vector<DomainId> Checker::corner_sets(DomainId id, int named) {
  const model::Domain domain = model_.domains[id];
  const GeometryInfo& info = geometry_info_[domain.of.index];
  int corners = 0;
  switch (domain.kind) {
    case DomainKind::Edges: corners = 2; break;
    case DomainKind::Hinges: corners = 4; break;
    case DomainKind::Facets: corners = info.facet_corners ? info.facet_corners : named; break;
    case DomainKind::Cells: corners = info.cell_corners ? info.cell_corners : named; break;
    case DomainKind::Stencil:
    case DomainKind::Pairs:
    case DomainKind::Neighbours: return info.parts;
    default: return {};
  }
  const GeometryKind kind = model_.geometries[domain.of].kind;
  model::Domain at;
  at.kind = kind == GeometryKind::Mesh || kind == GeometryKind::Grid ? DomainKind::Nodes : DomainKind::Vertices;
  at.of = domain.of;
  at.order = 1;
  at.text = model_.geometries[domain.of].name + (at.kind == DomainKind::Nodes ? ".nodes" : ".vertices");
  at.span = domain.span;
  return std::vector<DomainId>(static_cast<size_t>(corners), model_.domains.add(std::move(at)));
}

bool Checker::bind_corners(const ast::CornerNames& corners, const Value& set, Context& context) {
  if (!corners) return true;
  if (!corners.is_tuple) {
    Value entity;
    entity.kind = ValueKind::Entity;
    entity.ref = context.number;
    return bind(corners.names[0], entity);
  }
  context.corners = corner_sets(set.domain, static_cast<int>(corners.names.size()));
  if (context.corners.size() != corners.names.size()) {
    error(Kind::WrongCorners, corners.names[0].span, model_.domains[set.domain].text, context.corners.size(),
          corners.names.size());
    return false;
  }
  for (size_t i = 0; i < corners.names.size(); ++i) {
    Value corner;
    corner.kind = ValueKind::Corner;
    corner.ref = context.number;
    corner.index = static_cast<int32_t>(i);
    if (!bind(corners.names[i], corner)) return false;
  }
  return true;
}

Value Checker::reduction(const ast::Reduction& expr, Span span) {
  Value set = set_of(expr.domain);
  int64_t degree = -1;
  for (const ast::Argument& option : expr.options) {
    if (option.label.text == "degree" && expr.kind == ast::ReductionKind::Integral) {
      const auto d = compile_time_int(option.value, "the degree of an integral");
      if (!d) return {};
      degree = *d;
      if (degree >= 0 && degree <= 30) continue;
      error(Kind::IndexOutOfRange, tree_[option.value].span, degree, 31);
      return {};
    }
    error(Kind::UnknownArgument, option.label ? option.label.span : span, text(tree_[expr.domain].span),
          option.label.text)
        .with_hint("`integral(m, degree: 4)` sets the degree of the quadrature");
    return {};
  }
  if (set.is_error()) return {};
  const DomainKind kind = model_.domains[set.domain].kind;
  const bool integral = expr.kind == ast::ReductionKind::Integral;
  const bool has_measure = kind == DomainKind::Cells || kind == DomainKind::Facets || kind == DomainKind::Edges;
  if (integral && !has_measure) {
    error(Kind::WrongSet, set.span, "`integral`", "a mesh, surface or curve, or a narrowing of one")
        .with_hint(fmt::format("`sum({0}) {{ … }}` and `mean({0}) {{ … }}` are over a set of entities", text(set.span)));
    return {};
  }
  if (integral) set.by_measure = true;
  if (!integral && expr.kind != ast::ReductionKind::Mean && set.by_measure) {
    const char* name = expr.kind == ast::ReductionKind::Sum ? "sum" : expr.kind == ast::ReductionKind::Min ? "min" : "max";
    // Of the entities: a mesh itself has points, not entities, to run over.
    error(Kind::WrongSet, set.span, fmt::format("`{}`", name), "a set of entities")
        .with_hint(fmt::format("`{0}.cells`, `{0}.nodes`, `{0}.facets`; `integral` and `mean` take `{0}` itself",
                               model_.geometries[set.geometry].name));
    return {};
  }

  Frame frame(*this);
  Context context = at_set(set);
  model::Expr reduce{.kind = ExprKind::Reduce, .type = {}, .span = span};
  if (expr.corners) {
    model::Domain named = model_.domains[set.domain];
    for (const ast::Ident& name : expr.corners.names) named.corners.push_back(name.text);
    set.domain = context.domain = model_.domains.add(std::move(named));
  }
  if (!bind_corners(expr.corners, set, context)) return {};
  if (expr.into) {
    const Found corner = find(expr.into.text, expr.into.span, false);
    const bool ours = corner.local && corner.local->value.kind == ValueKind::Corner &&
                      corner.local->value.ref == context.number;
    if (!ours) {
      error(Kind::BadInto, expr.into.span, expr.into.text);
      return {};
    }
    reduce.into = corner.local->value.index;
    // The terms land on the entities that the enclosing `let … on` runs over.
    const model::Domain& into = model_.domains[context.corners[static_cast<size_t>(reduce.into)]];
    const bool lands = frame.context.place == Place::Entity && model_.domains[frame.context.domain].of == into.of &&
                       model_.domains[frame.context.domain].kind == into.kind && expr.kind == ast::ReductionKind::Sum;
    if (!lands) {
      error(Kind::BadInto, expr.into.span, expr.into.text)
          .with_hint(fmt::format("write `let q: T on {} = sum(… into {}) {{ … }}`", into.text, expr.into.text));
      return {};
    }
  }
  context_ = context;
  const Value body = number(expr.body);
  if (body.is_error()) return {};
  if (body.is_bool()) {
    wrong_operand(integral ? "integral" : "a reduction", "numbers", body);
    return {};
  }
  Type type = body.type;
  if (type.kind == TypeKind::Int) type.kind = TypeKind::Real;
  if (integral) {
    const int dimension = kind == DomainKind::Edges ? 1
                          : kind == DomainKind::Facets ? (model_.geometries[set.geometry].kind == GeometryKind::Surface ? 2 : geometry_info_[set.geometry.index].dimension - 1)
                                                       : geometry_info_[set.geometry.index].dimension;
    const Unit measure = geometry_info_[set.geometry.index].is_free ? free_unit() : metres(dimension);
    const auto unit = product(type.unit, measure);
    if (!unit) {
      error(Kind::UnitPower, span, "integral");
      return {};
    }
    type.unit = *unit;
  }
  reduce.type = type;
  reduce.args = {expr_of(body)};
  reduce.domain = set.domain;
  reduce.by_measure = set.by_measure;
  reduce.degree = static_cast<int32_t>(degree);
  switch (expr.kind) {
    case ast::ReductionKind::Integral: reduce.reduction = model::Reduction::Integral; break;
    case ast::ReductionKind::Mean: reduce.reduction = model::Reduction::Mean; break;
    case ast::ReductionKind::Sum: reduce.reduction = model::Reduction::Sum; break;
    case ast::ReductionKind::Min: reduce.reduction = model::Reduction::Min; break;
    case ast::ReductionKind::Max: reduce.reduction = model::Reduction::Max; break;
  }
  return of_node(add(std::move(reduce)), type, span);
}

}  // namespace asb::sema
