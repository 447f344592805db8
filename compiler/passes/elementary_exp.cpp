// exp, log, tanh, pow.
#include <cmath>
#include <limits>

#include "compiler/passes/elementary_arithmetic.h"

namespace asb::ir::elementary_functions {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kPerLn2 = 0x1.71547652b82fep+0;  // 1 / ln 2
constexpr double kLn2 = 0x1.62e42fefa39efp-1;
// ln 2 = high + low with 32 bits in high: k·high is exact for |k| < 2^21
constexpr double kLn2High = 0x1.62e42ff000000p-1;
constexpr double kLn2Low = -0x1.718432a1b0e26p-35;

// (e^r - 1 - r) / r², |r| <= 0.3468: error of e^r 2^-56.6
constexpr double kExp[] = {0x1.000000000000cp-1,  0x1.5555555555561p-3,  0x1.555555554ffcfp-5,  0x1.111111110d5f7p-7,
                           0x1.6c16c185bd173p-10, 0x1.a01a01baf9029p-13, 0x1.a01996570a390p-16, 0x1.71dddf98c2b84p-19,
                           0x1.28b082b5807ddp-22, 0x1.af85d924ebad4p-26};
// (log((1 + s) / (1 - s)) / s - 2) / s² in z = s² <= 0.02945: relative error of the logarithm 2^-57.8
constexpr double kLog[] = {0x1.5555555555593p-1, 0x1.999999997fc9fp-2, 0x1.2492494201d22p-2, 0x1.c71c51fae4a3ep-3,
                           0x1.7466420e6e37cp-3, 0x1.39a16509c9bbep-3, 0x1.2f08edd9ed4cbp-3};
// (3 atanh(s) / s - 3 - z) / z² in z = s² <= 0.02945: relative error of the logarithm 2^-65.7
constexpr double kLogOfPow[] = {0x1.3333333333465p-1, 0x1.b6db6db6838d7p-2, 0x1.555555a232150p-2, 0x1.1745af5d3dcbbp-2,
                                0x1.d8ae670696f89p-3, 0x1.973f66ceb6030p-3, 0x1.95687c5f52d17p-3};

/// e^(high + low) - 1 - high for |high| <= 0.3468 and a low that is a rounding error of high.
Real exp_tail(Real high, Real low) {
  return fma(high * high, polynomial(kExp, high), low);
}

/// x = k ln 2 + high + low with k a whole number; for a NaN k is finite and high NaN.
struct Reduced {
  Real k, high, low;
};
Reduced reduce_by_ln2(Real x) {
  const Real k = max(number(x, -2000), round(x * kPerLn2));
  const Real above = fma(k, -kLn2High, x);  // exact
  const Real rest = k * kLn2Low;
  const Real high = above - rest;
  return {k, high, (above - high) - rest};
}

/// x = 2^k m with m in [1/√2, √2]; anything for 0, infinities and NaN.
struct Binary {
  Real k, m;
};
Binary binary(Real x) {
  const Real m = mantissa(x);
  const Condition above = std::sqrt(2.0) < m;
  const Real k = exponent(x);
  return {select(above, k + 1, k), select(above, m * 0.5, m)};
}

/// log2(x) to about 2^-64 of itself, for finite x > 0; `high` has 26 bits. After e_pow.c of [FDLIBM].
Pair log2_extended(Real x) {
  const auto [k, m] = binary(x);
  // s = (m - 1) / (m + 1) = s.high + s.low. m + 1 = g.high + g.low, where g.high has 26 bits and what m + 1 lost by
  // rounding is in g.low, so f - s.high g.high - s.high g.low is exact but for its last rounding.
  const Real f = m - 1;
  const Real s = f / (m + 1);
  const Real s_high = split(s).high;
  const Real g_high = split(m + 1).high;
  const Real g_low = m - (g_high - 1);
  const Real s_low = ((f - s_high * g_high) - s_high * g_low) / (m + 1);
  // log(m) = 2 atanh(s) = 2/3 s (3 + s² + r); 3 + s² + r = t.high + t.low
  const Real z = s * s;
  const Real squared = s_high * s_high;  // exact
  const Real r = z * z * polynomial(kLogOfPow, z) + s_low * (s_high + s);
  const Real t_high = split((squared + 3) + r).high;
  const Real t_low = r - ((t_high - 3) - squared);
  // u = s t, then log2(m) = 2 / (3 ln 2) u
  const Real u_high = s_high * t_high;  // exact
  const Real u_low = s_low * t_high + t_low * s;
  const Real u = split(u_high + u_low).high;
  const Real u_rest = u_low - (u - u_high);
  constexpr double kScale = 0x1.ec709dc3a03fdp-1;      // 2 / (3 ln 2)
  constexpr double kScaleHigh = 0x1.ec709e0000000p-1;  // 26 bits of it
  constexpr double kScaleLow = -0x1.e2fe0145b01f5p-28;
  const Real log_high = u * kScaleHigh;  // exact
  const Real log_low = u * kScaleLow + u_rest * kScale;
  const Real high = split(k + (log_high + log_low)).high;
  // Where k = 0 this difference is exact; elsewhere |k| > 2 |log2 m| or so, and the parts are multiples of 2^-52.
  return {high, log_low - ((high - k) - log_high)};
}

/// 2^(high + low); |high| < 2^20, low small beside it.
Real exp2(Real high, Real low) {
  const Real k = max(number(high, -2000), round(high + low));
  const Real f = (high - k) + low;
  const Real f_high = split(f).high;
  const Real f_low = ((high - k) - f_high) + low;
  constexpr double kLn2Short = 0x1.62e4300000000p-1;  // 26 bits
  constexpr double kLn2Rest = -0x1.05c610ca86c39p-29;
  const Pair r = sum_of_ordered(f_high * kLn2Short, f_low * kLn2 + f * kLn2Rest);
  return scale(1 + (r.high + exp_tail(r.high, r.low)), k);
}

/// a^n for n >= 1 by squaring.
Real whole_power(Real a, int n) {
  Real result = a;
  bool begun = false;
  for (Real square = a;; square = square * square) {
    if (n & 1) {
      result = begun ? result * square : square;
      begun = true;
    }
    n >>= 1;
    if (n == 0) return result;
  }
}

/// a^b for a >= 0. With y = b log2(a) in two parts.
Real positive_power(Real a, Real b) {
  const Pair log2_a = log2_extended(a);
  // |log2 a| >= 2^-53 but for a = 1, so beyond 2^66 the result is 0, 1 or inf.
  const Real limited = max(min(b, number(b, 0x1p66)), number(b, -0x1p66));
  const Real b_high = split(limited).high;
  const Real high = b_high * log2_a.high;  // exact
  const Real low = (limited - b_high) * log2_a.high + limited * log2_a.low;
  const Condition inside = abs(high + low) < 1100;
  const Real ends = max(min(high, number(b, 1100)), number(b, -1100));
  const Real power = exp2(select(inside, high, ends), select(inside, low, 0));
  const Condition finite = (0.0 < a) & (a < kInfinity);
  // 0^b and inf^b are infinite where this has a positive exponent of inf, else 0; negative and NaN bases go to NaN.
  const Condition zero = equal(a, 0);
  const Real of_infinity = select(zero, -b, b);
  const Real at_end = select(0.0 < of_infinity, kInfinity, select(of_infinity < 0, 0, number(b, kNaN)));
  const Condition end = {a.b, a.b->either(zero.id, equal(a, kInfinity).id)};
  return select(finite, power, select(end, at_end, kNaN));
}

}  // namespace

Real exp(Real x) {
  const Real limited = max(min(x, number(x, 720)), number(x, -760));
  const Reduced r = reduce_by_ln2(limited);
  return scale(1 + (r.high + exp_tail(r.high, r.low)), r.k);
}

// log x = k ln 2 + log m. With f = m - 1 and s = f / (2 + f): log m = f - f²/2 + s (f²/2 + R(s²)), the form of e_log.c of
// [FDLIBM], in which f is exact and the rest small.
Real log(Real x) {
  const auto [k, m] = binary(x);
  const Real f = m - 1;
  const Real s = f / (f + 2);
  const Real z = s * s;
  const Real half_square = f * f * 0.5;
  const Real tail = s * fma(z, polynomial(kLog, z), half_square);
  const Real result = fma(k, kLn2High, f - (half_square - fma(k, kLn2Low, tail)));
  return select(0.0 < x, select(x < kInfinity, result, x), select(equal(x, 0), -kInfinity, number(x, kNaN)));
}

// tanh |x| = p / (p + 2), p = e^(2|x|) - 1 = 2^k (e^r - 1) + (2^k - 1). The quotient q of the rounded numbers is
// corrected for what they lost, p_l and d_l: (p_l - q (p_l + d_l)) / (p + 2), where 1 / (p + 2) = (1 - q) / 2.
Real tanh(Real x) {
  const Real a = min(abs(x), number(x, 22));  // 1 - tanh(22) < 2^-62
  const Reduced r = reduce_by_ln2(a + a);
  const Real two_k = scale(number(x, 1), r.k);
  const Pair lead = sum_of_ordered(two_k - 1, two_k * r.high);
  const Pair p = sum_of_ordered(lead.high, lead.low + two_k * exp_tail(r.high, r.low));
  const Pair d = sum_of_ordered(max(p.high, number(x, 2)), min(p.high, number(x, 2)));
  const Real q = p.high / d.high;
  const Real t = q + (p.low - q * (p.low + d.low)) * (0.5 - 0.5 * q);
  return select(x < 0, -t, t);
}

Real pow(Real a, Real b) {
  constexpr double kMostProducts = 16;
  const Inst& exponent_of_a = (*a.b)[b.id];
  if (exponent_of_a.op != Op::Constant) return select(equal(b, 0), 1, positive_power(a, b));
  const double n = exponent_of_a.number;
  if (n == 0) return number(a, 1);
  const bool whole = n == std::floor(n);
  if (whole && std::fabs(n) <= kMostProducts) {
    const Real power = whole_power(a, static_cast<int>(std::fabs(n)));
    return n < 0 ? 1.0 / power : power;
  }
  if (!whole || std::isinf(n)) return positive_power(a, b);
  const Real power = positive_power(abs(a), b);
  return std::fmod(n, 2) == 0 ? power : select(a < 0, -power, power);
}

}  // namespace asb::ir::elementary_functions
