// The entities of a space: which cells, nodes or vertices, and with what measure.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "runtime/execute/session.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/vec3.h"

namespace asb {

Vec3 Session::position(const graph::Space& space, int32_t id) const {
  const Body& body = (*bodies_)[space.geometry.index];
  switch (space.entities) {
    case graph::Entities::Cells:
    case graph::Entities::Quadrature: {
      const int corners = element(body.mesh.kind).corners;
      Vec3 sum = {};
      for (int a = 0; a < corners; ++a)
        for (int k = 0; k < 3; ++k) sum[k] += body.mesh.nodes[body.mesh.cells[int64_t{id} * corners + a]][k] / corners;
      return sum;
    }
    default: return body.is_mesh ? body.mesh.nodes[id] : body.surface.vertices[id];
  }
}

tl::unexpected<Error> Session::empty_set(const graph::Space& space, const std::string& why) const {
  const Body& body = (*bodies_)[space.geometry.index];
  const std::vector<Vec3>& points = body.is_mesh ? body.mesh.nodes : body.surface.vertices;
  const auto [lo, hi] = bounding_box(points);
  std::string tags;
  for (const auto* table : {&body.mesh.node_tags, &body.mesh.cell_tags})
    for (const auto& [name, ids] : *table) tags += fmt::format("{}`{}` ({})", tags.empty() ? "" : ", ", name, ids.size());
  const std::string text = space.text.empty() ? plan_.geometries[space.geometry.index].name : space.text;
  return fail("empty-set", fmt::format("`{}` is empty: {}", text, why),
              fmt::format("`{}` has {} points with X from [{:.6g}, {:.6g}, {:.6g}] m to [{:.6g}, {:.6g}, {:.6g}] m{}",
                          plan_.geometries[space.geometry.index].name, points.size(), lo[0], lo[1], lo[2], hi[0], hi[1],
                          hi[2], tags.empty() ? "; it has no tags" : "; tags: " + tags),
              space.span);
}

Result<void> Session::narrow(const graph::Space& space, const graph::Narrowing& narrowing, std::vector<int32_t>& ids) {
  if (narrowing.where) {
    const auto condition = evaluate(narrowing.where);  // on all entities of this kind
    if (!condition) return fail(condition.error());
    const Values& v = **condition;
    std::erase_if(ids, [&](int32_t id) { return (v.single ? v.data[0] : v.data[id]) == 0; });
    if (ids.empty()) return empty_set(space, "no entity meets the condition");
  }
  if (narrowing.within) {
    const Body& closed = (*bodies_)[narrowing.within.index];
    const Surface& around = closed.surface;
    std::erase_if(ids, [&](int32_t id) { return winding_number(around, position(space, id)) <= 0.5; });
    if (ids.empty())
      return empty_set(space, fmt::format("nothing lies within `{}`", plan_.geometries[narrowing.within.index].name));
  }
  if (!narrowing.tag.empty()) {
    const Body& body = (*bodies_)[space.geometry.index];
    const bool cells = space.entities == graph::Entities::Cells || space.entities == graph::Entities::Quadrature;
    const auto& table = cells ? body.mesh.cell_tags : body.mesh.node_tags;
    const auto found = table.find(narrowing.tag);
    if (found == table.end()) return empty_set(space, fmt::format("there is no tag `{}`", narrowing.tag));
    std::vector<int32_t> tagged = found->second, both;
    std::ranges::sort(tagged);
    std::ranges::set_intersection(ids, tagged, std::back_inserter(both));
    ids = std::move(both);
    if (ids.empty()) return empty_set(space, fmt::format("no entity has the tag `{}`", narrowing.tag));
  }
  return {};
}

Result<std::vector<int32_t>> Session::entities(const graph::Space& s) {
  const Body& body = (*bodies_)[s.geometry.index];
  int64_t count = 0;
  switch (s.entities) {
    case graph::Entities::Nodes: count = static_cast<int64_t>(body.mesh.nodes.size()); break;
    case graph::Entities::Vertices: count = static_cast<int64_t>(body.surface.vertices.size()); break;
    case graph::Entities::Cells:
    case graph::Entities::Quadrature: count = cell_count(body.mesh); break;
    default: return fail("not-yet", fmt::format("`{}` is not executed yet", s.text), {}, s.span);
  }
  std::vector<int32_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  if (s.nodes_of) {
    const auto base = space(s.nodes_of);
    if (!base) return fail(base.error());
    const int corners = element(body.mesh.kind).corners;
    std::vector<uint8_t> used(count, 0);
    for (const int32_t cell : (*base)->ids)
      for (int a = 0; a < corners; ++a) used[body.mesh.cells[int64_t{cell} * corners + a]] = 1;
    std::erase_if(ids, [&](int32_t id) { return !used[id]; });
  }
  for (const graph::Narrowing& n : s.narrowings)
    if (auto done = narrow(s, n, ids); !done) return fail(done.error());
  if (ids.empty()) return empty_set(s, "it has no entities");
  return ids;
}

Result<const SpaceData*> Session::space(graph::SpaceId id) {
  if (parent_) {
    const std::lock_guard lock(parent_->shared_);
    return parent_->space(id);
  }
  auto& slot = spaces_[id.index];
  if (slot) return slot.get();
  const graph::Space& s = plan_.graph.spaces[id];
  auto data = std::make_unique<SpaceData>();
  auto ids = entities(s);
  if (!ids) return fail(ids.error());
  data->ids = std::move(*ids);
  if (s.entities == graph::Entities::Quadrature) {
    const Mesh& mesh = (*bodies_)[s.geometry.index].mesh;
    auto rule = s.degree < 0 ? Result<QuadratureRule>(default_rule(mesh.kind, s.reads_values)) : rule_of_degree(mesh.kind, s.degree);
    if (!rule) return fail(rule.error());
    auto points = quadrature_points(mesh, *rule);
    if (!points) return fail(points.error());
    data->quadrature = std::move(*points);
    data->points = data->quadrature.points_per_cell;
  }
  const auto n = static_cast<int64_t>(data->ids.size());
  data->measure.assign(data->entity_blocks() * kLanes, 0.0);
  for (int64_t g = 0; g < n; ++g)
    for (int q = 0; q < data->points; ++q)
      data->measure[(g / kLanes * data->points + q) * kLanes + g % kLanes] =
          s.entities == graph::Entities::Quadrature
              ? data->quadrature.measure[int64_t{data->ids[g]} * data->points + q]
              : 1.0;
  slot = std::move(data);
  return slot.get();
}

}  // namespace asb
