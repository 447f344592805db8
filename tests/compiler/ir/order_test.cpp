// Schedules: same values, fewer alive.
#include <gtest/gtest.h>

#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/pipeline.h"
#include "tests/compiler/ir/functions.h"

namespace asb::ir {
namespace {

// n products made first, summed afterwards: n alive as written, 2 in the best order
Function wide_sum(int n) {
  Function f;
  f.expanded = true;
  Builder b(f, Rules::None);
  const ValueId x = b.add_input("x", Type::scalar(), 0);
  std::vector<ValueId> terms;
  for (int i = 0; i < n; ++i) terms.push_back(b.mul(x, b.constant(i + 2)));
  ValueId sum = terms[0];
  for (int i = 1; i < n; ++i) sum = b.add(sum, terms[i]);
  b.add_output("sum", sum);
  return f;
}

TEST(MaxLive, counts_values_between_birth_and_last_use) {
  const Function f = wide_sum(10);
  EXPECT_EQ(max_live(f), 10);  // x dies with the last product
  Function one;
  one.expanded = true;
  Builder b(one);
  b.add_output("out", b.exp(b.exp(b.add_input("x", Type::scalar(), 0))));
  EXPECT_EQ(max_live(one), 1);
}

TEST(Order, interleaves_a_wide_sum) {
  const Function f = wide_sum(50), g = order(f);
  EXPECT_TRUE(verify(g));
  EXPECT_EQ(max_live(g), 3);  // x, the sum so far, the next product
  EXPECT_EQ(g.insts.size(), f.insts.size());
}

TEST(Order, keeps_values_bit_for_bit) {
  const Function f = expand(test::hessian_of(test::shape_targeting())), g = order(f);
  EXPECT_TRUE(verify(g));
  const auto inputs = test::some_inputs(f, 3);
  const auto x = test::values_of(f, inputs), y = test::values_of(g, inputs);
  for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(x[i].value, y[i].value);
}

TEST(Order, never_makes_it_worse_and_helps_hessians) {
  for (const Function& density : {test::neo_hookean(), test::shape_targeting()}) {
    Function before;
    const Function after = *run_pipeline(test::hessian_of(density), [&](std::string_view pass, const Function& f) {
      if (pass == "remove_dead_scalars") before = f;
    });
    EXPECT_LT(max_live(after), max_live(before));
    std::cout << density.name << " hessian: " << after.insts.size() << " instructions, " << max_live(before)
              << " values alive as expanded, " << max_live(after) << " in order\n";
  }
}

}  // namespace
}  // namespace asb::ir
