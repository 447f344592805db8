// The meaning of entrywise ops on numbers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "compiler/ir/simplify.h"

namespace asb::ir {

bool is_entrywise(Op op) {
  switch (op) {
    case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Exp:
    case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow: case Op::Abs:
    case Op::Sign: case Op::Min: case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal:
    case Op::And: case Op::Or: case Op::Not: case Op::Select: case Op::Exponent: case Op::Mantissa:
    case Op::ScaleByPowerOf2: case Op::Round: case Op::Copy: case Op::Envelope: case Op::Live:
      return true;
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Stack: case Op::Extract: case Op::Insert:
    case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
    case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
    case Op::Rotation: case Op::Iterate:
      return false;
  }
  return false;
}

double evaluate(Op op, double a, double b, double c) {
  switch (op) {
    case Op::Copy:
    case Op::Envelope:
    case Op::Live: return a;
    case Op::Neg: return -a;
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return a / b;
    case Op::Fma: return std::fma(a, b, c);
    case Op::Sqrt: return std::sqrt(a);
    case Op::Exp: return std::exp(a);
    case Op::Log: return std::log(a);
    case Op::Sin: return std::sin(a);
    case Op::Cos: return std::cos(a);
    case Op::Tan: return std::tan(a);
    case Op::Tanh: return std::tanh(a);
    case Op::Atan2: return a == 0 ? std::atan2(0.0, b == 0 ? 0.0 : b) : std::atan2(a, b);  // no sign of zero
    case Op::Pow: return std::pow(a, b);
    case Op::Abs: return std::fabs(a);
    case Op::Sign: return a >= 0 ? 1 : -1;
    case Op::Min: return b < a ? b : a;
    case Op::Max: return a < b ? b : a;
    case Op::Floor: return std::floor(a);
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Equal: return a == b;
    case Op::And: return a != 0 && b != 0;
    case Op::Or: return a != 0 || b != 0;
    case Op::Not: return a == 0;
    case Op::Select: return a != 0 ? b : c;
    case Op::Exponent: return std::logb(a);
    case Op::Mantissa: return std::scalbn(a, -std::ilogb(a));
    case Op::ScaleByPowerOf2: return std::scalbn(a, static_cast<int>(std::clamp(b, -2100.0, 2100.0)));
    case Op::Round: return std::nearbyint(a);
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Stack: case Op::Extract: case Op::Insert:
    case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
    case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
    case Op::Rotation: case Op::Iterate:
      break;
  }
  ASB_UNREACHABLE("evaluate of an op that isn't entrywise");
}

}  // namespace asb::ir
