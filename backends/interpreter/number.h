// A number with its running magnitude, and the entrywise ops of ops.def on such numbers.
//
// Note [Running magnitude]
// numerics.md bounds the difference of two backends by |a - b| <= 1e-12 Σ|contributions|. The magnitude m of a value
// is that sum: the first-order running error bound of [Higham2002] Sec. 3.3 in units of the relative rounding error.
//   inputs, constants   0: they are exact (or |x| if the other side stores inputs in a shorter format)
//   a + b               m_a + m_b + |a| + |b|      (an exact sum such as a + 0 adds nothing)
//   a b                 |a| m_b + |b| m_a + |a b|
//   f(a)                |f'(a)| m_a + |f(a)|
//   Σ a_i b_i           Σ (|a_i| m_bi + |b_i| m_ai + |a_i b_i|)
// So m covers any order of summation, contraction to fma, and the amplification of earlier rounding, but doesn't
// count the length of a sum: 1e-12 is 4,500 roundings. sin, cos, tan take |a f'(a)| as well, for a reduction of
// large arguments. Where a comparison is undecided (its sides closer than kAgreement times their magnitudes) the
// magnitude of what depends on it admits both outcomes. A loop's magnitude is that of its last round, since the loops
// that we write are contractions.
#pragma once

#include <span>

#include "compiler/ir/function.h"

namespace asb::interpreter {

constexpr double kAgreement = 1e-12;     ///< numerics.md, Tolerances between backends (f64)
constexpr double kAgreementF32 = 1e-5;   ///< the same for f32

/// A real, or a bool as 1 or 0. The magnitude of a bool is 0 (certain) or infinite (undecided).
struct Number {
  double value = 0;
  double magnitude = 0;
};

Number add(Number a, Number b);
Number multiply(Number a, Number b);

/// Sum of products with the magnitudes of Note [Running magnitude]; terms are added in order.
class Accumulator {
 public:
  void add(Number term);
  Number total() const { return {value_, magnitude_ + (terms_ > 1 ? contributions_ : 0)}; }

 private:
  double value_ = 0, magnitude_ = 0, contributions_ = 0;
  int terms_ = 0;  ///< that aren't zero
};

/// An op whose result depends on corresponding entries only. `exponent_is_constant` matters to Pow alone: a negative
/// base is allowed with a whole constant exponent.
Number entrywise(ir::Op op, std::span<const Number> args, bool exponent_is_constant);

}  // namespace asb::interpreter
