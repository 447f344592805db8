// The pass `elementary`: bounds over the whole range, singular values, and that nothing elementary is left. The
// arithmetic is evaluated as ops.def says, in C++.
#include <gtest/gtest.h>

#include <limits>

#include "compiler/ir/simplify.h"
#include "compiler/ir/verify.h"
#include "tests/compiler/elementary/cases.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Op;
using ir::ValueId;

constexpr int kSamples = 20000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

enum class FmaRounds { Once, Twice };

/// The first output of a scalar function without Iterate.
double value_of(const Function& function, double x, double y = 0, FmaRounds rounds = FmaRounds::Once) {
  static std::vector<double> v;
  v.resize(function.insts.size());
  for (size_t i = 0; i < v.size(); ++i) {
    const ir::Inst& inst = function.insts[i];
    const auto operand = [&](size_t k) { return k < inst.args.size() ? v[inst.args[k].index] : 0; };
    if (inst.op == Op::Input) {
      v[i] = inst.index == 0 ? x : y;
    } else if (inst.op == Op::Constant) {
      v[i] = inst.number;
    } else if (inst.op == Op::Fma && rounds == FmaRounds::Twice) {
      v[i] = operand(0) * operand(1) + operand(2);
    } else {
      v[i] = ir::evaluate(inst.op, operand(0), operand(1), operand(2));
    }
  }
  return v[function.outputs[0].values[0].index];
}

void expect_bounds(FmaRounds rounds) {
  Random random(2);
  for (const ElementaryCase& c : elementary_cases()) {
    const Function function = functions_of(c.op).scalar;
    double worst = 0, at_x = 0, at_y = 0;
    for (int i = 0; i < kSamples; ++i) {
      const double x = c.x(random), y = c.y(random);
      const double error = error_in_ulp(value_of(function, x, y, rounds), c.reference(x, y), c.absolute);
      if (error > worst) worst = error, at_x = x, at_y = y;
    }
    std::printf("%-30s %.3f ULP at (%.17g, %.17g)\n", c.name.c_str(), worst, at_x, at_y);
    EXPECT_LE(worst, c.bound) << c.name << " at (" << at_x << ", " << at_y << ")";
  }
}

TEST(Elementary, StaysWithinTheStatedBounds) { expect_bounds(FmaRounds::Once); }
TEST(Elementary, StaysWithinTheStatedBoundsWhereFmaRoundsTwice) { expect_bounds(FmaRounds::Twice); }

TEST(Elementary, AgreesWithCAtSpecialValues) {
  const std::vector<double> specials = {0,   -0.0,  1,     -1,      kInfinity, -kInfinity, kNaN, 5e-324,  -5e-324, 1e-310,
                                        0.5, 1e308, -1e308, 2.2e-308, 1.79769313486231570e308, 3,    -3,      709.8,   -745.2};
  for (Op op : {Op::Exp, Op::Log, Op::Sin, Op::Cos, Op::Tan, Op::Tanh, Op::Atan2, Op::Pow}) {
    const Function function = functions_of(op).scalar;
    for (double x : specials)
      for (double y : specials) {
        if (op == Op::Pow && (x < 0 || (x == 1 && std::isnan(y)))) continue;  // ours is NaN for any such
        if ((op == Op::Sin || op == Op::Cos || op == Op::Tan) && std::isfinite(x) && std::fabs(x) > 1.6e6) continue;
        // -0 counts as 0
        const double expected = ir::evaluate(op, x == 0 ? 0 : x, y == 0 ? 0 : y);
        const double value = value_of(function, x, y);
        if (std::isnan(expected)) {
          EXPECT_TRUE(std::isnan(value)) << ir::info(op).text << " of (" << x << ", " << y << ") is " << value;
        } else if (std::isinf(expected)) {
          EXPECT_EQ(value, expected) << ir::info(op).text << " of (" << x << ", " << y << ")";
        } else {
          EXPECT_LE(std::fabs(value - expected), 2.5 * ulp_at(expected))
              << ir::info(op).text << " of (" << x << ", " << y << ") is " << value << ", not " << expected;
        }
      }
  }
}

TEST(Elementary, ExpIsOneAtZeroAndLogIsZeroAtOneExactly) {
  EXPECT_EQ(value_of(functions_of(Op::Exp).scalar, 0), 1);
  EXPECT_EQ(value_of(functions_of(Op::Log).scalar, 1), 0);
  EXPECT_EQ(value_of(functions_of(Op::Cos).scalar, 0), 1);
}

TEST(Elementary, SineOfFarArgumentsIsThatOfANumberNextToThem) {
  const Function sine = functions_of(Op::Sin).scalar, cosine = functions_of(Op::Cos).scalar;
  Random random(3);
  for (int i = 0; i < kSamples; ++i) {
    const double x = signed_log_uniform(random, 20.5, 1023.9);
    const double s = value_of(sine, x), c = value_of(cosine, x);
    EXPECT_LE(std::fabs(s), 1) << x;
    EXPECT_LE(std::fabs(c), 1) << x;
    if (std::fabs(x) > 0x1p50) continue;
    // |d sin| <= |dx|, and x 2^-52 is at most two of its last places
    const double slack = std::fabs(x) * 0x1p-52;
    EXPECT_LE(std::fabs(s - std::sin(static_cast<long double>(x))), slack) << x;
    EXPECT_LE(std::fabs(c - std::cos(static_cast<long double>(x))), slack) << x;
  }
}

/// a^n with the exponent known.
Function power(double n) {
  Function f;
  f.name = "power";
  ir::Builder builder(f, ir::Rules::None);
  const ValueId a = builder.add_input("a", ir::Type::scalar(), ir::kAxisMesh);
  builder.add_output("value", builder.pow(a, builder.constant(n)));
  return ir::elementary(ir::expand(f));
}

TEST(Elementary, WholeConstantExponentsTakeNegativeBases) {
  Random random(4);
  for (double n : {1.0, 2.0, 3.0, -1.0, -2.0, 7.0, 15.0, -16.0, 17.0, -41.0, 100.0}) {
    const Function f = power(n);
    const double bound = std::fabs(n) <= 16 ? std::fabs(n) : 1;
    for (int i = 0; i < 2000; ++i) {
      const double a = random.uniform(-3, 3);
      EXPECT_LE(error_in_ulp(value_of(f, a), std::pow(static_cast<long double>(a), static_cast<long double>(n)), 0), bound)
          << a << " to the " << n;
    }
  }
  EXPECT_EQ(value_of(power(0), kNaN), 1);
  EXPECT_TRUE(std::isnan(value_of(power(0.5), -2)));
  EXPECT_EQ(value_of(power(-3), 0), kInfinity);
}

TEST(Elementary, LeavesNoElementaryOpBehindInBodiesEither) {
  Function body;
  body.name = "body";
  body.expanded = true;
  ir::Builder inner(body);
  const ValueId x = inner.add_input("x", ir::Type::scalar(), ir::kAxisMesh);
  inner.add_output("next", inner.tanh(inner.atan2(x, inner.cos(x))));
  inner.add_output("stop", ir::Type::boolean(), {inner.less(x, inner.constant(0.1))});
  Function outer;
  outer.name = "outer";
  outer.expanded = true;
  ir::Builder builder(outer);
  const ValueId start = builder.add_input("start", ir::Type::scalar(), ir::kAxisMesh);
  builder.add_output("value", builder.pow(builder.exp(builder.iterate(body, {builder.sin(start)}, 3)), start));

  const Function result = ir::elementary(outer);
  EXPECT_TRUE(ir::verify(result).has_value());
  for (const Function* f : {&result, &result.bodies[0]})
    for (const ir::Inst& inst : f->insts)
      for (Op op : {Op::Exp, Op::Log, Op::Sin, Op::Cos, Op::Tan, Op::Tanh, Op::Atan2, Op::Pow})
        EXPECT_NE(inst.op, op) << f->name;
}

TEST(Elementary, SineAndCosineOfOneAngleShareTheirWork) {
  Function f;
  f.name = "both";
  f.expanded = true;
  ir::Builder builder(f);
  const ValueId x = builder.add_input("x", ir::Type::scalar(), ir::kAxisMesh);
  builder.add_output("sine", builder.sin(x));
  builder.add_output("cosine", builder.cos(x));
  EXPECT_LT(ir::elementary(f).insts.size(), functions_of(Op::Sin).scalar.insts.size() + 12);
}

}  // namespace
}  // namespace asb::test
