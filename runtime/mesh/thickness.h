// How thick a body on a lattice is where it is thin: in cells, and in metres.
#pragma once

#include <vector>

#include "runtime/mesh/mesh.h"

namespace asb {

/// The share of a body's volume that may be thinner than what these functions return.
inline constexpr double kThinShare = 0.1;

/// Cells across: of each active cell the shortest of its three axis-parallel runs of active cells.
/// Arrays are per lattice cell.
int32_t count_layers(const Lattice& lattice, const std::vector<char>& active,
                     const std::vector<double>& fraction);

/// Solid across [m]: of each active cell the least mean chord of the solid along an axis.
double measure_thickness(const Surface& surface, const Lattice& lattice,
                         const std::vector<char>& active, const std::vector<double>& fraction);

}  // namespace asb
