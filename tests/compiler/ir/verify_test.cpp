// The verifier: a good function passes, every kind of damage is named.
#include "compiler/ir/verify.h"

#include <gtest/gtest.h>

#include "compiler/passes/passes.h"
#include "compiler/passes/pipeline.h"
#include "tests/compiler/ir/functions.h"

namespace asb::ir {
namespace {

std::string message(const Function& f) {
  const Result<void> ok = verify(f);
  return ok ? "" : ok.error().message;
}

TEST(Verify, accepts_both_stages) {
  const Function f = test::hessian_of(test::shape_targeting());
  EXPECT_EQ(message(f), "");
  EXPECT_EQ(message(expand(f)), "");
}

TEST(Verify, names_the_damage) {
  const Function good = test::neo_hookean();
  const auto broken = [&](auto damage) {
    Function f = good;
    damage(f);
    return message(f);
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(has, broken([](Function& f) { f.insts[3].args[0] = ValueId(20); }), "isn't defined before");
  EXPECT_PRED2(has, broken([](Function& f) { f.insts.back().args.pop_back(); }), "wrong number of operands");
  EXPECT_PRED2(has, broken([](Function& f) { f.insts.back().type = Type::vector(2); }), "should have the type real");
  EXPECT_PRED2(has, broken([](Function& f) { f.outputs[0].values[0] = ValueId(); }), "is not a value");
  EXPECT_PRED2(has, broken([](Function& f) { f.outputs[0].values[0] = ValueId(0); }), "is real[3,3], not real");
  EXPECT_PRED2(has, broken([](Function& f) { f.outputs[0].values.clear(); }), "has 0 values, not 1");
  EXPECT_PRED2(has, broken([](Function& f) { f.insts.back().op = Op::Fma; }), "scalar stage before expand");
  EXPECT_PRED2(has, broken([](Function& f) { f.expanded = true; }), "should have the type real");
  EXPECT_PRED2(has, broken([](Function& f) { f.inputs.pop_back(); }), "no such input");

  Function scalars;
  scalars.expanded = true;
  scalars.insts.push_back({Op::Identity, Type::matrix(2, 2), {}, 0, 0, 0, {}});
  EXPECT_PRED2(has, message(scalars), "tensor stage after expand");

  Function expanded = expand(test::hessian_of(test::shape_targeting()));
  ASSERT_EQ(expanded.bodies.size(), 1u);
  expanded.bodies[0].outputs.pop_back();
  EXPECT_PRED2(has, message(expanded), "(carried, stop)");
}

TEST(Verify, stops_the_pipeline_before_a_broken_function) {
  Function f = test::neo_hookean();
  f.insts.back().args.pop_back();
  EXPECT_FALSE(run_pipeline(f));
}

}  // namespace
}  // namespace asb::ir
