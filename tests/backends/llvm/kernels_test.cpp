// Whole kernels: the elementary functions over their range in machine code, and the neo-Hookean and shape-targeting
// densities against the interpreter, with what an entity costs.
#include <chrono>
#include <cmath>

#include "backends/interpreter/evaluate.h"
#include "compiler/ad/form.h"
#include "compiler/passes/pipeline.h"
#include "tests/backends/llvm/launch.h"
#include "tests/compiler/elementary/cases.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Type;
using ir::ValueId;

TEST(LlvmKernels, ElementaryFunctionsStayWithinTheirBounds) {
  constexpr size_t kSamples = 100000;
  const auto llvm = backend();
  Random random(5);
  for (const ElementaryCase& c : elementary_cases()) {
    const Function f = functions_of(c.op).scalar;
    Table inputs(f.inputs.size(), std::vector<std::vector<double>>(kSamples));
    for (size_t e = 0; e < kSamples; ++e)
      for (size_t a = 0; a < inputs.size(); ++a) inputs[a][e] = {a ? c.y(random) : c.x(random)};
    const Table outputs = launch(*llvm, f, inputs, kSamples);
    double worst = 0;
    for (size_t e = 0; e < kSamples; ++e) {
      const long double reference = c.reference(inputs[0][e][0], inputs.size() > 1 ? inputs[1][e][0] : 0);
      worst = std::max(worst, error_in_ulp(outputs[0][e][0], reference, c.absolute));
    }
    EXPECT_LE(worst, c.bound) << c.name;
  }
}

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

/// ns per entity of a launch on one thread, the least of many.
double cost(Backend& llvm, const Function& scalar, const Table& inputs, size_t entities) {
  using Clock = std::chrono::steady_clock;
  const KernelPlan plan{{}, scalar};
  const auto compiled = llvm.compile({&plan, 1});
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<const double*> in;
  std::vector<double*> out;
  for (size_t a = 0; a < inputs.size(); ++a) {
    const size_t n = inputs[a][0].size();
    buffers.push_back(buffer(llvm, scalar.inputs[a].per_entity() ? entities * n : n));
    for (size_t e = 0; e < inputs[a].size(); ++e)
      for (size_t k = 0; k < n; ++k)
        buffers.back()->host()[scalar.inputs[a].per_entity() ? place(e, k, n) : k] = inputs[a][e][k];
    in.push_back(buffers.back()->host());
  }
  for (const ir::Output& output : scalar.outputs) {
    buffers.push_back(buffer(llvm, entities * output.values.size()));
    out.push_back(buffers.back()->host());
  }
  double least = 1e9;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    (*compiled)[0]->entry()(in.data(), out.data(), 0, blocks_of(entities));
    least = std::min(least, std::chrono::duration<double, std::nano>(Clock::now() - start).count());
  }
  return least / static_cast<double>(entities);
}

void expect_agreement(const Function& tensor, const Table& outputs, const Table& inputs, size_t entities) {
  for (size_t e = 0; e < entities; ++e) {
    Arguments arguments;
    for (const auto& input : inputs) arguments.push_back(input[std::min(e, input.size() - 1)]);
    const std::vector<interpreter::Tensor> expected = run(tensor, arguments);
    for (size_t a = 0; a < expected.size(); ++a)
      for (size_t k = 0; k < expected[a].entries.size(); ++k)
        ASSERT_TRUE(interpreter::agrees(expected[a].entries[k], outputs[a][e][k]))
            << tensor.name << " output " << a << " entry " << k << ": " << expected[a].entries[k].value << " and "
            << outputs[a][e][k];
  }
}

TEST(LlvmKernels, EnergyGradientAndHessianAgreeWithTheInterpreter) {
  constexpr size_t kEntities = 512;  // of which all are timed and some compared
  const auto wide = backend(), one_lane = backend({.lanes = 1, .cache = false});
  for (const Function& density : {neo_hookean(), shape_targeting()})
    for (const unsigned outputs : {ad::kEnergy + 0u, ad::kEnergy | ad::kGradient, ad::kEnergy | ad::kGradient | ad::kHessian}) {
      const Function tensor = ad::form_function({density, {0}}, outputs);
      const Result<Function> scalar = ir::run_pipeline(tensor);
      ASSERT_TRUE(scalar.has_value()) << scalar.error().message;
      Random random(9);
      const Table inputs = near_rest(tensor, kEntities, random);
      expect_agreement(tensor, launch(*wide, *scalar, inputs, kEntities), inputs, 40);
      const double ns = cost(*wide, *scalar, inputs, kEntities), alone = cost(*one_lane, *scalar, inputs, kEntities);
      std::printf("%-16s E%s%s  %5zu instructions  %6.2f ns an entity, %6.2f in one lane (%.1f times)\n",
                  tensor.name.c_str(), outputs & ad::kGradient ? "+g" : "  ", outputs & ad::kHessian ? "+H" : "  ",
                  scalar->insts.size(), ns, alone, alone / ns);
    }
}

TEST(LlvmKernels, RandomDensitiesAgreeWithTheInterpreter) {
  constexpr uint64_t kSeed = 21;
  const auto llvm = backend();
  Random random(kSeed);
  for (int i = 0; i < 12; ++i) {
    const Function density = random_density(random, {.instructions = 8, .with_kinks = i % 2 == 1});
    const Function tensor = ad::form_function({density, {0}}, ad::kEnergy | ad::kGradient);
    const Result<Function> scalar = ir::run_pipeline(tensor);
    ASSERT_TRUE(scalar.has_value()) << scalar.error().message;
    constexpr size_t kEntities = 11;
    Table inputs(tensor.inputs.size());
    for (size_t e = 0; e < kEntities; ++e) {
      const Arguments arguments = random_arguments(random, tensor);
      for (size_t a = 0; a < inputs.size(); ++a)
        if (e == 0 || tensor.inputs[a].per_entity()) inputs[a].push_back(arguments[a]);
    }
    expect_agreement(tensor, launch(*llvm, *scalar, inputs, kEntities), inputs, kEntities);
    ASSERT_FALSE(HasFailure()) << "density " << i << " of seed " << kSeed;
  }
}

}  // namespace
}  // namespace asb::test
