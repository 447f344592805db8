// The pass itself, and the arithmetic that its formulas share.
#include "compiler/passes/elementary.h"

#include "compiler/passes/elementary_arithmetic.h"
#include "compiler/passes/rewrite.h"

namespace asb::ir {
namespace elementary_functions {

Pair split(Real x) {
  constexpr double kFactor = 0x1p27 + 1;
  const Real scaled = x * kFactor;
  const Real high = scaled - (scaled - x);
  return {high, x - high};
}

Pair sum_of_ordered(Real x, Real y) {
  const Real high = x + y;
  return {high, y - (high - x)};
}

Pair sum(Real x, Real y) {
  const Real high = x + y;
  const Real of_y = high - x;
  return {high, (x - (high - of_y)) + (y - of_y)};
}

Real polynomial(std::span<const double> coefficients, Real z) {
  const Real z2 = z * z;
  // c_k + c_(k+2) z² + …, the sum of every second term from c_k on
  const auto every_second = [&](size_t k) {
    size_t last = coefficients.size() - 1;
    if ((last - k) % 2) --last;
    Real total = number(z, coefficients[last]);
    for (size_t i = last; i > k; i -= 2) total = fma(total, z2, number(z, coefficients[i - 2]));
    return total;
  };
  ASB_CHECK(coefficients.size() >= 2, "a polynomial of degree 1 at least");
  const Real even = every_second(0);
  return fma(every_second(1), z, even);
}

}  // namespace elementary_functions

namespace {

/// The value of an elementary function, or none for other ops.
ValueId replaced(Builder& builder, const Inst& inst, const std::vector<ValueId>& args) {
  namespace f = elementary_functions;
  const auto operand = [&](size_t i) { return f::Real{&builder, args[i]}; };
  switch (inst.op) {
    case Op::Exp: return f::exp(operand(0)).id;
    case Op::Log: return f::log(operand(0)).id;
    case Op::Sin: return f::sin(operand(0)).id;
    case Op::Cos: return f::cos(operand(0)).id;
    case Op::Tan: return f::tan(operand(0)).id;
    case Op::Tanh: return f::tanh(operand(0)).id;
    case Op::Atan2: return f::atan2(operand(0), operand(1)).id;
    case Op::Pow: return f::pow(operand(0), operand(1)).id;
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Copy: case Op::Envelope: case Op::Live:
    case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Abs:
    case Op::Sign: case Op::Min: case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal:
    case Op::And: case Op::Or: case Op::Not: case Op::Select: case Op::Stack: case Op::Extract: case Op::Insert:
    case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
    case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
    case Op::Rotation: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round:
    case Op::Iterate:
      break;
  }
  return {};
}

}  // namespace

Function elementary(const Function& function) {
  ASB_CHECK(function.expanded, "elementary runs on the scalar stage");
  Function result = like(function, elementary);
  // Sharing keeps results bit for bit; the rules of fold_constants don't, and would undo exact sums.
  Builder builder(result, Rules::Share);
  std::vector<ValueId> map;
  map.reserve(function.insts.size());
  for (const Inst& inst : function.insts) {
    const std::vector<ValueId> args = mapped(inst.args, map);
    builder.set_span(inst.span);
    const ValueId simpler = replaced(builder, inst, args);
    map.push_back(simpler ? simpler : builder.remake(inst, args));
  }
  map_outputs(function, map, result);
  return result;
}

}  // namespace asb::ir
