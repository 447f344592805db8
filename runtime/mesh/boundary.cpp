// Sides of cells that no other cell shares, and which cells hang together.
#include <algorithm>

#include "runtime/mesh/element.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/union_find.h"

namespace asb {
namespace {

struct Side {
  std::array<int32_t, 4> corners;  // sorted: the same for both cells that share it
  BoundaryFace face;
};

}  // namespace

std::vector<BoundaryFace> boundary_faces(const Mesh& mesh) {
  const Element& e = element(mesh.kind);
  std::vector<Side> sides;
  sides.reserve(size_t(cell_count(mesh)) * e.faces.size());
  for (int32_t c = 0; c < cell_count(mesh); ++c) {
    for (size_t f = 0; f < e.faces.size(); ++f) {
      Side side{{-1, -1, -1, -1}, {c, int8_t(f)}};
      for (int i = 0; i < e.faces[f].corners; ++i)
        side.corners[i] = mesh.cells[size_t(c) * e.corners + e.faces[f].corner[i]];
      std::sort(side.corners.begin(), side.corners.end());
      sides.push_back(side);
    }
  }
  std::stable_sort(sides.begin(), sides.end(),
                   [](const Side& a, const Side& b) { return a.corners < b.corners; });
  std::vector<BoundaryFace> outer;
  for (size_t i = 0; i < sides.size(); ++i) {
    const bool with_last = i > 0 && sides[i].corners == sides[i - 1].corners;
    const bool with_next = i + 1 < sides.size() && sides[i].corners == sides[i + 1].corners;
    if (!with_last && !with_next) outer.push_back(sides[i].face);
  }
  std::sort(outer.begin(), outer.end(), [](const BoundaryFace& a, const BoundaryFace& b) {
    return a.cell != b.cell ? a.cell < b.cell : a.face < b.face;
  });
  return outer;
}

MeshBoundary boundary(const Mesh& mesh) {
  const Element& e = element(mesh.kind);
  MeshBoundary out;
  std::vector<int32_t> vertex(mesh.nodes.size(), -1);
  const std::vector<BoundaryFace> faces = boundary_faces(mesh);
  const auto corner = [&](const BoundaryFace& f, int i) {
    const ElementFace& face = e.faces[f.face];
    return mesh.cells[size_t(f.cell) * e.corners + face.corner[i % face.corners]];
  };
  for (const BoundaryFace& f : faces)
    for (int i = 0; i < e.faces[f.face].corners; ++i) vertex[corner(f, i)] = 0;
  for (size_t n = 0; n < mesh.nodes.size(); ++n) {
    if (vertex[n] < 0) continue;
    vertex[n] = int32_t(out.node.size());
    out.node.push_back(int32_t(n));
    out.surface.vertices.push_back(mesh.nodes[n]);
  }
  for (const BoundaryFace& f : faces) {
    const int n = e.faces[f.face].corners;
    int start = 0;
    for (int i = 1; i < n; ++i)
      if (corner(f, i) < corner(f, start)) start = i;
    for (int i = 1; i + 1 < n; ++i) {  // a fan around the lowest node
      out.surface.facets.push_back({vertex[corner(f, start)], vertex[corner(f, start + i)],
                                    vertex[corner(f, start + i + 1)]});
      out.facet_face.push_back(f);
    }
  }
  return out;
}

Components components(const Mesh& mesh) {
  const int corners = element(mesh.kind).corners;
  UnionFind sets(mesh.nodes.size());
  for (size_t i = 0; i < mesh.cells.size(); ++i)
    sets.join(mesh.cells[i], mesh.cells[i - i % corners]);
  Components out;
  std::vector<int32_t> number(mesh.nodes.size(), -1);
  for (size_t i = 0; i < mesh.cells.size(); i += corners) {
    int32_t& n = number[sets.find(mesh.cells[i])];
    if (n < 0) n = out.count++;
    out.of_cell.push_back(n);
  }
  return out;
}

}  // namespace asb
