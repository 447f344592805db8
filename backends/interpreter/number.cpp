// Entrywise ops: value as ops.def says, magnitude as Note [Running magnitude] says.
#include "backends/interpreter/number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace asb::interpreter {
namespace {

using ir::Op;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_unit(double a) { return a == 0 || std::fabs(a) == 1; }

/// factor · magnitude, where an exact operand (magnitude 0) adds nothing even if the factor is infinite.
double scaled(double factor, double magnitude) { return magnitude == 0 ? 0 : std::fabs(factor) * magnitude; }

/// v = f(a) with f'(a) = slope.
Number function(double v, double slope, double magnitude) {
  return {v, scaled(slope, magnitude) + std::fabs(v)};
}

Number divide(Number a, Number b) {
  const double v = a.value / b.value;
  return {v, scaled(1 / b.value, a.magnitude) + scaled(v / b.value, b.magnitude) + (is_unit(b.value) ? 0 : std::fabs(v))};
}

// |sqrt(a + e) - sqrt(a)| <= min(e / sqrt(a), sqrt(e)), e = kAgreement m: stays finite at 0.
Number square_root(Number a) {
  const double v = std::sqrt(a.value);
  const double near_zero = std::sqrt(a.magnitude / kAgreement);
  return {v, (a.magnitude == 0 ? 0 : std::min(0.5 * a.magnitude / v, near_zero)) + std::fabs(v)};
}

Number power(Number a, Number b, bool exponent_is_constant) {
  const bool whole = exponent_is_constant && b.value == std::floor(b.value);
  if (a.value < 0 && !whole) return {std::numeric_limits<double>::quiet_NaN(), 0};
  const double v = std::pow(a.value, b.value);
  return {v, scaled(b.value * std::pow(a.value, b.value - 1), a.magnitude) +
                 scaled(std::log(std::fabs(a.value)) * v, b.magnitude) + std::fabs(v)};
}

Number arc_tangent(Number a, Number b) {
  const double square = a.value * a.value + b.value * b.value;
  if (square == 0) return {0, 4 * scaled(1 / kAgreement, std::max(a.magnitude, b.magnitude) > 0 ? 1 : 0)};
  const double v = std::atan2(a.value + 0.0, b.value + 0.0);  // -0 counts as 0: the range is (-pi, pi]
  return {v, scaled(b.value / square, a.magnitude) + scaled(a.value / square, b.magnitude) + std::fabs(v)};
}

bool is_undecided(double difference, double magnitude) { return std::fabs(difference) <= kAgreement * magnitude; }

Number compare(bool holds, Number a, Number b) {
  const double m = a.magnitude + b.magnitude;
  return {holds ? 1.0 : 0.0, m > 0 && is_undecided(a.value - b.value, m) ? kInfinity : 0};
}

Number choose(Number condition, Number yes, Number no) {
  const Number chosen = condition.value != 0 ? yes : no;
  if (condition.magnitude == 0) return chosen;
  const double jump = std::fabs(yes.value - no.value) / kAgreement;
  return {chosen.value, std::max(yes.magnitude, no.magnitude) + jump};
}

/// A step function: exact, unless rounding of the operand can carry it over the step.
template <class Step>
Number step(Step f, Number a) {
  const double e = kAgreement * a.magnitude;
  const double v = f(a.value);
  const double jump = e == 0 ? 0 : std::max(std::fabs(f(a.value + e) - v), std::fabs(f(a.value - e) - v));
  return {v, jump == 0 ? 0 : jump / kAgreement};
}

double floor_log2(double a) { return std::logb(a); }

/// a 2^b, rounded once also where the result is subnormal. scalbn does so.
double scale_by_power_of_2(double a, double b) { return std::scalbn(a, static_cast<int>(std::clamp(b, -2200.0, 2200.0))); }

}  // namespace

Number add(Number a, Number b) {
  const bool is_exact = a.value == 0 || b.value == 0;
  return {a.value + b.value, a.magnitude + b.magnitude + (is_exact ? 0 : std::fabs(a.value) + std::fabs(b.value))};
}

Number multiply(Number a, Number b) {
  const double v = a.value * b.value;
  const bool is_exact = is_unit(a.value) || is_unit(b.value);
  return {v, scaled(a.value, b.magnitude) + scaled(b.value, a.magnitude) + (is_exact ? 0 : std::fabs(v))};
}

void Accumulator::add(Number term) {
  value_ += term.value;
  magnitude_ += term.magnitude;
  contributions_ += std::fabs(term.value);
  terms_ += term.value != 0;
}

Number entrywise(Op op, std::span<const Number> x, bool exponent_is_constant) {
  const Number a = x[0];
  switch (op) {
    case Op::Copy:
    case Op::Envelope:
    case Op::Live:
      return a;
    case Op::Neg:
      return {-a.value, a.magnitude};
    case Op::Add:
      return add(a, x[1]);
    case Op::Sub:
      return add(a, {-x[1].value, x[1].magnitude});
    case Op::Mul:
      return multiply(a, x[1]);
    case Op::Div:
      return divide(a, x[1]);
    case Op::Fma:
      return {std::fma(a.value, x[1].value, x[2].value), add(multiply(a, x[1]), x[2]).magnitude};
    case Op::Sqrt:
      return square_root(a);
    case Op::Exp:
      return function(std::exp(a.value), std::exp(a.value), a.magnitude);
    case Op::Log:
      return function(std::log(a.value), 1 / a.value, a.magnitude);
    case Op::Sin:
      return function(std::sin(a.value), std::cos(a.value), a.magnitude + std::fabs(a.value));
    case Op::Cos:
      return function(std::cos(a.value), std::sin(a.value), a.magnitude + std::fabs(a.value));
    case Op::Tan: {
      const double v = std::tan(a.value);
      return function(v, 1 + v * v, a.magnitude + std::fabs(a.value));
    }
    case Op::Tanh: {
      const double v = std::tanh(a.value);
      return function(v, 1 - v * v, a.magnitude);
    }
    case Op::Atan2:
      return arc_tangent(a, x[1]);
    case Op::Pow:
      return power(a, x[1], exponent_is_constant);
    case Op::Abs:
      return {std::fabs(a.value), a.magnitude};
    case Op::Sign:
      return step([](double v) { return v >= 0 ? 1.0 : -1.0; }, a);
    case Op::Min:
      return choose(compare(!(x[1].value < a.value), a, x[1]), a, x[1]);
    case Op::Max:
      return choose(compare(!(a.value < x[1].value), a, x[1]), a, x[1]);
    case Op::Floor:
      return step([](double v) { return std::floor(v); }, a);
    case Op::Less:
      return compare(a.value < x[1].value, a, x[1]);
    case Op::LessEqual:
      return compare(a.value <= x[1].value, a, x[1]);
    case Op::Equal:
      return compare(a.value == x[1].value, a, x[1]);
    case Op::And:
      if ((a.value == 0 && a.magnitude == 0) || (x[1].value == 0 && x[1].magnitude == 0)) return {0, 0};
      return {a.value != 0 && x[1].value != 0 ? 1.0 : 0.0, a.magnitude + x[1].magnitude};
    case Op::Or:
      if ((a.value != 0 && a.magnitude == 0) || (x[1].value != 0 && x[1].magnitude == 0)) return {1, 0};
      return {a.value != 0 || x[1].value != 0 ? 1.0 : 0.0, a.magnitude + x[1].magnitude};
    case Op::Not:
      return {a.value == 0 ? 1.0 : 0.0, a.magnitude};
    case Op::Select:
      return choose(a, x[1], x[2]);
    case Op::Exponent:
      return step(floor_log2, a);
    case Op::Mantissa:
      return {std::scalbn(a.value, -std::ilogb(a.value)), std::scalbn(a.magnitude, -std::ilogb(a.value))};
    case Op::ScaleByPowerOf2:
      return {scale_by_power_of_2(a.value, x[1].value), scale_by_power_of_2(a.magnitude, x[1].value)};
    case Op::Round:
      return step([](double v) { return std::nearbyint(v); }, a);
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Stack: case Op::Extract: case Op::Insert:
    case Op::Slice: case Op::Pad: case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum:
    case Op::Inner: case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
    case Op::Rotation: case Op::Iterate:
      break;
  }
  ASB_UNREACHABLE("entrywise ops only");
}

}  // namespace asb::interpreter
