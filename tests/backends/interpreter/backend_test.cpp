// The interpreter behind the interface of all backends.
#include <gtest/gtest.h>

#include "backends/interpreter/interpreter.h"
#include "compiler/ir/builder.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

/// y = a x + x, x a real[3] per entity, a uniform
KernelPlan scale_and_add() {
  KernelPlan plan;
  Builder b(plan.tensor);
  const ValueId x = b.add_input("x", Type::vector(3), ir::kAxisMesh), a = b.add_input("a", Type::scalar(), ir::kAxisParams);
  b.add_output("y", b.add(b.mul(a, x), x));
  b.add_output("s", b.sum(x));
  return plan;
}

TEST(Interpreter, RunsAKernelOnBlocksOfLanes) {
  const auto backend = interpreter::make_interpreter();
  EXPECT_TRUE(backend->is_host());
  const KernelPlan plan = scale_and_add();
  auto kernels = backend->compile({&plan, 1});
  ASSERT_TRUE(kernels.has_value() && kernels->size() == 1);
  constexpr int kBlocks = 3, kEntities = kBlocks * ASB_LANES;
  std::vector<double> x(kEntities * 3), y(kEntities * 3, -7.0), s(kEntities);
  for (int i = 0; i < kEntities; ++i)
    for (int k = 0; k < 3; ++k) x[(i / ASB_LANES * 3 + k) * ASB_LANES + i % ASB_LANES] = 100 * i + k;
  auto bx = backend->allocate(x.size()), ba = backend->allocate(1), by = backend->allocate(y.size()), bs = backend->allocate(s.size());
  ASSERT_TRUE(bx && ba && by && bs);
  const double a = 2;
  ASSERT_TRUE(backend->upload(x, **bx));
  ASSERT_TRUE(backend->upload({&a, 1}, **ba));
  ASSERT_TRUE(backend->upload(y, **by));
  const Buffer* in[] = {bx->get(), ba->get()};
  Buffer* out[] = {by->get(), bs->get()};
  ASSERT_TRUE(backend->launch(*kernels->at(0), in, out, 1, 3));
  ASSERT_TRUE(backend->download(**by, y));
  ASSERT_TRUE(backend->download(**bs, s));
  for (int i = 0; i < kEntities; ++i)
    for (int k = 0; k < 3; ++k)
      EXPECT_EQ(y[(i / ASB_LANES * 3 + k) * ASB_LANES + i % ASB_LANES], i < ASB_LANES ? -7 : 3 * (100 * i + k));
  EXPECT_EQ(s[ASB_LANES + 2], 3 * 100 * (ASB_LANES + 2) + 3);
}

TEST(Interpreter, RefusesToLeaveABuffer) {
  const auto backend = interpreter::make_interpreter();
  auto buffer = backend->allocate(4);
  ASSERT_TRUE(buffer);
  std::vector<double> five(5), two = {1, 2};
  EXPECT_FALSE(backend->upload(five, **buffer));
  EXPECT_FALSE(backend->upload(two, **buffer, 3));
  EXPECT_TRUE(backend->upload(two, **buffer, 2));
  EXPECT_FALSE(backend->download(**buffer, five));
  EXPECT_EQ((*buffer)->host()[3], 2);
}

}  // namespace
}  // namespace asb::test
