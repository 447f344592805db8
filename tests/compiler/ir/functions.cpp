// Functions that several tests use.
#include "tests/compiler/ir/functions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "compiler/ad/form.h"

namespace asb::ir::test {

using interpreter::Tensor;

// [Bonet2008] Eq. 6.27: psi = mu/2 (I_C - 3) - mu ln J + lambda/2 (ln J)²
Function neo_hookean() {
  Function f;
  f.name = "neo_hookean";
  Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), kAxisMesh | kAxisIteration);
  const ValueId mu = b.add_input("mu", Type::scalar(), kAxisParams);
  const ValueId lambda = b.add_input("lambda", Type::scalar(), kAxisParams);
  const ValueId log_J = b.log(b.det(F));
  const ValueId I_C = b.inner(F, F);
  const ValueId shear = b.mul(mu, b.sub(b.scale(0.5, b.sub(I_C, b.constant(3))), log_J));
  b.add_output("psi", b.add(shear, b.mul(b.scale(0.5, lambda), b.mul(log_J, log_J))));
  return f;
}

Function shape_targeting() {
  Function f;
  f.name = "shape_targeting";
  Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), kAxisMesh | kAxisIteration);
  const ValueId A = b.add_input("A", Type::matrix(3, 3), kAxisMesh | kAxisFrame);
  const ValueId mu = b.add_input("mu", Type::scalar(), kAxisParams);
  const ValueId R = b.envelope(b.rotation(b.matmul(F, A)));
  const ValueId difference = b.sub(F, b.matmul(R, A));
  b.add_output("psi", b.mul(b.scale(0.5, mu), b.inner(difference, difference)));
  return f;
}

Function hessian_of(const Function& density, bool hold_minimisers) {
  return ad::hessian_function({density, {0}}, {hold_minimisers});
}

Function product_of(const Function& density) { return ad::product_function({density, {0}}); }

std::vector<double> some_numbers(size_t n, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<double> result(n);
  for (double& x : result) x = std::ldexp(static_cast<double>(random() >> 11), -52) - 1;
  return result;
}

std::vector<Tensor> some_inputs(const Function& function, unsigned seed) {
  std::vector<Tensor> result;
  for (const Input& input : function.inputs) {
    std::vector<double> x = some_numbers(static_cast<size_t>(input.type.entries()), seed += 1000);
    if (input.type.kind == Kind::Bool)
      for (double& v : x) v = v > 0;
    if (input.type == Type::matrix(3, 3))
      for (int i = 0; i < 9; ++i) x[i] = 0.4 * x[i] + (i % 4 == 0);
    result.push_back(Tensor::of(input.type, x));
  }
  return result;
}

std::vector<interpreter::Number> values_of(const Function& function, const std::vector<Tensor>& inputs) {
  std::vector<interpreter::Number> result;
  for (const Tensor& output : interpreter::evaluate(function, inputs).outputs)
    result.insert(result.end(), output.entries.begin(), output.entries.end());
  return result;
}

void expect_same_values(const Function& expected, const Function& actual, const std::vector<Tensor>& inputs) {
  const auto x = values_of(expected, inputs), y = values_of(actual, inputs);
  ASSERT_EQ(x.size(), y.size());
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(interpreter::agrees(x[i], y[i].value))
        << "entry " << i << ": " << x[i].value << " +- " << x[i].magnitude << " roundings, but " << y[i].value;
}

int count(const Function& function, Op op) {
  int n = 0;
  for (const Inst& inst : function.insts) n += inst.op == op;
  return n;
}

}  // namespace asb::ir::test
