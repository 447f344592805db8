// The ops on the binary form of numbers, on vectors: by single AVX-512 instructions where there are such, else by
// integer arithmetic on the bits of [IEEE754] binary64.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include "backends/llvm/target.h"

namespace asb::llvm_backend {

llvm::Value* emit_exponent(llvm::IRBuilderBase& b, const Target& target, llvm::Value* a);
llvm::Value* emit_mantissa(llvm::IRBuilderBase& b, const Target& target, llvm::Value* a);
llvm::Value* emit_scale_by_power_of_2(llvm::IRBuilderBase& b, const Target& target, llvm::Value* a, llvm::Value* power);

}  // namespace asb::llvm_backend
