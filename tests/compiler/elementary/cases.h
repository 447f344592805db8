// The elementary functions with their stated bounds, the regimes in which they are tried, and references with 64-bit
// mantissas (x87 long double, itself within 1 unit of its last place: 0.0005 ULP of a double).
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "compiler/ir/builder.h"
#include "compiler/passes/passes.h"
#include "tests/support/random.h"

namespace asb::test {

struct ElementaryCase {
  std::string name;
  ir::Op op;
  double bound;         ///< ULP, as elementary.h states
  double absolute;      ///< or this, where it is larger
  std::function<long double(long double, long double)> reference;
  std::function<double(Random&)> x, y;
};

inline double log_uniform(Random& random, double low, double high) { return std::exp2(random.uniform(low, high)); }
inline double signed_log_uniform(Random& random, double low, double high) {
  return random.coin() ? log_uniform(random, low, high) : -log_uniform(random, low, high);
}

inline std::vector<ElementaryCase> elementary_cases() {
  using L = long double;
  const auto none = [](Random&) { return 0.0; };
  const auto within = [](double low, double high) { return [=](Random& r) { return r.uniform(low, high); }; };
  const auto logarithmic = [](double low, double high) { return [=](Random& r) { return log_uniform(r, low, high); }; };
  const auto both_signs = [](double low, double high) {
    return [=](Random& r) { return signed_log_uniform(r, low, high); };
  };
  const auto beside_one = [](double low, double high) {
    return [=](Random& r) { return 1 + signed_log_uniform(r, low, high); };
  };
  const auto beside_half_pi = [](Random& r) {  // the doubles next to multiples of pi/2, where reduction cancels most
    return static_cast<double>(r.integer(-1000000, 1000000) * (std::acos(L(-1)) / 2));
  };
  const auto of_x = [](L (*f)(L)) { return [=](L x, L) { return f(x); }; };
  const auto exp = of_x(std::exp), log = of_x(std::log), sin = of_x(std::sin), cos = of_x(std::cos);
  const auto tan = of_x(std::tan), tanh = of_x(std::tanh);
  const auto atan2 = [](L y, L x) { return std::atan2(y, x); };
  const auto pow = [](L a, L b) { return std::pow(a, b); };
  constexpr double kBesidePi = 1e-28;
  using enum ir::Op;
  return {
      {"exp small", Exp, 1, 0, exp, both_signs(-60, 0), none},
      {"exp", Exp, 1, 0, exp, within(-745.2, 709.7), none},
      {"log near 1", Log, 1, 0, log, beside_one(-52, -1), none},
      {"log", Log, 1, 0, log, logarithmic(-1074, 1023.9), none},
      {"sin", Sin, 1, 0, sin, within(-4, 4), none},
      {"sin far", Sin, 1, kBesidePi, sin, within(-1.6e6, 1.6e6), none},
      {"sin beside multiples of pi/2", Sin, 1, kBesidePi, sin, beside_half_pi, none},
      {"sin small", Sin, 1, 0, sin, both_signs(-1070, 0), none},
      {"cos", Cos, 1, 0, cos, within(-4, 4), none},
      {"cos far", Cos, 1, kBesidePi, cos, within(-1.6e6, 1.6e6), none},
      {"cos beside multiples of pi/2", Cos, 1, kBesidePi, cos, beside_half_pi, none},
      {"tan", Tan, 1.5, 0, tan, within(-1.5, 4.6), none},
      {"tan far", Tan, 1.5, kBesidePi, tan, within(-1.6e6, 1.6e6), none},
      {"tanh", Tanh, 1.5, 0, tanh, within(-3, 3), none},
      {"tanh wide", Tanh, 1.5, 0, tanh, both_signs(-1070, 8), none},
      {"atan2", Atan2, 2, 0, atan2, within(-1, 1), within(-1, 1)},
      {"atan2 wide", Atan2, 2, 0, atan2, both_signs(-1060, 1023.9), both_signs(-1060, 1023.9)},
      {"atan2 of comparable sides", Atan2, 2, 0, atan2, both_signs(-12, -8), both_signs(-12, -8)},
      {"pow", Pow, 1, 0, pow, logarithmic(-10, 10), within(-20, 20)},
      {"pow near 1", Pow, 1, 0, pow, beside_one(-30, -2), both_signs(0, 30)},
      {"pow wide", Pow, 1, 0, pow, logarithmic(-1074, 1023.9), within(-1, 1)},
  };
}

/// "x" (and "y") → "value", before and after the pass.
struct ElementaryFunctions {
  ir::Function tensor, scalar;
};
inline ElementaryFunctions functions_of(ir::Op op) {
  ElementaryFunctions f;
  f.tensor.name = ir::info(op).text;
  ir::Builder builder(f.tensor);
  std::vector<ir::ValueId> operands;
  for (int i = 0; i < ir::info(op).arity; ++i)
    operands.push_back(builder.add_input(i ? "y" : "x", ir::Type::scalar(), ir::kAxisMesh));
  builder.add_output("value", builder.make(op, operands));
  f.scalar = ir::elementary(ir::expand(f.tensor));
  return f;
}

/// Distance of two doubles at the size of a value. Below the normal numbers it stays as it is there.
inline double ulp_at(long double value) {
  if (value == 0) return 0x1p-1074;
  return std::ldexp(1.0, std::max(std::ilogb(value) - 52, -1074));
}

/// Error in ULP; 0 for what should be NaN and is, or infinite and is.
inline double error_in_ulp(double value, long double reference, double absolute) {
  const auto rounded = static_cast<double>(reference);
  if (std::isnan(rounded) || std::isinf(rounded))
    return (std::isnan(rounded) && std::isnan(value)) || rounded == value ? 0 : HUGE_VAL;
  const long double difference = std::fabs(value - reference);
  if (difference <= absolute) return 0;
  return std::isnan(value) ? HUGE_VAL : static_cast<double>(difference / ulp_at(reference));
}

}  // namespace asb::test
