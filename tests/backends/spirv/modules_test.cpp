// Modules without a device: SPIRV-Tools accepts every one, refusals name the op, words depend on the function alone.
#include "backends/spirv/spirv_text.h"
#include "backends/spirv/spirv_writer.h"
#include "compiler/ad/form.h"
#include "compiler/ir/simplify.h"
#include "compiler/passes/pipeline.h"
#include "tests/backends/agreement/operands.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::ValueId;

constexpr spirv::FloatControls kAllControls = {true, true, true};

void expect_valid(const Function& function) {
  for (const spirv::FloatControls& controls : {spirv::FloatControls{}, kAllControls}) {
    const auto words = spirv::write(function, controls);
    ASSERT_TRUE(words.has_value()) << words.error().message;
    const Result<void> valid = spirv::validate(*words);
    EXPECT_TRUE(valid.has_value()) << function.name << ": " << valid.error().message;
  }
}

std::string text(const Function& function, spirv::FloatControls controls = {}) {
  const auto words = spirv::write(function, controls);
  EXPECT_TRUE(words.has_value());
  const auto text = spirv::disassemble(words.value_or(std::vector<uint32_t>{}));
  EXPECT_TRUE(text.has_value());
  return text.value_or("");
}

size_t count(const std::string& text, const std::string& part) {
  size_t n = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST(SpirvModules, OfEveryScalarOpAreValid) {
  for (const Op op : scalar_ops()) expect_valid(function_of(op));
  EXPECT_GE(scalar_ops().size(), 25u);
}

TEST(SpirvModules, OfLoopsAreValid) {
  for (const int32_t cap : {1, 60}) expect_valid(halving(cap));
}

TEST(SpirvModules, OfALoopInALoopAreValid) {
  Function inner = halving(1).bodies[0];
  Function outer;
  outer.name = "outer";
  outer.expanded = true;
  Builder b(outer);
  const ValueId x = b.add_input("x", Type::scalar(), 0), c = b.add_input("c", Type::scalar(), 0);
  const ValueId next = b.iterate(inner, {x, c}, 5);
  b.add_output("next", next);
  b.add_output("stop", Type::boolean(), {b.less(next, c)});
  Function f;
  f.name = "nested";
  f.expanded = true;
  Builder kernel(f);
  const ValueId start = kernel.add_input("start", Type::scalar(), ir::kAxisMesh);
  kernel.add_output("value", kernel.iterate(outer, {start, start}, 3));
  expect_valid(f);
}

TEST(SpirvModules, OfRandomDensitiesAndBigKernelsAreValid) {
  Random random(3);
  size_t largest = 0;
  for (int i = 0; i < 6; ++i) {
    const Function density = random_density(random, {.instructions = 10, .with_kinks = i % 2 == 1});
    const unsigned outputs = ad::kEnergy | ad::kGradient | (i < 2 ? ad::kHessian : 0u);
    const Result<Function> scalar = ir::run_pipeline(ad::form_function({density, {0}}, outputs));
    ASSERT_TRUE(scalar.has_value()) << scalar.error().message;
    largest = std::max(largest, scalar->insts.size());
    expect_valid(*scalar);
  }
  EXPECT_GE(largest, 2000u) << "one of them should be big";
}

TEST(SpirvModules, OfEqualFunctionsAreEqual) {
  EXPECT_EQ(spirv::write(halving(7)).value(), spirv::write(halving(7)).value());
  EXPECT_NE(spirv::write(halving(7)).value(), spirv::write(halving(8)).value());
}

TEST(SpirvModules, RefuseByNameWhatTheScalarStageLacks) {
  int refused = 0;
  for (const Op op : ir::all_ops()) {
    const bool is_scalar_op = (ir::is_entrywise(op) && !is_elementary(op)) || op == Op::Constant || op == Op::Input || op == Op::Iterate;
    if (is_scalar_op) continue;
    Function f;
    f.name = "kernel";
    f.expanded = true;
    const ValueId x = Builder(f, ir::Rules::None).add_input("x", Type::scalar(), ir::kAxisMesh);
    ir::Inst inst;  // not through the builder, which would ask for operands of the right shape
    inst.op = op;
    inst.args = {x, x};
    f.insts.push_back(inst);
    f.outputs.push_back({"value", Type::scalar(), {ValueId(1)}});
    const auto words = spirv::write(f);
    ASSERT_FALSE(words.has_value()) << ir::info(op).text;
    EXPECT_EQ(words.error().name, "spirv-lacks-op");
    EXPECT_NE(words.error().message.find("`" + std::string(ir::info(op).text) + "`"), std::string::npos);
    ++refused;
  }
  EXPECT_GE(refused, 20);
}

TEST(SpirvModules, KeepProductsAndSumsApart) {
  Function f;
  f.name = "a_b_plus_c";
  f.expanded = true;
  Builder b(f);
  const ValueId x = b.add_input("x", Type::scalar(), ir::kAxisMesh), y = b.add_input("y", Type::scalar(), ir::kAxisMesh);
  b.add_output("value", b.add(b.mul(x, y), y));
  EXPECT_EQ(count(text(f), " NoContraction"), 2u);
}

TEST(SpirvModules, AskForNoCapabilityThatTheyDoNotNeed) {
  const std::string plain = text(function_of(Op::Mantissa));
  EXPECT_EQ(count(plain, "OpCapability"), 3u) << "Shader, Float64, PhysicalStorageBufferAddresses";
  EXPECT_EQ(count(plain, "Int64"), 0u);
  EXPECT_EQ(count(text(function_of(Op::Mantissa), kAllControls), "OpCapability"), 6u);
}

TEST(SpirvModules, AreReadable) {
  const Function f = halving(7);
  const auto shown = spirv::text_of(KernelPlan{{}, f});
  ASSERT_TRUE(shown.has_value()) << shown.error().message;
  for (const char* part : {"OpEntryPoint GLCompute", "\"iterate\"", "\"captured\"", "OpLoopMerge"})
    EXPECT_NE(shown->find(part), std::string::npos) << part << " in\n" << *shown;
}

TEST(SpirvModules, ThatAreBrokenAreFoundOut) {
  std::vector<uint32_t> words = spirv::write(halving(7)).value();
  words.pop_back();
  const Result<void> valid = spirv::validate(words);
  ASSERT_FALSE(valid.has_value());
  EXPECT_EQ(valid.error().name, "spirv-broken");
}

}  // namespace
}  // namespace asb::test
