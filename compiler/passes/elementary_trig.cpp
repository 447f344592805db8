// sin, cos, tan, atan2.
#include "compiler/passes/elementary_arithmetic.h"

namespace asb::ir::elementary_functions {
namespace {

constexpr double kTwoOverPi = 0x1.45f306dc9c883p-1;
// pi / 2 = first + second + third; 33 bits in the first two: q·part is exact for |q| <= 2^20
constexpr double kHalfPi[] = {0x1.921fb54400000p+0, 0x1.0b4611a600000p-34, 0x1.3198a2e037073p-69};
// pi / 4 = high + low; 50 bits in high: multiples up to 4 are exact
constexpr double kQuarterPiHigh = 0x1.921fb54442d18p-1;
constexpr double kQuarterPiLow = 0x1.1a62633145c07p-55;

// (sin(r) / r - 1) / z in z = r², |r| <= 0.787: relative error of the sine 2^-56.2
constexpr double kSin[] = {-0x1.5555555555548p-3, 0x1.111111110f7dfp-7,  -0x1.a01a019bfd3b9p-13,
                           0x1.71de35655642bp-19, -0x1.ae5e57538d312p-26, 0x1.5d8e8b993ac5fp-33};
// (cos(r) - 1 + z/2) / z²: error of the cosine 2^-59.8
constexpr double kCos[] = {0x1.555555555554bp-5,   -0x1.6c16c16c150d5p-10, 0x1.a01a019ca0886p-16,
                           -0x1.27e4f7fcfe1a8p-22, 0x1.1ee9e2c85b69fp-29,  -0x1.8fa9b9b8ff08ap-37};
// (atan(u) / u - 1) / z in z = u², |u| <= tan(pi/8): relative error of the angle 2^-58.7
constexpr double kAtan[] = {-0x1.555555555553dp-2, 0x1.99999999958e2p-3,  -0x1.24924922b0e56p-3, 0x1.c71c70e78a36cp-4,
                            -0x1.745cf9084d487p-4, 0x1.3b111c311084ep-4,  -0x1.10ebdb43d0013p-4, 0x1.df11444e41bb4p-5,
                            -0x1.9cdb8445aaf7bp-5, 0x1.37eb996f8cce9p-5,  -0x1.259996cafe911p-6};

/// x = q pi/2 + r.high + r.low with whole q; quadrant = q mod 4.
struct Turned {
  Real quadrant;
  Pair r;
};

/// Cody and Waite in three parts [Cody1980]. The first two products are exact for |q| <= 2^20, and so is the first
/// difference, whose last bit is no smaller than that of x or of the product; what the second rounds away is kept.
Turned turn(Real x) {
  const Real q = round(x * kTwoOverPi);
  const Real first = x - q * kHalfPi[0];
  const Pair second = sum(first, -(q * kHalfPi[1]));
  const Real rest = q * kHalfPi[2] - second.low;
  const Real high = second.high - rest;
  Pair r = {high, (second.high - high) - rest};
  // Bounds where the rounding of x alone is more than a quadrant: the sine of anything, but a sine.
  const auto limited = [&](Real part, double most) { return max(min(part, number(x, most)), number(x, -most)); };
  r = {limited(r.high, 0.8), limited(r.low, 0x1p-50)};
  return {q - 4 * floor(q * 0.25), r};
}

// sin(h + l) = h + (h³ S(h²) + l cos h), with cos h = 1 - h²/2 in so small a term.
Pair kernel_sin(const Pair& r) {
  const Real z = r.high * r.high;
  return sum_of_ordered(r.high, fma(r.high * z, polynomial(kSin, z), r.low * fma(z, -0.5, number(z, 1))));
}

// cos(h + l) = 1 - h²/2 + (h⁴ C(h²) - h l); what 1 - h²/2 rounds away is added back.
Pair kernel_cos(const Pair& r) {
  const Real z = r.high * r.high;
  const Real half = z * 0.5;
  const Real lead = 1 - half;
  return sum_of_ordered(lead, ((1 - lead) - half) + (z * z * polynomial(kCos, z) - r.high * r.low));
}

}  // namespace

Real sin(Real x) {
  const Turned t = turn(x);
  const Condition odd = equal(abs(t.quadrant - 2), 1);
  const Real value = select(odd, kernel_cos(t.r).high, kernel_sin(t.r).high);
  return select(1.5 < t.quadrant, -value, value);
}

Real cos(Real x) {
  const Turned t = turn(x);
  const Condition odd = equal(abs(t.quadrant - 2), 1);
  const Real value = select(odd, kernel_sin(t.r).high, kernel_cos(t.r).high);
  return select(abs(t.quadrant - 1.5) < 1, -value, value);
}

// q = n / d of the rounded sine and cosine, corrected for what they lost: (n_l - q d_l) / d, where 1 / d = d (1 + q²)
// because n² + d² = 1.
Real tan(Real x) {
  const Turned t = turn(x);
  const Condition odd = equal(abs(t.quadrant - 2), 1);
  const Pair sine = kernel_sin(t.r), cosine = kernel_cos(t.r);
  const Pair n = {select(odd, -cosine.high, sine.high), select(odd, -cosine.low, sine.low)};
  const Pair d = {select(odd, sine.high, cosine.high), select(odd, sine.low, cosine.low)};
  const Real q = n.high / d.high;
  return q + (n.low - q * d.low) * (d.high * fma(q, q, number(x, 1)));
}

// The angle of (x, y) from that of (den, num) = (max, min) of their magnitudes, t = num / den <= 1. Above tan(pi/8):
// atan t = pi/4 + atan((num - den) / (num + den)). So angle = c pi/4 ± atan(u) with whole c.
Real atan2(Real y, Real x) {
  constexpr double kTanEighthPi = 0x1.a827999fcef32p-2;
  const Real ax = abs(x), ay = abs(y);
  // A quarter of large numbers, so that num + den stays finite.
  const Condition steep = ax < ay;
  const Real larger = select(steep, ay, ax), smaller = select(steep, ax, ay);
  const Real unit = select(1.0 < larger, 0.25, number(x, 1));
  const Real den = larger * unit, num = smaller * unit;
  const Condition beyond = (den * kTanEighthPi <= num) & (0.0 < num);
  // At infinity num = den must give 0, and at (0, 0) the divisor may be anything.
  const Real above = select(equal(num, den), 0, select(beyond, num - den, num));
  const Real below = select(equal(den, 0), 1, select(beyond, num + den, den));
  const Real u = above / below;
  const Real z = u * u;
  const Real atan_tail = u * z * polynomial(kAtan, z);

  // c and the sign of atan(u): pi/4, then pi/2 - angle where steep, then pi - angle where x < 0
  Real c = select(beyond, number(x, 1), 0);
  c = select(steep, 2 - c, c);
  const Condition left = x < 0;
  c = select(left, 4 - c, c);
  const Real sign = select(steep, number(x, -1), 1) * select(left, number(x, -1), 1);
  const Pair lead = sum_of_ordered(c * kQuarterPiHigh, sign * u);
  const Real angle = lead.high + (lead.low + fma(c, kQuarterPiLow, sign * atan_tail));
  return select(y < 0, -angle, angle);
}

}  // namespace asb::ir::elementary_functions
