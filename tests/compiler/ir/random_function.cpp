// Random well-typed functions.
#include "tests/compiler/ir/random_function.h"

#include <random>
#include <string_view>

#include "compiler/ir/builder.h"

namespace asb::ir::test {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Function run(int length) {
    f_.name = "random";
    int32_t index = 0;
    for (const Type& type : {Type::scalar(), Type::scalar(), Type::vector(3), Type::matrix(3, 3), Type::matrix(3, 3),
                             Type::matrix(2, 2), Type::matrix(3, 2), Type::boolean()}) {
      f_.inputs.push_back({"in" + std::to_string(index), type, 0});
      append({Op::Input, type, {}, 0, index++, 0, {}});
    }
    for (double number : {0.0, 1.0, -1.0, 2.0, 0.5}) append({Op::Constant, {}, {}, number, 0, 0, {}});
    append({Op::Constant, Type::matrix(3, 3), {}, 0.0, 0, 0, {}});
    append({Op::Identity, Type::matrix(3, 3), {}, 0, 0, 0, {}});
    for (int i = 0; i < length;) i += try_one();
    for (size_t i = 0; i < 6; ++i) {
      const ValueId id(static_cast<uint32_t>(f_.insts.size() - 1 - i));
      f_.outputs.push_back({"out" + std::to_string(i), f_[id].type, {id}});
    }
    return std::move(f_);
  }

 private:
  int below(size_t n) { return static_cast<int>(random_() % n); }
  void append(Inst inst) { f_.insts.push_back(std::move(inst)); }
  ValueId any() { return ValueId(static_cast<uint32_t>(below(f_.insts.size()))); }

  bool try_one() {
    const auto ops = all_ops();
    const Op op = ops[below(ops.size())];
    if (std::string_view(info(op).stage) == "Scalar" || info(op).arity == 0) return false;
    const int arity = info(op).arity == kVariadic ? 1 + below(3) : info(op).arity;
    Inst inst{op, {}, {}, 0, below(3), 1 + below(3), {}};
    for (int attempt = 0; attempt < 200; ++attempt) {
      inst.args.clear();
      for (int i = 0; i < arity; ++i) inst.args.push_back(any());
      inst.type = wanted_type(inst);
      const Result<Type> type = infer_type(f_, inst);
      if (!type || type->entries() > 100) continue;
      inst.type = *type;
      append(inst);
      return true;
    }
    return false;
  }

  /// A type for the ops that carry their own; right often enough.
  Type wanted_type(const Inst& inst) {
    Type type = f_[inst.args[0]].type;
    if (type.rank == 0) return type;
    if (inst.op == Op::Slice) type.dims[0] = 1 + below(static_cast<size_t>(type.dims[0]));
    if (inst.op == Op::Pad) type.dims[0] += below(3);
    if (inst.op == Op::Reshape) return below(2) ? Type::vector(type.entries()) : Type::matrix(1, type.entries());
    return type;
  }

  std::mt19937 random_;
  Function f_;
};

}  // namespace

Function random_function(unsigned seed, int length) { return Generator(seed).run(length); }

}  // namespace asb::ir::test
