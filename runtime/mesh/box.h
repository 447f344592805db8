// box(size:, cells:, element:): a regular block of cells with a corner at the origin.
#pragma once

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

/// Node (i, j, k) is number (i·(ny+1) + j)·(nz+1) + k, cell (i, j, k) number (i·ny + j)·nz + k;
/// tet4 has six cells 6c .. 6c+5 in each cube c. Sets lattice and lattice_cell. size in metres.
[[nodiscard]] Result<Mesh> box(const Vec3& size, const std::array<int64_t, 3>& cells,
                               ElementKind kind);

/// Every hex of a box or of voxels as six tets, by the split that box() uses: it fits across faces. Weights are kept; the
/// lattice is not, as tets don't fill its cells alone.
[[nodiscard]] Mesh split_into_tets(const Mesh& hexes);

/// Most cells and nodes that box() and voxels() make.
inline constexpr int64_t kMostCells = 100'000'000;

}  // namespace asb
