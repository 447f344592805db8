// Builder: type, simplification, leaf sharing; the shorthands that aren't one line.
#include "compiler/ir/builder.h"

#include <bit>

#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"

namespace asb::ir {
namespace {

constexpr size_t kSmallestTable = 64;

bool is_leaf(Op op) { return op == Op::Constant || op == Op::Identity || op == Op::Input; }
bool is_place(Op op) { return op == Op::Copy || op == Op::Envelope || op == Op::Live; }
bool has(Rules rules, Rules rule) { return static_cast<int>(rules) & static_cast<int>(rule); }
bool is_shared(Op op, Rules rules) { return is_leaf(op) || (has(rules, Rules::Share) && !is_place(op)); }

uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

uint64_t hash(const Inst& inst) {
  uint64_t h = mix(static_cast<uint64_t>(inst.op), static_cast<uint64_t>(inst.type.rank));
  h = mix(h, uint64_t{static_cast<uint32_t>(inst.index)} << 32 | static_cast<uint32_t>(inst.extra));
  if (inst.op == Op::Constant) h = mix(h, std::bit_cast<uint64_t>(inst.number));
  for (int i = 0; i < inst.type.rank; ++i) h = mix(h, static_cast<uint64_t>(inst.type.dims[i]));
  for (ValueId arg : inst.args) h = mix(h, arg.index);
  return h ^ (h >> 32);
}

bool is_equal(const Inst& a, const Inst& b) {
  return a.op == b.op && a.index == b.index && a.extra == b.extra && a.args == b.args && a.type == b.type &&
         std::bit_cast<uint64_t>(a.number) == std::bit_cast<uint64_t>(b.number);
}

}  // namespace

Builder::Builder(Function& function, Rules rules) : function_(function), rules_(rules) {
  table_.resize(kSmallestTable);
  for (size_t i = 0; i < function.insts.size(); ++i) {
    const Inst& inst = function.insts[i];
    if (!is_shared(inst.op, rules_)) continue;
    ValueId* slot = find(inst);
    if (*slot) continue;
    *slot = ValueId(static_cast<uint32_t>(i));
    if (2 * ++used_ > table_.size()) grow();
  }
}

/// The slot that holds an equal instruction, or the empty one where it belongs.
ValueId* Builder::find(const Inst& inst) {
  const size_t mask = table_.size() - 1;
  size_t at = hash(inst) & mask;
  while (table_[at] && !is_equal(function_[table_[at]], inst)) at = (at + 1) & mask;
  return &table_[at];
}

void Builder::grow() {
  const std::vector<ValueId> old = std::exchange(table_, std::vector<ValueId>(2 * table_.size()));
  for (ValueId id : old)
    if (id) *find(function_[id]) = id;
}

ValueId Builder::make(Op op, std::vector<ValueId> args, Type given, int32_t index, int32_t extra, double number) {
  Inst inst{op, given, std::move(args), number, index, extra, span_};
  const Result<Type> type = infer_type(function_, inst);
  ASB_CHECK(type.has_value(), type.error().message.c_str());
  inst.type = *type;
  if (is_commutative(op)) {  // what is known comes first; then, if equal values are to be found, the older
    ValueId &a = inst.args[0], &b = inst.args[1];
    const auto place = [&](ValueId id) { return is_constant(id) ? 0 : is_identity(id) ? 1 : 2; };
    const bool is_older = has(rules_, Rules::Share) && b < a;
    if (place(b) < place(a) || (place(b) == place(a) && is_older)) std::swap(a, b);
  }
  if (has(rules_, Rules::Simplify))
    if (const ValueId simpler = simplify(*this, inst)) return simpler;
  const ValueId next(static_cast<uint32_t>(function_.insts.size()));
  if (is_shared(op, rules_)) {
    ValueId* slot = find(inst);
    if (*slot) return *slot;
    *slot = next;
    function_.insts.push_back(std::move(inst));
    if (2 * ++used_ > table_.size()) grow();
    return next;
  }
  function_.insts.push_back(std::move(inst));
  return next;
}

ValueId Builder::remake(const Inst& inst, std::vector<ValueId> args) {
  const Span span = std::exchange(span_, inst.span);
  const ValueId id = make(inst.op, std::move(args), inst.type, inst.index, inst.extra, inst.number);
  span_ = span;
  return id;
}

bool Builder::is_constant(ValueId id, double number) const {
  const Inst& inst = function_[id];
  return inst.op == Op::Constant && inst.number == number;
}

ValueId Builder::constant(double number, Type type) { return make(Op::Constant, {}, type, 0, 0, number); }
ValueId Builder::identity(int32_t n) { return make(Op::Identity, {}, Type::matrix(n, n)); }
ValueId Builder::input(int32_t index) {
  ASB_CHECK(!function_.expanded, "whole inputs belong to the tensor stage");
  return make(Op::Input, {}, {}, index);
}
ValueId Builder::input_entry(int32_t index, int32_t entry) {
  ASB_CHECK(function_.expanded, "entries of inputs belong to the scalar stage");
  return make(Op::Input, {}, {}, index, entry);
}

ValueId Builder::add_input(std::string name, Type type, Rate rate) {
  function_.inputs.push_back({std::move(name), type, rate});
  const auto index = static_cast<int32_t>(function_.inputs.size() - 1);
  return function_.expanded && !type.is_scalar() ? ValueId() : make(Op::Input, {}, {}, index);
}

void Builder::add_output(std::string name, ValueId value) {
  function_.outputs.push_back({std::move(name), type(value), {value}});
}
void Builder::add_output(std::string name, Type type, std::vector<ValueId> entries) {
  function_.outputs.push_back({std::move(name), type, std::move(entries)});
}

ValueId Builder::broadcast(ValueId scalar, Type type) { return add(zero(type), scalar); }

ValueId Builder::stack(std::vector<ValueId> scalars, Type type) {
  if (type.is_scalar()) return scalars.at(0);
  return reshape(stack(std::move(scalars)), type);
}

ValueId Builder::entry(ValueId a, std::initializer_list<int32_t> indices) {
  for (int32_t i : indices) a = extract(a, i);
  return a;
}

ValueId Builder::slice(ValueId a, int32_t first, int32_t count) {
  Type t = type(a);
  t.dims[0] = count;
  return make(Op::Slice, {a}, t, first);
}

ValueId Builder::pad(ValueId a, int32_t first, int32_t total) {
  Type t = type(a);
  t.dims[0] = total;
  return make(Op::Pad, {a}, t, first);
}

ValueId Builder::iterate(Function body, std::vector<ValueId> args, int32_t cap) {
  function_.bodies.push_back(std::move(body));
  return make(Op::Iterate, std::move(args), {}, static_cast<int32_t>(function_.bodies.size() - 1), cap);
}

}  // namespace asb::ir
