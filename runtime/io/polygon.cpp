// Fan or ear clipping in the plane of the polygon's area vector.
#include "runtime/io/polygon.h"

#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

// Twice the area of abc seen along n.
double turn(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& n) {
  return dot(cross(subtract(b, a), subtract(c, a)), n);
}

}  // namespace

void append_polygon(std::span<const int32_t> polygon, std::span<const Vec3> vertices,
                    std::vector<std::array<int32_t, 3>>& facets) {
  std::vector<int32_t> ring(polygon.begin(), polygon.end());
  if (ring.size() > 3) {
    const auto at = [&](size_t i) -> const Vec3& { return vertices[ring[i % ring.size()]]; };
    Vec3 normal = {};  // Newell: the area vector, of bent polygons too
    for (size_t i = 1; i + 1 < ring.size(); ++i)
      normal = add(normal, cross(subtract(at(i), at(0)), subtract(at(i + 1), at(0))));
    bool convex = true;
    for (size_t i = 0; i < ring.size(); ++i)
      convex &= turn(at(i), at(i + 1), at(i + 2), normal) > 0;
    while (!convex && ring.size() > 3) {
      size_t ear = ring.size();
      for (size_t i = 0; i < ring.size() && ear == ring.size(); ++i) {
        const size_t n = ring.size(), before = (i + n - 1) % n, after = (i + 1) % n;
        const Vec3 &a = at(before), &b = at(i), &c = at(after);
        bool is_ear = turn(a, b, c, normal) > 0;
        for (size_t k = 0; k < n && is_ear; ++k) {
          if (k == before || k == i || k == after) continue;
          const Vec3& p = at(k);
          is_ear = !(turn(a, b, p, normal) >= 0 && turn(b, c, p, normal) >= 0 &&
                     turn(c, a, p, normal) >= 0);
        }
        if (is_ear) ear = i;
      }
      if (ear == ring.size())
        break;  // no ear: crosses itself or has no area; the fan below ends it
      const size_t n = ring.size();
      facets.push_back({ring[(ear + n - 1) % n], ring[ear], ring[(ear + 1) % n]});
      ring.erase(ring.begin() + std::ptrdiff_t(ear));
    }
  }
  for (size_t i = 1; i + 1 < ring.size(); ++i) facets.push_back({ring[0], ring[i], ring[i + 1]});
}

}  // namespace asb
