// A result like that of examples/beam, in closed form, for tests of the writers.
#pragma once

#include <array>
#include <memory>

#include "runtime/report/result.h"

namespace asb::test {

/// Owns what the result borrows.
struct Sample {
  std::unique_ptr<Mesh> mesh;
  std::unique_ptr<Surface> surface;
  RunResult result;
};

/// A box of nx × ny × nz cubes of 1/nx, bent downwards, with a stress per cell, a symmetric tensor
/// per node, a skin with a value per vertex, two outputs and one solve.
Sample bent_beam(std::array<int, 3> cells = {40, 4, 4});

}  // namespace asb::test
