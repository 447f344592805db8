// Cutting kernels by rate: the two halves make the whole, and few numbers are kept.
#include "compiler/passes/split_by_rate.h"

#include <gtest/gtest.h>

#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/rates.h"
#include "tests/compiler/ir/functions.h"

namespace asb::ir {
namespace {

using interpreter::Tensor;

void expect_halves_make_the_whole(const Function& whole, const Split& split) {
  ASSERT_TRUE(verify(split.outer)) << verify(split.outer).error().message;
  ASSERT_TRUE(verify(split.inner)) << verify(split.inner).error().message;
  std::vector<Tensor> inputs = test::some_inputs(whole, 7);
  const auto expected = test::values_of(whole, inputs);
  const auto held = interpreter::evaluate(split.outer, inputs).outputs;
  inputs.insert(inputs.end(), held.begin(), held.end());
  const auto actual = test::values_of(split.inner, inputs);
  ASSERT_EQ(expected.size(), actual.size());
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(expected[i].value, actual[i].value);
}

struct SplitByRate : testing::Test {
  Function f;
  Builder b{f, Rules::Both};
  ValueId p = b.add_input("p", Type::scalar(), kAxisParams),
          A = b.add_input("A", Type::matrix(3, 3), kAxisMesh | kAxisFrame),
          F = b.add_input("F", Type::matrix(3, 3), kAxisMesh | kAxisIteration);
  std::vector<std::string> held(Rate inner) {
    const Split split = split_by_rate(f, inner);
    expect_halves_make_the_whole(f, split);
    std::vector<std::string> text;
    for (const Output& output : split.outer.outputs) text.push_back(info(split.outer[output.values[0]].op).text);
    return text;
  }
  using Texts = std::vector<std::string>;
};

TEST_F(SplitByRate, rates_are_the_union_of_what_is_read) {
  const ValueId x = b.mul(p, A), y = b.add(x, F);
  const std::vector<Rate> rate = rates(f);
  EXPECT_EQ(rate[x.index], kAxisParams | kAxisMesh | kAxisFrame);
  EXPECT_EQ(rate[y.index], kAxisParams | kAxisMesh | kAxisFrame | kAxisIteration);
}

TEST_F(SplitByRate, keeps_what_is_dear_and_fixed) {
  b.add_output("out", b.inner(F, b.cofactor(b.matmul(A, A))));
  EXPECT_EQ(held(kAxisIteration), Texts{"cofactor"});
  EXPECT_EQ(held(kAxisFrame | kAxisIteration), Texts{});
}

TEST_F(SplitByRate, names_what_is_held_and_gives_its_rate) {
  b.add_output("out", b.mul(b.exp(p), b.det(F)));
  const Split split = split_by_rate(f, kAxisMesh);
  ASSERT_EQ(split.outer.outputs.size(), 1u);
  EXPECT_EQ(split.first_held, 3);
  EXPECT_EQ(split.inner.inputs[3].name, split.outer.outputs[0].name);
  EXPECT_EQ(split.inner.inputs[3].rate, kAxisParams);
  EXPECT_EQ(split.inner.outputs[0].name, "out");
  EXPECT_EQ(split.held_entries(), 1);
}

TEST_F(SplitByRate, keeps_neither_inputs_nor_constants_nor_what_is_cheap) {
  b.add_output("out", b.add(b.matmul(F, b.scale(2, A)), b.mul(p, b.identity(3))));
  EXPECT_EQ(held(kAxisIteration), Texts{});
  EXPECT_TRUE(split_by_rate(f, kAxisIteration).is_trivial());
}

TEST_F(SplitByRate, keeps_one_of_a_value_and_its_transpose) {
  const ValueId C = b.cofactor(A);
  b.add_output("out", b.add(b.matmul(F, C), b.matmul(b.transpose(C), F)));
  EXPECT_EQ(held(kAxisIteration), Texts{"cofactor"});
  EXPECT_EQ(split_by_rate(f, kAxisIteration).held_entries(), 9);
}

TEST_F(SplitByRate, keeps_the_scalar_and_not_the_matrix_that_it_scales) {
  b.add_output("out", b.add(F, b.mul(b.det(A), b.identity(3))));
  EXPECT_EQ(held(kAxisIteration), Texts{"det"});
}

TEST_F(SplitByRate, makes_again_what_two_cheap_instructions_give) {
  const ValueId C = b.cofactor(A), s = b.det(A);
  b.add_output("out", b.add(b.matmul(F, C), b.matmul(F, b.add(b.mul(s, C), A))));
  b.add_output("s", b.mul(s, b.det(F)));
  EXPECT_EQ(held(kAxisIteration), (Texts{"cofactor", "det"}));
}

TEST_F(SplitByRate, hands_an_output_over_that_is_fixed) {
  b.add_output("fixed", b.cofactor(A));
  b.add_output("out", b.det(F));
  EXPECT_EQ(held(kAxisIteration), Texts{"cofactor"});
}

// While products with the Hessian are taken, R and the inverse of tr(S) I - S are what is worth keeping: at most 18.
TEST(SplitOfProducts, keeps_few_numbers_of_shape_targeting) {
  const Function product =
      remove_dead(remove_copies(share_subexpressions(fold_constants(test::product_of(test::shape_targeting())))));
  const Split split = split_by_rate(product, kAxisDirection);
  expect_halves_make_the_whole(product, split);
  EXPECT_EQ(test::count(split.inner, Op::Rotation), 0);
  EXPECT_LE(split.held_entries(), 18) << to_string(split.outer) << to_string(split.inner);
}

TEST(SplitOfProducts, works_on_scalars) {
  const Function product = expand(test::product_of(test::neo_hookean()));
  const Split split = split_by_rate(product, kAxisDirection);
  expect_halves_make_the_whole(product, split);
  EXPECT_EQ(test::count(split.inner, Op::Log), 0);
  EXPECT_FALSE(split.is_trivial());
}

}  // namespace
}  // namespace asb::ir
