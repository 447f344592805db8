// Surfaces and meshes with known answers, for the tests of runtime/mesh.
#pragma once

#include <string>

#include "runtime/mesh/mesh.h"
#include "runtime/mesh/vec3.h"

namespace asb::testing {

/// Twelve outward triangles around the box [low, high].
Surface box_surface(const Vec3& low, const Vec3& high);

/// A sphere by n-fold splits of an octahedron: 8·4^n facets.
Surface sphere_surface(const Vec3& centre, double radius, int n);

Surface joined(const Surface& a, const Surface& b);
Surface reversed(Surface surface);

/// box(2 × 1 × 1 m, 4 × 3 × 2 cells) with inner nodes moved at random by up to `amount` of a cell
/// and then all nodes by a fixed linear map, no longer a lattice. Same mesh every time.
Mesh distorted_box(ElementKind kind, double amount);

/// `file` under ASB_SHARED_DIR, or "" with a loud note if it isn't there.
std::string shared_file(const std::string& file);

}  // namespace asb::testing
