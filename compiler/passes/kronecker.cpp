// Finds K ⊗ I in a Hessian.
#include "compiler/passes/kronecker.h"

#include "base/check.h"
#include "compiler/passes/rates.h"

namespace asb::ir {

std::optional<Kronecker> is_scaled_identity_kronecker(const Function& function, int32_t output, int32_t n,
                                                      ComponentAxis axis) {
  ASB_CHECK(function.expanded, "the Kronecker structure is seen on scalars");
  const std::vector<ValueId>& H = function.outputs[output].values;
  int32_t size = 1;
  while (size * size < static_cast<int32_t>(H.size())) ++size;
  if (size * size != static_cast<int32_t>(H.size()) || size % n != 0) return {};

  Kronecker result;
  result.m = size / n;
  const auto at = [&](int32_t i, int32_t J) { return axis == ComponentAxis::First ? i * result.m + J : J * n + i; };
  const auto entry = [&](int32_t i, int32_t J, int32_t k, int32_t L) { return H[at(i, J) * size + at(k, L)]; };
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
