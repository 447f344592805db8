// What this machine can do at most: the roof that kernels are held against [Williams2009].
#pragma once

#include <cstdint>

namespace asb::bench {

/// Rates of one thread. Operations are in double precision; an add, a multiply, and each half of a fused pair count one.
struct Roof {
  double operations = 0;        ///< adds and multiplies, not fused [1/s]
  double fused = 0;             ///< the same, fused in pairs [1/s]
  double divisions = 0;         ///< [1/s]
  double square_roots = 0;      ///< [1/s]
  double near_bytes = 0;        ///< read and written from 192 kB, which the second cache holds [B/s]
  double far_bytes = 0;         ///< read and written from 384 MB [B/s]
};

Roof measure_roof();

}  // namespace asb::bench
