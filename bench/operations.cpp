// See operations.h.
#include "bench/operations.h"

#include "compiler/passes/rates.h"

namespace asb::bench {
namespace {

void count(const ir::Function& f, const std::vector<ir::Rate>* rates, double times, double rounds, Operations& out) {
  for (size_t i = 0; i < f.insts.size(); ++i) {
    if (rates && !((*rates)[i] & ir::kAxisMesh)) continue;
    const ir::Inst& inst = f.insts[i];
    switch (inst.op) {
      case ir::Op::Add:
      case ir::Op::Sub:
      case ir::Op::Mul:
      case ir::Op::Neg: out.arithmetic += times; break;
      case ir::Op::Fma:
        out.arithmetic += 2 * times;
        out.fused += 2 * times;
        break;
      case ir::Op::Div: out.divisions += times; break;
      case ir::Op::Sqrt: out.square_roots += times; break;
      case ir::Op::Iterate: count(f.bodies[inst.index], nullptr, times * rounds, rounds, out); break;
      case ir::Op::Constant:
      case ir::Op::Input: break;
      default: out.others += times; break;
    }
  }
}

}  // namespace

Operations count_operations(const ir::Function& f, double rounds) {
  Operations out;
  const std::vector<ir::Rate> rates = ir::rates(f);
  count(f, &rates, 1, rounds, out);
  for (const ir::Input& input : f.inputs)
    if (input.per_entity()) out.bytes += 8.0 * input.type.entries();
  for (const ir::Output& output : f.outputs) out.bytes += 8.0 * output.type.entries();
  return out;
}

Bound bound(const Operations& o, const Roof& roof, double bytes_per_second) {
  Bound best{(o.arithmetic - o.fused) / roof.operations + o.fused / roof.fused, "operations"};
  const double divider = o.divisions / roof.divisions + o.square_roots / roof.square_roots;
  if (divider > best.seconds) best = {divider, "divisions"};
  const double memory = o.bytes / bytes_per_second;
  if (memory > best.seconds) best = {memory, "bytes"};
  return best;
}

}  // namespace asb::bench
