// Every op of the scalar stage on every backend, bit for bit against the meaning of ops.def in C++ (ir::evaluate).
// Where a device counts subnormals as zero, either reading of a subnormal operand or result is right; nothing else is.
#include <cmath>

#include "compiler/ir/simplify.h"
#include "tests/backends/agreement/operands.h"

namespace asb::test {
namespace {

using ir::Op;

constexpr int kRandomEntities = 600;

class BackendOps : public OnBackend {};
ASB_ON_ALL_BACKENDS(BackendOps);

double flushed(double a) { return is_subnormal(a) ? std::copysign(0.0, a) : a; }

/// All values that the op may have where any subnormal may count as zero.
bool is_allowed(Op op, const double* x, double value) {
  for (int mask = 0; mask < 8; ++mask) {
    double operands[3];
    for (int i = 0; i < 3; ++i) operands[i] = mask >> i & 1 ? flushed(x[i]) : x[i];
    const double expected = ir::evaluate(op, operands[0], operands[1], operands[2]);
    // the sign of a flushed zero isn't promised: (-tiny)·… may be either
    if (same_bits(value, expected) || (is_subnormal(expected) && value == 0)) return true;
    // an fma may round twice (backend.h)
    if (op == Op::Fma && same_bits(value, operands[0] * operands[1] + operands[2])) return true;
  }
  return false;
}

/// Whether this backend keeps subnormal numbers: 2^-1074 · 1 is not 0.
bool keeps_subnormals(Backend& backend) {
  const ir::Function f = function_of(Op::Mul);
  return launch(backend, {f, f}, {{{5e-324}}, {{1.0}}}, 1).at(0)[0][0] != 0;
}

TEST_P(BackendOps, GiveTheBitsOfOpsDef) {
  const bool exact = keeps_subnormals(*backend_);
  std::printf("%s: %s\n", backend_->description().c_str(), exact ? "keeps subnormals" : "flushes subnormals");
  Random random(7);
  int fused = 0, fma_cases = 0;
  for (const Op op : scalar_ops()) {
    const ir::Function f = function_of(op);
    const Table inputs = operands_of(op, random, GetParam() == "vulkan-staged" ? 20 : kRandomEntities);
    const size_t n = inputs[0].size();
    const Table outputs = launch(*backend_, {f, f}, inputs, n);
    ASSERT_EQ(outputs.size(), 1u);
    int wrong = 0;
    for (size_t e = 0; e < n; ++e) {
      double x[3] = {};
      for (size_t i = 0; i < inputs.size(); ++i) x[i] = inputs[i][e][0];
      const double value = outputs[0][e][0], expected = ir::evaluate(op, x[0], x[1], x[2]);
      if (op == Op::Fma && !same_bits(expected, x[0] * x[1] + x[2])) ++fma_cases, fused += same_bits(value, expected);
      const bool right = same_bits(value, expected) || ((!exact || op == Op::Fma) && is_allowed(op, x, value));
      EXPECT_TRUE(right || ++wrong > 5) << ir::info(op).text << "(" << x[0] << ", " << x[1] << ", " << x[2] << ") is "
                                        << value << ", not " << expected;
    }
    EXPECT_EQ(wrong, 0) << ir::info(op).text << ": " << wrong << " of " << n;
  }
  EXPECT_GE(scalar_ops().size(), 25u) << "ops are found by enumeration";
  std::printf("fma has one rounding in %d of %d cases in which that shows\n", fused, fma_cases);
}

TEST_P(BackendOps, IterateStopsEachEntityByItselfAndAllAtTheCap) {
  for (const int32_t cap : {1, 7, 60})
    for (const size_t n : {1, 8, 9, 200}) {
      Random random(11);
      Table inputs(3);
      for (size_t e = 0; e < n; ++e) {
        inputs[0].push_back({std::exp2(random.integer(0, 20)) * random.uniform(1, 2)});
        inputs[1].push_back({e % 5 == 4 ? std::nan("") : random.uniform(-1, 1)});  // NaN never stops
      }
      inputs[2] = {{0.25}};
      const ir::Function f = halving(cap);
      const Table outputs = launch(*backend_, {f, f}, inputs, n);
      for (size_t e = 0; e < n; ++e) {
        const double x = inputs[0][e][0], c = inputs[1][e][0], once = halved(x, c, cap);
        ASSERT_TRUE(same_bits(outputs[0][e][0], 1 + once)) << outputs[0][e][0] << " is not 1 + " << once;
        ASSERT_TRUE(same_bits(outputs[1][e][0], halved(once * once, c, cap)));
        ASSERT_EQ(outputs[2][e][0], halved(0.25, 0.25, cap));
      }
    }
}

}  // namespace
}  // namespace asb::test
