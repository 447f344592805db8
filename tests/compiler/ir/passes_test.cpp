// Each pass: what it must change, what it must leave alone. And the pipeline.
#include "compiler/passes/passes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "compiler/ir/print.h"
#include "compiler/passes/kronecker.h"
#include "compiler/passes/pipeline.h"
#include "tests/compiler/ir/functions.h"

namespace asb::ir {
namespace {

using test::count;

struct Passes : testing::Test {
  Function f;
  Builder raw{f, Rules::None};
  ValueId x = raw.add_input("x", Type::scalar(), 0), y = raw.add_input("y", Type::scalar(), 0);
};

TEST_F(Passes, fold_constants_applies_the_rules_to_old_instructions) {
  raw.add_output("out", raw.add(raw.mul(x, raw.constant(1)), raw.mul(raw.constant(2), raw.constant(0))));
  const Function folded = fold_constants(f);
  EXPECT_EQ(folded.outputs[0].values[0], ValueId(0));
  EXPECT_EQ(count(folded, Op::Add), 0);
}

TEST_F(Passes, share_subexpressions_merges_what_is_equal_and_nothing_else) {
  const ValueId a = raw.mul(x, y), b = raw.mul(y, x);
  raw.add_output("same", raw.sub(a, b));
  raw.add_output("other", raw.sub(b, raw.mul(x, x)));
  raw.add_output("places", raw.add(raw.copy(a), raw.copy(b)));
  raw.add_output("kept", raw.mul(x, raw.constant(1)));
  const Function shared = share_subexpressions(f);
  EXPECT_EQ(count(shared, Op::Mul), 3);   // x y, x x, and x 1, which is fold_constants' affair
  EXPECT_EQ(count(shared, Op::Copy), 2);
  const Inst& same = shared[shared.outputs[0].values[0]];
  EXPECT_EQ(same.args[0], same.args[1]);
}

TEST_F(Passes, remove_copies_takes_the_operand) {
  const ValueId a = raw.mul(x, y);
  raw.add_output("out", raw.add(raw.copy(raw.envelope(a)), raw.live(x)));
  const Function g = remove_copies(f);
  EXPECT_EQ(to_string(g, g.outputs[0].values[0]), "%3 : real = add %2 %0");
  EXPECT_EQ(g.insts.size(), 4u);
}

TEST_F(Passes, remove_dead_keeps_inputs_declared) {
  raw.exp(x);
  raw.add_output("out", raw.neg(y));
  const Function g = remove_dead(f);
  EXPECT_EQ(g.insts.size(), 2u);
  ASSERT_EQ(g.inputs.size(), 2u);
  EXPECT_EQ(g.insts[0].index, 1);  // y is still input 1
}

TEST_F(Passes, remove_dead_drops_bodies_that_nothing_repeats) {
  f = expand(test::hessian_of(test::shape_targeting()));
  ASSERT_EQ(f.bodies.size(), 1u);
  EXPECT_EQ(remove_dead(f).bodies.size(), 1u);
  for (Output& output : f.outputs) output = {"zero", Type::scalar(), {ValueId(0)}};
  EXPECT_EQ(remove_dead(f).bodies.size(), 0u);
}

TEST(Pipeline, shows_every_pass_in_the_order_of_the_registry) {
  std::vector<std::string> seen;
  const Result<Function> result =
      run_pipeline(test::neo_hookean(), [&](std::string_view name, const Function&) { seen.emplace_back(name); });
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_TRUE(result->expanded);
  ASSERT_EQ(seen.size(), passes().size());
  for (size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], passes()[i].name);
}

TEST(Pipeline, keeps_the_values_of_energies_and_their_derivatives) {
  for (const Function& density : {test::neo_hookean(), test::shape_targeting()})
    for (const Function& f : {density, test::hessian_of(density), test::product_of(density)})
      for (unsigned seed = 1; seed <= 5; ++seed) {
        const Result<Function> scalar = run_pipeline(f);
        ASSERT_TRUE(scalar) << scalar.error().message;
        auto inputs = test::some_inputs(f, seed);
        for (size_t i = 0; i < 9; ++i) inputs[0].entries[i].value *= 1.5;
        test::expect_same_values(f, *scalar, inputs);
      }
}

TEST(Pipeline, gives_the_same_text_every_time) {
  const Function f = test::hessian_of(test::shape_targeting());
  EXPECT_EQ(to_string(*run_pipeline(f)), to_string(*run_pipeline(f)));
}

TEST(Pipeline, leaves_nothing_for_a_second_round) {
  for (const Function& density : {test::neo_hookean(), test::shape_targeting()}) {
    const Function f = *run_pipeline(test::hessian_of(density));
    const Function again = remove_dead(share_subexpressions(fold_constants(f)));
    EXPECT_EQ(again.insts.size(), f.insts.size());
  }
}

// The Hessian of shape targeting at fixed rotation is mu I ⊗ I: it doesn't depend on the unknowns, nor on A.
TEST(Kronecker, is_found_in_shape_targeting_at_fixed_rotation) {
  const Function held = *run_pipeline(test::hessian_of(test::shape_targeting(), true));
  const auto K = is_scaled_identity_kronecker(held, 0, 3);
  ASSERT_TRUE(K);
  EXPECT_EQ(K->m, 3);
  EXPECT_EQ(K->rate, kAxisParams);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(held[K->C[i]].op, i % 4 == 0 ? Op::Input : Op::Constant);
}

TEST(Kronecker, is_not_seen_where_it_is_not) {
  EXPECT_FALSE(is_scaled_identity_kronecker(*run_pipeline(test::hessian_of(test::shape_targeting())), 0, 3));
  EXPECT_FALSE(is_scaled_identity_kronecker(*run_pipeline(test::hessian_of(test::neo_hookean())), 0, 3));
}

TEST(Kronecker, reads_full_hessians_with_either_order_of_axes) {
  Function f;
  f.expanded = true;
  Builder b(f, Rules::Both);
  f.inputs.push_back({"c", Type::matrix(2, 2), kAxisMesh | kAxisIteration});
  std::vector<ValueId> first, last;
  for (int p = 0; p < 6; ++p)
    for (int q = 0; q < 6; ++q) {
      first.push_back(p / 2 == q / 2 ? b.input_entry(0, 2 * (p % 2) + q % 2) : b.zero());
      last.push_back(p % 3 == q % 3 ? b.input_entry(0, 2 * (p / 3) + q / 3) : b.zero());
    }
  b.add_output("first", Type::real(std::array{3, 2, 3, 2}), first);
  b.add_output("last", Type::real(std::array{2, 3, 2, 3}), last);
  for (const auto axis : {ComponentAxis::First, ComponentAxis::Last}) {
    const auto index = static_cast<int32_t>(axis);
    const auto K = is_scaled_identity_kronecker(f, index, 3, axis);
    ASSERT_TRUE(K);
    EXPECT_EQ(K->rate, kAxisMesh | kAxisIteration);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(K->C[i], b.input_entry(0, i));
    EXPECT_FALSE(is_scaled_identity_kronecker(f, 1 - index, 3, axis));
    EXPECT_FALSE(is_scaled_identity_kronecker(f, index, 4, axis));
  }
}

}  // namespace
}  // namespace asb::ir
