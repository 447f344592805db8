// Whole kernels, the same plan on every backend: materials with their derivatives and random densities, to the bound of
// the design, |a - b| <= 1e-12 Σ|contributions|, with the interpreter's magnitudes; elementary functions to theirs.
#include "backends/interpreter/evaluate.h"
#include "compiler/ad/form.h"
#include "compiler/passes/pipeline.h"
#include "tests/backends/agreement/operands.h"
#include "tests/compiler/elementary/cases.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Type;
using ir::ValueId;

class BackendKernels : public OnBackend {};
ASB_ON_ALL_BACKENDS(BackendKernels);

constexpr unsigned kEnergyAndGradient = ad::kEnergy | ad::kGradient;

/// mu/2 (|F|² - 3) - mu log J + lambda/2 log² J
Function neo_hookean() {
  Function f;
  f.name = "neo_hookean";
  ir::Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh | ir::kAxisIteration);
  const ValueId mu = b.add_input("mu", Type::scalar(), ir::kAxisParams);
  const ValueId lambda = b.add_input("lambda", Type::scalar(), ir::kAxisParams);
  const ValueId log_J = b.log(b.det(F));
  const ValueId isochoric = b.mul(b.scale(0.5, mu), b.sub(b.inner(F, F), b.constant(3)));
  const ValueId volumetric = b.mul(b.scale(0.5, lambda), b.mul(log_J, log_J));
  b.add_output("psi", b.add(b.sub(isochoric, b.mul(mu, log_J)), volumetric));
  return f;
}

/// mu/2 |F - R A|², R the closest rotation to F A
Function shape_targeting() {
  Function f;
  f.name = "shape_targeting";
  ir::Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), ir::kAxisMesh | ir::kAxisIteration);
  const ValueId mu = b.add_input("mu", Type::scalar(), ir::kAxisParams);
  const ValueId A = b.add_input("A", Type::matrix(3, 3), ir::kAxisMesh | ir::kAxisFrame);
  const ValueId D = b.sub(F, b.matmul(b.envelope(b.rotation(b.matmul(F, A))), A));
  b.add_output("psi", b.mul(b.scale(0.5, mu), b.inner(D, D)));
  return f;
}

KernelPlan plan_of(const Function& tensor) {
  Result<Function> scalar = ir::run_pipeline(tensor);
  EXPECT_TRUE(scalar.has_value()) << (scalar ? "" : scalar.error().message);
  return {tensor, scalar ? std::move(*scalar) : Function{}};
}

/// Inputs near rest at n entities.
Table near_rest(const Function& function, size_t n, Random& random) {
  Table inputs;
  for (const ir::Input& input : function.inputs) {
    inputs.emplace_back();
    for (size_t e = 0; e < (input.per_entity() ? n : 1); ++e) {
      const int32_t entries = input.type.entries();
      std::vector<double> x = random.uniforms(entries, -0.2, 0.2);
      if (input.type.rank == 2)
        for (int i = 0; i < 3; ++i) x[4 * i] += 1;
      if (entries == 1) x[0] += 2;
      inputs.back().push_back(x);
    }
  }
  return inputs;
}

void expect_agreement(const Function& tensor, const Table& outputs, const Table& inputs, size_t entities) {
  ASSERT_EQ(outputs.size(), tensor.outputs.size());
  for (size_t e = 0; e < entities; ++e) {
    Arguments arguments;
    for (const auto& input : inputs) arguments.push_back(input[std::min(e, input.size() - 1)]);
    const std::vector<interpreter::Tensor> expected = run(tensor, arguments);
    for (size_t a = 0; a < expected.size(); ++a)
      for (size_t k = 0; k < expected[a].entries.size(); ++k)
        ASSERT_TRUE(interpreter::agrees(expected[a].entries[k], outputs[a][e][k]))
            << tensor.name << " output " << a << " entry " << k << " of entity " << e << ": "
            << expected[a].entries[k].value << " and " << outputs[a][e][k];
  }
}

TEST_P(BackendKernels, MaterialsWithTheirDerivativesAgree) {
  constexpr size_t kEntities = 45;
  for (const Function& density : {neo_hookean(), shape_targeting()})
    for (const unsigned outputs : {ad::kEnergy + 0u, kEnergyAndGradient, kEnergyAndGradient | ad::kHessian}) {
      const KernelPlan plan = plan_of(ad::form_function({density, {0}}, outputs));
      Random random(9);
      const Table inputs = near_rest(plan.tensor, kEntities, random);
      expect_agreement(plan.tensor, launch(*backend_, plan, inputs, kEntities), inputs, kEntities);
      ASSERT_FALSE(HasFailure());
    }
}

TEST_P(BackendKernels, RandomDensitiesAgree) {
  constexpr uint64_t kSeed = 33;
  constexpr size_t kEntities = 11;
  Random random(kSeed);
  for (int i = 0; i < 8; ++i) {
    const Function density = random_density(random, {.instructions = 7, .with_kinks = i % 2 == 1});
    const KernelPlan plan = plan_of(ad::form_function({density, {0}}, kEnergyAndGradient));
    Table inputs(plan.tensor.inputs.size());
    for (size_t e = 0; e < kEntities; ++e) {
      const Arguments arguments = random_arguments(random, plan.tensor);
      for (size_t a = 0; a < inputs.size(); ++a)
        if (e == 0 || plan.tensor.inputs[a].per_entity()) inputs[a].push_back(arguments[a]);
    }
    expect_agreement(plan.tensor, launch(*backend_, plan, inputs, kEntities), inputs, kEntities);
    ASSERT_FALSE(HasFailure()) << "density " << i << " of seed " << kSeed;
  }
}

TEST_P(BackendKernels, HostPointersAndBuffersGiveTheSameBits) {
  for (const Function& density : {neo_hookean(), shape_targeting()})
    for (const size_t n : {1, 8, 9, 130}) {
      const KernelPlan plan = plan_of(ad::form_function({density, {0}}, kEnergyAndGradient));
      Random random(4);
      const Table inputs = near_rest(plan.tensor, n, random);
      const Table buffers = launch(*backend_, plan, inputs, n, Way::Buffers);
      const Table host = launch(*backend_, plan, inputs, n, Way::Host);
      EXPECT_EQ(buffers, host);
      EXPECT_EQ(buffers, launch(*backend_, plan, inputs, n, Way::Buffers)) << "the second time";
    }
}

TEST_P(BackendKernels, ElementaryFunctionsStayWithinTheirBounds) {
  const size_t samples = GetParam() == "interpreter" ? 500 : 20000;
  Random random(5);
  for (const ElementaryCase& c : elementary_cases()) {
    const Function f = functions_of(c.op).scalar;  // the arithmetic, on the interpreter too
    Table inputs(f.inputs.size(), std::vector<std::vector<double>>(samples));
    for (size_t e = 0; e < samples; ++e)
      for (size_t a = 0; a < inputs.size(); ++a) inputs[a][e] = {a ? c.y(random) : c.x(random)};
    const Table outputs = launch(*backend_, {f, f}, inputs, samples);
    double worst = 0;
    for (size_t e = 0; e < samples; ++e) {
      const long double reference = c.reference(inputs[0][e][0], inputs.size() > 1 ? inputs[1][e][0] : 0);
      // below the smallest normal number a device may give zero
      if (outputs[0][e][0] == 0 && std::fabs(static_cast<double>(reference)) < 0x1p-1022) continue;
      worst = std::max(worst, error_in_ulp(outputs[0][e][0], reference, c.absolute));
    }
    EXPECT_LE(worst, c.bound) << c.name;
  }
}

}  // namespace
}  // namespace asb::test
