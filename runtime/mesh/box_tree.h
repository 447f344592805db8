// A binary tree of boxes: finds the boxes that hold a point, and the nearest item to a point. Used
// by embedding.
#pragma once

#include <functional>
#include <vector>

#include "runtime/mesh/vec3.h"

namespace asb {

/// Built once over boxes numbered from 0; split at the median of the longest side, ties by number,
/// so the tree is a function of the boxes alone.
class BoxTree {
 public:
  explicit BoxTree(std::vector<Box3> boxes);

  /// Calls visit(i) for every box that holds p, ascending i not promised.
  void containing(const Vec3& p, const std::function<void(int32_t)>& visit) const;

  struct Nearest {
    int32_t item = -1;
    double distance = 0;
  };
  /// The item with the smallest distance_to(i), which is at least the distance to its box; the
  /// lower number of two.
  Nearest nearest(const Vec3& p, const std::function<double(int32_t)>& distance_to) const;

 private:
  struct Node {
    Box3 box;
    int32_t begin = 0, end = 0;  // items_[begin, end)
    int32_t right = -1;          // the left child is the next node; -1: leaf
  };
  int32_t build(int32_t begin, int32_t end);

  std::vector<Box3> boxes_;
  std::vector<int32_t> items_;
  std::vector<Node> nodes_;
};

}  // namespace asb
