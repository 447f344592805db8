// Finds K ⊗ I in a Hessian.
#include "compiler/passes/kronecker.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/passes/rates.h"

namespace asb::ir {

std::optional<Kronecker> is_scaled_identity_kronecker(const Function& function, int32_t output, int32_t n,
                                                      ComponentAxis axis) {
  ASB_CHECK(function.expanded, "the Kronecker structure is seen on scalars");
  const Output& hessian = function.outputs[output];
  const std::vector<ValueId>& H = hessian.values;
  const auto count = static_cast<int32_t>(H.size());
  const bool is_packed = hessian.type.rank == 1;
  const auto stored = [&](int32_t rows) { return is_packed ? rows * (rows + 1) / 2 : rows * rows; };
  int32_t size = 1;
  while (stored(size) < count) ++size;
  if (stored(size) != count || size % n != 0) return {};

  Kronecker result;
  result.m = size / n;
  const auto at = [&](int32_t i, int32_t J) { return axis == ComponentAxis::First ? i * result.m + J : J * n + i; };
  const auto entry = [&](int32_t i, int32_t J, int32_t k, int32_t L) {
    const int32_t p = at(i, J), q = at(k, L);
    if (!is_packed) return H[p * size + q];
    const int32_t row = std::min(p, q), column = std::max(p, q);
    return H[row * size - row * (row - 1) / 2 + column - row];
  };
  const std::vector<Rate> rate = rates(function);
  for (int32_t J = 0; J < result.m; ++J)
    for (int32_t L = 0; L < result.m; ++L) {
      const ValueId c = entry(0, J, 0, L);
      for (int32_t i = 0; i < n; ++i)
        for (int32_t k = 0; k < n; ++k) {
          const Inst& inst = function[entry(i, J, k, L)];
          if (i == k ? entry(i, J, k, L) != c : inst.op != Op::Constant || inst.number != 0) return {};
        }
      result.C.push_back(c);
      result.rate |= rate[c.index];
    }
  return result;
}

}  // namespace asb::ir
