// One kernel as the compiler hands it to a backend: the tensor form for the interpreter, the expanded form
// for the machines. Plain data.
#pragma once

#include "compiler/ir/function.h"

namespace asb {

struct KernelPlan {
  ir::Function tensor;  ///< before expand: what the interpreter (the oracle) runs
  ir::Function scalar;  ///< after all passes: what LLVM and SPIR-V run; same inputs and outputs
};

}  // namespace asb
