// What a name means where it is read: the table of docs/language.md, "what a name means there".
#include "base/overloaded.h"
#include "dsl/sema/checker.h"

namespace asb::sema {

using model::DomainKind;
using model::GeometryKind;

Checker::Relation Checker::relation(GeometryId place, GeometryId of) const {
  if (place == of) return Relation::Same;
  const GeometryInfo& info = geometry_info_[place.index];
  if (info.boundary_of == of) return Relation::Part;
  if (info.embedded_in == of) return Relation::Embedded;
  if (info.embeds == of) return Relation::Same;  // the same points, embedded
  // Particles that were embedded: `points q = embed(sand at p, in: g)` relates sand to g.
  const GeometryKind kind = model_.geometries[place].kind;
  if (kind == GeometryKind::Particles || kind == GeometryKind::Points) {
    for (const GeometryInfo& other : geometry_info_)
      if (other.embeds == place && other.embedded_in == of) return Relation::Embedded;
  }
  // A boundary of what is embedded, or of a mesh embedded in another.
  if (info.boundary_of && geometry_info_[info.boundary_of.index].embedded_in == of) return Relation::Embedded;
  return Relation::None;
}

// Whether a quantity on `quantity` (none: X, which is everywhere) can be read in the present context.
Checker::Sight Checker::sight(DomainId quantity, bool gradient) const {
  switch (context_.place) {
    case Place::Nowhere: return Sight::NoEntity;
    case Place::Function: return Sight::InFunction;
    case Place::Material: return Sight::Seen;
    case Place::Point:
    case Place::Entity: break;
  }
  const model::Domain& here = model_.domains[context_.domain];
  const bool point = context_.place == Place::Point;
  const bool tuple = !point && (here.kind == DomainKind::Edges || here.kind == DomainKind::Hinges ||
                                here.kind == DomainKind::Stencil || here.kind == DomainKind::Pairs ||
                                here.kind == DomainKind::Neighbours);
  if (!quantity) return tuple ? Sight::NeedsCorner : Sight::Seen;
  const model::Domain& there = model_.domains[quantity];
  if (!point && here.kind == there.kind && here.of == there.of && here.order == there.order && !gradient)
    return Sight::Seen;
  if (tuple) {
    const bool nodal = there.kind == DomainKind::Nodes || there.kind == DomainKind::Vertices || there.kind == DomainKind::Points;
    return nodal ? Sight::NeedsCorner : Sight::OtherSet;
  }
  const Relation related = relation(here.of, there.of);
  if (related == Relation::None) return Sight::Unrelated;
  const bool at_node = !point && (here.kind == DomainKind::Nodes || here.kind == DomainKind::Vertices ||
                                  here.kind == DomainKind::Points);
  switch (there.kind) {
    case DomainKind::Nodes:
    case DomainKind::Vertices:
      if (gradient && at_node && related != Relation::Embedded) return Sight::GradientAtNode;
      return Sight::Seen;
    case DomainKind::Points: return at_node ? Sight::Seen : Sight::OtherSet;
    case DomainKind::Cells:
      if (at_node && related != Relation::Embedded) return Sight::CellAtNode;
      return Sight::Seen;
    case DomainKind::Facets: return here.kind == DomainKind::Facets && here.of == there.of ? Sight::Seen : Sight::OtherSet;
    case DomainKind::Edges: return here.kind == DomainKind::Edges && here.of == there.of ? Sight::Seen : Sight::OtherSet;
    case DomainKind::Hinges:
    case DomainKind::Stencil:
    case DomainKind::Pairs:
    case DomainKind::Neighbours:
    case DomainKind::Samples: return Sight::OtherSet;
  }
  return Sight::OtherSet;
}

std::string Checker::place_text() const {
  switch (context_.place) {
    case Place::Nowhere: return "outside any set of entities";
    case Place::Function: return "in a function";
    case Place::Material: return "at a point of a field";
    case Place::Point: return fmt::format("at a quadrature point of `{}`", model_.domains[context_.domain].text);
    case Place::Entity: break;
  }
  const model::Domain& here = model_.domains[context_.domain];
  const char* entity = "an entity";
  switch (here.kind) {
    case DomainKind::Cells: entity = "a cell"; break;
    case DomainKind::Facets: entity = "a facet"; break;
    case DomainKind::Edges: entity = "an edge"; break;
    case DomainKind::Nodes: entity = "a node"; break;
    case DomainKind::Vertices: entity = "a vertex"; break;
    case DomainKind::Hinges: entity = "a hinge"; break;
    case DomainKind::Points: entity = "a point"; break;
    case DomainKind::Stencil: entity = "a tuple"; break;
    case DomainKind::Pairs:
    case DomainKind::Neighbours: entity = "a pair"; break;
    case DomainKind::Samples: entity = "a sample"; break;
  }
  return fmt::format("at {} of `{}`", entity, here.text);
}

// Reports if the quantity can't be read here. `through`: the field that reads it, if one does.
bool Checker::check_seen(const Requirement& r, Span span, std::string_view through) {
  if (context_.place == Place::Material) {
    if (context_.requirements) context_.requirements->push_back(r);
    return true;
  }
  const Sight seen = sight(r.domain, r.gradient);
  if (seen == Sight::Seen) return true;
  const std::string what = r.gradient ? fmt::format("grad({})", r.name) : r.name;
  const std::string on = r.domain ? model_.domains[r.domain].text : "every point of matter";
  const auto finish = [&](Diagnostic& report) -> bool {
    if (!through.empty()) report.label(r.span, fmt::format("`{}` reads it here", through));
    return false;
  };
  switch (seen) {
    case Sight::Seen: return true;
    case Sight::NoEntity: {
      Diagnostic& report = error(Kind::NoEntity, span, what, on);
      if (r.domain && !r.gradient)
        report.with_hint(fmt::format("reduce it over a set: `mean({}) {{ {} }}`", on, what));
      return finish(report);
    }
    case Sight::InFunction:
      return finish(error(Kind::NoMeaningHere, span, what, place_text())
                        .with_hint(fmt::format("pass it: a parameter of the function, and `{}` as its argument", what)));
    case Sight::Unrelated: {
      const model::Domain& there = model_.domains[r.domain];
      const std::string& here_name = model_.geometries[model_.domains[context_.domain].of].name;
      const std::string& there_name = model_.geometries[there.of].name;
      Diagnostic& report = error(Kind::UnrelatedDomains, span, what, there_name, here_name);
      const GeometryKind kind = model_.geometries[there.of].kind;
      if (kind == GeometryKind::Mesh || kind == GeometryKind::Grid)
        report.with_hint(fmt::format("`embed({}, in: {})` makes a set that moves with `{}`", here_name, there_name, there_name));
      else
        report.with_hint(fmt::format("values on `{}` are read on it only; embed it in a mesh: `embed({}, in: …)`",
                                     there_name, there_name));
      return finish(report);
    }
    case Sight::NeedsCorner:
      return finish(error(Kind::CornerNeeded, span, what, place_text()));
    case Sight::CellAtNode:
    case Sight::GradientAtNode:
    case Sight::OtherSet: {
      Diagnostic& report = error(Kind::NoMeaningHere, span, what, place_text());
      if (seen == Sight::CellAtNode)
        report.with_hint("it has a value per cell, and several cells meet at a node; read it in `integral`, `mean(m)` or at `m.cells`");
      else if (seen == Sight::GradientAtNode)
        report.with_hint("cells that meet at a node have different gradients there; read it in `integral` or `mean(m)`, or at points embedded in the mesh");
      else
        report.with_hint(fmt::format("it has values on `{}` only", on));
      return finish(report);
    }
  }
  return false;
}

bool Checker::any_free_geometry() const {
  for (const GeometryInfo& info : geometry_info_)
    if (info.is_free) return true;
  return false;
}

Value Checker::rest_position(Span span) {
  if (!check_seen({{}, false, "X", span}, span, "")) return {};
  const bool here = context_.place == Place::Point || context_.place == Place::Entity;
  const bool free = here ? geometry_info_[model_.domains[context_.domain].of.index].is_free : any_free_geometry();
  const Type type{.kind = TypeKind::Real, .dims = {3}, .unit = free ? free_unit() : metres()};
  return of_node(add({.kind = ExprKind::RestPosition, .type = type, .span = span, .args = {}}), type, span);
}

bool Checker::at_facet() const {
  if (context_.place != Place::Point && context_.place != Place::Entity) return false;
  return model_.domains[context_.domain].kind == DomainKind::Facets;
}

Value Checker::rest_normal(Span span) {
  if (!at_facet()) {
    error(Kind::NoMeaningHere, span, "N", place_text())
        .with_hint("a normal is that of a facet: integrate over a surface, or reduce over `S.facets`");
    return {};
  }
  const Type type{.kind = TypeKind::Real, .dims = {3}, .unit = no_unit()};
  return of_node(add({.kind = ExprKind::RestNormal, .type = type, .span = span, .args = {}}), type, span);
}

Value Checker::read_quantity(const Quantity& q, Span span) {
  if (q.rows > 0) {
    error(Kind::IndexNeeded, span, q.name, q.rows);
    return {};
  }
  if (q.domain && !check_seen({q.domain, false, q.name, span}, span, "")) return {};
  Value value =
      of_node(add({.kind = q.kind, .type = q.type, .span = span, .args = {}, .ref = q.ref, .name = q.name}), q.type, span);
  value.declared = q.declared;
  return value;
}

// u[a], X[a], q[i][a]: at a corner of the entity.
Value Checker::read_at_corner(ast::ExprId base, const Value& corner, Span span, bool&) {
  if (corner.ref != context_.number) {
    error(Kind::NoMeaningHere, corner.span, text(corner.span), place_text())
        .with_hint("it is a corner of an entity of another set");
    return {};
  }
  const DomainId at = context_.corners[static_cast<size_t>(corner.index)];
  Value inner;
  {
    Frame frame(*this);
    context_.place = Place::Entity;
    context_.domain = at;
    context_.number = ++contexts_;  // corners of corners have no meaning
    const ast::Expr& expr = tree_[base];
    const auto* name = std::get_if<ast::Name>(&expr.kind);
    if (const auto* indexed = std::get_if<ast::Index>(&expr.kind)) name = std::get_if<ast::Name>(&tree_[indexed->base].kind);
    if (!name || find(name->name, expr.span, false).local) {
      error(Kind::NeedsName, expr.span, "[corner]");
      return {};
    }
    inner = expression(base);
  }
  if (inner.is_error()) return {};
  if (!inner.is_number() || !inner.expr) {
    error(Kind::NeedsName, tree_[base].span, "[corner]");
    return {};
  }
  switch (model_.exprs[inner.expr].kind) {
    case ExprKind::RestPosition:
    case ExprKind::Unknown:
    case ExprKind::Nodal:
    case ExprKind::Data:
    case ExprKind::Param:
    case ExprKind::State: break;
    default: error(Kind::NeedsName, tree_[base].span, "[corner]"); return {};
  }
  model::Expr expr{.kind = ExprKind::At, .type = inner.type, .span = span, .args = {inner.expr}};
  expr.index = corner.index;
  Value value = of_node(add(std::move(expr)), inner.type, span);
  value.declared = inner.declared;
  return value;
}

}  // namespace asb::sema
