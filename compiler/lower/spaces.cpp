// Sets of the Model as spaces of the graph, and the geometries that they belong to.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/overloaded.h"
#include "compiler/lower/lowering.h"

namespace asb::lower {

namespace {

/// The geometries that a source is made of.
std::vector<model::GeometryId> sources_of(const model::Geometry& geometry) {
  return std::visit(
      Overloaded{[](const model::BoxSource&) { return std::vector<model::GeometryId>{}; },
                 [](const model::VoxelSource& s) { return std::vector{s.surface}; },
                 [](const model::FileSource&) { return std::vector<model::GeometryId>{}; },
                 [](const model::EmbedSource& s) { return std::vector{s.surface, s.in}; },
                 [](const model::BoundarySource& s) { return std::vector{s.mesh}; },
                 [](const model::OtherSource& s) {
                   std::vector<model::GeometryId> ids;
                   for (const auto& [label, id] : s.geometries) ids.push_back(id);
                   return ids;
                 }},
      geometry.source);
}

}  // namespace

Result<void> Lowering::geometries() {
  // Depth first, so that sources come before what is made of them; dsl/sema has refused cycles.
  std::vector<model::GeometryId> order;
  std::vector<uint8_t> seen(model_.geometries.size(), 0);
  const auto visit = [&](auto&& self, model::GeometryId id) -> void {
    if (seen[id.index]++) return;
    for (const model::GeometryId source : sources_of(model_.geometries[id])) self(self, source);
    order.push_back(id);
  };
  for (uint32_t i = 0; i < model_.geometries.size(); ++i) visit(visit, model::GeometryId(i));

  for (const model::GeometryId id : order) {
    const model::Geometry& from = model_.geometries[id];
    const auto mapped = [&](model::GeometryId g) { return geometry_.at(g.index); };
    plan::Geometry to{.name = from.name,
                      .is_mesh = from.kind == model::GeometryKind::Mesh,
                      .source = {},
                      .unit = from.unit,
                      .embedded = {},
                      .span = from.span};
    bool known = from.kind == model::GeometryKind::Mesh || from.kind == model::GeometryKind::Surface;
    std::visit(Overloaded{[&](const model::BoxSource& s) { to.source = plan::Box{s.size, s.cells, s.element}; },
                          [&](const model::VoxelSource& s) {
                            to.source = plan::Voxels{mapped(s.surface), s.cells, s.rule, s.split, s.element};
                          },
                          [&](const model::FileSource& s) { to.source = plan::File{s.path}; },
                          [&](const model::EmbedSource& s) {
                            to.source = plan::Embed{mapped(s.surface), mapped(s.in)};
                          },
                          [&](const model::BoundarySource& s) { to.source = plan::Boundary{mapped(s.mesh)}; },
                          [&](const model::OtherSource&) { known = false; }},
               from.source);
    if (!known) return not_yet(fmt::format("`{}`: sets of this kind", from.name), from.span);
    const graph::GeometryId made(static_cast<uint32_t>(plan_.geometries.size()));
    // Cells are kept wherever a vertex of a surface embedded later needs one.
    if (const auto* embed = std::get_if<plan::Embed>(&to.source))
      plan_.geometries[embed->in.index].embedded.push_back(embed->surface);
    plan_.geometries.push_back(std::move(to));
    geometry_[id.index] = made;
  }
  return {};
}

SpaceId Lowering::intern(graph::Space space) {
  const auto& all = plan_.graph.spaces;
  for (uint32_t i = 0; i < all.size(); ++i) {
    const graph::Space& s = all[SpaceId(i)];
    if (s.entities == space.entities && s.geometry == space.geometry && s.degree == space.degree &&
        s.reads_values == space.reads_values && s.nodes_of == space.nodes_of && s.narrowings == space.narrowings)
      return SpaceId(i);
  }
  return plan_.graph.spaces.add(std::move(space));
}

SpaceId Lowering::vertices_or_nodes(graph::GeometryId id) {
  graph::Space space;
  space.entities = plan_.geometries[id.index].is_mesh ? graph::Entities::Nodes : graph::Entities::Vertices;
  space.geometry = id;
  space.text = plan_.geometries[id.index].name + (plan_.geometries[id.index].is_mesh ? ".nodes" : ".vertices");
  return intern(std::move(space));
}

SpaceId Lowering::nodes_of_geometry(model::GeometryId id) { return vertices_or_nodes(geometry_.at(id.index)); }

bool Lowering::reads_values_of_unknowns(model::ExprId expr) {
  std::unordered_set<uint32_t> seen;
  const auto visit = [&](auto&& self, model::ExprId id) -> bool {
    if (!seen.insert(id.index).second) return false;
    const model::Expr& e = model_.exprs[id];
    if (e.kind == model::ExprKind::Unknown) return true;
    if (e.kind == model::ExprKind::Gradient) return false;
    return std::ranges::any_of(e.args, [&](model::ExprId arg) { return self(self, arg); });
  };
  return visit(visit, expr);
}

Result<SpaceId> Lowering::space_of(model::DomainId id, bool by_points, int32_t degree, bool reads_values) {
  const model::Domain& domain = model_.domains[id];
  graph::Space space;
  space.geometry = geometry_.at(domain.of.index);
  space.text = domain.text;
  space.span = domain.span;
  const bool mesh = plan_.geometries[space.geometry.index].is_mesh;
  graph::Entities at = graph::Entities::Nodes;  // where conditions are evaluated
  switch (domain.kind) {
    case model::DomainKind::Nodes: space.entities = at = graph::Entities::Nodes; break;
    case model::DomainKind::Vertices: space.entities = at = graph::Entities::Vertices; break;
    case model::DomainKind::Cells:
      if (!mesh) return not_yet("cells of something that isn't a mesh", domain.span);
      at = graph::Entities::Cells;
      space.entities = by_points ? graph::Entities::Quadrature : at;
      if (by_points) {
        space.degree = degree;
        space.reads_values = reads_values;
      }
      break;
    case model::DomainKind::Facets:
    case model::DomainKind::Edges:
    case model::DomainKind::Hinges:
    case model::DomainKind::Points:
    case model::DomainKind::Stencil:
    case model::DomainKind::Pairs:
    case model::DomainKind::Neighbours:
    case model::DomainKind::Samples:
      return not_yet(fmt::format("values on `{}`", domain.text), domain.span);
  }
  if (domain.order != 1) return not_yet("spaces of second order", domain.span);
  if (domain.nodes_of) {
    const auto base = space_of(domain.nodes_of, false, -1, false);
    if (!base) return fail(base.error());
    space.nodes_of = *base;
  }
  for (const model::Narrowing& n : domain.narrowings) {
    graph::Narrowing narrowing;
    if (n.where) {
      graph::Space all;
      all.entities = at;
      all.geometry = space.geometry;
      const auto condition = node_of(n.where, intern(std::move(all)), {});
      if (!condition) return fail(condition.error());
      narrowing.where = *condition;
    }
    if (n.within) narrowing.within = geometry_.at(n.within.index);
    if (n.tag) narrowing.tag = *n.tag;
    space.narrowings.push_back(std::move(narrowing));
  }
  return intern(std::move(space));
}

}  // namespace asb::lower
