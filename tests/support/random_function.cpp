// Draws ops from the table and fits older values to their operands.
#include "tests/support/random_function.h"

#include <cstring>

namespace asb::test {
namespace {

using ir::Builder;
using ir::Op;
using ir::Type;
using ir::ValueId;

class Composer {
 public:
  Composer(Random& random, ir::Function& function) : random_(random), b(function) {
    pool_ = {b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh), b.add_input("v", Type::vector(3), ir::kAxisMesh),
             b.add_input("s", Type::scalar(), ir::kAxisMesh)};
  }

  void append(Op op) {
    const std::vector<OpForm> forms = op_forms(op);
    if (forms.empty()) return;
    const OpForm& f = forms[random_.integer(0, static_cast<int>(forms.size()) - 1)];
    std::vector<ValueId> operands;
    for (size_t i = 0; i < f.operands.size(); ++i) {
      if (f.operands[i].entries() > 36) return;
      operands.push_back(operand(f.operands[i], f.domains[i]));
    }
    pool_.push_back(b.make(op, operands, f.given, f.index, f.extra, f.number));
  }

  /// Σ of random projections of the last values, each bounded.
  void finish() {
    ValueId psi = b.constant(0);
    const size_t first = pool_.size() > 6 ? pool_.size() - 6 : 0;
    for (size_t i = first; i < pool_.size(); ++i)
      psi = b.add(psi, b.inner(b.tanh(pool_[i]), numbers(b.type(pool_[i]))));
    b.add_output("psi", psi);
  }

 private:
  ValueId numbers(const Type& type) {
    std::vector<ValueId> entries;
    for (int32_t i = 0; i < type.entries(); ++i) entries.push_back(b.constant(random_.uniform(-1, 1)));
    return b.stack(entries, type);
  }

  /// An older value brought to this shape: cut, or a scalar spread by random factors.
  ValueId fitted(const Type& type) {
    const ValueId x = pool_[random_.integer(0, static_cast<int>(pool_.size()) - 1)];
    if (b.type(x) == type) return x;
    const int32_t have = b.type(x).entries(), want = type.entries();
    if (have >= want && have > 1) {
      const ValueId flat = b.reshape(x, Type::vector(have));
      return b.reshape(b.slice(flat, random_.integer(0, have - want), want), type);
    }
    const ValueId scalar = b.type(x).is_scalar() ? x : b.sum(x);
    return b.mul(b.reshape(scalar, Type::scalar()), numbers(type));
  }

  ValueId operand(const Type& type, Domain domain) {
    if (domain == Domain::Logical) return b.less(b.constant(random_.uniform(-1, 1)), fitted(Type::scalar()));
    const ValueId x = b.sin(fitted(type));  // within ±1
    switch (domain) {
      case Domain::Positive:
      case Domain::NonZero:
        return b.add(b.constant(1.4), b.scale(0.6, x));
      case Domain::Regular:
        return b.add(b.identity(type.dims[0]), b.scale(0.2, x));
      default:
        return x;
    }
  }

  Random& random_;
  Builder b;
  std::vector<ValueId> pool_;
};

}  // namespace

ir::Function random_density(Random& random, RandomFunctionOptions options) {
  std::vector<Op> ops;
  for (const Op op : ir::all_ops()) {
    const ir::OpInfo& info = ir::info(op);
    const bool is_kink = std::strcmp(info.smooth, "Kink") == 0;
    if (std::strcmp(info.stage, "Scalar") != 0 && std::strcmp(info.smooth, "Flat") != 0 && op != Op::Input &&
        (options.with_kinks || !is_kink))
      ops.push_back(op);
  }
  ir::Function function;
  function.name = "random";
  Composer composer(random, function);
  for (int i = 0; i < options.instructions; ++i)
    composer.append(ops[random.integer(0, static_cast<int>(ops.size()) - 1)]);
  composer.finish();
  return function;
}

Arguments random_arguments(Random& random, const ir::Function& function) {
  Arguments result;
  for (const ir::Input& input : function.inputs)
    result.push_back(random_numbers(random, input.type, Domain::Any));
  return result;
}

}  // namespace asb::test
