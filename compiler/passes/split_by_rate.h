// Cuts a kernel in two by how often its values change, so that what is fixed during an inner loop is computed once.
#pragma once

#include "compiler/ir/function.h"

namespace asb::ir {

/// outer.outputs[k] is handed to inner as its input first_held + k, with the rate of the value. Both keep the inputs of
/// the original at their numbers, read or not; inner has the outputs of the original.
struct Split {
  Function outer, inner;
  int32_t first_held = 0;
  bool is_trivial() const { return outer.outputs.empty(); }  ///< nothing is worth keeping
  int32_t held_entries() const;                              ///< numbers kept, per entity or once
};

/// A value whose rate has no axis in `inner` is computed by outer; those that inner instructions or outputs read are
/// handed over. Either stage. Few numbers are kept:
///   - inputs and constants are never kept, nor what follows from them by moving entries only;
///   - where moving entries (transpose, stack, insert …) gives the value, what is moved is kept if it is no larger;
///   - a value that at most two cheap entrywise instructions make from inputs or other kept values is made again.
/// Three uses: values of params alone (once per launch), values fixed through a solve, values fixed while products with
/// the Hessian are taken. Requires shared subexpressions (else a value may be kept twice) and no Copy, Envelope, Live
/// whose place still matters: they are cut like any value.
[[nodiscard]] Split split_by_rate(const Function& function, Rate inner);

}  // namespace asb::ir
