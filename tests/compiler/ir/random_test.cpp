// Random functions keep their values through every pass; every op of the tensor stage takes part.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "compiler/ir/print.h"
#include "compiler/passes/pipeline.h"
#include "tests/compiler/ir/functions.h"
#include "tests/compiler/ir/random_function.h"

namespace asb::ir {
namespace {

/// Whether all values are finite (else 0 · NaN → 0 may show: simplify.h) and all rotations determined.
bool is_comparable(const Function& f, const interpreter::Evaluation& evaluation) {
  constexpr double kUndetermined = 1e6;  // roundings
  for (size_t i = 0; i < f.insts.size(); ++i)
    for (const interpreter::Number& x : evaluation.values[i].entries) {
      if (!std::isfinite(x.value)) return false;
      if (f.insts[i].op == Op::Rotation && !(x.magnitude < kUndetermined)) return false;
    }
  return true;
}

TEST(RandomFunctions, keep_their_values_through_every_pass) {
  constexpr int kFunctions = 600, kLength = 24;
  std::set<Op> seen;
  int compared = 0;
  for (unsigned seed = 0; seed < kFunctions; ++seed) {
    const Function f = test::random_function(seed, kLength);
    const auto inputs = test::some_inputs(f, seed);
    if (!is_comparable(f, interpreter::evaluate(f, inputs))) continue;
    ++compared;
    for (const Inst& inst : f.insts) seen.insert(inst.op);
    const Result<Function> result = run_pipeline(f, [&](std::string_view pass, const Function& g) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << " after " << pass);
      test::expect_same_values(f, g, inputs);
    });
    ASSERT_TRUE(result) << "seed " << seed << ": " << result.error().message << to_string(f);
    if (HasFailure()) {
      std::cout << to_string(f);
      return;
    }
  }
  EXPECT_GT(compared, kFunctions / 3);
  for (const Op op : all_ops())
    EXPECT_EQ(seen.count(op), std::string_view(info(op).stage) == "Scalar" ? 0u : 1u) << info(op).text;
}

}  // namespace
}  // namespace asb::ir
