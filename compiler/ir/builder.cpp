// Builder: type, simplification, leaf sharing; the shorthands that aren't one line.
#include "compiler/ir/builder.h"

#include <bit>

#include "compiler/ir/print.h"
#include "compiler/ir/simplify.h"

namespace asb::ir {
namespace {

bool is_leaf(Op op) { return op == Op::Constant || op == Op::Identity || op == Op::Input; }

}  // namespace

Builder::Builder(Function& function, bool simplify) : function_(function), simplify_(simplify) {
  for (size_t i = 0; i < function.insts.size(); ++i)
    if (is_leaf(function.insts[i].op))
      leaves_.emplace(leaf_key(function.insts[i]), ValueId(static_cast<uint32_t>(i)));
}

size_t Builder::LeafHash::operator()(const LeafKey& key) const {
  uint64_t h = key.bits * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(key.op) * 31 + key.type.rank;
  for (int i = 0; i < key.type.rank; ++i) h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u + key.type.dims[i];
  return h ^ (h >> 32);
}

Builder::LeafKey Builder::leaf_key(const Inst& inst) {
  if (inst.op == Op::Constant) return {inst.op, inst.type, std::bit_cast<uint64_t>(inst.number)};
  return {inst.op, inst.type, uint64_t{static_cast<uint32_t>(inst.index)} << 32 | static_cast<uint32_t>(inst.extra)};
}

ValueId Builder::append(Inst inst) {
  function_.insts.push_back(std::move(inst));
  return ValueId(static_cast<uint32_t>(function_.insts.size() - 1));
}

ValueId Builder::make(Op op, std::vector<ValueId> args, Type given, int32_t index, int32_t extra, double number) {
  Inst inst{op, given, std::move(args), number, index, extra, span_};
  const Result<Type> type = infer_type(function_, inst);
  ASB_CHECK(type.has_value(), type.error().message.c_str());
  inst.type = *type;
  if (is_leaf(op)) {
    const auto [at, is_new] = leaves_.try_emplace(leaf_key(inst), ValueId());
    if (is_new) at->second = append(std::move(inst));
    return at->second;
  }
  if (simplify_)
    if (const ValueId simpler = simplify(*this, inst)) return simpler;
  return append(std::move(inst));
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
