// Rows of samples cut by triangles, and triangles against boxes.
#include "runtime/mesh/occupancy.h"

#include <algorithm>

#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

// Note [Rows that always close]
// A row is the line x = (p, q) parallel to z. Each facet is crossed by it n times, n = -1, 0 or 1
// with the sign of the facet's z normal: n is the winding number of (p, q) in the facet's
// projection, counted as crossings of its three edges by the ray from (p, q) towards +y. The
// crossing of an edge is decided from its lexicographically lower end, so it is exactly opposite
// for the two facets that share it, whatever the rounding: over a closed surface the crossings of a
// row sum to zero, also through vertices and edges, and the running sum is the generalised winding
// number [Jacobson2013].

// +1 if the directed edge a -> b crosses the ray from (p, q) to +y with growing x, -1 with falling
// x, else 0.
int edge_crossing(std::span<const Vec3> v, int32_t a, int32_t b, double p, double q) {
  const bool swapped = v[b] < v[a];  // by position: coincident vertices may have two numbers
  const Vec3& s = v[swapped ? b : a];
  const Vec3& e = v[swapped ? a : b];
  const bool left = s[0] <= p, right = e[0] <= p;
  if (left == right) return 0;
  // y of the edge at x = p above q?
  const double side = (e[1] - s[1]) * (p - s[0]) - (q - s[1]) * (e[0] - s[0]);
  if (!(left ? side > 0 : side < 0)) return 0;
  return left == swapped ? -1 : 1;
}

struct Crossing {
  double z;
  int32_t winding;  // change of the winding number, going up
};

// Height of the facet's plane over (p, q), kept within the facet: near-vertical facets have no
// other answer.
double height(const Vec3& a, const Vec3& b, const Vec3& c, double p, double q) {
  const Vec3 n = cross(subtract(b, a), subtract(c, a));
  const double low = std::min({a[2], b[2], c[2]}), high = std::max({a[2], b[2], c[2]});
  const double z = a[2] - (n[0] * (p - a[0]) + n[1] * (q - a[1])) / n[2];
  return z >= low ? std::min(z, high) : low;  // also for NaN
}

// Length of the solid that begins at crossing `first`, after which the winding number is `winding`.
double chord_from(const std::vector<Crossing>& row, size_t first, int32_t winding) {
  size_t last = first;
  while (winding >= 1 && last + 1 < row.size()) winding += row[++last].winding;
  return row[last].z - row[first].z;
}

// First and last index i in [0, n) with low <= origin + (i + 1/2) step <= high, widened by one
// against rounding.
std::pair<int64_t, int64_t> index_range(double low, double high, double origin, double step,
                                        int64_t n) {
  const double first = std::floor((low - origin) / step - 0.5),
               last = std::ceil((high - origin) / step - 0.5);
  return {int64_t(std::clamp(first, 0.0, double(n - 1))),
          int64_t(std::clamp(last, 0.0, double(n - 1)))};
}

}  // namespace

SampleCounts count_samples(const Surface& surface, const Lattice& lattice, int k,
                           const std::vector<char>* wanted) {
  const int64_t nx = lattice.cells[0], ny = lattice.cells[1], nz = lattice.cells[2];
  const int64_t rows_x = nx * k, rows_y = ny * k, samples_z = nz * k;
  const Vec3 step = scaled(lattice.spacing, 1.0 / k);
  const Vec3& o = lattice.origin;
  // Facets by slab of x, so that memory stays small: one column of rows at a time.
  std::vector<std::vector<int32_t>> facets_of_column(rows_x);
  for (size_t t = 0; t < surface.facets.size(); ++t) {
    Box3 box;
    for (int32_t v : surface.facets[t]) box.include(surface.vertices[v]);
    const auto [first, last] = index_range(box.low[0], box.high[0], o[0], step[0], rows_x);
    for (int64_t i = first; i <= last; ++i) facets_of_column[i].push_back(int32_t(t));
  }
  SampleCounts counts;
  counts.inside.assign(size_t(nx * ny * nz), 0);
  counts.chord.assign(size_t(nx * ny * nz), 0);
  std::vector<char> row_wanted(size_t(nx * ny), !wanted);
  if (wanted)
    for (size_t c = 0; c < wanted->size(); ++c) row_wanted[c / size_t(nz)] |= (*wanted)[c];
  std::vector<std::vector<Crossing>> rows(rows_y);
  for (int64_t i = 0; i < rows_x; ++i) {
    const double p = o[0] + (double(i) + 0.5) * step[0];
    for (auto& row : rows) row.clear();
    for (int32_t t : facets_of_column[i]) {
      const auto& f = surface.facets[t];
      const Vec3 &a = surface.vertices[f[0]], &b = surface.vertices[f[1]],
                 &c = surface.vertices[f[2]];
      const auto [first, last] = index_range(std::min({a[1], b[1], c[1]}),
                                             std::max({a[1], b[1], c[1]}), o[1], step[1], rows_y);
      for (int64_t j = first; j <= last; ++j) {
        if (!row_wanted[size_t((i / k) * ny + j / k)]) continue;
        const double q = o[1] + (double(j) + 0.5) * step[1];
        const int n = edge_crossing(surface.vertices, f[0], f[1], p, q) +
                      edge_crossing(surface.vertices, f[1], f[2], p, q) +
                      edge_crossing(surface.vertices, f[2], f[0], p, q);
        // Edges seen from below run clockwise (x grows above the point) where the normal has z < 0:
        // going in.
        if (n != 0) rows[j].push_back({height(a, b, c, p, q), n});
      }
    }
    for (int64_t j = 0; j < rows_y; ++j) {
      auto& row = rows[j];
      if (row.empty()) continue;
      std::stable_sort(row.begin(), row.end(),
                       [](const Crossing& a, const Crossing& b) { return a.z < b.z; });
      const size_t first_cell = size_t(((i / k) * ny + j / k) * nz);
      size_t next = 0;
      int32_t winding = 0;
      double chord = 0;
      for (int64_t s = 0; s < samples_z; ++s) {
        const double z = o[2] + (double(s) + 0.5) * step[2];
        for (; next < row.size() && row[next].z <= z; ++next) {
          const bool enters = winding < 1 && winding + row[next].winding >= 1;
          winding += row[next].winding;
          if (enters) chord = chord_from(row, next, winding);
        }
        if (winding >= 1) {
          ++counts.inside[first_cell + size_t(s / k)];
          counts.chord[first_cell + size_t(s / k)] += chord;
        }
        counts.n_overlapping += winding >= 2;
        counts.n_negative += winding < 0;
      }
    }
  }
  return counts;
}

bool triangle_meets_box(const std::array<Vec3, 3>& triangle, const Vec3& centre, const Vec3& half) {
  const Vec3 v[3] = {subtract(triangle[0], centre), subtract(triangle[1], centre),
                     subtract(triangle[2], centre)};
  const auto separates = [&](const Vec3& axis) {
    const double d[3] = {dot(v[0], axis), dot(v[1], axis), dot(v[2], axis)};
    const double reach =
        half[0] * std::abs(axis[0]) + half[1] * std::abs(axis[1]) + half[2] * std::abs(axis[2]);
    return std::min({d[0], d[1], d[2]}) > reach || std::max({d[0], d[1], d[2]}) < -reach;
  };
  constexpr Vec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (const Vec3& axis : kAxes)
    if (separates(axis)) return false;
  const Vec3 edges[3] = {subtract(v[1], v[0]), subtract(v[2], v[1]), subtract(v[0], v[2])};
  if (separates(cross(edges[0], edges[1]))) return false;
  for (const Vec3& axis : kAxes)
    for (const Vec3& edge : edges)
      if (separates(cross(axis, edge))) return false;
  return true;
}

void mark_touched(const Surface& surface, const Lattice& lattice, std::vector<char>& touched) {
  const Vec3& h = lattice.spacing;
  const Vec3 half = scaled(h, 0.5);
  for (const auto& f : surface.facets) {
    const std::array<Vec3, 3> t = {surface.vertices[f[0]], surface.vertices[f[1]],
                                   surface.vertices[f[2]]};
    const Box3 box = bounding_box(t);
    std::array<std::pair<int64_t, int64_t>, 3> range;
    for (int a = 0; a < 3; ++a)
      range[a] = index_range(box.low[a] - h[a], box.high[a] + h[a], lattice.origin[a], h[a],
                             lattice.cells[a]);
    for (int64_t i = range[0].first; i <= range[0].second; ++i)
      for (int64_t j = range[1].first; j <= range[1].second; ++j)
        for (int64_t k = range[2].first; k <= range[2].second; ++k) {
          char& mark = touched[size_t((i * lattice.cells[1] + j) * lattice.cells[2] + k)];
          if (mark) continue;
          const Vec3 centre = {lattice.origin[0] + (double(i) + 0.5) * h[0],
                               lattice.origin[1] + (double(j) + 0.5) * h[1],
                               lattice.origin[2] + (double(k) + 0.5) * h[2]};
          mark = triangle_meets_box(t, centre, half);
        }
  }
}

}  // namespace asb
