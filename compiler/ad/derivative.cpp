// Whole derivatives from rows (reverse) or columns (forward).
#include "compiler/ad/derivative.h"

namespace asb::ad {

using ir::Builder;
using ir::Type;
using ir::ValueId;

ValueId basis(Builder& builder, Type type, int32_t i) {
  ValueId unit = builder.constant(1);
  for (int axis = type.rank - 1; axis >= 0; --axis) {
    unit = builder.insert(unit, i % type.dims[axis], type.dims[axis]);
    i /= type.dims[axis];
  }
  return unit;
}

namespace {

Type joined(const Type& a, const Type& b) {
  ASB_CHECK(a.rank + b.rank <= ir::kMaxRank, "rank of a derivative");
  Type result = a;
  for (int i = 0; i < b.rank; ++i) result.dims[result.rank++] = b.dims[i];
  return result;
}

}  // namespace

ValueId derivative(Builder& builder, ValueId e, ValueId v, DerivativeOptions options) {
  const Type of = builder.type(e), by = builder.type(v), type = joined(of, by);
  const bool by_rows = of.entries() < by.entries();
  std::vector<ValueId> parts;
  const Type& seeded = by_rows ? of : by;
  bool is_zero = true;
  for (int32_t i = 0; i < seeded.entries(); ++i) {
    const Seed seed{by_rows ? e : v, basis(builder, seeded, i)};
    const ValueId part = by_rows ? pull_back(builder, {&seed, 1}, {&v, 1}, options)[0]
                                 : push_forward(builder, {&seed, 1}, {&e, 1}, options)[0];
    is_zero &= builder.is_zero(part);
    parts.push_back(part);
  }
  if (is_zero) return builder.zero(type);
  if (seeded.is_scalar()) return parts[0];
  const ValueId stacked = builder.stack(std::move(parts));  // [entries of seeded] ++ shape of the other
  if (by_rows) return builder.reshape(stacked, type);
  return builder.rotate(builder.reshape(stacked, joined(by, of)), by.rank);
}

}  // namespace asb::ad
