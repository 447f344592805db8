// The shape rules of ops.def, and the table of ops.
#include <fmt/format.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/print.h"

namespace asb::ir {
namespace {

enum class Shape : uint8_t { Leaf, Same, Compare, Logic, Select, Scalar, Pair, Own };

constexpr Op kOps[] = {
#define ASB_OP(name, text, arity, shape, stage, smooth, meaning) Op::name,
#include "compiler/ir/ops.def"
#undef ASB_OP
};
constexpr OpInfo kInfos[] = {
#define ASB_OP(name, text, arity, shape, stage, smooth, meaning) \
  {#name, text, arity, #shape, #stage, #smooth, meaning},
#include "compiler/ir/ops.def"
#undef ASB_OP
};
constexpr Shape kShapes[] = {
#define ASB_OP(name, text, arity, shape, stage, smooth, meaning) Shape::shape,
#include "compiler/ir/ops.def"
#undef ASB_OP
};

/// The types of an instruction's operands, and the error that names them.
class Operands {
 public:
  Operands(const Function& function, const Inst& inst) : function_(function), inst_(inst) {}
  const Type& operator[](size_t i) const { return function_[inst_.args[i]].type; }
  size_t size() const { return inst_.args.size(); }
  tl::unexpected<Error> wrong(const char* rule) const {
    std::string types;
    for (size_t i = 0; i < size(); ++i) types += (i ? ", " : "") + to_string((*this)[i]);
    return fail("internal-ir-type",
                fmt::format("`{}` of ({}) with index {} and extra {}: {}", info(inst_.op).text, types, inst_.index,
                            inst_.extra, rule),
                {}, inst_.span);
  }

 private:
  const Function& function_;
  const Inst& inst_;
};

Type tail(const Type& t) {  // without axis 0
  Type r{t.kind, static_cast<uint8_t>(t.rank - 1), {}};
  for (int i = 1; i < t.rank; ++i) r.dims[i - 1] = t.dims[i];
  return r;
}

Type with_front(int32_t n, const Type& t) {
  Type r{t.kind, static_cast<uint8_t>(t.rank + 1), {n}};
  for (int i = 0; i < t.rank; ++i) r.dims[i + 1] = t.dims[i];
  return r;
}

bool is_small_square(const Type& t, int lowest) {
  return t.kind == Kind::Real && t.rank == 2 && t.dims[0] == t.dims[1] && t.dims[0] >= lowest && t.dims[0] <= 3;
}

Result<Type> leaf(const Function& f, const Inst& inst, const Operands& a) {
  for (int i = 0; i < kMaxRank; ++i)
    if (i < inst.type.rank ? inst.type.dims[i] < 1 : inst.type.dims[i] != 0) return a.wrong("broken type");
  switch (inst.op) {
    case Op::Constant:
      return inst.type;
    case Op::Identity:
      if (inst.type != Type::matrix(inst.type.dims[0], inst.type.dims[0])) return a.wrong("not a square matrix");
      return inst.type;
    default:
      break;
  }
  if (inst.index < 0 || static_cast<size_t>(inst.index) >= f.inputs.size()) return a.wrong("no such input");
  const Type& declared = f.inputs[inst.index].type;
  if (f.expanded) {
    if (inst.extra < 0 || inst.extra >= declared.entries()) return a.wrong("no such entry of the input");
    return Type{declared.kind, 0, {}};
  }
  return declared;
}

Result<Type> same(const Inst& inst, const Operands& a) {
  Type result = a[0];
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].kind != Kind::Real && inst.op != Op::Copy) return a.wrong("reals are needed");
    if (a[i].is_scalar() || a[i] == result) continue;
    if (!result.is_scalar()) return a.wrong("shapes differ");
    result = a[i];
  }
  return result;
}

Result<Type> structure(const Inst& inst, const Operands& a) {
  const Type& x = a[0];
  switch (inst.op) {
    case Op::Stack:
      for (size_t i = 1; i < a.size(); ++i)
        if (a[i] != x) return a.wrong("shapes differ");
      if (x.rank == kMaxRank) return a.wrong("rank too high");
      return with_front(static_cast<int32_t>(a.size()), x);
    case Op::Extract:
      if (x.rank < 1 || inst.index < 0 || inst.index >= x.dims[0]) return a.wrong("no such entry");
      return tail(x);
    case Op::Insert:
      if (inst.index < 0 || inst.index >= inst.extra) return a.wrong("no such entry");
      if (x.rank == kMaxRank) return a.wrong("rank too high");
      return with_front(inst.extra, x);
    case Op::Slice:
    case Op::Pad: {
      const bool is_slice = inst.op == Op::Slice;
      const Type& large = is_slice ? x : inst.type;
      const Type& small = is_slice ? inst.type : x;
      if (large.rank < 1 || small.rank != large.rank || tail(small) != tail(large)) return a.wrong("shapes don't fit");
      if (inst.index < 0 || small.dims[0] < 1 || inst.index + small.dims[0] > large.dims[0])
        return a.wrong("range leaves axis 0");
      return inst.type;
    }
    case Op::Concat: {
      if (x.rank < 1) return a.wrong("a rank of 1 or more is needed");
      Type result = x;
      for (size_t i = 1; i < a.size(); ++i) {
        if (a[i].rank != x.rank || tail(a[i]) != tail(x)) return a.wrong("trailing shapes differ");
        result.dims[0] += a[i].dims[0];
      }
      return result;
    }
    case Op::Reshape:
      if (inst.type.entries() != x.entries() || inst.type.kind != x.kind) return a.wrong("number of entries differs");
      return inst.type;
    case Op::Transpose:
      if (x.rank != 2) return a.wrong("a matrix is needed");
      return Type{x.kind, 2, {x.dims[1], x.dims[0]}};
    case Op::Rotate: {
      if (inst.index < 0 || inst.index > x.rank) return a.wrong("more axes than there are");
      Type result = x;
      for (int i = 0; i < x.rank; ++i) result.dims[i] = x.dims[(i + inst.index) % x.rank];
      return result;
    }
    default:
      break;
  }
  return a.wrong("no rule");
}

Result<Type> products(const Inst& inst, const Operands& a) {
  const Type &x = a[0], &y = a[1];
  if (x.kind != Kind::Real || y.kind != Kind::Real) return a.wrong("reals are needed");
  const int drop = inst.op == Op::MatMul ? 1 : 0;
  if (drop && (x.rank < 1 || y.rank < 1 || x.dims[x.rank - 1] != y.dims[0])) return a.wrong("inner axes differ");
  if (x.rank + y.rank - 2 * drop > kMaxRank) return a.wrong("rank too high");
  Type result;
  for (int i = 0; i + drop < x.rank; ++i) result.dims[result.rank++] = x.dims[i];
  for (int i = drop; i < y.rank; ++i) result.dims[result.rank++] = y.dims[i];
  return result;
}

Result<Type> own(const Function& f, const Inst& inst, const Operands& a) {
  switch (inst.op) {
    case Op::Outer:
    case Op::MatMul:
      return products(inst, a);
    case Op::Det:
      if (!is_small_square(a[0], 1)) return a.wrong("a square matrix of at most 3 rows is needed");
      return Type::scalar();
    case Op::Cofactor:
      if (!is_small_square(a[0], 1)) return a.wrong("a square matrix of at most 3 rows is needed");
      return a[0];
    case Op::TensorCross:
      if (a[0] != Type::matrix(3, 3) || a[1] != a[0]) return a.wrong("3x3 matrices are needed");
      return a[0];
    case Op::Rotation:
      if (!is_small_square(a[0], 2)) return a.wrong("a 2x2 or 3x3 matrix is needed");
      return a[0];
    case Op::Iterate: {
      if (inst.index < 0 || static_cast<size_t>(inst.index) >= f.bodies.size()) return a.wrong("no such body");
      if (inst.extra < 1) return a.wrong("a cap of at least 1 is needed");
      const Function& body = f.bodies[inst.index];
      if (body.inputs.size() != a.size()) return a.wrong("the body has another number of inputs");
      for (size_t i = 0; i < a.size(); ++i)
        if (body.inputs[i].type != a[i] || !a[i].is_scalar()) return a.wrong("scalars as the body's inputs are needed");
      if (body.outputs.size() != 2 || body.outputs[0].type != a[0] || body.outputs[1].type != Type::boolean())
        return a.wrong("the body gives (carried, stop)");
      return a[0];
    }
    default:
      return structure(inst, a);
  }
}

}  // namespace

const OpInfo& info(Op op) { return kInfos[static_cast<size_t>(op)]; }
std::span<const Op> all_ops() { return kOps; }

Type Type::real(std::span<const int32_t> dims) {
  ASB_CHECK(dims.size() <= kMaxRank, "rank too high");
  Type type;
  for (int32_t d : dims) type.dims[type.rank++] = d;
  return type;
}

Result<Type> infer_type(const Function& function, const Inst& inst) {
  const Operands a(function, inst);
  const int arity = info(inst.op).arity;
  if (arity == kVariadic ? a.size() < 1 : a.size() != static_cast<size_t>(arity))
    return a.wrong("wrong number of operands");
  switch (kShapes[static_cast<size_t>(inst.op)]) {
    case Shape::Leaf:
      return leaf(function, inst, a);
    case Shape::Same:
      return same(inst, a);
    case Shape::Compare:
      if (a[0] != Type::scalar() || a[1] != Type::scalar()) return a.wrong("real scalars are needed");
      return Type::boolean();
    case Shape::Logic:
      for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != Type::boolean()) return a.wrong("bools are needed");
      return Type::boolean();
    case Shape::Select:
      if (a[0] != Type::boolean() || a[1] != a[2]) return a.wrong("a bool and two of one shape are needed");
      return a[1];
    case Shape::Scalar:
      if (a[0].kind != Kind::Real) return a.wrong("reals are needed");
      return Type::scalar();
    case Shape::Pair:
      if (a[0] != a[1] || a[0].kind != Kind::Real) return a.wrong("two reals of one shape are needed");
      return Type::scalar();
    case Shape::Own:
      return own(function, inst, a);
  }
  ASB_UNREACHABLE("shape rule");
}

}  // namespace asb::ir
