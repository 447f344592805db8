// Blocks, padding, ranges, uniform arguments, bools, threads, and what is refused.
#include <cstring>

#include "compiler/ir/builder.h"
#include "tests/backends/llvm/launch.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Type;
using ir::ValueId;

/// m real[3,2] per entity, c real[2] uniform, flag bool: out real[2] = mᵀ 1 + c flag, positive bool[1]
Function sample() {
  Function f;
  f.name = "sample";
  f.expanded = true;
  ir::Builder b(f);
  b.add_input("m", Type::matrix(3, 2), ir::kAxisMesh | ir::kAxisIteration);
  b.add_input("c", Type::vector(2), ir::kAxisParams);
  b.add_input("flag", Type::boolean(), ir::kAxisMesh);
  std::vector<ValueId> sums;
  for (int j = 0; j < 2; ++j) {
    const ValueId column = b.add(b.add(b.input_entry(0, j), b.input_entry(0, 2 + j)), b.input_entry(0, 4 + j));
    // 3 c is the same for all entities: computed before the loop
    const ValueId scaled = b.mul(b.constant(3), b.input_entry(1, j));
    sums.push_back(b.select(b.input_entry(2, 0), b.add(column, scaled), column));
  }
  b.add_output("out", Type::vector(2), sums);
  b.add_output("positive", Type::boolean(), {b.less(b.zero(), sums[0])});
  return f;
}

Table sample_inputs(size_t n) {
  Table inputs(3);
  for (size_t e = 0; e < n; ++e) {
    const double x = static_cast<double>(e) - 3;
    inputs[0].push_back({x, 2 * x, 10, 20, 100, 200});
    inputs[2].push_back({e % 3 == 0 ? 1.0 : 0.0});
  }
  inputs[1] = {{0.5, -200}};
  return inputs;
}

TEST(LlvmLayout, EntriesOfEntitiesStandWhereTheAbiSays) {
  for (const std::string& cpu : runnable_cpus())
    for (int lanes : {0, 1, 2, 4}) {
      const auto llvm = backend({.cpu = cpu, .lanes = lanes, .cache = false});
      for (size_t n : {1, 7, 8, 9, 16, 43}) {
        const Table outputs = launch(*llvm, sample(), sample_inputs(n), n);
        for (size_t e = 0; e < n; ++e) {
          const double x = static_cast<double>(e) - 3, flag = e % 3 == 0;
          EXPECT_EQ(outputs[0][e][0], x + 110 + flag * 1.5);
          EXPECT_EQ(outputs[0][e][1], 2 * x + 220 - flag * 600);
          EXPECT_EQ(outputs[1][e][0], x + 110 + flag * 1.5 > 0 ? 1 : 0);
        }
      }
    }
}

TEST(LlvmLayout, ARangeWritesItsBlocksOnly) {
  constexpr double kUntouched = -77;
  const auto llvm = backend();
  const KernelPlan plan{{}, sample()};
  const auto compiled = llvm->compile({&plan, 1});
  ASSERT_TRUE(compiled.has_value());
  const size_t blocks = 6, first = 2, last = 5;
  const auto m = buffer(*llvm, blocks * 8 * 6), c = buffer(*llvm, 2), flag = buffer(*llvm, blocks * 8);
  const auto out = buffer(*llvm, blocks * 8 * 2), positive = buffer(*llvm, blocks * 8);
  std::fill_n(out->host(), out->size(), kUntouched);
  const double* inputs[] = {m->host(), c->host(), flag->host()};
  double* outputs[] = {out->host(), positive->host()};
  (*compiled)[0]->run(inputs, outputs, 4, 4);  // nothing
  (*compiled)[0]->run(inputs, outputs, first, last);
  for (size_t i = 0; i < out->size(); ++i) {
    const size_t block = i / 16;
    EXPECT_EQ(out->host()[i], block >= first && block < last ? 0 : kUntouched) << "block " << block;
  }
}

TEST(LlvmLayout, LaunchOnThreadsGivesTheBitsOfOneCall) {
  const auto llvm = backend();
  const KernelPlan plan{{}, sample()};
  const auto compiled = llvm->compile({&plan, 1});
  ASSERT_TRUE(compiled.has_value());
  constexpr int64_t kBlocks = 1000;
  const auto m = buffer(*llvm, kBlocks * 48), c = buffer(*llvm, 2), flag = buffer(*llvm, kBlocks * 8);
  for (size_t i = 0; i < m->size(); ++i) m->host()[i] = 1.0 / static_cast<double>(i + 3);
  c->host()[0] = 0.1;
  const auto one = buffer(*llvm, kBlocks * 16), one_bool = buffer(*llvm, kBlocks * 8);
  const auto many = buffer(*llvm, kBlocks * 16), many_bool = buffer(*llvm, kBlocks * 8);
  const double* in[] = {m->host(), c->host(), flag->host()};
  double* out[] = {one->host(), one_bool->host()};
  (*compiled)[0]->entry()(in, out, 0, kBlocks);
  const Buffer* inputs[] = {m.get(), c.get(), flag.get()};
  Buffer* outputs[] = {many.get(), many_bool.get()};
  ASSERT_TRUE(llvm->launch(*(*compiled)[0], inputs, outputs, 0, kBlocks).has_value());
  EXPECT_EQ(std::memcmp(one->host(), many->host(), one->size() * sizeof(double)), 0);
  EXPECT_NE(one->host()[5], 0);
}

TEST(LlvmLayout, BuffersAreAlignedZeroAndCheckedAtTheirEnds) {
  const auto llvm = backend();
  const auto b = buffer(*llvm, 11);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(b->host()) % 64, 0u);
  std::vector<double> read(11, 1);
  ASSERT_TRUE(llvm->download(*b, read).has_value());
  EXPECT_EQ(read, std::vector<double>(11, 0));
  const std::vector<double> three = {1, 2, 3};
  ASSERT_TRUE(llvm->upload(three, *b, 8).has_value());
  EXPECT_FALSE(llvm->upload(three, *b, 9).has_value());
  EXPECT_FALSE(llvm->download(*b, read, 1).has_value());
  EXPECT_EQ(b->host()[10], 3);
}

TEST(LlvmLayout, ManyKernelsOfOneNameAreToldApart) {
  const auto llvm = backend();
  std::vector<KernelPlan> plans;
  for (int i = 0; i < 5; ++i) {
    Function f;
    f.name = "same name/ü";
    f.expanded = true;
    ir::Builder b(f);
    const ValueId x = b.add_input("x", Type::scalar(), ir::kAxisMesh);
    b.add_output("y", b.add(x, b.constant(i)));
    plans.push_back({{}, f});
  }
  const auto compiled = llvm->compile(plans);
  ASSERT_TRUE(compiled.has_value());
  const auto x = buffer(*llvm, 8), y = buffer(*llvm, 8);
  for (int i = 0; i < 5; ++i) {
    const double* in[] = {x->host()};
    double* out[] = {y->host()};
    (*compiled)[i]->run(in, out, 0, 1);
    EXPECT_EQ(y->host()[7], i);
  }
}

TEST(LlvmLayout, UnknownCpusAndOddLanesAreRefused) {
  EXPECT_EQ(make_llvm_backend({.cpu = "abacus"}).error().name, "llvm-unknown-cpu");
  EXPECT_EQ(make_llvm_backend({.lanes = 3}).error().name, "llvm-lanes");
  EXPECT_EQ(make_llvm_backend({.lanes = 16}).error().name, "llvm-lanes");
}

TEST(LlvmLayout, TextShowsTheKernelAndAssemblyItsVectors) {
  const KernelPlan plan{{}, sample()};
  const Result<std::string> text = emit_llvm_text(plan);
  ASSERT_TRUE(text.has_value());
  EXPECT_NE(text->find("define void @asb.sample(ptr %inputs, ptr %outputs, i64 %first, i64 %last)"), std::string::npos);
  EXPECT_EQ(text->find("fast"), std::string::npos);
#ifdef __x86_64__
  const Result<std::string> assembly = emit_assembly(plan, {.cpu = "x86-64-v4"});
  ASSERT_TRUE(assembly.has_value());
  EXPECT_NE(assembly->find("zmm"), std::string::npos);
  EXPECT_EQ(emit_assembly(plan, {.cpu = "x86-64-v3"})->find("zmm"), std::string::npos);
#endif
  EXPECT_EQ(cpu_description().llvm_version.substr(0, 3), "19.");
  EXPECT_GE(cpu_description().lanes, 2);
}

}  // namespace
}  // namespace asb::test
