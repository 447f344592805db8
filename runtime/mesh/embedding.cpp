// Point location and inverse element maps.
#include "runtime/mesh/embedding.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "runtime/mesh/box_tree.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

constexpr double kInside = 1e-8;  // how far outside the reference element still counts as inside
constexpr double kLongestReach = 0.5;  // extrapolation, in cells
constexpr int kMaxNewtonSteps = 50;
constexpr double kRoundingStep = 1e-11;  // in reference coordinates

// xi with x(xi) = p by Newton; one step for tets and parallelepipeds. Nothing if it leaves the
// region where the map can be inverted, which takes a distorted hex and a point well outside.
std::optional<Vec3> invert(const Element& e, const Vec3* x, const Vec3& p) {
  double N[kMaxCorners], J[3][3];
  Vec3 dN[kMaxCorners],
      y[kMaxCorners];  // y: corners seen from p, so that a far origin costs no digits
  for (int c = 0; c < e.corners; ++c) y[c] = subtract(x[c], p);
  Vec3 xi = {};
  for (int c = 0; c < e.corners; ++c) xi = add(xi, scaled(e.corner_position[c], 1.0 / e.corners));
  double last_step = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kMaxNewtonSteps; ++i) {
    e.shape(xi, N);
    e.shape_gradient(xi, dN);
    const Vec3 r = scaled(interpolate(e, y, N), -1);
    const double det = jacobian(e, y, dN, J);
    if (!(det > 0)) return std::nullopt;
    const Vec3 a = {J[0][0], J[1][0], J[2][0]}, b = {J[0][1], J[1][1], J[2][1]},
               c = {J[0][2], J[1][2], J[2][2]};
    const Vec3 step = {dot(cross(b, c), r) / det, dot(cross(c, a), r) / det,
                       dot(cross(a, b), r) / det};  // Cramer
    xi = add(xi, step);
    const double length = norm(step);
    // Stop at rounding level, which a flat cell raises: steps that are small and no longer shrink.
    if (length <= 1e-15 || (length <= kRoundingStep && length >= 0.5 * last_step)) return xi;
    last_step = length;
  }
  return std::nullopt;
}

// How far xi lies outside the reference element; at most 0 inside.
double outside(const Element& e, const Vec3& xi) {
  if (e.kind == ElementKind::Hex8)
    return std::max({std::abs(xi[0]), std::abs(xi[1]), std::abs(xi[2])}) - 1;
  return -std::min({xi[0], xi[1], xi[2], 1 - xi[0] - xi[1] - xi[2]});
}

// Distance from p to triangle abc: nearest point by the Voronoi regions of its features
// [Ericson2004] Sec. 5.1.5.
double distance_to_triangle(const Vec3& p, const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 ab = subtract(b, a), ac = subtract(c, a), ap = subtract(p, a);
  const double d1 = dot(ab, ap), d2 = dot(ac, ap);
  if (d1 <= 0 && d2 <= 0) return norm(ap);
  const Vec3 bp = subtract(p, b);
  const double d3 = dot(ab, bp), d4 = dot(ac, bp);
  if (d3 >= 0 && d4 <= d3) return norm(bp);
  const double vc = d1 * d4 - d3 * d2;
  if (vc <= 0 && d1 >= 0 && d3 <= 0) return distance(p, add(a, scaled(ab, d1 / (d1 - d3))));
  const Vec3 cp = subtract(p, c);
  const double d5 = dot(ab, cp), d6 = dot(ac, cp);
  if (d6 >= 0 && d5 <= d6) return norm(cp);
  const double vb = d5 * d2 - d1 * d6;
  if (vb <= 0 && d2 >= 0 && d6 <= 0) return distance(p, add(a, scaled(ac, d2 / (d2 - d6))));
  const double va = d3 * d6 - d5 * d4;
  if (va <= 0 && d4 >= d3 && d5 >= d6)
    return distance(p, add(b, scaled(subtract(c, b), (d4 - d3) / ((d4 - d3) + (d5 - d6)))));
  const double sum = va + vb + vc;
  return distance(p, add(a, add(scaled(ab, vb / sum), scaled(ac, vc / sum))));
}

// Distance from an outside point to a cell; a bent quadrilateral side counts as two triangles.
double distance_to_cell(const Element& e, const Vec3* x, const Vec3& p) {
  double best = std::numeric_limits<double>::infinity();
  for (const ElementFace& f : e.faces)
    for (int i = 1; i + 1 < f.corners; ++i)
      best = std::min(best,
                      distance_to_triangle(p, x[f.corner[0]], x[f.corner[i]], x[f.corner[i + 1]]));
  return best;
}

double cell_size(const Mesh& mesh, int32_t c) {
  return std::cbrt(cell_volume(mesh, c) * (mesh.kind == ElementKind::Tet4 ? 6 : 1));
}

struct Place {
  int32_t cell = -1;
  Vec3 local = {};
};

// Finds cells: through the lattice where there is one, else through a tree of their boxes, which is
// also what finds the nearest cell of a point outside (built when first needed).
class Locator {
 public:
  explicit Locator(const Mesh& mesh) : mesh_(mesh), e_(element(mesh.kind)) {
    if (!mesh.lattice) return;
    const auto& n = mesh.lattice->cells;
    const size_t total = size_t(n[0]) * size_t(n[1]) * size_t(n[2]);
    first_.assign(total + 1, 0);
    for (int32_t cube : mesh.lattice_cell) ++first_[size_t(cube) + 1];
    for (size_t c = 0; c < total; ++c) first_[c + 1] += first_[c];
    in_cube_.resize(mesh.lattice_cell.size());
    std::vector<int32_t> next(first_.begin(), first_.end() - 1);
    for (size_t c = 0; c < mesh.lattice_cell.size(); ++c)
      in_cube_[next[mesh.lattice_cell[c]]++] = int32_t(c);
  }

  /// The lowest-numbered cell that holds p.
  Place holding(const Vec3& p) {
    Place place;
    const auto visit = [&](int32_t c) {
      if (place.cell >= 0 && c >= place.cell) return;
      Vec3 x[kMaxCorners];
      cell_corners(mesh_, c, x);
      const std::optional<Vec3> xi = invert(e_, x, p);
      if (xi && outside(e_, *xi) <= kInside) place = {c, *xi};
    };
    if (!mesh_.lattice) {
      tree().containing(p, visit);
      return place;
    }
    const Lattice& lattice = *mesh_.lattice;
    int64_t first[3], last[3];
    for (int a = 0; a < 3; ++a) {
      const double t = (p[a] - lattice.origin[a]) / lattice.spacing[a], n = lattice.cells[a];
      if (!(t >= -kInside && t <= n + kInside)) return place;
      first[a] = int64_t(std::clamp(std::floor(t - kInside), 0.0, n - 1));
      last[a] = int64_t(std::clamp(std::floor(t + kInside), 0.0, n - 1));
    }
    for (int64_t i = first[0]; i <= last[0]; ++i)
      for (int64_t j = first[1]; j <= last[1]; ++j)
        for (int64_t k = first[2]; k <= last[2]; ++k) {
          const size_t cube = size_t((i * lattice.cells[1] + j) * lattice.cells[2] + k);
          for (int32_t s = first_[cube]; s < first_[cube + 1]; ++s) visit(in_cube_[s]);
        }
    return place;
  }

  BoxTree::Nearest nearest(const Vec3& p) {
    return tree().nearest(p, [&](int32_t c) {
      Vec3 x[kMaxCorners];
      cell_corners(mesh_, c, x);
      return distance_to_cell(e_, x, p);
    });
  }

  std::optional<Vec3> local(int32_t cell, const Vec3& p) const {
    Vec3 x[kMaxCorners];
    cell_corners(mesh_, cell, x);
    return invert(e_, x, p);
  }

 private:
  const BoxTree& tree() {
    if (!tree_) {
      std::vector<Box3> boxes(cell_count(mesh_));
      for (size_t c = 0; c < boxes.size(); ++c) {
        Vec3 x[kMaxCorners];
        cell_corners(mesh_, int32_t(c), x);
        boxes[c] = bounding_box({x, size_t(e_.corners)});
        const double slack = 1e-7 * boxes[c].diagonal();  // more than kInside of the cell
        boxes[c].low = subtract(boxes[c].low, {slack, slack, slack});
        boxes[c].high = add(boxes[c].high, {slack, slack, slack});
      }
      tree_.emplace(std::move(boxes));
    }
    return *tree_;
  }

  const Mesh& mesh_;
  const Element& e_;
  std::vector<int32_t> first_, in_cube_;  // cells by lattice cube
  std::optional<BoxTree> tree_;
};

}  // namespace

Result<Embedding> embed(std::span<const Vec3> points, const Mesh& mesh, const std::string& name) {
  const Element& e = element(mesh.kind);
  if (mesh.cells.empty())
    return fail("embed-empty-mesh",
                fmt::format("{} can't be embedded in a mesh without cells", name));
  Embedding out;
  out.corners = e.corners;
  Locator locator(mesh);
  int64_t n_beyond = 0;
  double farthest = 0, reach_there = 0;
  size_t farthest_point = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    const Vec3& p = points[i];
    if (!is_finite(p))
      return fail("embed-not-finite",
                  fmt::format("point {} of {} is at ({}, {}, {})", i, name, p[0], p[1], p[2]));
    Place place = locator.holding(p);
    if (place.cell < 0) {
      const BoxTree::Nearest near = locator.nearest(p);
      const double reach = kLongestReach * cell_size(mesh, near.item);
      ++out.n_outside;
      out.largest_distance = std::max(out.largest_distance, near.distance);
      const std::optional<Vec3> xi = locator.local(near.item, p);
      if (!xi || near.distance > reach * (1 + kInside)) {
        ++n_beyond;
        if (near.distance >= farthest) {
          farthest = near.distance;
          reach_there = reach;
          farthest_point = i;
        }
        continue;
      }
      place = {near.item, *xi};
    }
    out.cell.push_back(place.cell);
    out.local.push_back(place.local);
    double N[kMaxCorners];
    e.shape(place.local, N);
    for (int c = 0; c < e.corners; ++c) {
      out.nodes.push_back(mesh.cells[size_t(place.cell) * e.corners + c]);
      out.weights.push_back(N[c]);
    }
  }
  if (n_beyond > 0)
    return fail("embed-outside",
                fmt::format("{} of {} points of {} lie more than half a cell outside the mesh; the "
                            "farthest, number {}, "
                            "is {:.3g} m away where half a cell is {:.3g} m",
                            n_beyond, points.size(), name, farthest_point, farthest, reach_there),
                "make the mesh from this surface (`voxels` with `rule: touch`), or check the "
                "`unit:` of both");
  return out;
}

}  // namespace asb
