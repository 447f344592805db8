// What a compiled object depends on: the SSA of the kernel, the CPU with all options of the code generator, LLVM's
// version, and the sources of this backend themselves (hashed by the build), so no change of the emitter meets old code.
#pragma once

#include <string>

#include "compiler/ir/function.h"

namespace asb::llvm_backend {

/// 64 hexadecimal digits: SHA-256 of all that. `target` is Target::identity().
std::string cache_key(const ir::Function& function, const std::string& target);

}  // namespace asb::llvm_backend
