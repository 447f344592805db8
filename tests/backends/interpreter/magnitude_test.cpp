// The running magnitude bounds what another order of evaluation, or perturbed rounding, may give; and isn't so large
// that it says nothing.
#include <gtest/gtest.h>

#include "compiler/ad/form.h"
#include "tests/support/random_function.h"

namespace asb::test {
namespace {

using interpreter::Number;
using ir::Builder;
using ir::Op;
using ir::Type;
using ir::ValueId;

constexpr double kEpsilon = 0x1p-52;

Number evaluate_one(const std::function<ValueId(Builder&, std::vector<ValueId>)>& f, const std::vector<double>& x) {
  ir::Function function;
  Builder b(function, ir::Rules::None);
  std::vector<ValueId> inputs;
  Arguments numbers;
  for (double v : x) {
    inputs.push_back(b.add_input("x", Type::scalar(), ir::kAxisMesh));
    numbers.push_back({v});
  }
  b.add_output("y", f(b, inputs));
  return run(function, numbers)[0].entries[0];
}

TEST(Magnitude, OfACancellingSumIsTheSumOfItsTerms) {
  const Number n = evaluate_one([](Builder& b, auto x) { return b.sub(b.add(x[0], x[1]), x[0]); }, {1e8, 1});
  EXPECT_EQ(n.value, 1);
  EXPECT_GE(n.magnitude, 2e8);
  EXPECT_LE(n.magnitude, 5e8);
}

TEST(Magnitude, OfInputsAndExactStepsIsZero) {
  const Number n = evaluate_one([](Builder& b, auto x) { return b.neg(b.add(x[0], b.constant(0))); }, {0.1});
  EXPECT_EQ(n.magnitude, 0);
  EXPECT_TRUE(interpreter::agrees(n, -0.1));
  EXPECT_FALSE(interpreter::agrees(n, -0.1 - 1e-15));
}

TEST(Magnitude, IsAmplifiedByASteepFunction) {  // log(a + b - a) near its pole, exp of a large argument
  const Number log = evaluate_one([](Builder& b, auto x) { return b.log(b.sub(b.add(x[0], x[1]), x[0])); }, {1, 1e-6});
  EXPECT_GT(log.magnitude, 1e6);
  EXPECT_LT(log.magnitude, 1e7);
}

TEST(Magnitude, StaysFiniteAtTheRootOfZero) {  // sqrt of a rounded zero
  const Number n = evaluate_one([](Builder& b, auto x) { return b.sqrt(b.sub(b.add(x[0], x[1]), b.add(x[0], x[1]))); }, {1, 0.3});
  EXPECT_EQ(n.value, 0);
  EXPECT_TRUE(interpreter::agrees(n, 1e-8)) << "another order may leave sqrt(eps)";
  EXPECT_FALSE(interpreter::agrees(n, 1e-4));
}

TEST(Magnitude, AdmitsBothSidesWhereAComparisonIsUndecided) {
  const auto f = [](Builder& b, std::vector<ValueId> x) {
    return b.select(b.less(b.add(x[0], x[1]), b.constant(0.3)), b.constant(5), b.constant(7));
  };
  const Number close = evaluate_one(f, {0.1, 0.2}), clear = evaluate_one(f, {0.1, 0.1});
  EXPECT_TRUE(interpreter::agrees(close, 5) && interpreter::agrees(close, 7));
  EXPECT_TRUE(interpreter::agrees(clear, 5));
  EXPECT_FALSE(interpreter::agrees(clear, 7));
}

TEST(Magnitude, DecidesAComparisonOfExactNumbersExactly) {
  const auto f = [](Builder& b, std::vector<ValueId> x) { return b.select(b.less(x[0], b.constant(0.3)), b.constant(5), b.constant(7)); };
  EXPECT_FALSE(interpreter::agrees(evaluate_one(f, {0.3}), 5));
}

TEST(Agreement, TreatsNanAndInfinityAsValues) {
  EXPECT_TRUE(interpreter::agrees({std::nan(""), 0}, std::nan("")));
  EXPECT_FALSE(interpreter::agrees({std::nan(""), 0}, 1));
  EXPECT_FALSE(interpreter::agrees({1, HUGE_VAL}, std::nan("")));
  EXPECT_TRUE(interpreter::agrees({HUGE_VAL, 0}, HUGE_VAL));
  EXPECT_FALSE(interpreter::agrees({HUGE_VAL, 0}, -HUGE_VAL));
}

TEST(Magnitude, CoversPerturbedInputsAndIsNotVacuous) {
  // Moving each input by a relative eps is what a rounding error does; with rounded inputs the magnitude must cover it,
  // and the magnitudes of random densities and Hessians must stay near the size of the numbers.
  int vacuous = 0, total = 0;
  for (uint64_t seed = 300; seed < 330; ++seed) {
    Random random(seed);
    const ir::Function density = random_density(random);
    const ir::Function f = ad::form_function({density, {0, 1, 2}}, ad::kEnergy | ad::kGradient | ad::kHessian);
    const Arguments at = random_arguments(random, f);
    const auto nominal = interpreter::evaluate(f, tensors(f, at), {.inputs_are_rounded = true}).outputs;
    Arguments shaken = at;
    for (auto& x : shaken)
      for (double& v : x) v *= 1 + random.uniform(-1, 1) * 1e4 * kEpsilon;
    const auto moved = run(f, shaken);
    for (size_t o = 0; o < nominal.size(); ++o)
      for (size_t k = 0; k < nominal[o].entries.size(); ++k) {
        const Number n = nominal[o].entries[k];
        EXPECT_LE(std::fabs(n.value - moved[o].entries[k].value), 1e4 * kEpsilon * n.magnitude * 1.01) << "seed " << seed;
        vacuous += n.magnitude > 1e6;
        ++total;
      }
  }
  EXPECT_LT(vacuous, total / 100);
}

}  // namespace
}  // namespace asb::test
