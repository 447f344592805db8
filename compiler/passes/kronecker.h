// Finds K ⊗ I in a Hessian, from its structure alone.
#pragma once

#include <optional>
#include <vector>

#include "compiler/ir/function.h"

namespace asb::ir {

struct Kronecker {
  int32_t m = 0;
  std::vector<ValueId> C;  ///< m×m scalars, row major
  Rate rate = 0;           ///< of C; has kAxisIteration if it depends on the unknowns
};

/// Where the components stand among the axes of a Hessian of m vectors with n components.
enum class ComponentAxis : uint8_t {
  First,  ///< H[i,J,k,L]: rows of a gradient F_iJ
  Last,   ///< H[J,i,L,k]: corners x_Ji
};

/// If output `output`, a Hessian of (n m)² entries or (rank 1) its upper triangle by rows, equals delta_ik C_JL: the
/// entries C. Entries with i ≠ k must be literally 0, those with i = k the same values for all i. For the scalar stage after folding and sharing; an energy
/// whose Hessian has the structure only numerically isn't recognised.
[[nodiscard]] std::optional<Kronecker> is_scaled_identity_kronecker(const Function& function, int32_t output, int32_t n,
                                                                    ComponentAxis axis = ComponentAxis::First);

}  // namespace asb::ir
