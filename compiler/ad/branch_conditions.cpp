// Sets of branches as sets of nodes in a tree of conditions.
#include "compiler/ad/branch_conditions.h"

#include <algorithm>

namespace asb::ad {
namespace {

constexpr size_t kMostBranches = 16;  // beyond that the set becomes one condition of its own

}  // namespace

using ir::ValueId;

int BranchConditions::child(int parent, ValueId condition, bool value) {
  for (int n = parent; n != 0; n = nodes_[n].parent)
    if (nodes_[n].condition == condition) return nodes_[n].value == value ? parent : -1;
  const auto [at, is_new] = children_.try_emplace({parent, condition.index, value}, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back({parent, condition, value, {}});
  return at->second;
}

bool BranchConditions::is_ancestor(int ancestor, int node) const {
  while (node > ancestor) node = nodes_[node].parent;  // a parent is older than its children
  return node == ancestor;
}

void BranchConditions::insert(Set& set, int node) {
  for (int other : set)
    if (is_ancestor(other, node)) return;
  std::erase_if(set, [&](int other) { return is_ancestor(node, other); });
  for (int other : set) {
    const Node &a = nodes_[node], &b = nodes_[other];
    if (other != 0 && a.parent == b.parent && a.condition == b.condition) {  // both sides
      const int parent = a.parent;
      std::erase(set, other);
      return insert(set, parent);
    }
  }
  set.insert(std::lower_bound(set.begin(), set.end(), node), node);
}

BranchConditions::Set BranchConditions::within(const Set& set, ValueId condition, bool value) {
  Set result;
  for (int node : set)
    if (const int c = child(node, condition, value); c >= 0) insert(result, c);
  return result;
}

void BranchConditions::unite(Set& set, const Set& more) {
  for (int node : more) insert(set, node);
  if (set.size() > kMostBranches) set = {child(0, value_of(set), true)};
}

ValueId BranchConditions::value_of(int node) {
  if (nodes_[node].materialised) return nodes_[node].materialised;
  const auto [parent, condition, value, none] = nodes_[node];
  ValueId result = value ? condition : builder_.negate(condition);
  if (parent != 0) result = builder_.both(value_of(parent), result);
  return nodes_[node].materialised = result;
}

ValueId BranchConditions::value_of(const Set& set) {
  ASB_CHECK(!set.empty() && !is_always(set), "neither always nor never");
  ValueId result = value_of(set[0]);
  for (size_t i = 1; i < set.size(); ++i) result = builder_.either(result, value_of(set[i]));
  return result;
}

}  // namespace asb::ad
