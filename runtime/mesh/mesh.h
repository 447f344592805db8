// Bodies and surfaces at rest: plain data. Filled by box.cpp, voxels.cpp and the readers in runtime/io;
// read by embedding, assembly and output. Lengths in metres.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace asb {

using Vec3 = std::array<double, 3>;

/// One entry of kElements (element.h) per kind.
enum class ElementKind : uint8_t { Hex8, Tet4 };

/// A regular grid of cubes or boxes that a mesh was cut from (box, voxels).
struct Lattice {
  Vec3 origin = {};                  ///< corner of cell (0, 0, 0) [m]
  Vec3 spacing = {};                 ///< cell size [m]
  std::array<int32_t, 3> cells = {};  ///< cells along x, y, z
};

/// A volume mesh.
struct Mesh {
  ElementKind kind = ElementKind::Hex8;
  std::vector<Vec3> nodes;            ///< rest positions [m]
  std::vector<int32_t> cells;         ///< n_cells × corners node numbers, corner order as in element.h
  std::vector<double> cell_weight;    ///< solid volume fraction of each cell in (0, 1]; empty: all 1
  std::optional<Lattice> lattice;     ///< set for box() and voxels()
  std::vector<int32_t> lattice_cell;  ///< lattice cell ((i·ny)+j)·nz+k of each cell; empty unless lattice
  std::map<std::string, std::vector<int32_t>> node_tags;
  std::map<std::string, std::vector<int32_t>> cell_tags;
};

/// A triangle surface.
struct Surface {
  std::vector<Vec3> vertices;                    ///< [m]
  std::vector<std::array<int32_t, 3>> facets;    ///< outward by the right-hand rule
};

/// Points held by the cells of a mesh: x = Σ_c N_c(local) x_corner(c).
struct Embedding {
  std::vector<int32_t> cell;    ///< per point
  std::vector<Vec3> local;      ///< reference coordinates in that cell (may lie outside: extrapolated)
  std::vector<int32_t> nodes;   ///< n_points × corners
  std::vector<double> weights;  ///< n_points × corners, shape function values
  int corners = 0;
  int n_outside = 0;            ///< points outside every cell, held by the nearest
  double largest_distance = 0;  ///< [m] of those
};

}  // namespace asb
