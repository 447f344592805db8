// The closed forms that expand writes for small matrices. Private to the folder.
#pragma once

#include <vector>

#include "compiler/ir/builder.h"

namespace asb::ir {

using Entries = std::vector<ValueId>;  ///< scalars of a matrix, row major

ValueId expand_det(Builder& b, const Entries& M, int32_t n);
Entries expand_cofactor(Builder& b, const Entries& M, int32_t n);
Entries expand_tensor_cross(Builder& b, const Entries& A, const Entries& B);

/// The rotations closest to matrices of one function; all 3×3 ones share the body of their iteration.
class RotationExpander {
 public:
  explicit RotationExpander(Builder& builder) : b(builder) {}
  Entries closest_3x3(const Entries& M);
  Entries closest_2x2(const Entries& M);

 private:
  ValueId power_of_2_near_inverse_norm(const Entries& M);
  ValueId largest_root(ValueId I1, ValueId J, ValueId C);

  Builder& b;
  int32_t body_ = -1;
};

}  // namespace asb::ir
