// Which cells of a grid a closed surface fills, and how far: the geometry under voxels().
#pragma once

#include <span>
#include <vector>

#include "runtime/mesh/mesh.h"

namespace asb {

/// Samples inside the solid, k × k × k in every cell at the centres of its k^3 parts.
struct SampleCounts {
  std::vector<int32_t> inside;  ///< per lattice cell ((i·ny)+j)·nz+k; winding number above 0.5
  std::vector<double>
      chord;  ///< per cell: sum over its inside samples of how long the solid is in z there [m]
  int64_t n_overlapping =
      0;                   ///< samples with winding number 2 or more: the surface overlaps itself
  int64_t n_negative = 0;  ///< samples with a negative winding number: inside out there
};

/// The surface must be closed. Deterministic, linear in rows and crossings. With `wanted` (one flag
/// per cell) only rows of cells along z that hold a wanted one are counted; the others stay 0.
SampleCounts count_samples(const Surface& surface, const Lattice& lattice, int k,
                           const std::vector<char>* wanted = nullptr);

/// Marks every cell that a facet touches (closed triangle against closed box).
void mark_touched(const Surface& surface, const Lattice& lattice, std::vector<char>& touched);

/// Closed triangle and closed box overlap, by the 13 separating axes of [AkenineMoller2001].
bool triangle_meets_box(const std::array<Vec3, 3>& triangle, const Vec3& centre,
                        const Vec3& half_size);

}  // namespace asb
