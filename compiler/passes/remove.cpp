// Passes that only take away: remove_copies and remove_dead.
#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace asb::ir {

Function remove_copies(const Function& function) {
  Function result = like(function, remove_copies);
  std::vector<ValueId> map;
  map.reserve(function.insts.size());
  for (const Inst& inst : function.insts) {
    if (inst.op == Op::Copy || inst.op == Op::Envelope || inst.op == Op::Live) {
      map.push_back(map[inst.args[0].index]);
      continue;
    }
    map.emplace_back(static_cast<uint32_t>(result.insts.size()));
    result.insts.push_back(inst);
    result.insts.back().args = mapped(inst.args, map);
  }
  map_outputs(function, map, result);
  return result;
}

Function remove_dead(const Function& function) {
  std::vector<bool> is_live(function.insts.size()), body_is_live(function.bodies.size());
  for (const Output& output : function.outputs)
    for (ValueId id : output.values) is_live[id.index] = true;
  for (size_t i = function.insts.size(); i-- > 0;) {
    if (!is_live[i]) continue;
    const Inst& inst = function.insts[i];
    for (ValueId arg : inst.args) is_live[arg.index] = true;
    if (inst.op == Op::Iterate) body_is_live[inst.index] = true;
  }

  Function result = like(function, remove_dead);
  std::vector<int32_t> body_map;
  std::vector<Function> bodies;
  for (size_t i = 0; i < result.bodies.size(); ++i) {
    body_map.push_back(static_cast<int32_t>(bodies.size()));
    if (body_is_live[i]) bodies.push_back(std::move(result.bodies[i]));
  }
  result.bodies = std::move(bodies);

  std::vector<ValueId> map(function.insts.size());
  for (size_t i = 0; i < function.insts.size(); ++i) {
    if (!is_live[i]) continue;
    map[i] = ValueId(static_cast<uint32_t>(result.insts.size()));
    Inst inst = function.insts[i];
    inst.args = mapped(inst.args, map);
    if (inst.op == Op::Iterate) inst.index = body_map[inst.index];
    result.insts.push_back(std::move(inst));
  }
  map_outputs(function, map, result);
  return result;
}

}  // namespace asb::ir
