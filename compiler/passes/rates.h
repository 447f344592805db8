// What each value varies with.
#pragma once

#include <vector>

#include "compiler/ir/function.h"

namespace asb::ir {

/// Rate of every instruction: the union of the rates of the inputs that it reads. Either stage.
std::vector<Rate> rates(const Function& function);

}  // namespace asb::ir
