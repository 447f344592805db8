// Text of functions, for --emit=ssa and for messages: readable, the same for the same function.
#pragma once

#include <string>

#include "compiler/ir/function.h"

namespace asb::ir {

/// "real", "bool", "real[3,3]".
std::string to_string(const Type& type);

/// "mesh|frame", or "fixed" where nothing varies.
std::string rate_to_string(Rate rate);

/// One instruction: "%12 : real[3,3] = matmul %3 %7".
std::string to_string(const Function& function, ValueId id);

/// The whole function with inputs, outputs and bodies, one instruction a line.
std::string to_string(const Function& function);

}  // namespace asb::ir
