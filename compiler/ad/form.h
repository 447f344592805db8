// Kernels of a form: from a scalar density psi of local variables y = (y_1, y_2, …), together n numbers, to its
// energy, gradient, Hessian and products, and to the mixed second derivatives that adjoints need.
#pragma once

#include <string>
#include <vector>

#include "compiler/ad/derivative.h"
#include "compiler/ir/function.h"

namespace asb::ad {

/// Output 0 of `function` is the scalar psi; `locals` are the inputs that are local variables (others are held).
struct Density {
  const ir::Function& function;
  std::vector<int32_t> locals;
};

/// What a kernel computes; may be joined with |.
enum FormOutput : unsigned {
  kEnergy = 1,    ///< "energy": psi
  kGradient = 2,  ///< "gradient.NAME" for each local: ∂psi/∂y_k, of its shape
  kHessian = 4,   ///< "hessian": upper triangle of the n×n second derivative by rows, n(n+1)/2 numbers
  kProduct = 8,   ///< "product.NAME" for each local: the Hessian times the added inputs "direction.NAME"
};

/// The kernel with these outputs, in the order above. Inputs are those of the density, then the directions.
ir::Function form_function(const Density& density, unsigned outputs, DerivativeOptions options = {});

inline ir::Function energy_function(const Density& density) { return form_function(density, kEnergy); }
inline ir::Function gradient_function(const Density& density) { return form_function(density, kGradient); }
inline ir::Function hessian_function(const Density& density, DerivativeOptions options = {}) {
  return form_function(density, kHessian, options);
}
inline ir::Function product_function(const Density& density, DerivativeOptions options = {}) {
  return form_function(density, kProduct, options);
}

/// wᵀ ∂²psi/∂y∂o for every input o in `others`, with w the added inputs "direction.NAME" of the locals: one reverse
/// pass over the derivative of psi along w. Outputs "mixed.NAME", of the shape of o. `others` may hold locals too.
ir::Function mixed_function(const Density& density, std::span<const int32_t> others, DerivativeOptions options = {});

}  // namespace asb::ad
