// Dispatch of the rules.
#include "compiler/ir/simplify.h"

namespace asb::ir {

ValueId simplify(Builder&, const Inst&) { return {}; }

}  // namespace asb::ir
