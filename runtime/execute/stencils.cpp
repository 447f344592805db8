// Gathers of the graph as numbers: which nodes a set of entities reads, and with what weights.
#include <fmt/format.h>

#include "runtime/execute/session.h"
#include "runtime/mesh/element.h"

namespace asb {

namespace {

using graph::Entities;

/// Fills nodes for groups given by `node(group, corner)`; padding lanes repeat the last group.
template <class NodeOf>
void fill_nodes(Stencil& s, NodeOf&& node) {
  s.nodes.resize(s.blocks() * s.corners * kLanes);
  for (int64_t b = 0; b < s.blocks(); ++b)
    for (int a = 0; a < s.corners; ++a)
      for (int l = 0; l < kLanes; ++l)
        s.nodes[(b * s.corners + a) * kLanes + l] = node(std::min(b * kLanes + l, s.n_groups - 1), a);
}

/// Per-group weights into lanes: weight(group, q, k) for k in 0 .. per_point.
template <class Weight>
void fill_lanes(const Stencil& s, int per_point, AlignedVector& to, Weight&& weight) {
  to.resize(s.entity_blocks() * per_point * kLanes);
  for (int64_t b = 0; b < s.blocks(); ++b)
    for (int q = 0; q < s.points; ++q)
      for (int k = 0; k < per_point; ++k)
        for (int l = 0; l < kLanes; ++l)
          to[((b * s.points + q) * per_point + k) * kLanes + l] =
              weight(std::min(b * kLanes + l, s.n_groups - 1), q, k);
}

}  // namespace

Result<Stencil> Session::build_stencil(graph::SpaceId target_id, graph::SpaceId source_id) {
  const graph::Space& target = plan_.graph.spaces[target_id];
  const graph::Space& source = plan_.graph.spaces[source_id];
  const auto data = space(target_id);
  if (!data) return fail(data.error());
  const std::vector<int32_t>& ids = (*data)->ids;
  Stencil s;
  s.n_groups = static_cast<int64_t>(ids.size());
  s.points = (*data)->points;
  const Body& body = (*bodies_)[target.geometry.index];
  const bool same = target.geometry == source.geometry;

  if (same && target.entities == source.entities) {  // nodes to nodes, vertices to vertices: a subset
    s.corners = 1;
    s.N = {1.0};
    fill_nodes(s, [&](int64_t g, int) { return ids[g]; });
    return s;
  }
  if (same && source.entities == Entities::Nodes && target.entities == Entities::Quadrature) {
    const MeshPoints& points = (*data)->quadrature;
    s.corners = points.corners;
    s.N.assign(points.N.begin(), points.N.end());
    fill_nodes(s, [&](int64_t g, int a) { return body.mesh.cells[int64_t{ids[g]} * s.corners + a]; });
    s.shared_gradients = points.n_patterns == 1;
    if (s.shared_gradients) s.G.assign(points.gradN.begin(), points.gradN.end());
    else
      fill_lanes(s, s.corners * 3, s.G, [&](int64_t g, int q, int k) { return points.gradient(ids[g], q)[k]; });
    return s;
  }
  if (same && source.entities == Entities::Nodes && target.entities == Entities::Cells) {
    const Element& e = element(body.mesh.kind);
    s.corners = e.corners;
    s.N.assign(e.corners, 1.0 / e.corners);  // the centroid of the corners: exact for the elements of the table
    fill_nodes(s, [&](int64_t g, int a) { return body.mesh.cells[int64_t{ids[g]} * s.corners + a]; });
    return s;
  }
  if (source.entities == Entities::Nodes && target.entities == Entities::Vertices && body.held_by == source.geometry) {
    const Embedding& held = body.embedding;
    const Mesh& mesh = (*bodies_)[source.geometry.index].mesh;
    const Element& e = element(mesh.kind);
    s.corners = held.corners;
    fill_nodes(s, [&](int64_t g, int a) { return held.nodes[int64_t{ids[g]} * s.corners + a]; });
    s.shared_values = s.shared_gradients = false;
    fill_lanes(s, s.corners, s.N, [&](int64_t g, int, int a) { return held.weights[int64_t{ids[g]} * s.corners + a]; });
    // Gradients at the embedded point, of the cell that holds it.
    std::vector<double> gradients(ids.size() * s.corners * 3);
    for (size_t g = 0; g < ids.size(); ++g) {
      Vec3 x[kMaxCorners], dN[kMaxCorners];
      cell_corners(mesh, held.cell[ids[g]], x);
      e.shape_gradient(held.local[ids[g]], dN);
      double J[3][3];
      const double det = jacobian(e, x, dN, J);
      for (int a = 0; a < s.corners; ++a)
        for (int j = 0; j < 3; ++j) {
          double sum = 0;  // dN/dX_j = Σ_i dN/dxi_i (J⁻¹)_ij
          for (int i = 0; i < 3; ++i) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            sum += dN[a][i] * (J[j1][i1] * J[j2][i2] - J[j1][i2] * J[j2][i1]) / det;
          }
          gradients[(g * s.corners + a) * 3 + j] = sum;
        }
    }
    fill_lanes(s, s.corners * 3, s.G, [&](int64_t g, int, int k) { return gradients[g * s.corners * 3 + k]; });
    return s;
  }
  return fail("not-related",
              fmt::format("values on `{}` can't be read on `{}`", plan_.geometries[source.geometry.index].name,
                          plan_.geometries[target.geometry.index].name),
              "relate them by `embed(…, in: …)`", target.span);
}

Result<const Stencil*> Session::stencil(graph::SpaceId target, graph::SpaceId source) {
  if (parent_) {
    const std::lock_guard lock(parent_->shared_);
    return parent_->stencil(target, source);
  }
  auto& slot = stencils_[{target.index, source.index}];
  if (!slot) {
    auto made = build_stencil(target, source);
    if (!made) return fail(made.error());
    slot = std::make_unique<Stencil>(std::move(*made));
  }
  return slot.get();
}

}  // namespace asb
