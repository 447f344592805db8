// What geometries are made of: box, voxels, file, embed, boundary, and those that are kept by name.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {

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

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> ends) {
  for (const std::string_view end : ends)
    if (text.ends_with(end)) return true;
  return false;
}

}  // namespace

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
        error(Kind::WrongUnit, v.span, "the size of a box", quoted(v.type.unit), "`m`");
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
    } else if (label == "element") {
      const auto word = word_argument(argument.value, "`element`");
      if (!word) return false;
      if (*word != "hex8" && *word != "tet4") {
        error(Kind::BadGeometry, tree_[argument.value].span, fmt::format("no voxels of element `{}`", *word),
              "elements are `hex8` and `tet4`");
        return false;
      }
      source.element = *word;
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
          .with_hint("`voxels(surface, cells: 48, rule: touch, element: hex8, split: false)`");
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

}  // namespace asb::sema
