// Kernels of one scalar op each, with operands at which its meaning is sharp: ordinary, huge, subnormal, signed zero,
// infinite, NaN.
#pragma once

#include "compiler/ir/builder.h"
#include "tests/backends/agreement/launch.h"
#include "tests/support/random.h"

namespace asb::test {

/// Ops that the pass `elementary` replaces: no backend sees them.
bool is_elementary(ir::Op op);
/// Entrywise ops of the scalar stage that backends answer with code.
std::vector<ir::Op> scalar_ops();

/// Operands become inputs; a bool operand is an input of type bool.
ir::Function function_of(ir::Op op);
/// Only operands at which ops.def gives the op a value.
Table operands_of(ir::Op op, Random& random, int random_entities);

/// x ← x/2 + captured until x - captured < 1, at most `cap` rounds; outputs "value", "twice" (a loop that rests on
/// another), "uniform" (a loop over what varies with no entity).
ir::Function halving(int32_t cap);
double halved(double x, double c, int cap);

bool same_bits(double a, double b);  ///< all NaNs are one
bool is_subnormal(double a);

}  // namespace asb::test
