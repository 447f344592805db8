// voxels(surface, cells: n): a closed surface becomes cubes. The numbers behind each choice:
// docs/numerics, "From surfaces to cells".
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

/// Touch: every cell that meets the closed solid or holds a vertex. Centre: every cell whose centre
/// is inside.
enum class VoxelRule : uint8_t { Touch, Centre };

struct VoxelOptions {
  int64_t cells = 32;  ///< along the longest side of the surface's box
  VoxelRule rule = VoxelRule::Touch;
  /// Vertices of surfaces embedded later, beside those of the surface itself: a cell is made for
  /// each of them that lies in a neighbour of the body's cells (Touch only).
  std::span<const Vec3> held = {};
  double smallest_weight = 0.05;  ///< cell weights are at least this
  double drop_below =
      1e-3;  ///< solid fraction under which a cell without a vertex is dropped (Touch only)
  std::string name = "the surface";  ///< in messages
};

/// What voxels() did, for the log and the report.
struct VoxelReport {
  struct Warning {
    std::string name, message, hint;
  };
  double cell_size = 0;        ///< [m]
  double surface_volume = 0;   ///< [m^3]
  double weighted_volume = 0;  ///< sum of weight · cell volume [m^3]
  int32_t n_cells = 0;
  int32_t n_dropped = 0;      ///< touched, but below drop_below
  int32_t n_raised = 0;       ///< weights raised to smallest_weight
  int32_t n_added_nodes = 0;  ///< doubled where cells met by an edge or a corner alone
  int32_t n_components = 0;
  int32_t layers =
      0;  ///< cells across the body where it is thin: 10 % of its volume has this many or fewer
  int64_t cells_for_three_layers =
      0;  ///< the `cells` that gives three; 0 if there are three, or none was found
  std::vector<Warning> warnings;
};

struct Voxels {
  Mesh mesh;  ///< hex8, with lattice, lattice_cell and cell_weight
  VoxelReport report;
};

[[nodiscard]] Result<Voxels> voxels(const Surface& surface, const VoxelOptions& options);

}  // namespace asb
