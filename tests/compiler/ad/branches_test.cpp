// The branch not taken poisons neither value nor derivative (lessons.md: the `where` problem).
#include <functional>

#include "tests/compiler/ad/ad_testing.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

/// Value, gradient, and Hessian of f(x) in every mixture of forward and reverse: [value, r, f, rr, fr, rf, ff].
std::vector<double> all_derivatives(double x, const std::function<ValueId(Builder&, ValueId)>& f) {
  ir::Function function;
  Builder b(function);
  const ValueId v = b.add_input("x", Type::scalar(), ir::kAxisMesh), y = f(b, v);
  const auto reverse = [&](ValueId e) {
    const ad::Seed s{e, b.constant(1)};
    return ad::pull_back(b, {&s, 1}, {&v, 1})[0];
  };
  const auto forward = [&](ValueId e) {
    const ad::Seed s{v, b.constant(1)};
    return ad::push_forward(b, {&s, 1}, {&e, 1})[0];
  };
  for (ValueId out : {y, reverse(y), forward(y), reverse(reverse(y)), forward(reverse(y)), reverse(forward(y)), forward(forward(y))})
    b.add_output("out", out);
  std::vector<double> result;
  for (const auto& t : run(function, {{x}})) result.push_back(t.entries[0].value);
  return result;
}

void expect_all(double x, const std::function<ValueId(Builder&, ValueId)>& f, double value, double first, double second) {
  const std::vector<double> d = all_derivatives(x, f);
  EXPECT_EQ(d[0], value);
  for (int i : {1, 2}) EXPECT_DOUBLE_EQ(d[i], first) << "road " << i;
  for (int i : {3, 4, 5, 6}) EXPECT_DOUBLE_EQ(d[i], second) << "road " << i;
}

TEST(DeadBranch, WithADivisionByZeroLeavesTheOtherSidesDerivative) {
  const auto f = [](Builder& b, ValueId x) {  // if x > 0 { log(x)/x } else { x² }
    return b.select(b.less(b.constant(0), x), b.div(b.log(x), x), b.mul(x, x));
  };
  expect_all(0, f, 0, 0, 2);
  expect_all(-3, f, 9, -6, 2);
  expect_all(1, f, 0, 1, -3);
}

TEST(DeadBranch, SharedByTwoChoicesThatAreBothElsewhereIsDeadToo) {
  const auto f = [](Builder& b, ValueId x) {
    const ValueId ok = b.less(b.constant(0), x), y = b.log(x);
    return b.add(b.select(ok, y, x), b.select(ok, b.mul(y, y), b.scale(2, x)));
  };
  expect_all(0, f, 0, 3, 0);
}

TEST(DeadBranch, InsideAnotherDeadBranchIsDead) {
  const auto f = [](Builder& b, ValueId x) {  // if x > 1 { if x > 2 { 1/(x-2)+sqrt(x-1) } else { sqrt(x-1) } } else { x³ }
    const ValueId root = b.sqrt(b.sub(x, b.constant(1)));
    const ValueId inner = b.select(b.less(b.constant(2), x), b.add(b.div(b.constant(1), b.sub(x, b.constant(2))), root), root);
    return b.select(b.less(b.constant(1), x), inner, b.mul(x, b.mul(x, x)));
  };
  expect_all(1, f, 1, 3, 6);
  expect_all(0.5, f, 0.125, 0.75, 3);
  expect_all(2, f, 1, 0.5, -0.25);
}

TEST(DeadBranch, UnderTwoConditionsThatExcludeEachOtherIsNeverAlive) {
  const auto f = [](Builder& b, ValueId x) {  // if x < 1 { x² + 2 (if x < 1 { x } else { log(x) }) } else { 5 x }
    const ValueId low = b.less(x, b.constant(1)), inner = b.select(low, x, b.log(x));
    return b.select(low, b.add(b.mul(x, x), b.scale(2, inner)), b.scale(5, x));
  };
  expect_all(0, f, 0, 2, 2);
  expect_all(2, f, 10, 5, 0);
}

TEST(DeadBranch, UsedOnBothSidesIsAlive) {
  const auto f = [](Builder& b, ValueId x) {
    const ValueId y = b.mul(x, x);
    return b.select(b.less(x, b.constant(1)), b.scale(2, y), b.scale(3, y));
  };
  expect_all(2, f, 12, 12, 6);
  expect_all(-1, f, 2, -4, 4);
}

TEST(DeadBranch, OfMaxIsTheSmallerSide) {
  const auto f = [](Builder& b, ValueId x) { return b.max(b.add(b.log(x), b.div(b.constant(-1), x)), b.scale(5, x)); };
  expect_all(0, f, 0, 5, 0);  // log(0) - 1/0 = -inf
}

TEST(DeadBranch, InALoopOfChoicesKeepsTheRightSide) {  // a chain of else-ifs over shared values
  const auto f = [](Builder& b, ValueId x) {
    ValueId y = b.div(b.constant(1), x);  // the last resort, infinite at 0
    for (int i = 0; i < 30; ++i) {
      const ValueId here = b.less(b.abs(b.sub(x, b.constant(i))), b.constant(0.4));
      y = b.select(here, b.add(b.mul(x, x), b.sqrt(b.sub(x, b.constant(i - 0.4)))), b.add(y, b.sqrt(b.add(x, b.constant(i)))));
    }
    return y;
  };
  const std::vector<double> d = all_derivatives(0, f);
  for (double v : d) EXPECT_TRUE(std::isfinite(v));
  EXPECT_DOUBLE_EQ(d[1], d[2]);
  for (int i : {4, 5, 6}) EXPECT_NEAR(d[i], d[3], 1e-12 * std::fabs(d[3]));
}

TEST(Norm, HasDerivativeZeroAtZeroInEveryMixture) {
  expect_all(0, [](Builder& b, ValueId x) { return b.sqrt(b.mul(x, x)); }, 0, 0, 0);
}

}  // namespace
}  // namespace asb::test
