// Slopes of entrywise ops. A formula that must choose at a singular point (sqrt, pow, atan2) needs a scalar condition:
// tensors of up to kExpandLimit entries are taken apart for it; larger ones use a mask from `sign`, equal but for
// tangents that aren't finite at the very point.
#include <cmath>
#include <functional>

#include "compiler/ad/rules.h"

namespace asb::ad {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::ValueId;

using EntryRule = std::function<ValueId(std::span<const ValueId>)>;

/// rule(entry of each value) for every entry of `type`, as one tensor. A scalar value goes with every entry.
ValueId entry_by_entry(Builder& b, const Type& type, std::vector<ValueId> values, const EntryRule& rule) {
  if (type.is_scalar()) return rule(values);
  const int32_t n = type.entries();
  for (ValueId& v : values)
    if (!b.type(v).is_scalar()) v = b.reshape(v, Type::vector(n));
  std::vector<ValueId> entries;
  for (int32_t i = 0; i < n; ++i) {
    std::vector<ValueId> x;
    for (ValueId v : values) x.push_back(b.type(v).is_scalar() ? v : b.extract(v, i));
    entries.push_back(rule(x));
  }
  return b.stack(std::move(entries), type);
}

bool is_large(const Type& type) { return type.entries() > ir::kExpandLimit; }

/// 1 where a >= 0, else 0, in every entry.
ValueId step_mask(Builder& b, ValueId a) { return b.scale(0.5, b.add(b.constant(1), b.sign(a))); }

// d sqrt(a) = da / (2 sqrt(a)); 0 at 0
ValueId sqrt_slope(Builder& b, const Type& type, ValueId a, ValueId v) {
  if (is_large(type)) {
    const ValueId zero = step_mask(b, b.neg(a));  // 1 where a <= 0: NaN for a < 0 comes from v
    return b.div(b.scale(0.5, b.sub(b.constant(1), zero)), b.add(v, zero));
  }
  return entry_by_entry(b, type, {a, v}, [&](std::span<const ValueId> x) {
    const ValueId is_zero = b.equal(x[0], b.constant(0));
    return b.select(is_zero, b.constant(0), b.div(b.constant(0.5), b.select(is_zero, b.constant(1), x[1])));
  });
}

// d a^c = c a^(c-1) da. With a whole c right for any a; with 0 < c < 1 it is 0 at 0, as for sqrt.
ValueId power_slope(Builder& b, const Type& type, ValueId a, ValueId exponent) {
  if (b.is_constant(exponent)) {
    const double c = b[exponent].number;
    if (c == 0) return {};
    const auto slope = [&](ValueId x) { return b.scale(c, b.pow(x, b.constant(c - 1))); };
    if (c >= 1 || c == std::floor(c) || is_large(type)) return slope(a);
    return entry_by_entry(b, type, {a}, [&](std::span<const ValueId> x) {
      const ValueId is_zero = b.equal(x[0], b.constant(0));
      return b.select(is_zero, b.constant(0), slope(b.select(is_zero, b.constant(1), x[0])));
    });
  }
  const auto slope = [&](ValueId x, ValueId c) { return b.mul(c, b.pow(x, b.sub(c, b.constant(1)))); };
  if (is_large(type)) return slope(a, exponent);
  return entry_by_entry(b, type, {a, exponent}, [&](std::span<const ValueId> x) {
    const ValueId is_singular = b.both(b.equal(x[0], b.constant(0)), b.less(x[1], b.constant(1)));
    return b.select(is_singular, b.constant(0), slope(b.select(is_singular, b.constant(1), x[0]), x[1]));
  });
}

// d a^c = log(a) a^c dc; 0 at a = 0
ValueId exponent_slope(Builder& b, const Type& type, ValueId a, ValueId v) {
  if (is_large(type)) return b.mul(b.log(a), v);
  return entry_by_entry(b, type, {a, v}, [&](std::span<const ValueId> x) {
    const ValueId is_zero = b.equal(x[0], b.constant(0));
    return b.select(is_zero, b.constant(0), b.mul(b.log(b.select(is_zero, b.constant(1), x[0])), x[1]));
  });
}

// d atan2(y, x) = (x dy - y dx) / (x² + y²); 0 at (0, 0)
ValueId angle_slope(Builder& b, const Type& type, ValueId y, ValueId x, size_t k) {
  const auto slope = [&](ValueId p, ValueId q, ValueId square) { return b.div(k == 0 ? q : b.neg(p), square); };
  const auto square = [&](ValueId p, ValueId q) { return b.add(b.mul(p, p), b.mul(q, q)); };
  if (is_large(type)) return slope(y, x, square(y, x));
  return entry_by_entry(b, type, {y, x}, [&](std::span<const ValueId> z) {
    const ValueId s = square(z[0], z[1]), is_zero = b.equal(s, b.constant(0));
    return slope(z[0], z[1], b.select(is_zero, b.constant(1), s));  // the numerator is 0 there
  });
}

/// 1 where operand k of min or max is the one taken.
ValueId taken_mask(Builder& b, const Inst& inst, size_t k) {
  const ValueId x = inst.args[0], y = inst.args[1];
  const ValueId first = step_mask(b, inst.op == Op::Min ? b.sub(y, x) : b.sub(x, y));
  return k == 0 ? first : b.sub(b.constant(1), first);
}

}  // namespace

bool is_flat(Op op) {
  switch (op) {
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Envelope: case Op::Sign: case Op::Floor:
    case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not:
      return true;
    case Op::Copy: case Op::Live: case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Sqrt:
    case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
    case Op::Abs: case Op::Min: case Op::Max: case Op::Select: case Op::Stack: case Op::Extract: case Op::Insert:
    case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
    case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
    case Op::Rotation:
      return false;
    case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round: case Op::Iterate:
      break;
  }
  ASB_UNREACHABLE("derivatives are taken before expand");
}

std::optional<Choice> choice_of(Builder& builder, ValueId id) {
  const Inst& inst = builder[id];
  const std::vector<ValueId> a = inst.args;
  if (inst.op == Op::Select) return Choice{a[0], a[1], a[2]};
  if (!inst.type.is_scalar()) return {};
  if (inst.op == Op::Min) return Choice{builder.less(a[1], a[0]), a[1], a[0]};
  if (inst.op == Op::Max) return Choice{builder.less(a[0], a[1]), a[1], a[0]};
  return {};
}

ValueId partial(Builder& b, ValueId v, size_t k) {
  const Inst inst = b[v];  // a copy: appending moves instructions
  const ValueId x = inst.args[0], y = inst.args.size() > 1 ? inst.args[1] : ValueId();
  switch (inst.op) {
    case Op::Copy:
    case Op::Live:
    case Op::Add:
      return b.constant(1);
    case Op::Sub:
      return b.constant(k == 0 ? 1 : -1);
    case Op::Neg:
      return b.constant(-1);
    case Op::Mul:
      return inst.args[1 - k];
    case Op::Div: {  // d(x/y) = dx/y - (x/y) dy/y
      const ValueId reciprocal = b.div(b.constant(1), y);
      return k == 0 ? reciprocal : b.neg(b.mul(v, reciprocal));
    }
    case Op::Sqrt:
      return sqrt_slope(b, inst.type, x, v);
    case Op::Exp:
      return v;
    case Op::Log:
      return b.div(b.constant(1), x);
    case Op::Sin:
      return b.cos(x);
    case Op::Cos:
      return b.neg(b.sin(x));
    case Op::Tan:
      return b.add(b.constant(1), b.mul(v, v));
    case Op::Tanh:
      return b.sub(b.constant(1), b.mul(v, v));
    case Op::Atan2:
      return angle_slope(b, inst.type, x, y, k);
    case Op::Pow:
      return k == 0 ? power_slope(b, inst.type, x, y) : exponent_slope(b, inst.type, x, v);
    case Op::Abs:
      return b.sign(x);
    case Op::Min:
    case Op::Max:
      return taken_mask(b, inst, k);
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Envelope: case Op::Sign: case Op::Floor:
    case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not: case Op::Select:
    case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape:
    case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det:
    case Op::Cofactor: case Op::TensorCross: case Op::Rotation: case Op::Fma: case Op::Exponent: case Op::Mantissa:
    case Op::ScaleByPowerOf2: case Op::Round: case Op::Iterate:
      break;
  }
  ASB_UNREACHABLE("not an entrywise op with slopes");
}

}  // namespace asb::ad
