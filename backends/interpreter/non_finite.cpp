// Finds where a value first stops being finite, for checked runs.
#include <fmt/format.h>

#include <cmath>

#include "backends/interpreter/evaluate.h"

namespace asb::interpreter {
namespace {

using ir::Inst;
using ir::Op;
using ir::ValueId;

/// Instructions that an output rests on here: through a `select`, the side that it takes.
std::vector<bool> live_instructions(const ir::Function& function, const Evaluation& evaluation) {
  std::vector<bool> live(function.insts.size(), false);
  for (const ir::Output& output : function.outputs)
    for (ValueId v : output.values) live[v.index] = true;
  for (size_t i = function.insts.size(); i-- > 0;) {
    if (!live[i]) continue;
    const Inst& inst = function.insts[i];
    const bool is_select = inst.op == Op::Select;
    const bool takes_first = is_select && evaluation.values[inst.args[0].index].entries[0].value != 0;
    for (size_t k = 0; k < inst.args.size(); ++k)
      if (!is_select || k == 0 || (k == 1) == takes_first) live[inst.args[k].index] = true;
  }
  return live;
}

std::string describe(const ir::Function& function, const Evaluation& evaluation, const Inst& inst, int32_t entry,
                     double value) {
  if (inst.op == Op::Input)
    return fmt::format("entry {} of `{}` is {}", inst.type.is_scalar() && !function.expanded ? 0 : entry + inst.extra,
                       function.inputs[inst.index].name, value);
  std::string operands;
  for (ValueId arg : inst.args) {
    const std::vector<Number>& x = evaluation.values[arg.index].entries;
    operands += operands.empty() ? "" : ", ";
    if (x.size() == 1 || x.size() == static_cast<size_t>(inst.type.entries()))
      operands += fmt::format("{:.17g}", x[x.size() == 1 ? 0 : entry].value);
    else {
      operands += "[";
      for (size_t i = 0; i < x.size() && i < 9; ++i) operands += fmt::format("{}{:.9g}", i ? ", " : "", x[i].value);
      operands += x.size() > 9 ? ", ...]" : "]";
    }
  }
  return fmt::format("`{}` of {} is {}", ir::info(inst.op).text, operands, value);
}

}  // namespace

std::optional<NonFinite> find_first_non_finite(const ir::Function& function, const Evaluation& evaluation) {
  const std::vector<bool> live = live_instructions(function, evaluation);
  for (size_t i = 0; i < function.insts.size(); ++i) {
    if (!live[i]) continue;
    const std::vector<Number>& x = evaluation.values[i].entries;
    for (size_t k = 0; k < x.size(); ++k)
      if (!std::isfinite(x[k].value)) {
        const Inst& inst = function.insts[i];
        const auto entry = static_cast<int32_t>(k);
        return NonFinite{ValueId(static_cast<uint32_t>(i)), entry, inst.span,
                         describe(function, evaluation, inst, entry, x[k].value)};
      }
  }
  return {};
}

}  // namespace asb::interpreter
