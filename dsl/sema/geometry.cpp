// Meshes, surfaces, curves, points, particles, grids, stencils, pairs: what they are made of.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {

using model::DomainKind;
using model::GeometryKind;

namespace {

struct Element {
  std::string_view name;
  int dimension, cell_corners, facet_corners, order;
};
constexpr Element kElements[] = {
    {"hex8", 3, 8, 4, 1}, {"tet4", 3, 4, 3, 1}, {"tet10", 3, 4, 3, 2}, {"tri3", 2, 3, 2, 1}, {"quad4", 2, 4, 2, 1}};

const Element* find_element(std::string_view name) {
  for (const Element& e : kElements)
    if (e.name == name) return &e;
  return nullptr;
}

void set_element(GeometryInfo& info, const Element& e) {
  info.dimension = e.dimension;
  info.cell_corners = e.cell_corners;
  info.facet_corners = e.facet_corners;
  info.node_order = e.order;
}

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

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  for (const std::string_view end : ends)
    if (text.ends_with(end)) return true;
  return false;
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

bool Checker::source_box(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span) {
  model::BoxSource box;
  box.element = "hex8";
  bool has_size = false, has_cells = false;
  for (const ast::Argument& argument : call.arguments) {
    const std::string& label = argument.label.text;
    if (label == "size" || label == "cells") {
      const Value v = number(argument.value);
      if (v.is_error()) return false;
      const std::vector<ExprId>* items =
          v.expr && model_.exprs[v.expr].kind == ExprKind::Stack ? &model_.exprs[v.expr].args : nullptr;
      if (!v.is_vector() || v.type.dims[0] != 3 || !items) {
        error(Kind::NotCompileTime, v.span, fmt::format("`{}` of a box, a list of three numbers,", label));
        return false;
      }
      if (label == "size" && !v.bare && !v.type.unit.free && v.type.unit != metres()) {
        error(Kind::WrongUnit, v.span, "the size of a box", spell(v.type.unit), "m");
        return false;
      }
      for (size_t i = 0; i < 3; ++i) {
        const model::Expr& item = model_.exprs[(*items)[i]];
        const double x = item.number;
        if (item.kind != ExprKind::Number) {
          error(Kind::NotCompileTime, item.span, fmt::format("`{}` of a box", label));
          return false;
        }
        if (!(x > 0) || x > 1e6 || (label == "cells" && (x != std::floor(x) || x > 1e5))) {
          error(Kind::BadGeometry, item.span, fmt::format("`{}` of a box has {}", label, x),
                label == "size" ? "sizes are positive lengths" : "cells are whole numbers from 1 to 100000");
          return false;
        }
        if (label == "size") box.size[i] = x;
        else box.cells[i] = static_cast<int32_t>(x);
      }
      (label == "size" ? has_size : has_cells) = true;
    } else if (label == "element") {
      const auto word = word_argument(argument.value, "`element`");
      if (!word) return false;
      box.element = *word;
    } else {
      error(Kind::UnknownArgument, argument.label ? argument.label.span : span, "box", label)
          .with_hint("`box(size: [1, 0.1, 0.1] m, cells: [40, 4, 4], element: hex8)`");
      return false;
    }
  }
  if (!has_size || !has_cells) {
    error(Kind::MissingArgument, span, "box", has_size ? "cells" : "size");
    return false;
  }
  const Element* element = find_element(box.element);
  if (!element || element->dimension != 3) {
    error(Kind::BadGeometry, span, fmt::format("a box has no element `{}`", box.element), "it takes `hex8`, `tet4` or `tet10`");
    return false;
  }
  set_element(info, *element);
  geometry.source = std::move(box);
  geometry.has_unit = true;
  return true;
}

bool Checker::source_voxels(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span) {
  model::VoxelSource source;
  for (const ast::Argument& argument : call.arguments) {
    const std::string& label = argument.label.text;
    if (!argument.label) {
      source.surface = geometry_argument(argument.value, "the first argument of `voxels`");
      if (!source.surface) return false;
      if (model_.geometries[source.surface].kind != GeometryKind::Surface) {
        error(Kind::WrongGeometry, tree_[argument.value].span, "the first argument of `voxels`", "a surface");
        return false;
      }
    } else if (label == "cells") {
      const auto n = compile_time_int(argument.value, "`cells`");
      if (!n) return false;
      if (*n < 1 || *n > 10000) {
        error(Kind::BadGeometry, tree_[argument.value].span, fmt::format("{} cells along the longest side", *n),
              "give a number from 1 to 10000");
        return false;
      }
      source.cells = static_cast<int32_t>(*n);
    } else if (label == "rule") {
      const auto word = word_argument(argument.value, "`rule`");
      if (!word) return false;
      if (*word != "touch" && *word != "centre") {
        error(Kind::BadGeometry, tree_[argument.value].span, fmt::format("no rule `{}`", *word), "rules are `touch` and `centre`");
        return false;
      }
      source.rule = *word;
    } else if (label == "split") {
      const Value v = number(argument.value);
      if (v.is_error()) return false;
      if (!v.is_bool() || !v.constant) {
        wrong_operand("split", "`true` or `false`", v);
        return false;
      }
      source.split = *v.constant != 0;
    } else {
      error(Kind::UnknownArgument, argument.label.span, "voxels", label)
          .with_hint("`voxels(surface, cells: 48, rule: touch, split: false)`");
      return false;
    }
  }
  if (!source.surface || source.cells == 0) {
    error(Kind::MissingArgument, span, "voxels", source.surface ? "cells" : "surface");
    return false;
  }
  set_element(info, *find_element("hex8"));
  info.is_free = geometry_info_[source.surface.index].is_free;
  geometry.has_unit = !info.is_free;
  geometry.source = source;
  return true;
}

bool Checker::source_file(const ast::Call& call, ast::DomainKind kind, model::Geometry& geometry, GeometryInfo& info,
                          Span span) {
  std::string path, element;
  for (const ast::Argument& argument : call.arguments) {
    const std::string& label = argument.label.text;
    if (!argument.label) {
      const auto p = text_argument(argument.value, "a path");
      if (!p) return false;
      path = *p;
    } else if (label == "unit") {
      const Value v = number(argument.value);
      if (v.is_error()) return false;
      if (!v.is_scalar() || !v.constant || !(*v.constant > 0) || (v.type.unit != metres() && !v.bare)) {
        error(Kind::BadGeometry, v.span, "`unit` isn't a length", "write `unit: 1 mm`");
        return false;
      }
      geometry.unit = *v.constant;
      geometry.has_unit = true;
    } else if (label == "element" && kind == ast::DomainKind::Mesh) {
      const auto word = word_argument(argument.value, "`element`");
      if (!word) return false;
      element = *word;
    } else if (label == "in") {
      info.embedded_in = geometry_argument(argument.value, "`in`");
      if (!info.embedded_in) return false;
    } else {
      error(Kind::UnknownArgument, argument.label.span, call.function.text, label).with_hint("`file(\"name.obj\", unit: 1 mm)`");
      return false;
    }
  }
  if (path.empty()) {
    error(Kind::MissingArgument, span, call.function.text, "path");
    return false;
  }
  info.is_free = !geometry.has_unit;
  switch (kind) {
    case ast::DomainKind::Mesh: {
      if (element.empty()) element = ends_with_any(path, {".obj", ".stl", ".ply", ".off"}) ? "tri3" : "tet4";
      const Element* e = find_element(element);
      if (!e) {
        error(Kind::BadGeometry, span, fmt::format("no element `{}`", element), "elements are `hex8`, `tet4`, `tet10`, `tri3`, `quad4`");
        return false;
      }
      set_element(info, *e);
      break;
    }
    case ast::DomainKind::Surface: info.dimension = 2; info.facet_corners = 3; break;
    case ast::DomainKind::Curve: info.dimension = 1; break;
    case ast::DomainKind::Points:
    case ast::DomainKind::Particles:
    case ast::DomainKind::Grid: info.dimension = 0; break;
  }
  if (info.embedded_in || call.function.text == "polyline") {
    model::OtherSource other;
    other.what = call.function.text + ":" + path;
    if (info.embedded_in) other.geometries.emplace_back("in", info.embedded_in);
    geometry.source = std::move(other);
  } else {
    geometry.source = model::FileSource{path};
  }
  return true;
}

bool Checker::source_embed(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span) {
  model::EmbedSource source;
  ExprId position;
  for (const ast::Argument& argument : call.arguments) {
    if (!argument.label) {
      const Value set = moving(argument.value, "embed", position);
      if (set.is_error()) return false;
      source.surface = set.geometry;
    } else if (argument.label.text == "in") {
      source.in = geometry_argument(argument.value, "`in`");
      if (!source.in) return false;
    } else {
      error(Kind::UnknownArgument, argument.label.span, "embed", argument.label.text).with_hint("`embed(surface, in: mesh)`");
      return false;
    }
  }
  if (!source.surface || !source.in) {
    error(Kind::MissingArgument, span, "embed", source.surface ? "in" : "surface").with_hint("`embed(surface, in: mesh)`");
    return false;
  }
  const GeometryKind in = model_.geometries[source.in].kind;
  if (in != GeometryKind::Mesh && in != GeometryKind::Grid) {
    error(Kind::WrongGeometry, span, "`in`", "a mesh or a grid");
    return false;
  }
  const GeometryInfo& from = geometry_info_[source.surface.index];
  info = from;
  info.embedded_in = source.in;
  info.embeds = source.surface;
  info.boundary_of = {};
  info.is_free = from.is_free || geometry_info_[source.in.index].is_free;
  geometry.has_unit = !info.is_free;
  if (position) {
    model::OtherSource other;
    other.what = "embed";
    other.arguments.emplace_back("at", position);
    other.geometries = {{"points", source.surface}, {"in", source.in}};
    geometry.source = std::move(other);
  } else {
    geometry.source = source;
  }
  return true;
}

bool Checker::source_boundary(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span) {
  if (!argument_count(call, 1, 1, span)) return false;
  const GeometryId mesh = geometry_argument(call.arguments[0].value, "the argument of `boundary`");
  if (!mesh) return false;
  if (model_.geometries[mesh].kind != GeometryKind::Mesh || geometry_info_[mesh.index].dimension != 3) {
    error(Kind::WrongGeometry, tree_[call.arguments[0].value].span, "the argument of `boundary`", "a mesh of solid cells");
    return false;
  }
  geometry.source = model::BoundarySource{mesh};
  info.dimension = 2;
  info.facet_corners = geometry_info_[mesh.index].facet_corners;
  info.boundary_of = mesh;
  info.is_free = geometry_info_[mesh.index].is_free;
  geometry.has_unit = !info.is_free;
  return true;
}

// Particles, grids: parsed and checked, with all their arguments kept by name.
bool Checker::source_other(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span) {
  model::OtherSource other;
  other.what = call.function.text;
  info.dimension = other.what == "grid" ? 3 : 0;
  info.cell_corners = other.what == "grid" ? 8 : 0;
  for (const ast::Argument& argument : call.arguments) {
    const std::string& label = argument.label.text;
    if (label == "kernel" || label == "rule") {
      const auto word = word_argument(argument.value, fmt::format("`{}`", label));
      if (!word) return false;
      other.what += fmt::format(" {}: {}", label, *word);
      continue;
    }
    const Value value = expression(argument.value);
    if (value.is_error()) return false;
    if (value.kind == ValueKind::Geometry) {
      other.geometries.emplace_back(label, value.geometry);
      info.is_free = info.is_free || geometry_info_[value.geometry.index].is_free;
      continue;
    }
    if (!value.is_number()) {
      error(Kind::BadGeometry, value.span, fmt::format("`{}` takes no such argument", call.function.text),
            "arguments are meshes, surfaces and numbers");
      return false;
    }
    other.arguments.emplace_back(label, expr_of(value));
  }
  if (other.arguments.empty() && other.geometries.empty()) {
    error(Kind::ArgumentCount, span, call.function.text, "at least 1", 0);
    return false;
  }
  geometry.has_unit = !info.is_free;
  geometry.source = std::move(other);
  return true;
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
    error(Kind::WrongUnit, d.span, "the distance", spell(d.type.unit), "m");
    return;
  }
  other.arguments.emplace_back("within", expr_of(d));
  geometry.source = std::move(other);
  DeclInfo& done = info_[id.index];
  done.ref = add_geometry(std::move(geometry), std::move(info)).index;
  done.state = State::Done;
}

}  // namespace asb::sema
