// One op of the SSA on LibTorch tensors, for many entities at once. A value that differs between entities is batched: its
// tensor has the entity as a leading dimension. The others are uniform: their tensor has the shape of the type.
#pragma once

#include <ATen/ATen.h>

#include <span>
#include <vector>

#include "compiler/ir/function.h"

namespace asb::networks {

struct Value {
  at::Tensor tensor;
  bool batched = false;
};

/// Shape of a tensor: [n] ++ dims if batched, else dims.
std::vector<int64_t> shape_of(const ir::Type& type, bool batched, int64_t n);

/// Whether `apply` knows the op.
bool is_known(ir::Op op);

struct Application {
  const ir::Function& function;
  ir::ValueId id;
  std::span<const Value> operands;  ///< of the instruction; not for Input
  int64_t n = 0;                    ///< entities in the batch
  at::ScalarType precision = at::kDouble;
  bool is_guarded = false;  ///< see Note [Guarded slopes]
};

/// The value of an instruction other than Input; batched if an operand is. Throws what LibTorch throws.
Value apply(const Application& application);

/// W h + b with uniform W [out, in] and b [out] and batched h [in], in one product.
Value affine(const Value& W, const Value& h, const Value& b);

}  // namespace asb::networks
