// The tensor form against what the passes make of it, on derivatives: gradients, Hessians, products, mixed ones.
#include <gtest/gtest.h>

#include "compiler/ad/form.h"
#include "compiler/passes/pipeline.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

void expect_same(const ir::Function& tensor, const Arguments& at, const std::string& name) {
  const Result<ir::Function> scalar = ir::run_pipeline(tensor);
  ASSERT_TRUE(scalar.has_value()) << name << ": " << scalar.error().message;
  const auto expected = run(tensor, at), other = run(*scalar, at);
  ASSERT_EQ(expected.size(), other.size());
  for (size_t o = 0; o < expected.size(); ++o)
    for (size_t k = 0; k < expected[o].entries.size(); ++k) {
      const interpreter::Number n = expected[o].entries[k];
      EXPECT_TRUE(interpreter::agrees(n, other[o].entries[k].value))
          << name << ", " << tensor.outputs[o].name << "[" << k << "]: " << n.value << " (magnitude " << n.magnitude << ") and "
          << other[o].entries[k].value;
    }
}

TEST(Passes, KeepDerivativesOfRandomDensities) {
  for (uint64_t seed = 500; seed < 530; ++seed) {
    Random random(seed);
    const ir::Function density = random_density(random, {.instructions = 10, .with_kinks = seed % 2 == 0});
    const ir::Function form = ad::form_function({density, {0, 1, 2}}, ad::kEnergy | ad::kGradient | ad::kHessian | ad::kProduct);
    expect_same(form, random_arguments(random, form), "seed " + std::to_string(seed));
  }
}

TEST(Passes, KeepEveryOpWithItsDerivatives) {
  Random random(17);
  for (const ir::Op op : ir::all_ops())
    for (OpCase& c : op_cases(op, random)) {
      if (c.function.expanded || c.function.outputs[0].type.kind == ir::Kind::Bool) continue;
      ir::Builder b(c.function);
      const ir::ValueId value = c.function.outputs[0].values[0];
      c.function.outputs.clear();
      b.add_output("psi", b.sum(b.mul(value, value)));
      std::vector<int32_t> locals;
      int32_t n = 0;
      for (size_t i = 0; i < c.function.inputs.size(); ++i)
        if (c.function.inputs[i].type.kind == ir::Kind::Real) {
          locals.push_back(static_cast<int32_t>(i));
          n += c.function.inputs[i].type.entries();
        }
      const unsigned outputs = ad::kEnergy | ad::kGradient | ad::kProduct | (n <= 18 ? ad::kHessian : 0u);
      const ir::Function form = ad::form_function({c.function, locals}, locals.empty() ? unsigned{ad::kEnergy} : outputs);
      Arguments at = c.arguments;
      for (int32_t i : locals) at.push_back(random.uniforms(c.function.inputs[i].type.entries()));
      if (locals.empty()) at.resize(form.inputs.size());
      expect_same(form, at, c.name);
    }
}

}  // namespace
}  // namespace asb::test
