// Cuts a kernel in two by how often its values change.
#include "compiler/passes/split_by_rate.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/passes/passes.h"
#include "compiler/passes/rates.h"
#include "compiler/passes/rewrite.h"

namespace asb::ir {
namespace {

constexpr int kCheapInstructions = 2;  ///< of these a value is made again rather than kept

bool moves_entries(Op op) {
  switch (op) {
    case Op::Copy: case Op::Envelope: case Op::Live: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice:
    case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate:
      return true;
    default:
      return false;
  }
}

bool is_cheap(Op op) {
  switch (op) {
    case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Fma: case Op::Abs: case Op::Sign: case Op::Min:
    case Op::Max: case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not:
    case Op::Select:
      return true;
    default:
      return moves_entries(op);
  }
}

bool is_free_leaf(Op op) { return op == Op::Input || op == Op::Constant || op == Op::Identity; }

class Cut {
 public:
  Cut(const Function& function, Rate inner) : f_(function), rates_(rates(function)), inner_(inner) {
    needed_.resize(f_.insts.size());
    kept_.resize(f_.insts.size());
    pinned_.resize(f_.insts.size());
  }

  /// kept[i]: handed over. A needed outer value that isn't kept is made again inside.
  std::vector<bool> run() {
    for (size_t i = 0; i < f_.insts.size(); ++i)
      if (!is_outer(i))
        for (ValueId arg : f_.insts[i].args) need(arg.index);
    for (const Output& output : f_.outputs)
      for (ValueId id : output.values) need(id.index);
    peel();
    make_again();
    return kept_;
  }

 private:
  bool is_outer(size_t i) const { return (rates_[i] & inner_) == 0; }
  void need(size_t i) {
    if (is_outer(i)) needed_[i] = true;
  }
  int32_t entries(size_t i) const { return f_.insts[i].type.entries(); }

  /// From the last to the first: what follows by moving entries is replaced by what is moved.
  void peel() {
    for (size_t i = f_.insts.size(); i-- > 0;) {
      if (!needed_[i] || is_free_leaf(f_.insts[i].op)) continue;
      kept_[i] = !is_peeled(f_.insts[i]);
      if (kept_[i]) continue;
      for (ValueId arg : f_.insts[i].args) needed_[arg.index] = true;
    }
  }

  bool is_peeled(const Inst& inst) const {
    int32_t moved = 0;
    bool reads_inputs_only = true;
    for (size_t k = 0; k < inst.args.size(); ++k) {
      const size_t arg = inst.args[k].index;
      if (std::find(inst.args.begin(), inst.args.begin() + static_cast<std::ptrdiff_t>(k), inst.args[k]) !=
          inst.args.begin() + static_cast<std::ptrdiff_t>(k))
        continue;
      if (is_free_leaf(f_.insts[arg].op)) continue;
      reads_inputs_only = false;
      if (!needed_[arg]) moved += entries(arg);
    }
    if (moves_entries(inst.op)) return reads_inputs_only || moved <= inst.type.entries();
    // A scalar times a constant tensor and the like: fewer numbers in than out, one instruction to make it again
    return is_cheap(inst.op) && !reads_inputs_only && moved < inst.type.entries();
  }

  /// From the last to the first: a kept value that little makes from the others isn't kept.
  void make_again() {
    for (size_t i = f_.insts.size(); i-- > 0;) {
      if (!kept_[i] || pinned_[i]) continue;
      std::vector<size_t> used;
      int budget = kCheapInstructions;
      kept_[i] = false;
      if (follows(i, budget, used)) {
        for (size_t u : used) pinned_[u] = kept_[u];
      } else {
        kept_[i] = true;
      }
    }
  }

  bool follows(size_t i, int& budget, std::vector<size_t>& used) const {
    const Op op = f_.insts[i].op;
    if (is_free_leaf(op)) return true;
    if (kept_[i]) {
      used.push_back(i);
      return true;
    }
    if (!is_cheap(op) || (!moves_entries(op) && budget-- <= 0)) return false;
    return std::all_of(f_.insts[i].args.begin(), f_.insts[i].args.end(),
                       [&](ValueId arg) { return follows(arg.index, budget, used); });
  }

  const Function& f_;
  std::vector<Rate> rates_;
  Rate inner_;
  std::vector<bool> needed_, kept_, pinned_;
};

Function copy_of_body(const Function& body) { return body; }

}  // namespace

int32_t Split::held_entries() const {
  int32_t count = 0;
  for (const Output& output : outer.outputs) count += output.type.entries();
  return count;
}

Split split_by_rate(const Function& function, Rate inner) {
  const std::vector<bool> kept = Cut(function, inner).run();
  const std::vector<Rate> rate = rates(function);
  Split split{function, like(function, copy_of_body), static_cast<int32_t>(function.inputs.size())};

  split.outer.name += "_outer";
  split.outer.outputs.clear();
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    if (!kept[i]) continue;
    const std::string name = fmt::format("held{}", split.outer.outputs.size());
    split.outer.outputs.push_back({name, function.insts[i].type, {ValueId(i)}});
    split.inner.inputs.push_back({name, function.insts[i].type, rate[i]});
  }
  split.outer = remove_dead(split.outer);

  std::vector<ValueId> map(function.insts.size());
  int32_t next = split.first_held;
  for (uint32_t i = 0; i < function.insts.size(); ++i) {
    Inst inst = function.insts[i];
    if (kept[i])
      inst = Inst{Op::Input, inst.type, {}, 0, next++, 0, inst.span};
    else
      inst.args = mapped(inst.args, map);
    map[i] = ValueId(static_cast<uint32_t>(split.inner.insts.size()));
    split.inner.insts.push_back(std::move(inst));
  }
  map_outputs(function, map, split.inner);
  split.inner = remove_dead(split.inner);
  return split;
}

}  // namespace asb::ir
