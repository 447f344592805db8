// What the passes share: to rebuild a function, mapping old values to new ones.
#pragma once

#include <functional>
#include <vector>

#include "compiler/ir/builder.h"

namespace asb::ir {

/// A function of the same name, inputs and stage, without instructions; `bodies` as they come from `pass` of each.
Function like(const Function& function, const std::function<Function(const Function&)>& pass);

/// New ids of an instruction's operands.
std::vector<ValueId> mapped(const std::vector<ValueId>& ids, const std::vector<ValueId>& map);

/// Gives `to` the outputs of `from`, mapped.
void map_outputs(const Function& from, const std::vector<ValueId>& map, Function& to);

/// Sends all instructions through a builder with these rules.
Function rebuild(const Function& function, Rules rules, const std::function<Function(const Function&)>& pass);

}  // namespace asb::ir
