// Rules for entrywise ops, and the dispatch.
#include "compiler/ir/simplify.h"

#include <cmath>

namespace asb::ir {
namespace {

/// Largest whole exponent for which pow becomes products (at most 2 log2 of it).
constexpr double kLargestWholePower = 16;

bool is_normal_factor(double x) { return std::isnormal(x); }

/// An instruction's op, arguments and type next to the builder; ids only, since appending moves instructions.
class Cases {
 public:
  Cases(Builder& builder, const Inst& inst) : b(builder), inst(inst), type(inst.type) {
    for (size_t i = 0; i < inst.args.size() && i < 3; ++i) arg[i] = inst.args[i];
  }

  ValueId constants() {
    double x[3] = {};
    for (size_t i = 0; i < inst.args.size(); ++i) {
      if (!b.is_constant(arg[i])) return {};
      x[i] = b[arg[i]].number;
    }
    const bool needs_exponent = inst.op == Op::Exponent || inst.op == Op::Mantissa;
    if (needs_exponent && (x[0] == 0 || !std::isfinite(x[0]))) return {};  // outside what the op means
    return b.constant(evaluate(inst.op, x[0], x[1], x[2]), type);
  }

  ValueId neg() {
    if (is(arg[0], Op::Neg)) return operand(arg[0], 0);
    if (is(arg[0], Op::Sub)) return b.sub(operand(arg[0], 1), operand(arg[0], 0));
    if (is(arg[0], Op::Mul) && b.is_constant(operand(arg[0], 0))) {
      const ValueId c = operand(arg[0], 0), x = operand(arg[0], 1);
      return b.mul(b.constant(-b[c].number, b.type(c)), x);
    }
    return {};
  }

  ValueId add() {
    const auto [x, y, z] = arg;
    if (b.is_zero(x) && fits(y)) return y;
    if (is(y, Op::Neg)) return b.sub(x, operand(y, 0));
    if (is(x, Op::Neg)) return b.sub(y, operand(x, 0));
    if (x == y) return b.scale(2, x);
    if (is(x, Op::Insert) && is(y, Op::Insert) && b[x].index == b[y].index && b.type(x) == b.type(y))
      return b.insert(b.add(operand(x, 0), operand(y, 0)), b[x].index, b[x].extra);
    return {};
  }

  ValueId sub() {
    const auto [x, y, z] = arg;
    if (b.is_zero(y) && fits(x)) return x;
    if (b.is_zero(x) && fits(y)) return b.neg(y);
    if (is(y, Op::Neg)) return b.add(x, operand(y, 0));
    if (is(x, Op::Neg)) return b.neg(b.add(operand(x, 0), y));
    return {};
  }

  ValueId mul() {
    const auto [x, y, z] = arg;
    if (b.is_zero(x) || b.is_zero(y)) return b.zero(type);
    if (b.is_one(x) && fits(y)) return y;
    if (b.is_constant(x, -1) && fits(y)) return b.neg(y);
    if (b.is_constant(x)) return constant_times(x, y);
    if (is(x, Op::Neg)) return b.neg(b.mul(operand(x, 0), y));
    if (is(y, Op::Neg)) return b.neg(b.mul(x, operand(y, 0)));
    return {};
  }

  ValueId div() {
    const auto [x, y, z] = arg;
    if (b.is_zero(x)) return b.zero(type);
    if (b.is_constant(y)) {
      const double c = b[y].number;
      int exponent = 0;
      const bool is_power_of_2 = std::isnormal(c) && std::fabs(std::frexp(c, &exponent)) == 0.5;
      if (is_power_of_2 && is_normal_factor(1 / c)) return b.mul(b.constant(1 / c, b.type(y)), x);  // exact
    }
    if (is(x, Op::Neg)) return b.neg(b.div(operand(x, 0), y));
    if (is(y, Op::Neg)) return b.neg(b.div(x, operand(y, 0)));
    return {};
  }

  ValueId pow() {
    const auto [x, y, z] = arg;
    if (b.is_one(x)) return b.constant(1, type);
    if (!b.is_constant(y)) return {};
    const double c = b[y].number;
    if (c == 0) return b.constant(1, type);
    if (!fits(x)) return {};
    if (c == 0.5) return b.sqrt(x);
    if (c != std::floor(c) || std::fabs(c) > kLargestWholePower) return {};
    const ValueId power = whole_power(x, static_cast<int>(std::fabs(c)));
    return c > 0 ? power : b.div(b.constant(1), power);
  }

  ValueId abs() {
    if (is(arg[0], Op::Abs)) return arg[0];
    if (is(arg[0], Op::Neg) && b.function().expanded) return b.abs(operand(arg[0], 0));  // kinks keep their side before
    return {};
  }

  ValueId fma() {
    const auto [x, y, z] = arg;
    if (b.is_zero(x) || b.is_zero(y)) return z;
    if (b.is_zero(z)) return b.mul(x, y);
    if (b.is_one(x)) return b.add(y, z);
    if (b.is_one(y)) return b.add(x, z);
    return {};
  }

  ValueId select() {
    const auto [condition, yes, no] = arg;
    if (yes == no) return yes;
    if (b.is_constant(condition)) return b.is_zero(condition) ? no : yes;
    if (is(condition, Op::Not)) return b.select(operand(condition, 0), no, yes);
    if (is(yes, Op::Select) && operand(yes, 0) == condition) return b.select(condition, operand(yes, 1), no);
    if (is(no, Op::Select) && operand(no, 0) == condition) return b.select(condition, yes, operand(no, 2));
    return {};
  }

  ValueId logic() {
    const auto [x, y, z] = arg;
    if (inst.op == Op::Not) return is(x, Op::Not) ? operand(x, 0) : ValueId();
    if (x == y) return x;
    if (!b.is_constant(x)) return {};
    const bool is_true = !b.is_zero(x);
    return is_true == (inst.op == Op::And) ? y : x;
  }

  ValueId arg[3] = {};

 private:
  bool is(ValueId id, Op op) const { return b[id].op == op; }
  ValueId operand(ValueId id, size_t i) const { return b[id].args[i]; }
  bool fits(ValueId id) const { return b.type(id) == type; }  // a scalar that would be broadcast doesn't

  ValueId constant_times(ValueId x, ValueId y) {
    if (is(y, Op::Neg)) return b.mul(b.constant(-b[x].number, b.type(x)), operand(y, 0));
    if (!is(y, Op::Mul)) return {};
    const ValueId u = operand(y, 0), v = operand(y, 1);
    if (b.is_constant(u)) {  // c1 (c2 v) → (c1 c2) v
      const double product = b[x].number * b[u].number;
      if (is_normal_factor(product)) return b.mul(b.constant(product, fits(v) ? Type::scalar() : type), v);
    }
    // c1 (u (c2 w)) → u w where c1 c2 = 1: halves against twos
    for (const auto& [p, q] : {std::pair(u, v), std::pair(v, u)})
      if (is(q, Op::Mul) && b.is_constant(operand(q, 0)) && b[x].number * b[operand(q, 0)].number == 1) {
        const ValueId w = operand(q, 1), product = b.mul(p, w);
        if (fits(product)) return product;
      }
    return {};
  }

  ValueId whole_power(ValueId x, int n) {
    if (n == 1) return x;
    const ValueId half = whole_power(x, n / 2), square = b.mul(half, half);
    return n % 2 ? b.mul(square, x) : square;
  }

  Builder& b;
  const Inst& inst;
  const Type type;
};

}  // namespace

bool is_commutative(Op op) {
  return op == Op::Add || op == Op::Mul || op == Op::Equal || op == Op::And || op == Op::Or || op == Op::Inner;
}

ValueId simplify(Builder& b, const Inst& inst) {
  Cases cases(b, inst);
  switch (inst.op) {
    case Op::Copy:
    case Op::Envelope:
    case Op::Live:  // d() cuts at these
    case Op::Constant:
    case Op::Identity:
    case Op::Input:
    case Op::Iterate:
      return {};
    case Op::Stack:
    case Op::Extract:
    case Op::Insert:
    case Op::Slice:
    case Op::Pad:
    case Op::Concat:
    case Op::Reshape:
    case Op::Transpose:
    case Op::Rotate:
    case Op::Sum:
    case Op::Inner:
    case Op::Outer:
    case Op::MatMul:
    case Op::Det:
    case Op::Cofactor:
    case Op::TensorCross:
    case Op::Rotation:
      return simplify_structure(b, inst);
    default:
      break;
  }
  if (const ValueId folded = cases.constants()) return folded;
  switch (inst.op) {
    case Op::Neg: return cases.neg();
    case Op::Add: return cases.add();
    case Op::Sub: return cases.sub();
    case Op::Mul: return cases.mul();
    case Op::Div: return cases.div();
    case Op::Pow: return cases.pow();
    case Op::Abs: return cases.abs();
    case Op::Fma: return cases.fma();
    case Op::Select: return cases.select();
    case Op::And:
    case Op::Or:
    case Op::Not: return cases.logic();
    case Op::Min:
    case Op::Max: return cases.arg[0] == cases.arg[1] ? cases.arg[0] : ValueId();
    case Op::Less: return cases.arg[0] == cases.arg[1] ? b.boolean(false) : ValueId();  // of NaN too
    case Op::Round:
    case Op::Floor: {
      const Op inner = b[cases.arg[0]].op;
      return inner == Op::Round || inner == Op::Floor || inner == Op::Exponent ? cases.arg[0] : ValueId();
    }
    default: return {};
  }
}

}  // namespace asb::ir
