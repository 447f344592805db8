// From tensors to scalars. Each tensor value becomes its entries: all at once, in the order of the tensors, for tensors
// up to kExpandLimit; when first asked for where a tensor is larger or only entries of it are read.
#include "compiler/passes/expand.h"

#include "compiler/passes/passes.h"
#include "compiler/passes/rewrite.h"

namespace asb::ir {
namespace {

class Expander {
 public:
  explicit Expander(const Function& from) : from_(from), to_(like(from, expand)), b(to_, Rules::Both), rotations_(b) {
    to_.expanded = true;
    entries_.resize(from.insts.size());
  }

  Function run() {
    const std::vector<bool> read_whole = values_read_whole();
    for (uint32_t i = 0; i < from_.insts.size(); ++i) {
      const Inst& inst = from_.insts[i];
      const int32_t n = inst.type.entries();
      entries_[i].resize(static_cast<size_t>(n));
      if (n > kExpandLimit || !read_whole[i]) continue;
      b.set_span(inst.span);
      for (int32_t k = 0; k < n; ++k) entry(ValueId(i), k);
    }
    for (const Output& output : from_.outputs) {
      Entries values;
      for (int32_t k = 0; k < output.type.entries(); ++k) values.push_back(entry(output.values[0], k));
      to_.outputs.push_back({output.name, output.type, std::move(values)});
    }
    return std::move(to_);
  }

 private:
  /// Values that something else than an extract or a slice reads.
  std::vector<bool> values_read_whole() const {
    std::vector<bool> result(from_.insts.size());
    for (const Inst& inst : from_.insts)
      if (inst.op != Op::Extract && inst.op != Op::Slice)
        for (ValueId arg : inst.args) result[arg.index] = true;
    return result;
  }

  ValueId entry(ValueId id, int32_t k) {
    if (!entries_[id.index][k]) {
      const ValueId made = make_entry(from_[id], id, k);
      if (!entries_[id.index][k]) entries_[id.index][k] = made;
    }
    return entries_[id.index][k];
  }

  const Type& type(ValueId id) const { return from_[id].type; }

  Entries all(ValueId id) {
    Entries result;
    for (int32_t k = 0; k < type(id).entries(); ++k) result.push_back(entry(id, k));
    return result;
  }

  /// Sets all entries of a value at once, gives the one wanted.
  ValueId set(ValueId id, Entries values, int32_t k) {
    entries_[id.index] = std::move(values);
    return entries_[id.index][k];
  }

  ValueId make_entry(const Inst& inst, ValueId id, int32_t k) {
    const ValueId x = inst.args.empty() ? ValueId() : inst.args[0];
    const ValueId y = inst.args.size() > 1 ? inst.args[1] : x;
    const int32_t row = inst.type.rank > 0 ? inst.type.entries() / inst.type.dims[0] : 1;  // entries below axis 0
    switch (inst.op) {
      case Op::Constant: return b.constant(inst.number, {inst.type.kind, 0, {}});
      case Op::Identity: return b.constant(k / row == k % row ? 1 : 0);
      case Op::Input: return b.input_entry(inst.index, k);
      case Op::Copy:
      case Op::Envelope:
      case Op::Live: return entry(x, k);
      case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Sqrt: case Op::Exp: case Op::Log:
      case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow: case Op::Abs:
      case Op::Sign: case Op::Min: case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal:
      case Op::And: case Op::Or: case Op::Not: case Op::Select: {
        Entries args;
        for (ValueId arg : inst.args) args.push_back(entry(arg, type(arg).is_scalar() ? 0 : k));
        return b.make(inst.op, std::move(args));
      }
      case Op::Stack: return entry(inst.args[k / row], k % row);
      case Op::Extract: return entry(x, inst.index * inst.type.entries() + k);
      case Op::Insert: return k / row == inst.index ? entry(x, k % row) : b.zero({inst.type.kind, 0, {}});
      case Op::Slice: return entry(x, inst.index * row + k);
      case Op::Pad: {
        const int32_t from = k - inst.index * row;
        return from >= 0 && from < type(x).entries() ? entry(x, from) : b.zero({inst.type.kind, 0, {}});
      }
      case Op::Concat:
        for (ValueId part : inst.args) {
          if (k < type(part).entries()) return entry(part, k);
          k -= type(part).entries();
        }
        break;
      case Op::Reshape: return entry(x, k);
      case Op::Transpose: return entry(x, k % inst.type.dims[1] * inst.type.dims[0] + k / inst.type.dims[1]);
      case Op::Rotate: {
        int32_t moved = 1;  // entries of the axes that go to the end
        for (int i = 0; i < inst.index; ++i) moved *= type(x).dims[i];
        const int32_t kept = inst.type.entries() / moved;
        return entry(x, k % moved * kept + k / moved);
      }
      case Op::Sum: {
        ValueId sum = b.zero();
        for (int32_t i = 0; i < type(x).entries(); ++i) sum = b.add(sum, entry(x, i));
        return sum;
      }
      case Op::Inner: return contract(x, 0, 1, y, 0, 1, type(x).entries());
      case Op::Outer: return b.mul(entry(x, k / type(y).entries()), entry(y, k % type(y).entries()));
      case Op::MatMul: {
        const int32_t n = type(y).dims[0], columns = type(y).entries() / n;
        return contract(x, k / columns * n, 1, y, k % columns, columns, n);
      }
      case Op::Det: return expand_det(b, all(x), type(x).dims[0]);
      case Op::Cofactor: return set(id, expand_cofactor(b, all(x), type(x).dims[0]), k);
      case Op::TensorCross: return set(id, expand_tensor_cross(b, all(x), all(y)), k);
      case Op::Rotation:
        return set(id, type(x).dims[0] == 3 ? rotations_.closest_3x3(all(x)) : rotations_.closest_2x2(all(x)), k);
      case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round: case Op::Iterate:
        break;
    }
    ASB_UNREACHABLE("an op of the scalar stage before expand");
  }

  ValueId contract(ValueId x, int32_t x_first, int32_t x_step, ValueId y, int32_t y_first, int32_t y_step, int32_t n) {
    ValueId sum = b.zero();
    for (int32_t i = 0; i < n; ++i)
      sum = b.add(sum, b.mul(entry(x, x_first + i * x_step), entry(y, y_first + i * y_step)));
    return sum;
  }

  const Function& from_;
  Function to_;
  Builder b;
  RotationExpander rotations_;
  std::vector<Entries> entries_;
};

}  // namespace

Function expand(const Function& function) {
  ASB_CHECK(!function.expanded, "expand of a function that is expanded");
  return Expander(function).run();
}

}  // namespace asb::ir
