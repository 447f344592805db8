// Text of functions.
#include "compiler/ir/print.h"

#include <fmt/format.h>

namespace asb::ir {
namespace {

std::string reference(ValueId id) { return id ? fmt::format("%{}", id.index) : "%none"; }

void print(const Function& f, const std::string& indent, std::string& out) {
  out += fmt::format("{}{} {}\n", indent, f.expanded ? "scalar" : "tensor", f.name.empty() ? "function" : f.name);
  for (size_t i = 0; i < f.inputs.size(); ++i)
    out += fmt::format("{}  in {} {} : {}  {}\n", indent, i, f.inputs[i].name, to_string(f.inputs[i].type),
                       rate_to_string(f.inputs[i].rate));
  for (size_t i = 0; i < f.insts.size(); ++i)
    out += fmt::format("{}  {}\n", indent, to_string(f, ValueId(static_cast<uint32_t>(i))));
  for (const Output& output : f.outputs) {
    out += fmt::format("{}  out {} : {} =", indent, output.name, to_string(output.type));
    for (ValueId id : output.values) out += ' ' + reference(id);
    out += '\n';
  }
  for (size_t i = 0; i < f.bodies.size(); ++i) {
    out += fmt::format("{}  body {}:\n", indent, i);
    print(f.bodies[i], indent + "    ", out);
  }
}

}  // namespace

std::string to_string(const Type& type) {
  std::string text = type.kind == Kind::Real ? "real" : "bool";
  for (int i = 0; i < type.rank; ++i) text += fmt::format("{}{}", i ? "," : "[", type.dims[i]);
  return type.rank ? text + "]" : text;
}

std::string rate_to_string(Rate rate) {
  constexpr std::pair<Axis, const char*> kNames[] = {{kAxisMesh, "mesh"},           {kAxisParams, "params"},
                                                     {kAxisFrame, "frame"},         {kAxisStep, "step"},
                                                     {kAxisIteration, "iteration"}, {kAxisDirection, "direction"}};
  std::string text;
  for (const auto& [axis, name] : kNames)
    if (rate & axis) text += (text.empty() ? "" : "|") + std::string(name);
  return text.empty() ? "fixed" : text;
}

std::string to_string(const Function& f, ValueId id) {
  const Inst& inst = f[id];
  std::string text = fmt::format("%{} : {} = {}", id.index, to_string(inst.type), info(inst.op).text);
  for (ValueId arg : inst.args) text += ' ' + reference(arg);
  switch (inst.op) {
    case Op::Constant:
      return text + fmt::format(" {}", inst.number);
    case Op::Input:
      return text + (f.expanded ? fmt::format(" {}.{}", inst.index, inst.extra) : fmt::format(" {}", inst.index));
    case Op::Extract:
    case Op::Slice:
    case Op::Pad:
    case Op::Rotate:
      return text + fmt::format(" @{}", inst.index);
    case Op::Insert:
      return text + fmt::format(" @{} of {}", inst.index, inst.extra);
    case Op::Iterate:
      return text + fmt::format(" body {} cap {}", inst.index, inst.extra);
    default:
      return text;
  }
}

std::string to_string(const Function& function) {
  std::string out;
  print(function, "", out);
  return out;
}

}  // namespace asb::ir
