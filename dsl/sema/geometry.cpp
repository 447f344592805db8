// Meshes, surfaces, curves, points, particles, grids, stencils, pairs: what they are made of.
#include "dsl/sema/checker.h"

namespace asb::sema {

using model::DomainKind;
using model::GeometryKind;

namespace {

std::string_view kind_name(ast::DomainKind kind) {
  switch (kind) {
    case ast::DomainKind::Mesh: return "mesh";
    case ast::DomainKind::Surface: return "surface";
    case ast::DomainKind::Curve: return "curve";
    case ast::DomainKind::Points: return "points";
    case ast::DomainKind::Particles: return "particles";
    case ast::DomainKind::Grid: return "grid";
  }
  return "set";
}

GeometryKind model_kind(ast::DomainKind kind) {
  switch (kind) {
    case ast::DomainKind::Mesh: return GeometryKind::Mesh;
    case ast::DomainKind::Surface: return GeometryKind::Surface;
    case ast::DomainKind::Curve: return GeometryKind::Curve;
    case ast::DomainKind::Points: return GeometryKind::Points;
    case ast::DomainKind::Particles: return GeometryKind::Particles;
    case ast::DomainKind::Grid: return GeometryKind::Grid;
  }
  return GeometryKind::Mesh;
}

/// What makes each kind, for the hint.
std::string_view makers(ast::DomainKind kind) {
  switch (kind) {
    case ast::DomainKind::Mesh: return "`box(…)`, `voxels(surface, cells: n)` or `file(\"…\")`";
    case ast::DomainKind::Surface: return "`file(\"…\")`, `embed(s, in: m)` or `boundary(m)`";
    case ast::DomainKind::Curve: return "`polyline(\"…\")`, `file(\"…\")` or `embed(c, in: m)`";
    case ast::DomainKind::Points: return "`file(\"…\")` or `embed(p, in: m)`";
    case ast::DomainKind::Particles: return "`sample(m, per_cell: n)` or `file(\"…\")`";
    case ast::DomainKind::Grid: return "`grid(size: …, cells: n, kernel: quadratic)`";
  }
  return "";
}

}  // namespace

GeometryId Checker::add_geometry(model::Geometry geometry, GeometryInfo info) {
  geometry_info_.push_back(std::move(info));
  return model_.geometries.add(std::move(geometry));
}

GeometryId Checker::geometry_argument(ast::ExprId expr, std::string_view what) {
  const Value value = expression(expr);
  if (value.is_error()) return {};
  if (value.kind == ValueKind::Geometry) return value.geometry;
  error(Kind::WrongGeometry, value.span, what, "a mesh or surface by its name");
  return {};
}

// `a at x`: a set and the positions that it has there.
Value Checker::moving(ast::ExprId expr, std::string_view what, ExprId& position) {
  const auto* at = std::get_if<ast::At>(&tree_[expr].kind);
  Value set = set_of(at ? at->set : expr);
  if (set.is_error() || !at) return set;
  Frame frame(*this);
  // Facets meet at the moving vertices; positions are read there.
  Value vertices = set;
  const DomainKind kind = model_.domains[set.domain].kind;
  if (kind == DomainKind::Facets || kind == DomainKind::Cells || kind == DomainKind::Edges)
    vertices.domain = corner_sets(set.domain, 1).front();
  vertices.by_measure = false;
  context_ = at_set(vertices);
  const Value x = number(at->position);
  if (x.is_error()) return {};
  if (!x.is_vector() || x.type.dims[0] != 3) {
    wrong_operand(what, "positions, a `vec3`", x);
    return {};
  }
  position = expr_of(x);
  return set;
}

void Checker::declare_geometry(ast::DeclId id, const ast::DomainDecl& decl, Span span) {
  DeclInfo& info = info_[id.index];
  info.state = State::Failed;
  const auto* call = std::get_if<ast::Call>(&tree_[decl.value].kind);
  if (!call) {
    if (std::holds_alternative<ast::Missing>(tree_[decl.value].kind)) return;
    error(Kind::BadGeometry, tree_[decl.value].span, fmt::format("a {} isn't made by an expression", kind_name(decl.kind)),
          fmt::format("it is made by {}", makers(decl.kind)));
    return;
  }
  model::Geometry geometry{.name = decl.name.text, .kind = model_kind(decl.kind), .source = {}, .span = span};
  GeometryInfo extra;
  using K = ast::DomainKind;
  const std::string& maker = call->function.text;
  const Span at = tree_[decl.value].span;
  const bool carried = decl.kind == K::Surface || decl.kind == K::Curve || decl.kind == K::Points;
  bool ok = false;
  if (maker == "box" && decl.kind == K::Mesh) ok = source_box(*call, geometry, extra, at);
  else if (maker == "voxels" && decl.kind == K::Mesh) ok = source_voxels(*call, geometry, extra, at);
  else if ((maker == "file" && decl.kind != K::Grid) || (maker == "polyline" && decl.kind == K::Curve))
    ok = source_file(*call, decl.kind, geometry, extra, at);
  else if (maker == "embed" && carried) ok = source_embed(*call, geometry, extra, at);
  else if (maker == "boundary" && decl.kind == K::Surface) ok = source_boundary(*call, geometry, extra, at);
  else if ((maker == "sample" && decl.kind == K::Particles) || (maker == "grid" && decl.kind == K::Grid))
    ok = source_other(*call, geometry, extra, at);
  else
    error(Kind::BadGeometry, call->function.span, fmt::format("`{}` makes no {}", maker, kind_name(decl.kind)),
          fmt::format("a {} is made by {}", kind_name(decl.kind), makers(decl.kind)));
  if (!ok) return;
  DeclInfo& done = info_[id.index];
  done.ref = add_geometry(std::move(geometry), std::move(extra)).index;
  done.state = State::Done;
}

void Checker::declare_stencil(ast::DeclId id, const ast::StencilDecl& decl, Span span) {
  info_[id.index].state = State::Failed;
  model::Geometry geometry{.name = decl.name.text, .kind = GeometryKind::Stencil, .source = {}, .span = span};
  GeometryInfo info;
  info.dimension = 0;
  model::OtherSource other;
  const auto* call = std::get_if<ast::Call>(&tree_[decl.value].kind);
  if (!call || call->function.text != "file" || call->arguments.size() != 1) {
    if (!std::holds_alternative<ast::Missing>(tree_[decl.value].kind))
      error(Kind::BadGeometry, tree_[decl.value].span, "a stencil comes from a file", "write `= file(\"springs.csv\")`");
    return;
  }
  const auto path = text_argument(call->arguments[0].value, "a path");
  if (!path) return;
  other.what = "stencil:" + *path;
  for (const ast::StencilPart& part : decl.parts) {
    const Value set = set_of(part.domain);
    if (set.is_error()) return;
    info.part_names.push_back(part.name.text);
    info.parts.push_back(set.domain);
    info.is_free = info.is_free || geometry_info_[set.geometry.index].is_free;
    other.geometries.emplace_back(part.name.text, set.geometry);
  }
  geometry.source = std::move(other);
  DeclInfo& done = info_[id.index];
  done.ref = add_geometry(std::move(geometry), std::move(info)).index;
  done.state = State::Done;
}

// pairs c = between(a at x, b) within d;  neighbours n = of(g at x) within d.
void Checker::declare_pairs(ast::DeclId id, const ast::Ident& name, ast::ExprId value, ast::ExprId distance,
                            bool neighbours, Span span) {
  info_[id.index].state = State::Failed;
  const auto* call = std::get_if<ast::Call>(&tree_[value].kind);
  const char* maker = neighbours ? "of" : "between";
  const size_t count = neighbours ? 1 : 2;
  if (!call || call->function.text != maker || call->arguments.size() != count) {
    if (!std::holds_alternative<ast::Missing>(tree_[value].kind))
      error(Kind::BadGeometry, tree_[value].span, fmt::format("`{}` isn't made so", name.text),
            neighbours ? "write `neighbours n = of(grains at p) within 1 mm`" : "write `pairs c = between(skin at x, floor) within 1 mm`");
    return;
  }
  model::Geometry geometry{.name = name.text,
                           .kind = neighbours ? GeometryKind::Neighbours : GeometryKind::Pairs,
                           .source = {},
                           .span = span};
  GeometryInfo info;
  info.dimension = 0;
  model::OtherSource other;
  other.what = maker;
  for (size_t i = 0; i < count; ++i) {
    ExprId position;
    const Value set = moving(call->arguments[i].value, maker, position);
    if (set.is_error()) return;
    const std::string side = neighbours ? "of" : i == 0 ? "a" : "b";
    other.geometries.emplace_back(side, set.geometry);
    if (position) other.arguments.emplace_back(side + " at", position);
    DomainId corner = set.domain;
    const DomainKind kind = model_.domains[set.domain].kind;
    if (kind == DomainKind::Facets || kind == DomainKind::Cells || kind == DomainKind::Edges)
      corner = corner_sets(set.domain, 1).front();
    info.parts.push_back(corner);
    if (neighbours) info.parts.push_back(corner);
    info.is_free = info.is_free || geometry_info_[set.geometry.index].is_free;
  }
  const Value d = number(distance);
  if (d.is_error()) return;
  if (!d.is_scalar()) {
    wrong_operand("within", "a distance", d);
    return;
  }
  if (!d.bare && !d.type.unit.free && d.type.unit != metres()) {
    error(Kind::WrongUnit, d.span, "the distance", quoted(d.type.unit), "`m`");
    return;
  }
  other.arguments.emplace_back("within", expr_of(d));
  geometry.source = std::move(other);
  DeclInfo& done = info_[id.index];
  done.ref = add_geometry(std::move(geometry), std::move(info)).index;
  done.state = State::Done;
}

}  // namespace asb::sema
