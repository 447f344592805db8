// Which things hang together: disjoint sets whose representative is their smallest member.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace asb {

class UnionFind {
 public:
  explicit UnionFind(size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0); }
  int32_t find(int32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(int32_t a, int32_t b) {
    a = find(a);
    b = find(b);
    if (a < b) parent_[b] = a;
    if (b < a) parent_[a] = b;
  }

 private:
  std::vector<int32_t> parent_;
};

}  // namespace asb
