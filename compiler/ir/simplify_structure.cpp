// Rules for ops on the structure of tensors and on small matrices: what is known of zeros, identities, constants,
// and of an op on its own inverse or transpose.
#include "compiler/ir/simplify.h"

namespace asb::ir {
namespace {

class Cases {
 public:
  Cases(Builder& builder, const Inst& inst) : b(builder), inst(inst), type(inst.type), x(inst.args[0]) {
    if (inst.args.size() > 1) y = inst.args[1];
  }

  ValueId stack() {
    bool all_constant = true, all_extracts = b[x].op == Op::Extract;
    for (size_t i = 0; i < inst.args.size(); ++i) {
      const Inst& row = b[inst.args[i]];
      all_constant = all_constant && row.op == Op::Constant && row.number == b[x].number;
      all_extracts = all_extracts && row.op == Op::Extract && row.index == static_cast<int32_t>(i) &&
                     row.args[0] == b[x].args[0];
    }
    if (all_constant) return b.constant(b[x].number, type);
    if (all_extracts && b.type(operand(x)) == type) return operand(x);
    return {};
  }

  ValueId extract() {
    const int32_t i = inst.index;
    const int32_t first = b[x].index;
    switch (b[x].op) {
      case Op::Constant: return b.constant(b[x].number, type);
      case Op::Identity: return b.insert(b.constant(1), i, b.type(x).dims[0]);
      case Op::Stack: return operand(x, static_cast<size_t>(i));
      case Op::Insert: return first == i ? operand(x) : b.zero(type);
      case Op::Slice: return b.extract(operand(x), i + first);
      case Op::Pad: {
        const bool is_inside = i >= first && i < first + b.type(operand(x)).dims[0];
        return is_inside ? b.extract(operand(x), i - first) : b.zero(type);
      }
      case Op::Concat: {
        int32_t before = 0;
        for (ValueId part : b[x].args) {
          const int32_t n = b.type(part).dims[0];
          if (i < before + n) return b.extract(part, i - before);
          before += n;
        }
        return {};
      }
      default: return {};
    }
  }

  ValueId slice() {
    if (b.type(x) == type) return x;
    if (is(x, Op::Constant)) return b.constant(b[x].number, type);
    if (is(x, Op::Slice)) return b.slice(operand(x), inst.index + b[x].index, type.dims[0]);
    if (is(x, Op::Pad)) {
      const int32_t first = b[x].index, n = b.type(operand(x)).dims[0], end = inst.index + type.dims[0];
      if (inst.index >= first && end <= first + n) return b.slice(operand(x), inst.index - first, type.dims[0]);
      if (end <= first || inst.index >= first + n) return b.zero(type);
    }
    if (is(x, Op::Concat)) {
      int32_t before = 0;
      for (ValueId part : b[x].args) {
        const int32_t n = b.type(part).dims[0];
        if (inst.index >= before && inst.index + type.dims[0] <= before + n)
          return b.slice(part, inst.index - before, type.dims[0]);
        before += n;
      }
    }
    return {};
  }

  ValueId pad() {
    if (b.type(x) == type) return x;
    if (b.is_zero(x)) return b.zero(type);
    if (is(x, Op::Pad)) return b.pad(operand(x), inst.index + b[x].index, type.dims[0]);
    return {};
  }

  ValueId concat() {
    if (inst.args.size() == 1) return x;
    for (ValueId part : inst.args)
      if (!is(part, Op::Constant) || b[part].number != b[x].number) return {};
    return b.constant(b[x].number, type);
  }

  ValueId reshape() {
    if (b.type(x) == type) return x;
    if (is(x, Op::Constant)) return b.constant(b[x].number, type);
    if (is(x, Op::Reshape)) return b.reshape(operand(x), type);
    return {};
  }

  ValueId transpose() {
    if (is(x, Op::Constant)) return b.constant(b[x].number, type);
    if (is(x, Op::Identity)) return x;
    if (is(x, Op::Transpose)) return operand(x);
    return {};
  }

  ValueId rotate() {
    const int32_t rank = type.rank, n = inst.index;
    if (rank == 0 || n % rank == 0) return x;
    if (is(x, Op::Constant)) return b.constant(b[x].number, type);
    if (is(x, Op::Rotate)) return b.rotate(operand(x), (n + b[x].index) % rank);
    if (rank == 2) return b.transpose(x);
    return {};
  }

  ValueId sum() {
    if (b.type(x).is_scalar()) return x;
    switch (b[x].op) {
      case Op::Constant: return b.constant(b[x].number * b.type(x).entries());
      case Op::Identity: return b.constant(b.type(x).dims[0]);
      case Op::Neg: return b.neg(b.sum(operand(x)));
      case Op::Insert:
      case Op::Pad:
      case Op::Reshape:
      case Op::Transpose:
      case Op::Rotate: return b.sum(operand(x));
      case Op::Mul: {
        const ValueId u = operand(x), v = operand(x, 1);
        if (b.type(u) == b.type(v)) return b.inner(u, v);
        return b.type(u).is_scalar() ? b.mul(u, b.sum(v)) : b.mul(v, b.sum(u));
      }
      default: return {};
    }
  }

  ValueId inner() {
    if (b.type(x).is_scalar()) return b.mul(x, y);
    if (b.is_zero(x) || b.is_zero(y)) return b.zero();
    if (is(x, Op::Constant)) return b.mul(b.constant(b[x].number), b.sum(y));
    if (is(x, Op::Identity) && is(y, Op::Identity)) return b.constant(b.type(x).dims[0]);
    if (is(x, Op::Transpose) && is(y, Op::Transpose)) return b.inner(operand(x), operand(y));
    if (is(x, Op::Identity) && is(y, Op::Transpose)) return b.inner(x, operand(y));
    if (is(x, Op::Neg)) return b.neg(b.inner(operand(x), y));
    if (is(y, Op::Neg)) return b.neg(b.inner(x, operand(y)));
    if (const auto [s, v] = scaled(x); s) return b.mul(s, b.inner(v, y));
    if (const auto [s, v] = scaled(y); s) return b.mul(s, b.inner(x, v));
    return {};
  }

  ValueId outer() {
    if (b.is_zero(x) || b.is_zero(y)) return b.zero(type);
    if (b.type(x).is_scalar() || b.type(y).is_scalar()) return b.mul(x, y);
    return {};
  }

  ValueId matmul() {
    if (b.is_zero(x) || b.is_zero(y)) return b.zero(type);
    if (is(x, Op::Identity)) return y;
    if (is(y, Op::Identity)) return x;
    if (is(x, Op::Neg)) return b.neg(b.matmul(operand(x), y));
    if (is(y, Op::Neg)) return b.neg(b.matmul(x, operand(y)));
    if (const auto [s, v] = scaled(x); s && is(v, Op::Identity)) return b.mul(s, y);
    if (const auto [s, v] = scaled(y); s && is(v, Op::Identity)) return b.mul(s, x);
    return {};
  }

  ValueId small_matrix() {
    const int32_t n = type.rank ? type.dims[0] : b.type(x).dims[0];
    switch (inst.op) {
      case Op::Det:
        if (is(x, Op::Identity)) return b.constant(1);
        if (n == 1) return b.entry(x, {0, 0});
        if (is(x, Op::Constant)) return b.zero();
        if (is(x, Op::Transpose)) return b.det(operand(x));
        return {};
      case Op::Cofactor:
        if (is(x, Op::Identity)) return x;
        if (n == 1) return b.constant(1, type);
        return b.is_zero(x) ? x : ValueId();
      case Op::TensorCross: return b.is_zero(x) || b.is_zero(y) ? b.zero(type) : ValueId();
      case Op::Rotation: return is(x, Op::Identity) ? x : ValueId();
      default: return {};
    }
  }

 private:
  bool is(ValueId id, Op op) const { return b[id].op == op; }
  ValueId operand(ValueId id, size_t i = 0) const { return b[id].args[i]; }

  /// (s, v) where the value is a scalar s times a tensor v; else none.
  std::pair<ValueId, ValueId> scaled(ValueId id) const {
    if (!is(id, Op::Mul)) return {};
    const ValueId u = operand(id, 0), v = operand(id, 1);
    if (b.type(u).is_scalar() && !b.type(v).is_scalar()) return {u, v};
    if (b.type(v).is_scalar() && !b.type(u).is_scalar()) return {v, u};
    return {};
  }

  Builder& b;
  const Inst& inst;
  const Type type;
  ValueId x, y;
};

}  // namespace

ValueId simplify_structure(Builder& b, const Inst& inst) {
  Cases cases(b, inst);
  switch (inst.op) {
    case Op::Stack: return cases.stack();
    case Op::Extract: return cases.extract();
    case Op::Insert: return b.is_zero(inst.args[0]) ? b.zero(inst.type) : ValueId();
    case Op::Slice: return cases.slice();
    case Op::Pad: return cases.pad();
    case Op::Concat: return cases.concat();
    case Op::Reshape: return cases.reshape();
    case Op::Transpose: return cases.transpose();
    case Op::Rotate: return cases.rotate();
    case Op::Sum: return cases.sum();
    case Op::Inner: return cases.inner();
    case Op::Outer: return cases.outer();
    case Op::MatMul: return cases.matmul();
    case Op::Det:
    case Op::Cofactor:
    case Op::TensorCross:
    case Op::Rotation: return cases.small_matrix();
    default: return {};
  }
}

}  // namespace asb::ir
