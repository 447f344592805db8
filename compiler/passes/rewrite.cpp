// Rebuilding a function, value by value; and the two passes that are a builder's rules and nothing else.
#include "compiler/passes/rewrite.h"

#include "compiler/passes/passes.h"

namespace asb::ir {

Function like(const Function& function, const std::function<Function(const Function&)>& pass) {
  Function result;
  result.name = function.name;
  result.inputs = function.inputs;
  result.expanded = function.expanded;
  for (const Function& body : function.bodies) result.bodies.push_back(pass(body));
  return result;
}

std::vector<ValueId> mapped(const std::vector<ValueId>& ids, const std::vector<ValueId>& map) {
  std::vector<ValueId> result;
  result.reserve(ids.size());
  for (ValueId id : ids) result.push_back(map[id.index]);
  return result;
}

void map_outputs(const Function& from, const std::vector<ValueId>& map, Function& to) {
  for (const Output& output : from.outputs) to.outputs.push_back({output.name, output.type, mapped(output.values, map)});
}

Function rebuild(const Function& function, Rules rules, const std::function<Function(const Function&)>& pass) {
  Function result = like(function, pass);
  result.insts.reserve(function.insts.size());
  Builder builder(result, rules);
  std::vector<ValueId> map;
  map.reserve(function.insts.size());
  for (const Inst& inst : function.insts) map.push_back(builder.remake(inst, mapped(inst.args, map)));
  map_outputs(function, map, result);
  return result;
}

Function fold_constants(const Function& function) { return rebuild(function, Rules::Simplify, fold_constants); }

Function share_subexpressions(const Function& function) {
  return rebuild(function, Rules::Share, share_subexpressions);
}

}  // namespace asb::ir
