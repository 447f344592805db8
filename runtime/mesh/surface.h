// Geometry and health of triangle surfaces, and the boundary of a volume mesh. Read by voxels,
// embedding, losses and output.
#pragma once

#include <span>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

/// Half the cross product of two sides: area times outward normal [m^2].
Vec3 facet_area_vector(const Surface& surface, size_t facet);

/// Unit normals at vertices: normalised sums of the area vectors around. Zero where they cancel or
/// there are none.
std::vector<Vec3> vertex_normals(const Surface& surface);

/// A third of the area of the facets around each vertex [m^2].
std::vector<double> vertex_areas(const Surface& surface);

double surface_area(const Surface& surface);

/// Volume by the divergence theorem [m^3]; of closed surfaces only. Negative if the facets point
/// inward.
double enclosed_volume(const Surface& surface);

/// Generalised winding number of a point: sum of solid angles / 4 pi [VanOosterom1983],
/// [Jacobson2013]. Exact, and linear in the number of facets.
double winding_number(const Surface& surface, const Vec3& p);

/// Smallest number of vertices with equal position: the representative of each vertex (the lowest
/// number there).
std::vector<int32_t> coincident_vertices(const Surface& surface);

/// What is wrong with a surface, if anything. Vertices at equal positions count as one where that
/// closes it.
struct SurfaceCheck {
  int64_t n_boundary_edges = 0;     ///< one facet only
  int64_t n_flipped_edges = 0;      ///< two facets that run through it the same way
  int64_t n_manifold_defects = 0;   ///< more than two facets, not in pairs of opposite directions
  int64_t n_degenerate_facets = 0;  ///< a corner twice, or no area
  int64_t n_isolated_vertices = 0;
  int64_t n_components = 0;         ///< sets of facets that hang together by vertices
  int64_t n_inward_components = 0;  ///< closed and inside out, and not a cavity of another
  int64_t n_cavities = 0;           ///< closed, inside out, and around a hole in another
  bool used_coincident = false;     ///< closed only because vertices coincide
  std::array<int32_t, 2> first_bad_edge = {-1, -1};
  double volume = 0;  ///< [m^3]

  bool is_closed() const { return n_boundary_edges + n_flipped_edges + n_manifold_defects == 0; }
};

/// Errors: no facets, a corner that doesn't exist, a vertex that isn't finite.
[[nodiscard]] Result<SurfaceCheck> check_surface(const Surface& surface);

/// The same, and an error unless the surface bounds a solid: closed, consistently outward. `what`
/// names it in errors.
[[nodiscard]] Result<SurfaceCheck> require_solid(const Surface& surface,
                                                 const std::string& what = "the surface");

/// A side of a cell that no other cell shares.
struct BoundaryFace {
  int32_t cell = 0;
  int8_t face = 0;  ///< in Element::faces
};

/// By ascending cell, then face.
std::vector<BoundaryFace> boundary_faces(const Mesh& mesh);

/// The boundary of a mesh as outward triangles; a quadrilateral is cut at its lowest-numbered node.
struct MeshBoundary {
  Surface surface;
  std::vector<int32_t> node;             ///< mesh node of each vertex, ascending
  std::vector<BoundaryFace> facet_face;  ///< of each facet
};
MeshBoundary boundary(const Mesh& mesh);

/// Cells that hang together by shared nodes.
struct Components {
  int32_t count = 0;
  std::vector<int32_t> of_cell;
};
Components components(const Mesh& mesh);

}  // namespace asb
