// From the scalar stage of the SSA to an LLVM module with one function of the type asb_kernel.
#pragma once

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>

#include <memory>

#include "backends/llvm/target.h"
#include "base/result.h"
#include "compiler/ir/function.h"

namespace asb::llvm_backend {

/// The symbol of a kernel: its name with all but letters, digits, `_` and `.` replaced, behind `asb.`.
std::string symbol_of(const ir::Function& function);

/// Loop over the vectors of blocks first … last; one lane per entity. What varies with no entity is computed before
/// the loop. Refuses by name what isn't of the scalar stage. The module has been verified.
[[nodiscard]] Result<std::unique_ptr<llvm::Module>> emit_module(const ir::Function& function, const Target& target,
                                                                llvm::LLVMContext& context);

}  // namespace asb::llvm_backend
