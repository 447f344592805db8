// Arithmetic of positions and directions in space (Vec3 of mesh.h), for the geometry of
// runtime/mesh.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "runtime/mesh/mesh.h"

namespace asb {

inline Vec3 add(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 subtract(const Vec3& a, const Vec3& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 scaled(const Vec3& a, double s) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double norm(const Vec3& a) { return std::sqrt(dot(a, a)); }
inline double distance(const Vec3& a, const Vec3& b) { return norm(subtract(a, b)); }
inline bool is_finite(const Vec3& a) {
  return std::isfinite(a[0]) && std::isfinite(a[1]) && std::isfinite(a[2]);
}

/// Smallest axis-parallel box around some points; empty (low > high) around none.
struct Box3 {
  Vec3 low = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(),
              std::numeric_limits<double>::infinity()};
  Vec3 high = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
               -std::numeric_limits<double>::infinity()};

  void include(const Vec3& p) {
    for (int a = 0; a < 3; ++a) {
      low[a] = std::min(low[a], p[a]);
      high[a] = std::max(high[a], p[a]);
    }
  }
  void include(const Box3& b) {
    include(b.low);
    include(b.high);
  }
  bool is_empty() const { return !(low[0] <= high[0]); }
  Vec3 size() const { return subtract(high, low); }
  double diagonal() const { return is_empty() ? 0 : norm(size()); }
  /// Distance from p to the closed box; 0 inside.
  double distance_to(const Vec3& p) const {
    double sum = 0;
    for (int a = 0; a < 3; ++a) {
      const double outside = std::max({low[a] - p[a], p[a] - high[a], 0.0});
      sum += outside * outside;
    }
    return std::sqrt(sum);
  }
};

inline Box3 bounding_box(std::span<const Vec3> points) {
  Box3 box;
  for (const Vec3& p : points) box.include(p);
  return box;
}

}  // namespace asb
