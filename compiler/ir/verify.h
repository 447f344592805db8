// Checks that a function is well formed. Runs after every pass.
#pragma once

#include "base/result.h"
#include "compiler/ir/function.h"

namespace asb::ir {

/// Operands before uses, arities, types by the shape rules, ops allowed in the stage, inputs and outputs, and the
/// same of all bodies. The error names the instruction.
[[nodiscard]] Result<void> verify(const Function& function);

}  // namespace asb::ir
