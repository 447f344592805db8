// Checks that a function is well formed.
#include "compiler/ir/verify.h"

#include <fmt/format.h>

#include <string_view>

#include "compiler/ir/builder.h"
#include "compiler/ir/print.h"

namespace asb::ir {
namespace {

tl::unexpected<Error> broken(const Function& f, const std::string& what) {
  return fail("internal-ir", fmt::format("{} in `{}`", what, f.name));
}

Result<void> verify_inst(const Function& f, ValueId id) {
  const Inst& inst = f[id];
  const auto at = [&](const std::string& what) { return broken(f, what + ": " + to_string(f, id)); };
  const std::string_view stage = info(inst.op).stage;
  if (f.expanded && stage == "Tensor") return at("an op of the tensor stage after expand");
  if (!f.expanded && stage == "Scalar") return at("an op of the scalar stage before expand");
  for (ValueId arg : inst.args)
    if (arg.index >= id.index) return at("an operand that isn't defined before");
  const Result<Type> type = infer_type(f, inst);
  if (!type) return at(type.error().message);
  if (*type != inst.type) return at("should have the type " + to_string(*type));
  if (f.expanded && inst.type.rank > 0 && inst.type.entries() <= kExpandLimit)
    return at("a tensor after expand");
  return {};
}

Result<void> verify_output(const Function& f, const Output& output) {
  const size_t count = f.expanded ? static_cast<size_t>(output.type.entries()) : 1;
  if (output.values.size() != count)
    return broken(f, fmt::format("output `{}` has {} values, not {}", output.name, output.values.size(), count));
  const Type type = f.expanded ? Type{output.type.kind, 0, {}} : output.type;
  for (ValueId id : output.values) {
    if (id.index >= f.insts.size()) return broken(f, fmt::format("output `{}` is not a value", output.name));
    if (f[id].type != type)
      return broken(f, fmt::format("output `{}` is {}, not {}", output.name, to_string(f[id].type), to_string(type)));
  }
  return {};
}

}  // namespace

Result<void> verify(const Function& f) {
  for (uint32_t i = 0; i < f.insts.size(); ++i)
    if (Result<void> ok = verify_inst(f, ValueId(i)); !ok) return ok;
  for (const Output& output : f.outputs)
    if (Result<void> ok = verify_output(f, output); !ok) return ok;
  for (const Function& body : f.bodies) {
    if (!body.expanded) return broken(f, fmt::format("body `{}` is not in the scalar stage", body.name));
    if (Result<void> ok = verify(body); !ok) return ok;
  }
  return {};
}

}  // namespace asb::ir
