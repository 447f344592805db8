// How values at nodes are seen at the entities of a space: groups (cells, or single entities) of `points` entities
// that read the same `corners` nodes. The gather of the graph, as numbers. Built by runtime/execute/spaces.
#pragma once

#include "runtime/assembly/lanes.h"

namespace asb {

/// Groups are in blocks of kLanes; lanes beyond n_groups repeat the last group with measure 0. Entity q of group g
/// stands in entity block (g / kLanes)·points + q, lane g % kLanes: the layout of every per-entity array.
struct Stencil {
  int64_t n_groups = 0;
  int points = 1;
  int corners = 1;
  std::vector<int32_t> nodes;   ///< blocks × corners × kLanes
  /// Shape values: points × corners if shared by all groups, else blocks × points × corners × kLanes.
  bool shared_values = true;
  AlignedVector N;
  /// Gradients by rest position [1/m]: (points × corners × 3) or (blocks × points × corners × 3 × kLanes). Empty: none.
  bool shared_gradients = true;
  AlignedVector G;

  int64_t blocks() const { return blocks_for(n_groups); }
  int64_t entity_blocks() const { return blocks() * points; }
  size_t bytes() const { return bytes_of(nodes) + bytes_of(N) + bytes_of(G); }
};

}  // namespace asb
