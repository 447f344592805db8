// The words in which the elementary functions are written: operators on values of one Builder. Inside the pass only.
#pragma once

#include <span>

#include "compiler/ir/builder.h"

namespace asb::ir::elementary_functions {

/// A value of a builder, for formulas.
struct Real {
  Builder* b = nullptr;
  ValueId id;
};
/// A bool of a builder.
struct Condition {
  Builder* b = nullptr;
  ValueId id;
};

inline Real operator+(Real x, Real y) { return {x.b, x.b->add(x.id, y.id)}; }
inline Real operator-(Real x, Real y) { return {x.b, x.b->sub(x.id, y.id)}; }
inline Real operator*(Real x, Real y) { return {x.b, x.b->mul(x.id, y.id)}; }
inline Real operator/(Real x, Real y) { return {x.b, x.b->div(x.id, y.id)}; }
inline Real operator-(Real x) { return {x.b, x.b->neg(x.id)}; }
inline Real number(Real like, double value) { return {like.b, like.b->constant(value)}; }
inline Real operator+(Real x, double y) { return x + number(x, y); }
inline Real operator-(Real x, double y) { return x - number(x, y); }
inline Real operator*(Real x, double y) { return x * number(x, y); }
inline Real operator+(double x, Real y) { return number(y, x) + y; }
inline Real operator-(double x, Real y) { return number(y, x) - y; }
inline Real operator*(double x, Real y) { return number(y, x) * y; }
inline Real operator/(double x, Real y) { return number(y, x) / y; }

inline Real fma(Real x, Real y, Real z) { return {x.b, x.b->fma(x.id, y.id, z.id)}; }
inline Real fma(Real x, double y, Real z) { return fma(x, number(x, y), z); }
inline Real sqrt(Real x) { return {x.b, x.b->sqrt(x.id)}; }
inline Real abs(Real x) { return {x.b, x.b->abs(x.id)}; }
inline Real floor(Real x) { return {x.b, x.b->floor(x.id)}; }
inline Real round(Real x) { return {x.b, x.b->round(x.id)}; }
inline Real exponent(Real x) { return {x.b, x.b->exponent(x.id)}; }
inline Real mantissa(Real x) { return {x.b, x.b->mantissa(x.id)}; }
inline Real scale(Real x, Real power) { return {x.b, x.b->scale_by_power_of_2(x.id, power.id)}; }
/// The first where they are equal or where the comparison meets a NaN (ops.def).
inline Real min(Real x, Real y) { return {x.b, x.b->min(x.id, y.id)}; }
inline Real max(Real x, Real y) { return {x.b, x.b->max(x.id, y.id)}; }

inline Condition operator<(Real x, Real y) { return {x.b, x.b->less(x.id, y.id)}; }
inline Condition operator<=(Real x, Real y) { return {x.b, x.b->less_equal(x.id, y.id)}; }
inline Condition equal(Real x, Real y) { return {x.b, x.b->equal(x.id, y.id)}; }
inline Condition operator<(Real x, double y) { return x < number(x, y); }
inline Condition operator<(double x, Real y) { return number(y, x) < y; }
inline Condition equal(Real x, double y) { return equal(x, number(x, y)); }
inline Condition operator&(Condition x, Condition y) { return {x.b, x.b->both(x.id, y.id)}; }
inline Real select(Condition c, Real yes, Real no) { return {c.b, c.b->select(c.id, yes.id, no.id)}; }
inline Real select(Condition c, double yes, Real no) { return select(c, number(no, yes), no); }
inline Real select(Condition c, Real yes, double no) { return select(c, yes, number(yes, no)); }

/// A number as the sum of two doubles.
struct Pair {
  Real high, low;
};

/// The first 26 bits of x and the rest, exactly; |x| < 2^995 [Dekker1971].
Pair split(Real x);
/// x + y = high + low exactly, for |x| >= |y| or x = 0 [Dekker1971].
Pair sum_of_ordered(Real x, Real y);
/// x + y = high + low exactly, in any order (Knuth's).
Pair sum(Real x, Real y);

/// c0 + c1 z + c2 z² + …: even and odd powers side by side, so that half as many steps wait for each other.
Real polynomial(std::span<const double> coefficients, Real z);

Real exp(Real x);
Real log(Real x);
Real tanh(Real x);
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
Real atan2(Real y, Real x);
Real pow(Real a, Real b);

}  // namespace asb::ir::elementary_functions
