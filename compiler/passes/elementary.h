// The pass `elementary`: exp, log, sin, cos, tan, tanh, atan2 and pow become arithmetic on the scalar stage, so that
// all machines run the same code and none needs a mathematical library. Runs after folding, before sharing.
//
// Errors in f64, in units of the last place (ULP) of the result; measured against 64-bit mantissas over the whole range
// (tests/compiler/elementary, tests/backends/llvm):
//
//   exp    1     0 below -745.2, inf above 709.79, subnormal results too
//   log    1     subnormal operands too; -inf at 0, NaN below
//   sin    1     for |x| <= 1.6e6, or 1e-28 absolutely where that is larger (beside multiples of pi). Beyond: the sine
//   cos    1     of x (1 + e) with |e| <= 2^-52, which is some number of [-1, 1] where x has no fraction left
//   tan    1.5   on the same terms
//   tanh   1.5
//   atan2  2     angles in (-pi, pi]; whole range, infinities as in C; 0 at (0, 0); -0 counts as 0
//   pow    1     but |n| for a^n with whole constant |n| <= 16, which is a product of |n| factors or its reciprocal.
//                a < 0 is NaN but for a whole constant exponent; a^0 = 1; 0^b and inf^b are 0 or inf
//
// NaN gives NaN (but NaN^0 = 1). The sign of a zero result is not kept. Where the target flushes subnormals they count
// as 0. The bounds don't rest on Fma rounding once: where the last bits matter, products are exact because their factors
// are short. They do rest on Mul and Add rounding as written: a backend must not contract them.
//
// Methods: argument reduction by constants in parts [Cody1980], division-free exp and the log by atanh as in [FDLIBM],
// exact sums and products of [Dekker1971]; the polynomials are minimax fits of our own (elementary_coefficients.py).
#pragma once

#include "compiler/ir/function.h"

namespace asb::ir {

/// The same function without those ops; bodies of Iterate too. Requires the scalar stage.
[[nodiscard]] Function elementary(const Function& function);

}  // namespace asb::ir
