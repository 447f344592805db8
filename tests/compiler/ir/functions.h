// Functions that several tests use: energy densities, and values of a function by the interpreter.
#pragma once

#include <vector>

#include "backends/interpreter/evaluate.h"
#include "compiler/ir/builder.h"

namespace asb::ir::test {

/// Compressible neo-Hookean density of F, with mu and lambda as uniform inputs. Output psi.
Function neo_hookean();

/// psi = mu/2 |F - R A|², R = Envelope(rotation(F A)); F iterates, A is fixed per entity, mu is uniform.
Function shape_targeting();

/// A tensor function with its Hessian in F (input 0), upper triangle; minimisers held if wanted.
Function hessian_of(const Function& density, bool hold_minimisers = false);

/// The Hessian times a direction of F.
Function product_of(const Function& density);

/// Numbers in [-1, 1], the same for the same seed.
std::vector<double> some_numbers(size_t n, unsigned seed);

/// Random inputs of a function; 3×3 ones near the identity.
std::vector<interpreter::Tensor> some_inputs(const Function& function, unsigned seed);

/// All entries of all outputs.
std::vector<interpreter::Number> values_of(const Function& function, const std::vector<interpreter::Tensor>& inputs);

/// Expects that two functions of the same inputs agree as two backends must.
void expect_same_values(const Function& expected, const Function& actual,
                        const std::vector<interpreter::Tensor>& inputs);

/// The number of instructions with this op.
int count(const Function& function, Op op);

}  // namespace asb::ir::test
