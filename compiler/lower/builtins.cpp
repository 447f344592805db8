// See builtins.h. Formulas are the definitions in docs/language.md.
#include "compiler/lower/builtins.h"

namespace asb::lower {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;
using model::Builtin;

/// Scalar times anything, or a contraction of the inner axes.
ValueId multiply(Builder& b, ValueId x, ValueId y) {
  if (b.type(x).is_scalar() || b.type(y).is_scalar()) return b.mul(x, y);
  return b.matmul(x, y);
}

/// w × v.
ValueId cross(Builder& b, ValueId w, ValueId v) {
  const auto product = [&](int i, int j) {
    return b.sub(b.mul(b.extract(w, i), b.extract(v, j)), b.mul(b.extract(w, j), b.extract(v, i)));
  };
  return b.stack({product(1, 2), product(2, 0), product(0, 1)});
}

/// The matrix W with W v = w × v.
ValueId cross_matrix(Builder& b, ValueId w) {
  const ValueId zero = b.constant(0), x = b.extract(w, 0), y = b.extract(w, 1), z = b.extract(w, 2);
  return b.stack({zero, b.neg(z), y, z, zero, b.neg(x), b.neg(y), x, zero}, Type::matrix(3, 3));
}

/// (M + sign·M')/2.
ValueId half_sum_with_transpose(Builder& b, ValueId m, bool plus) {
  const ValueId t = b.transpose(m);
  return b.scale(0.5, plus ? b.add(m, t) : b.sub(m, t));
}

/// The symmetric n×n matrix whose upper triangle by rows is v.
ValueId symmetric_from_entries(Builder& b, ValueId v, int n) {
  std::vector<ValueId> entries(static_cast<size_t>(n) * n);
  int k = 0;
  for (int i = 0; i < n; ++i)
    for (int j = i; j < n; ++j, ++k) entries[i * n + j] = entries[j * n + i] = b.extract(v, k);
  return b.stack(std::move(entries), Type::matrix(n, n));
}

ValueId inverse(Builder& b, ValueId m) { return b.div(b.transpose(b.cofactor(m)), b.det(m)); }

ValueId deviator(Builder& b, ValueId m) {
  const int n = b.type(m).dims[0];
  return b.sub(m, b.mul(b.scale(1.0 / n, b.trace(m)), b.identity(n)));
}

ValueId diagonal(Builder& b, ValueId v) {
  const int n = b.type(v).dims[0];
  std::vector<ValueId> entries(static_cast<size_t>(n) * n, b.constant(0));
  for (int i = 0; i < n; ++i) entries[i * n + i] = b.extract(v, i);
  return b.stack(std::move(entries), Type::matrix(n, n));
}

/// S = R'M, made symmetric exactly.
ValueId stretch(Builder& b, ValueId m) {
  return half_sum_with_transpose(b, b.matmul(b.transpose(b.rotation(m)), m), true);
}

}  // namespace

ValueId lower_builtin(Builder& b, Builtin builtin, std::span<const ValueId> args, const Type& type) {
  const auto a = [&](size_t i) { return args[i]; };
  switch (builtin) {
    case Builtin::Negate: return b.neg(a(0));
    case Builtin::Add: return b.add(a(0), a(1));
    case Builtin::Subtract: return b.sub(a(0), a(1));
    case Builtin::Multiply: return multiply(b, a(0), a(1));
    case Builtin::Divide: return b.div(a(0), a(1));
    case Builtin::Power: return b.pow(a(0), a(1));
    case Builtin::Transpose: return b.transpose(a(0));
    case Builtin::Less: return b.less(a(0), a(1));
    case Builtin::LessEqual: return b.less_equal(a(0), a(1));
    case Builtin::Equal: return b.equal(a(0), a(1));
    case Builtin::And: return b.both(a(0), a(1));
    case Builtin::Or: return b.either(a(0), a(1));
    case Builtin::Not: return b.negate(a(0));
    case Builtin::Exp: return b.exp(a(0));
    case Builtin::Log: return b.log(a(0));
    case Builtin::Sqrt: return b.sqrt(a(0));
    case Builtin::Sin: return b.sin(a(0));
    case Builtin::Cos: return b.cos(a(0));
    case Builtin::Tan: return b.tan(a(0));
    case Builtin::Tanh: return b.tanh(a(0));
    case Builtin::Atan2: return b.atan2(a(0), a(1));
    case Builtin::Abs: return b.abs(a(0));
    case Builtin::Sign: return b.sign(a(0));
    case Builtin::Floor: return b.floor(a(0));
    case Builtin::Min: return b.min(a(0), a(1));
    case Builtin::Max: return b.max(a(0), a(1));
    case Builtin::Dot: return b.matmul(a(0), a(1));
    case Builtin::Outer: return b.outer(a(0), a(1));
    case Builtin::Cross: return cross(b, a(0), a(1));
    case Builtin::Hadamard: return b.mul(a(0), a(1));
    case Builtin::Inner: return b.inner(a(0), a(1));
    case Builtin::Trace: return b.trace(a(0));
    case Builtin::Det: return b.det(a(0));
    case Builtin::Inverse: return inverse(b, a(0));
    case Builtin::Cofactor: return b.cofactor(a(0));
    case Builtin::Deviator: return deviator(b, a(0));
    case Builtin::Sym: return half_sum_with_transpose(b, a(0), true);
    case Builtin::SymFromEntries: return symmetric_from_entries(b, a(0), type.dims[0]);
    case Builtin::ToMatrix: return a(0);
    case Builtin::Skew: return half_sum_with_transpose(b, a(0), false);
    case Builtin::CrossMatrix: return cross_matrix(b, a(0));
    case Builtin::Diag: return diagonal(b, a(0));
    case Builtin::Norm: return b.sqrt(b.inner(a(0), a(0)));
    case Builtin::SquaredNorm: return b.inner(a(0), a(0));
    case Builtin::Total: return b.sum(a(0));
    case Builtin::Concat: return b.concat({args.begin(), args.end()});
    case Builtin::Rotation: return b.rotation(a(0));
    case Builtin::Stretch: return stretch(b, a(0));
  }
  ASB_UNREACHABLE("builtin");
}

}  // namespace asb::lower
