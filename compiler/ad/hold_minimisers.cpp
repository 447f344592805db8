// Note [Minimisers] in derivative.h.
#include "compiler/ad/rules.h"

namespace asb::ad {

using ir::Inst;
using ir::Op;
using ir::ValueId;

Held hold_minimisers(ir::Builder& builder, std::span<const ValueId> ends, std::span<const ValueId> cuts) {
  const size_t count = builder.function().insts.size();
  std::vector<bool> is_cut(count, false), is_needed(count, false);
  for (ValueId v : cuts) is_cut[v.index] = true;
  for (ValueId v : ends) is_needed[v.index] = true;
  for (size_t i = count; i-- > 0;)
    if (is_needed[i] && !is_cut[i])
      for (ValueId arg : builder.function().insts[i].args) is_needed[arg.index] = true;

  Held held;
  std::vector<ValueId> made;
  for (size_t i = 0; i < count; ++i) {
    const ValueId id(static_cast<uint32_t>(i));
    held.image.push_back(id);
    if (!is_needed[i] || is_cut[i]) continue;
    const Inst inst = builder[id];  // a copy: appending moves instructions
    std::vector<ValueId> args;
    bool changed = inst.op == Op::Envelope;
    for (ValueId arg : inst.args) {
      args.push_back(held.image[arg.index]);
      changed |= args.back() != arg;
    }
    if (!changed) continue;
    const SpanScope scope(builder, inst.span);
    if (inst.op == Op::Envelope) {
      held.image[i] = builder.live(args[0]);
      made.push_back(held.image[i]);
    } else {
      held.image[i] = builder.remake(inst, std::move(args));
    }
  }
  held.is_held.assign(builder.function().insts.size(), false);
  for (ValueId v : made) held.is_held[v.index] = true;
  return held;
}

}  // namespace asb::ad
