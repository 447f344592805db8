// Median-split tree of boxes.
#include "runtime/mesh/box_tree.h"

#include <algorithm>
#include <numeric>

namespace asb {
namespace {
constexpr int32_t kLeafItems = 4;
}

BoxTree::BoxTree(std::vector<Box3> boxes) : boxes_(std::move(boxes)), items_(boxes_.size()) {
  std::iota(items_.begin(), items_.end(), 0);
  if (!boxes_.empty()) build(0, int32_t(boxes_.size()));
}

int32_t BoxTree::build(int32_t begin, int32_t end) {
  const int32_t me = int32_t(nodes_.size());
  nodes_.push_back({});
  Box3 box, centres;
  const auto centre = [&](int32_t i) { return scaled(add(boxes_[i].low, boxes_[i].high), 0.5); };
  for (int32_t i = begin; i < end; ++i) {
    box.include(boxes_[items_[i]]);
    centres.include(centre(items_[i]));
  }
  nodes_[me].box = box;
  nodes_[me].begin = begin;
  nodes_[me].end = end;
  if (end - begin <= kLeafItems) return me;
  const Vec3 size = centres.size();
  const int axis = int(std::max_element(size.begin(), size.end()) - size.begin());
  const int32_t middle = begin + (end - begin) / 2;
  std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                   [&](int32_t a, int32_t b) {
                     const double x = centre(a)[axis], y = centre(b)[axis];
                     return x < y || (x == y && a < b);  // equal centres: by number
                   });
  build(begin, middle);
  const int32_t right = build(middle, end);
  nodes_[me].right = right;
  return me;
}

void BoxTree::containing(const Vec3& p, const std::function<void(int32_t)>& visit) const {
  if (nodes_.empty()) return;
  std::vector<int32_t> stack = {0};
  while (!stack.empty()) {
    const int32_t i = stack.back();
    const Node& node = nodes_[i];
    stack.pop_back();
    if (node.box.distance_to(p) > 0) continue;
    if (node.right < 0) {
      for (int32_t k = node.begin; k < node.end; ++k)
        if (boxes_[items_[k]].distance_to(p) == 0) visit(items_[k]);  // exactly 0 inside
    } else {
      stack.push_back(node.right);
      stack.push_back(i + 1);
    }
  }
}

BoxTree::Nearest BoxTree::nearest(const Vec3& p,
                                  const std::function<double(int32_t)>& distance_to) const {
  Nearest best = {-1, std::numeric_limits<double>::infinity()};
  if (nodes_.empty()) return best;
  std::vector<int32_t> stack = {0};
  while (!stack.empty()) {
    const int32_t i = stack.back();
    const Node& node = nodes_[i];
    stack.pop_back();
    if (node.box.distance_to(p) > best.distance) continue;
    if (node.right < 0) {
      for (int32_t k = node.begin; k < node.end; ++k) {
        const int32_t item = items_[k];
        if (boxes_[item].distance_to(p) > best.distance) continue;
        const double d = distance_to(item);
        if (d < best.distance || (d == best.distance && item < best.item)) best = {item, d};
      }
      continue;
    }
    // The nearer child last, so that it is looked at first.
    const int32_t left = i + 1, right = node.right;
    const bool left_first = nodes_[left].box.distance_to(p) <= nodes_[right].box.distance_to(p);
    stack.push_back(left_first ? right : left);
    stack.push_back(left_first ? left : right);
  }
  return best;
}

}  // namespace asb
