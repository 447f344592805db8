// Schedules. The problem is hard in general ([Sethi1975]), so three cheap orders compete and the best one is taken.
#include <algorithm>
#include <queue>

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace asb::ir {
namespace {

using Sequence = std::vector<uint32_t>;  ///< numbers of instructions

/// Who reads what. Operands are distinct; constants are left out of all counts, as they need no register for long.
class Graph {
 public:
  explicit Graph(const Function& function) : function_(function), first_(function.insts.size() + 1) {
    const auto n = static_cast<uint32_t>(function.insts.size());
    operands_.resize(n);
    for (uint32_t i = 0; i < n; ++i) {
      for (ValueId arg : function.insts[i].args)
        if (std::find(operands_[i].begin(), operands_[i].end(), arg.index) == operands_[i].end())
          operands_[i].push_back(arg.index);
      for (uint32_t arg : operands_[i]) ++first_[arg + 1];
    }
    for (uint32_t i = 0; i < n; ++i) first_[i + 1] += first_[i];
    users_.resize(first_[n]);
    std::vector<uint32_t> at(first_.begin(), first_.end() - 1);
    for (uint32_t i = 0; i < n; ++i)
      for (uint32_t arg : operands_[i]) users_[at[arg]++] = i;
  }
  uint32_t size() const { return static_cast<uint32_t>(operands_.size()); }
  const std::vector<uint32_t>& operands(uint32_t i) const { return operands_[i]; }
  std::span<const uint32_t> users(uint32_t i) const {
    return {users_.data() + first_[i], users_.data() + first_[i + 1]};
  }
  Op op(uint32_t i) const { return function_.insts[i].op; }
  bool is_leaf(uint32_t i) const { return operands_[i].empty(); }
  int32_t weight(uint32_t i) const { return op(i) == Op::Constant ? 0 : function_.insts[i].type.entries(); }

 private:
  const Function& function_;
  std::vector<std::vector<uint32_t>> operands_;
  std::vector<uint32_t> first_, users_;
};

int32_t max_live_of(const Graph& graph, const Sequence& sequence) {
  std::vector<uint32_t> unread(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) unread[i] = static_cast<uint32_t>(graph.users(i).size());
  int32_t live = 0, most = 0;
  for (uint32_t i : sequence) {
    for (uint32_t arg : graph.operands(i))
      if (--unread[arg] == 0) live -= graph.weight(arg);
    if (unread[i] > 0) live += graph.weight(i);
    most = std::max(most, live);
  }
  return most;
}

/// Depth first from the outputs; of an instruction's operands the one that needs most registers first, counted as in
/// a tree ([Sethi1970]).
class DepthFirst {
 public:
  explicit DepthFirst(const Graph& graph) : graph_(graph), done_(graph.size()), need_(graph.size()) {
    std::vector<int32_t> needs;
    for (uint32_t i = 0; i < graph.size(); ++i) {
      needs.clear();
      for (uint32_t arg : graph.operands(i)) needs.push_back(need_[arg]);
      std::sort(needs.rbegin(), needs.rend());
      need_[i] = graph.weight(i);
      for (size_t k = 0; k < needs.size(); ++k) need_[i] = std::max(need_[i], needs[k] + static_cast<int32_t>(k));
    }
  }

  Sequence run(const Function& function) {
    for (const Output& output : function.outputs)
      for (ValueId id : output.values) visit(id.index);
    for (uint32_t i = 0; i < graph_.size(); ++i) visit(i);  // what no output reads keeps a place
    return std::move(sequence_);
  }

 private:
  void visit(uint32_t root) {
    stack_.push_back({root, false});
    while (!stack_.empty()) {
      const auto [i, operands_done] = stack_.back();
      stack_.pop_back();
      if (done_[i]) continue;
      if (operands_done) {
        done_[i] = true;
        sequence_.push_back(i);
        continue;
      }
      stack_.push_back({i, true});
      std::vector<uint32_t> args = graph_.operands(i);
      std::stable_sort(args.begin(), args.end(), [&](uint32_t a, uint32_t b) { return need_[a] < need_[b]; });
      for (uint32_t arg : args)
        if (!done_[arg]) stack_.push_back({arg, false});  // the last one pushed comes first
    }
  }

  const Graph& graph_;
  std::vector<bool> done_;
  std::vector<int32_t> need_;
  std::vector<std::pair<uint32_t, bool>> stack_;
  Sequence sequence_;
};

/// Of the instructions whose operands are there, the one after which fewest values live; at equality the first in
/// the sequence given. Leaves are placed before their first reader.
class Greedy {
 public:
  Greedy(const Graph& graph, const Sequence& preferred)
      : graph_(graph), rank_(graph.size()), unread_(graph.size()), missing_(graph.size()), done_(graph.size()) {
    for (uint32_t k = 0; k < preferred.size(); ++k) rank_[preferred[k]] = k;
    for (uint32_t i = 0; i < graph.size(); ++i) {
      unread_[i] = static_cast<uint32_t>(graph.users(i).size());
      for (uint32_t arg : graph.operands(i)) missing_[i] += !graph.is_leaf(arg);
      if (!graph.is_leaf(i) && missing_[i] == 0) push(i);
    }
  }

  Sequence run() {
    while (!ready_.empty()) {
      const auto [growth, rank, i] = ready_.top();
      ready_.pop();
      if (done_[i]) continue;
      if (growth == growth_of(i))
        place(i);
      else
        push(i);  // the entry was older
    }
    for (uint32_t i = 0; i < graph_.size(); ++i)
      if (!done_[i]) sequence_.push_back(i);  // leaves that nothing reads
    return std::move(sequence_);
  }

 private:
  using Entry = std::tuple<int32_t, uint32_t, uint32_t>;  // growth, rank, instruction

  int32_t growth_of(uint32_t i) const {
    int32_t growth = unread_[i] > 0 ? graph_.weight(i) : 0;
    for (uint32_t arg : graph_.operands(i)) {
      const bool is_new = !done_[arg], dies = unread_[arg] == 1;
      growth += (is_new - dies) * graph_.weight(arg);
    }
    return growth;
  }
  void push(uint32_t i) { ready_.emplace(growth_of(i), rank_[i], i); }
  void refresh(uint32_t arg) {
    for (uint32_t user : graph_.users(arg))
      if (!done_[user] && missing_[user] == 0) push(user);
  }

  void place(uint32_t i) {
    std::vector<uint32_t> changed;
    for (uint32_t arg : graph_.operands(i)) {
      if (!done_[arg]) {
        done_[arg] = true;
        sequence_.push_back(arg);
        if (graph_.weight(arg) > 0) changed.push_back(arg);
      }
      if (--unread_[arg] == 1) changed.push_back(arg);
    }
    done_[i] = true;
    sequence_.push_back(i);
    for (uint32_t arg : changed) refresh(arg);
    for (uint32_t user : graph_.users(i))
      if (--missing_[user] == 0) push(user);
  }

  const Graph& graph_;
  std::vector<uint32_t> rank_, unread_, missing_;
  std::vector<bool> done_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready_;
  Sequence sequence_;
};

Sequence as_given(const Graph& graph) {
  Sequence sequence(graph.size());
  for (uint32_t i = 0; i < graph.size(); ++i) sequence[i] = i;
  return sequence;
}

}  // namespace

int32_t max_live(const Function& function) {
  const Graph graph(function);
  return max_live_of(graph, as_given(graph));
}

Function order(const Function& function) {
  const Graph graph(function);
  Sequence best = as_given(graph);
  int32_t fewest = max_live_of(graph, best);
  const auto consider = [&](Sequence sequence) {
    const int32_t live = max_live_of(graph, sequence);
    if (live >= fewest) return;
    fewest = live;
    best = std::move(sequence);
  };
  const Sequence depth_first = DepthFirst(graph).run(function);
  consider(Greedy(graph, depth_first).run());
  consider(Greedy(graph, as_given(graph)).run());
  consider(depth_first);

  Function result = like(function, order);
  std::vector<ValueId> map(function.insts.size());
  for (uint32_t i : best) {
    map[i] = ValueId(static_cast<uint32_t>(result.insts.size()));
    result.insts.push_back(function.insts[i]);
    result.insts.back().args = mapped(function.insts[i].args, map);
  }
  map_outputs(function, map, result);
  return result;
}

}  // namespace asb::ir
