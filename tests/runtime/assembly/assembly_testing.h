// Numbers for the tests of assembly: the same in every run.
#pragma once

#include <cstdint>

#include "runtime/assembly/stencil.h"

namespace asb::test {

struct Noise {
  uint64_t state = 88172645463325252ull;
  /// In [-1/2, 1/2).
  double operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  }
  int below(int n) { return static_cast<int>((operator()() + 0.5) * n); }
};

inline AlignedVector noise(int64_t n, uint64_t seed = 88172645463325252ull) {
  Noise next{seed};
  AlignedVector out(n);
  for (double& x : out) x = next();
  return out;
}

/// Groups that read nodes at random, some of them one node twice.
inline Stencil random_stencil(int64_t n_groups, int corners, int n_nodes, bool shared, uint64_t seed) {
  Noise next{seed};
  Stencil s;
  s.n_groups = n_groups;
  s.points = 2;
  s.corners = corners;
  s.nodes.resize(s.blocks() * corners * kLanes);
  for (int32_t& node : s.nodes) node = next.below(n_nodes);
  s.shared_values = s.shared_gradients = shared;
  const int64_t copies = shared ? 1 : s.blocks() * kLanes;
  s.N = noise(copies * s.points * corners, seed + 1);
  s.G = noise(copies * s.points * corners * 3, seed + 2);
  return s;
}

}  // namespace asb::test
