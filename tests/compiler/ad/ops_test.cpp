// Every op of the tensor stage, found by enumerating ops.def.
#include <cstring>

#include "tests/compiler/ad/ad_testing.h"
#include "tests/support/op_cases.h"

namespace asb::test {
namespace {

using ir::Op;

constexpr uint64_t kSeed = 20261201;

bool is_scalar_stage(Op op) { return std::strcmp(ir::info(op).stage, "Scalar") == 0; }
bool has_smoothness(Op op, const char* kind) { return std::strcmp(ir::info(op).smooth, kind) == 0; }

/// The case with output 0 a random projection of its value.
ir::Function density_of(const OpCase& c, Random& random) {
  ir::Function function = c.function;
  const ir::ValueId value = function.outputs[0].values[0];
  const ir::Type type = function.outputs[0].type;
  function.outputs.clear();
  ir::Builder b(function);
  if (type.kind == ir::Kind::Bool) {
    b.add_output("psi", b.select(value, b.constant(2), b.constant(1)));
    return function;
  }
  std::vector<ir::ValueId> weights;
  for (double w : random.uniforms(type.entries(), 0.5, 1.5)) weights.push_back(b.constant(w));
  b.add_output("psi", b.inner(b.stack(weights, type), value));
  return function;
}

TEST(EveryOp, HasInputsToTryItOn) {
  Random random(kSeed);
  for (const Op op : ir::all_ops()) EXPECT_FALSE(op_cases(op, random).empty()) << "no form of `" << ir::info(op).text << "`";
}

TEST(EveryOp, HasFirstAndSecondDerivativesThatFallAsTaylorPromises) {
  std::cout << "seed " << kSeed << "\n";
  Random random(kSeed);
  for (const Op op : ir::all_ops()) {
    // an envelope's derivative is that of its surroundings at a minimum: minimisers_test.cpp
    if (is_scalar_stage(op) || op == Op::Envelope) continue;
    for (const OpCase& c : op_cases(op, random)) {
      const ir::Function function = density_of(c, random);
      const ad::Density density{function, real_inputs(function)};
      if (density.locals.empty()) continue;
      const double size = 0.4;  // times h <= 0.1, times at most 3: stays on one side of every kink
      expect_derivatives(density, c.arguments, random, c.name, size, &std::cout);
    }
  }
}

TEST(EveryOp, IsConstantWhereTheTableSaysFlatAndHasNoCurvatureAtKinks) {
  Random random(kSeed);
  for (const Op op : ir::all_ops()) {
    if (is_scalar_stage(op) || !(has_smoothness(op, "Flat") || has_smoothness(op, "Kink"))) continue;
    for (const OpCase& c : op_cases(op, random)) {
      const ir::Function function = density_of(c, random);
      const ad::Density density{function, real_inputs(function)};
      if (density.locals.empty()) continue;
      const Arguments d = random_direction(random, density);
      const Line line = along(density, c.arguments, d, d);
      if (has_smoothness(op, "Flat")) EXPECT_EQ(largest(line.gradient), 0) << c.name;
      else EXPECT_GT(largest(line.gradient), 0) << c.name;
      EXPECT_EQ(largest(line.product), 0) << c.name;
    }
  }
}

/// f of one scalar: value, first and second derivative at x.
std::array<double, 3> derivatives_at(double x, const std::function<ir::ValueId(ir::Builder&, ir::ValueId)>& f) {
  ir::Function function;
  ir::Builder b(function);
  const ir::ValueId v = b.add_input("x", ir::Type::scalar(), ir::kAxisMesh);
  const ir::ValueId y = f(b, v), first = ad::derivative(b, y, v), second = ad::derivative(b, first, v);
  b.add_output("y", y);
  b.add_output("first", first);
  b.add_output("second", second);
  const auto out = run(function, {{x}});
  return {out[0].entries[0].value, out[1].entries[0].value, out[2].entries[0].value};
}

using Three = std::array<double, 3>;

TEST(Kinks, HaveTheDerivativeOfTheBranchTakenAndAtEqualityOfTheFirst) {
  const auto abs = [](ir::Builder& b, ir::ValueId x) { return b.abs(x); };
  EXPECT_EQ(derivatives_at(0, abs), (Three{0, 1, 0}));
  EXPECT_EQ(derivatives_at(-2, abs), (Three{2, -1, 0}));
  const auto min = [](ir::Builder& b, ir::ValueId x) { return b.min(b.scale(3, x), b.scale(2, x)); };
  EXPECT_EQ(derivatives_at(0, min), (Three{0, 3, 0}));
  EXPECT_EQ(derivatives_at(1, min), (Three{2, 2, 0}));
  const auto max = [](ir::Builder& b, ir::ValueId x) { return b.max(b.scale(3, x), b.scale(2, x)); };
  EXPECT_EQ(derivatives_at(0, max), (Three{0, 3, 0}));
  EXPECT_EQ(derivatives_at(-1, max), (Three{-2, 2, 0}));
}

TEST(SquareRoot, HasDerivativeZeroAtZero) {
  EXPECT_EQ(derivatives_at(0, [](ir::Builder& b, ir::ValueId x) { return b.sqrt(x); }), (Three{0, 0, 0}));
  EXPECT_EQ(derivatives_at(0, [](ir::Builder& b, ir::ValueId x) { return b.sqrt(b.mul(x, x)); }), (Three{0, 0, 0}));
  EXPECT_EQ(derivatives_at(0, [](ir::Builder& b, ir::ValueId x) { return b.pow(x, b.constant(0.3)); }), (Three{0, 0, 0}));
}

TEST(SquareRoot, OfALargeTensorHasDerivativeZeroAtZeroToo) {
  ir::Function function;
  ir::Builder b(function);
  const ir::ValueId v = b.add_input("x", ir::Type::vector(100), ir::kAxisMesh);
  b.add_output("psi", b.sum(b.sqrt(b.mul(v, v))));
  std::vector<double> x(100, 0.0);
  x[7] = -2;
  const std::vector<double> g = run(ad::gradient_function({function, {0}}), {x}, "gradient.x");
  for (int i = 0; i < 100; ++i) EXPECT_EQ(g[i], i == 7 ? -1 : 0);
}

TEST(Power, WithAWholeConstantExponentDifferentiatesRightAtZeroAndBelow) {
  const auto power = [](double c) { return [c](ir::Builder& b, ir::ValueId x) { return b.pow(x, b.constant(c)); }; };
  EXPECT_EQ(derivatives_at(-2, power(3)), (Three{-8, 12, -12}));
  EXPECT_EQ(derivatives_at(0, power(2)), (Three{0, 0, 2}));
  EXPECT_EQ(derivatives_at(0, power(1)), (Three{0, 1, 0}));
  EXPECT_EQ(derivatives_at(0, power(0)), (Three{1, 0, 0}));
  EXPECT_EQ(derivatives_at(-2, power(-1)), (Three{-0.5, -0.25, -0.25}));
  EXPECT_EQ(derivatives_at(0, power(2.5)), (Three{0, 0, 0}));
  const Three large = derivatives_at(-1, power(21));  // beyond the products that the builder makes of small exponents
  EXPECT_EQ(large, (Three{-1, 21, -420}));
}

TEST(Power, WithAVaryingExponentHasDerivativeZeroAtAZeroBase) {
  const auto f = [](ir::Builder& b, ir::ValueId x) { return b.pow(x, b.add(b.constant(2), x)); };
  EXPECT_EQ(derivatives_at(0, f)[1], 0);
}

TEST(Angle, HasDerivativeZeroAtTheOrigin) {
  const auto f = [](ir::Builder& b, ir::ValueId x) { return b.atan2(x, x); };
  EXPECT_EQ(derivatives_at(0, f)[1], 0);
}

}  // namespace
}  // namespace asb::test
