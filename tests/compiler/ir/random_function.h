// Random well-typed functions that use every op of the tensor stage.
#pragma once

#include "compiler/ir/function.h"

namespace asb::ir::test {

/// A tensor function of `length` random instructions on random operands, not simplified; a few outputs.
Function random_function(unsigned seed, int length);

}  // namespace asb::ir::test
