// Normals, areas, volume and winding number of triangle surfaces.
#include "runtime/mesh/surface.h"

#include <algorithm>
#include <numbers>
#include <numeric>

#include "runtime/mesh/vec3.h"

namespace asb {

Vec3 facet_area_vector(const Surface& surface, size_t facet) {
  const auto& f = surface.facets[facet];
  const Vec3& a = surface.vertices[f[0]];
  return scaled(cross(subtract(surface.vertices[f[1]], a), subtract(surface.vertices[f[2]], a)),
                0.5);
}

std::vector<Vec3> vertex_normals(const Surface& surface) {
  std::vector<Vec3> normal(surface.vertices.size(), Vec3{});
  for (size_t t = 0; t < surface.facets.size(); ++t) {
    const Vec3 area = facet_area_vector(surface, t);
    for (int32_t v : surface.facets[t]) normal[v] = add(normal[v], area);
  }
  for (Vec3& n : normal) {
    const double length = norm(n);
    if (length > 0) n = scaled(n, 1 / length);
  }
  return normal;
}

std::vector<double> vertex_areas(const Surface& surface) {
  std::vector<double> area(surface.vertices.size(), 0.0);
  for (size_t t = 0; t < surface.facets.size(); ++t) {
    const double third = norm(facet_area_vector(surface, t)) / 3;
    for (int32_t v : surface.facets[t]) area[v] += third;
  }
  return area;
}

double surface_area(const Surface& surface) {
  double sum = 0;
  for (size_t t = 0; t < surface.facets.size(); ++t) sum += norm(facet_area_vector(surface, t));
  return sum;
}

double enclosed_volume(const Surface& surface) {
  if (surface.facets.empty()) return 0;
  // V = 1/3 sum x · a over facets, from a point of the surface, so that a far origin costs no
  // digits.
  const Vec3 origin = surface.vertices[surface.facets[0][0]];
  double sum = 0;
  for (size_t t = 0; t < surface.facets.size(); ++t)
    sum += dot(subtract(surface.vertices[surface.facets[t][0]], origin),
               facet_area_vector(surface, t));
  return sum / 3;
}

double winding_number(const Surface& surface, const Vec3& p) {
  double sum = 0;
  for (const auto& f : surface.facets) {
    const Vec3 a = subtract(surface.vertices[f[0]], p), b = subtract(surface.vertices[f[1]], p),
               c = subtract(surface.vertices[f[2]], p);
    const double la = norm(a), lb = norm(b), lc = norm(c);
    // tan(omega/2) = a · (b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|), [VanOosterom1983]
    // Eq. 8.
    const double numerator = dot(a, cross(b, c));
    const double denominator = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    sum += 2 * std::atan2(numerator, denominator);
  }
  return sum / (4 * std::numbers::pi);
}

std::vector<int32_t> coincident_vertices(const Surface& surface) {
  const auto& x = surface.vertices;
  std::vector<int32_t> order(x.size()), first(x.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return x[a] < x[b] || (x[a] == x[b] && a < b); });
  for (size_t i = 0; i < order.size(); ++i) {
    const bool same =
        i > 0 && x[order[i]] == x[order[i - 1]];  // equal numbers, on purpose: a file repeats them
    first[order[i]] = same ? first[order[i - 1]] : order[i];
  }
  return first;
}

}  // namespace asb
