// What each value varies with.
#include "compiler/passes/rates.h"

namespace asb::ir {

std::vector<Rate> rates(const Function& function) {
  std::vector<Rate> result(function.insts.size(), 0);
  for (size_t i = 0; i < function.insts.size(); ++i) {
    const Inst& inst = function.insts[i];
    if (inst.op == Op::Input) result[i] = function.inputs[inst.index].rate;
    for (ValueId arg : inst.args) result[i] |= result[arg.index];
  }
  return result;
}

}  // namespace asb::ir
