// Checked runs: where a value first stops being finite.
#include <gtest/gtest.h>

#include "backends/interpreter/interpreter.h"
#include "compiler/ir/builder.h"
#include "tests/support/run.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

/// psi = log(det(F)) + x, with spans 10 … for the log
ir::Function log_det() {
  ir::Function f;
  Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(2, 2), ir::kAxisMesh), x = b.add_input("x", Type::scalar(), 0);
  b.set_span({0, 10, 18});
  const ValueId log = b.log(b.det(F));
  b.set_span({0, 30, 31});
  b.add_output("psi", b.add(log, x));
  return f;
}

TEST(NonFinite, NamesTheFirstInstructionItsSourceAndItsOperands) {
  const ir::Function f = log_det();
  const auto result = interpreter::evaluate(f, tensors(f, {{1, 0, 0, -0.25}, {2}}));
  const auto found = interpreter::find_first_non_finite(f, result);
  ASSERT_TRUE(found);
  EXPECT_EQ(f[found->instruction].op, ir::Op::Log);
  EXPECT_EQ(found->span, (Span{0, 10, 18}));
  EXPECT_TRUE(found->message == "`log` of -0.25 is nan" || found->message == "`log` of -0.25 is -nan") << found->message;
}

TEST(NonFinite, IsNotFoundWhereAllIsWell) {
  const ir::Function f = log_det();
  EXPECT_FALSE(interpreter::find_first_non_finite(f, interpreter::evaluate(f, tensors(f, {{1, 0, 0, 1}, {2}}))));
}

TEST(NonFinite, BlamesAnInputThatIsNanItself) {
  const ir::Function f = log_det();
  const auto found = interpreter::find_first_non_finite(f, interpreter::evaluate(f, tensors(f, {{1, 0, 0, HUGE_VAL}, {2}})));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->message, "entry 3 of `F` is inf");
}

TEST(NonFinite, OnASideThatIsNotTakenIsNoOffender) {
  ir::Function f;
  Builder b(f);
  const ValueId x = b.add_input("x", Type::scalar(), ir::kAxisMesh);
  b.add_output("y", b.select(b.less(b.constant(0), x), b.log(x), x));
  EXPECT_FALSE(interpreter::find_first_non_finite(f, interpreter::evaluate(f, tensors(f, {{-1}}))));
}

TEST(NonFinite, IsFoundAtItsEntityInBlockedArguments) {
  const ir::Function f = log_det();
  std::vector<double> F(2 * ASB_LANES * 4), x = {0.5};
  for (int i = 0; i < 2 * ASB_LANES; ++i)
    for (int k : {0, 3}) F[(i / ASB_LANES * 4 + k) * ASB_LANES + i % ASB_LANES] = i == 11 && k == 0 ? -1 : 1;
  const double* inputs[] = {F.data(), x.data()};
  const auto found = interpreter::find_first_non_finite(f, inputs, 0, 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->entity, 11);
  EXPECT_FALSE(interpreter::find_first_non_finite(f, inputs, 0, 1));
}

}  // namespace
}  // namespace asb::test
