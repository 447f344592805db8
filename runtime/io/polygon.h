// Cuts a polygon in space into triangles.
#pragma once

#include <span>
#include <vector>

#include "runtime/mesh/mesh.h"

namespace asb {

/// Appends n - 2 triangles with the polygon's orientation: a fan from the first corner if the
/// polygon is convex, ears otherwise. Always n - 2 triangles, also of a polygon that crosses
/// itself, so that edges stay paired.
void append_polygon(std::span<const int32_t> polygon, std::span<const Vec3> vertices,
                    std::vector<std::array<int32_t, 3>>& facets);

}  // namespace asb
