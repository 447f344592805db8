// Under which conditions the value of an instruction reaches a result, when `select` stands in between.
//
// Note [Dead branches]
// In select(c, yes, no) the cotangent of the side not taken is 0; but pulled back through, say, 1/x at x = 0 it becomes
// 0·inf = NaN, and x may be used elsewhere. So reverse accumulation knows for each instruction the set of branches in
// which it is used, and where a cotangent goes from an instruction to an operand that is used in other branches too,
// it passes select(instruction is used, cotangent, 0).
#pragma once

#include <map>
#include <tuple>
#include <vector>

#include "compiler/ir/builder.h"

namespace asb::ad {

class BranchConditions {
 public:
  explicit BranchConditions(ir::Builder& builder) : builder_(builder), nodes_{{}} {}

  /// Nodes of a tree, sorted; a node is "its parent, and condition is value". Empty: never.
  using Set = std::vector<int>;
  static Set always() { return {0}; }
  static bool is_always(const Set& set) { return set.size() == 1 && set[0] == 0; }

  /// Both `set` and condition == value.
  Set within(const Set& set, ir::ValueId condition, bool value);
  /// Adds the branches of `more`; two sides of one condition become their parent.
  void unite(Set& set, const Set& more);
  /// The set as a bool. Not for always or never.
  ir::ValueId value_of(const Set& set);

 private:
  struct Node {
    int parent = 0;
    ir::ValueId condition;
    bool value = true;
    ir::ValueId materialised;
  };
  int child(int parent, ir::ValueId condition, bool value);
  void insert(Set& set, int node);
  bool is_ancestor(int ancestor, int node) const;
  ir::ValueId value_of(int node);

  ir::Builder& builder_;
  std::vector<Node> nodes_;  ///< nodes_[0]: always
  std::map<std::tuple<int, uint32_t, bool>, int> children_;
};

}  // namespace asb::ad
