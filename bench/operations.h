// How much a kernel computes and moves, counted in its scalar SSA: what a roof needs.
#pragma once

#include "bench/roof.h"
#include "compiler/ir/function.h"

namespace asb::bench {

/// Per entity. What is uniform over a launch is computed once and counts nothing.
struct Operations {
  double arithmetic = 0;  ///< adds, subtractions, multiplications; a fused pair counts two
  double fused = 0;       ///< of these, in fused pairs
  double divisions = 0, square_roots = 0;
  double others = 0;      ///< comparisons, selects, minima, bits
  double bytes = 0;       ///< of per-entity arguments, read and written once
  double total() const { return arithmetic + divisions + square_roots; }
};

/// `rounds`: how often the bodies of Iterate run.
Operations count_operations(const ir::Function& scalar, double rounds);

/// The least time that one entity takes under a roof [s]: the longest of arithmetic as written, divisions and square
/// roots (one unit), and bytes.
struct Bound {
  double seconds = 0;
  const char* by = "";
};
Bound bound(const Operations& operations, const Roof& roof, double bytes_per_second);

}  // namespace asb::bench
