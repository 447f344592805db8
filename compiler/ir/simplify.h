// Local rules that give a simpler value for an instruction, looking at its operands and theirs. The builder asks
// before it appends; the pass fold_constants sends a whole function through the builder.
//
// What the rules may change
//   zeros     0·x → 0 and 0/x → 0 for a literal 0, whatever x is: zeros of the derivative machinery are exact. A
//             literal 0 that a user writes is treated alike, so `0 * x` is 0 even where x is NaN or infinite.
//   signs     the sign of a zero result may change: x + 0 → x, neg(a - b) → b - a, a + neg b → a - b,
//             and with it the sign of the infinity of 1/0.
//   rounding  c1·(c2·x) → (c1 c2)·x, scalar factors move out of sums, pow with a small whole exponent becomes
//             products: last bits differ, never more. Sums are never reordered.
// Nothing else changes: no rule assumes that a value is finite or that x - x = 0 or x/x = 1, and the branch that a
// kink (abs, min, max, sign) takes stays as it was, in the tensor stage at the kink itself too.
#pragma once

#include "compiler/ir/builder.h"

namespace asb::ir {

/// An older or simpler value equal to `inst` (whose type has been inferred), or none. May append what it needs.
/// Expects a constant or identity among the operands of a commutative op to stand first (the builder swaps).
ValueId simplify(Builder& builder, const Inst& inst);

/// The part of simplify for ops on the structure of tensors and on small matrices.
ValueId simplify_structure(Builder& builder, const Inst& inst);

/// Ops whose two operands may be swapped without changing a bit. Not Min and Max: the first wins ties.
bool is_commutative(Op op);

/// Value of an entrywise op on numbers (bools are 1 or 0): the meaning of ops.def in C++. Operands beyond the arity
/// are ignored.
double evaluate(Op op, double a, double b = 0, double c = 0);

/// Ops that evaluate() knows: each entry of the result depends on the corresponding entries of the operands only.
bool is_entrywise(Op op);

}  // namespace asb::ir
