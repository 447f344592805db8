// The passes of the SSA: functions from program to program, declared here, listed in passes.def, run by pipeline.h.
// Each takes a verified function and gives a verified one with the same inputs and outputs; each is deterministic, and
// linear in the number of instructions but for hashing. Bodies of Iterate are treated like the function.
#pragma once

#include "compiler/ir/function.h"
#include "compiler/passes/elementary.h"

namespace asb::ir {

/// Sends every instruction through the local rules of ir/simplify.h (which say what may happen to zeros, signs and
/// last bits). Either stage. Leaves Copy, Envelope and Live alone; doesn't remove what became unread.
[[nodiscard]] Function fold_constants(const Function& function);

/// Merges instructions that compute the same value from the same operands; operands of commutative ops are put in one
/// order first. Either stage. Keeps results bit for bit and the order of what remains. Never merges Copy, Envelope and
/// Live. Needed before a machine sees the code: a Hessian is small as a graph and exponential as a tree.
[[nodiscard]] Function share_subexpressions(const Function& function);

/// Replaces Copy, Envelope and Live by their operands: after this no derivative can be taken.
[[nodiscard]] Function remove_copies(const Function& function);

/// Drops instructions and bodies that no output reads. Inputs stay declared: their numbers are the caller's.
[[nodiscard]] Function remove_dead(const Function& function);

/// From the tensor stage to the scalar stage: every output becomes its entries, row major. Sums run left to right;
/// structural zeros are gone and equal scalars are shared on the way. Entries of tensors above kExpandLimit are made
/// only where something reads them. Rotation becomes the formulas of expand_rotation.cpp, with one Iterate.
[[nodiscard]] Function expand(const Function& function);

/// Orders instructions so that few values are alive at once, which is what registers hold (max_live). Keeps results bit
/// for bit. Takes the best of: the order as given, depth first from the outputs, and greedy by what dies; for scalars.
[[nodiscard]] Function order(const Function& function);

/// The largest number of values alive at once. Constants don't count, and an output is stored when it is computed.
/// A tensor counts its entries.
[[nodiscard]] int32_t max_live(const Function& function);

}  // namespace asb::ir
