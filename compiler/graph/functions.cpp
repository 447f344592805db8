// See functions.h.
#include "compiler/graph/functions.h"

namespace asb {

ir::Function reorder_inputs(const ir::Function& function, std::span<const int32_t> order) {
  ir::Function out = function;
  std::vector<int32_t> place(function.inputs.size(), -1);
  out.inputs.clear();
  for (size_t i = 0; i < order.size(); ++i) {
    place[order[i]] = static_cast<int32_t>(i);
    out.inputs.push_back(function.inputs[order[i]]);
  }
  for (ir::Inst& inst : out.insts)
    if (inst.op == ir::Op::Input) {
      ASB_CHECK(place[inst.index] >= 0, "an input that is read was dropped");
      inst.index = place[inst.index];
    }
  return out;
}

std::vector<int32_t> read_inputs(const ir::Function& function) {
  std::vector<uint8_t> read(function.inputs.size(), 0);
  for (const ir::Inst& inst : function.insts)
    if (inst.op == ir::Op::Input) read[inst.index] = 1;
  std::vector<int32_t> order;
  for (size_t i = 0; i < read.size(); ++i)
    if (read[i]) order.push_back(static_cast<int32_t>(i));
  return order;
}

}  // namespace asb
