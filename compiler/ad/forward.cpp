// Forward accumulation: one rule per op, tangents of the operands → tangent of the value.
#include "compiler/ad/derivative.h"
#include "compiler/ad/rules.h"

namespace asb::ad {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::ValueId;

class Forward {
 public:
  Forward(Builder& builder, const std::vector<bool>& is_held, DerivativeOptions options)
      : b(builder), is_held_(is_held), options_(options), tangent_(is_held.size()) {}

  std::vector<ValueId> run(std::span<const Seed> seeds, std::span<const ValueId> of) {
    const size_t count = tangent_.size();
    std::vector<bool> is_seed(count, false), is_needed(count, false);
    for (const Seed& s : seeds) {
      ASB_CHECK(b.type(s.value) == b.type(s.seed), "a tangent has the shape of its value");
      is_seed[s.value.index] = true;
      tangent_[s.value.index] = b.is_zero(s.seed) ? ValueId() : s.seed;
    }
    for (ValueId v : of) is_needed[v.index] = true;
    for (size_t i = count; i-- > 0;)
      if (is_needed[i] && !is_seed[i])
        for (ValueId arg : b[id(i)].args) is_needed[arg.index] = true;
    for (size_t i = 0; i < count; ++i)
      if (is_needed[i] && !is_seed[i]) visit(id(i));
    std::vector<ValueId> result;
    for (ValueId v : of) result.push_back(tangent_[v.index] ? tangent_[v.index] : b.zero_like(v));
    return result;
  }

 private:
  static ValueId id(size_t i) { return ValueId(static_cast<uint32_t>(i)); }

  void visit(ValueId v) {
    const Inst inst = b[v];  // a copy: appending moves instructions
    if (is_flat(inst.op) || is_held_[v.index] || (inst.op == Op::Live && options_.hold_minimisers)) return;
    bool moves = false;
    for (ValueId arg : inst.args) moves |= static_cast<bool>(tangent_[arg.index]);
    if (!moves) return;
    const SpanScope scope(b, inst.span);
    const ValueId t = rule(v, inst);
    if (t && !b.is_zero(t)) tangent_[v.index] = t;
  }

  bool moves(ValueId v) const { return static_cast<bool>(tangent_[v.index]); }
  /// The tangent as a value, zero where there is none.
  ValueId dot(ValueId v) { return moves(v) ? tangent_[v.index] : b.zero_like(v); }
  ValueId sum_of(ValueId x, ValueId y) { return !x ? y : !y ? x : b.add(x, y); }

  /// Σ ∂v/∂x_k ∘ dx_k
  ValueId entrywise(ValueId v, const Inst& inst) {
    ValueId sum;
    for (size_t k = 0; k < inst.args.size(); ++k) {
      if (!moves(inst.args[k])) continue;
      if (const ValueId p = partial(b, v, k)) sum = sum_of(sum, b.mul(p, dot(inst.args[k])));
    }
    if (sum && b.type(sum) != inst.type) sum = b.broadcast(sum, inst.type);
    return sum;
  }

  /// B(dx, y) + B(x, dy) of a bilinear op
  ValueId bilinear(const Inst& inst) {
    const ValueId x = inst.args[0], y = inst.args[1];
    const ValueId left = moves(x) ? b.make(inst.op, {dot(x), y}) : ValueId();
    const ValueId right = moves(y) ? b.make(inst.op, {x, dot(y)}) : ValueId();
    return sum_of(left, right);
  }

  ValueId linear(const Inst& inst) {
    std::vector<ValueId> args;
    for (ValueId arg : inst.args) args.push_back(dot(arg));
    return b.remake(inst, std::move(args));
  }

  ValueId rule(ValueId v, const Inst& inst) {
    switch (inst.op) {
      case Op::Copy: case Op::Live: case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Sqrt:
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
      case Op::Abs:
        return entrywise(v, inst);
      case Op::Min:
      case Op::Max:
      case Op::Select:
        if (const auto c = choice_of(b, v)) return b.select(c->condition, dot(c->yes), dot(c->no));
        return entrywise(v, inst);
      case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad: case Op::Concat:
      case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
        return linear(inst);
      case Op::Inner: case Op::Outer: case Op::MatMul: case Op::TensorCross:
        return bilinear(inst);
      case Op::Det:  // d det(M) = inner(cof M, dM)
        return b.inner(b.cofactor(inst.args[0]), dot(inst.args[0]));
      case Op::Cofactor: {  // d cof(M) = M × dM; linear for 2×2, constant for 1×1
        const ValueId M = inst.args[0];
        const int32_t n = inst.type.dims[0];
        return n == 3 ? b.tensor_cross(M, dot(M)) : n == 2 ? b.cofactor(dot(M)) : ValueId();
      }
      case Op::Rotation:
        return rotation_map(b, inst.args[0], v, dot(inst.args[0]));
      case Op::Constant: case Op::Identity: case Op::Input: case Op::Envelope: case Op::Sign: case Op::Floor:
      case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not:
        return {};  // flat
      case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round: case Op::Iterate:
        break;
    }
    ASB_UNREACHABLE("derivatives are taken before expand");
  }

  Builder& b;
  const std::vector<bool>& is_held_;
  DerivativeOptions options_;
  std::vector<ValueId> tangent_;  ///< none: zero
};

}  // namespace

std::vector<ValueId> push_forward(Builder& builder, std::span<const Seed> tangents, std::span<const ValueId> of,
                                  DerivativeOptions options) {
  std::vector<ValueId> cuts;
  for (const Seed& s : tangents) cuts.push_back(s.value);
  const Held held = hold_minimisers(builder, of, cuts);
  std::vector<ValueId> ends;
  for (ValueId v : of) ends.push_back(held.image[v.index]);
  return Forward(builder, held.is_held, options).run(tangents, ends);
}

}  // namespace asb::ad
