// Every op of the scalar stage in machine code, for every kind of CPU that can be tried here, bit for bit against the
// meaning of ops.def in C++ (ir::evaluate).
#include <bit>
#include <cmath>
#include <limits>

#include "compiler/ir/builder.h"
#include "compiler/ir/simplify.h"
#include "tests/backends/llvm/launch.h"
#include "tests/support/random.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Op;
using ir::Type;
using ir::ValueId;

constexpr int kRandomEntities = 2000;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kSpecials = {0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, kInfinity, -kInfinity, kNaN, 5e-324, -5e-324,
                                       1e-310, 2.2250738585072014e-308, 1.7976931348623157e308, 4503599627370497.5, 0x1p53};

bool takes_bools(Op op) { return op == Op::And || op == Op::Or || op == Op::Not; }

/// Operands become the op's inputs; a bool operand is an input of type bool.
Function function_of(Op op) {
  Function f;
  f.name = ir::info(op).text;
  f.expanded = true;
  ir::Builder builder(f, ir::Rules::None);
  std::vector<ValueId> operands;
  for (int i = 0; i < ir::info(op).arity; ++i) {
    const bool is_bool = takes_bools(op) || (op == Op::Select && i == 0);
    operands.push_back(builder.add_input(std::string(1, static_cast<char>('a' + i)),
                                         is_bool ? Type::boolean() : Type::scalar(), ir::kAxisMesh));
  }
  const ValueId value = builder.make(op, operands);
  builder.add_output("value", builder.type(value), {value});
  return f;
}

/// Whether ops.def gives the op a value there.
bool is_defined(Op op, const std::vector<double>& operands) {
  if (op == Op::Exponent || op == Op::Mantissa) return std::isfinite(operands[0]) && operands[0] != 0;
  if (op == Op::ScaleByPowerOf2)
    return operands[1] == std::floor(operands[1]) && std::fabs(operands[1]) <= 2100 && std::isfinite(operands[0]);
  return true;
}

Table operands_of(Op op, Random& random) {
  const size_t arity = static_cast<size_t>(ir::info(op).arity);
  Table inputs(arity);
  const auto add = [&](const std::vector<double>& values) {
    if (!is_defined(op, values)) return;
    for (size_t i = 0; i < arity; ++i) inputs[i].push_back({values[i]});
  };
  for (double a : kSpecials)
    for (double b : kSpecials)
      for (double c : {-0.0, 1.25, kNaN})
        add({takes_bools(op) || op == Op::Select ? double(random.coin()) : a, takes_bools(op) ? double(random.coin()) : b, c});
  for (int i = 0; i < kRandomEntities; ++i) {
    // any bit pattern, and numbers of ordinary size
    std::vector<double> values;
    for (int k = 0; k < 3; ++k)
      values.push_back(i % 2 ? std::bit_cast<double>(random.bits()) : random.uniform(-3, 3));
    if (op == Op::ScaleByPowerOf2) values[1] = random.integer(-2100, 2100);
    if (takes_bools(op) || op == Op::Select) values[0] = random.coin();
    if (takes_bools(op)) values[1] = random.coin();
    add(values);
  }
  return inputs;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool has_own_test(Op op) { return op == Op::Constant || op == Op::Input || op == Op::Iterate; }
bool is_replaced(Op op) {
  return op == Op::Exp || op == Op::Log || op == Op::Sin || op == Op::Cos || op == Op::Tan || op == Op::Tanh ||
         op == Op::Atan2 || op == Op::Pow;
}

TEST(LlvmOps, GiveTheBitsOfOpsDefOnEveryKindOfCpu) {
  for (const std::string& cpu : runnable_cpus())
    for (int lanes : {0, 1}) {
      const auto llvm = backend({.cpu = cpu, .lanes = lanes, .cache = false});
      ASSERT_TRUE(llvm);
      Random random(7);
      int tried = 0;
      for (Op op : ir::all_ops()) {
        if (!ir::is_entrywise(op) || is_replaced(op) || has_own_test(op)) continue;
        const Table inputs = operands_of(op, random);
        const size_t n = inputs[0].size();
        const Table outputs = launch(*llvm, function_of(op), inputs, n);
        ASSERT_EQ(outputs.size(), 1u);
        for (size_t e = 0; e < n; ++e) {
          double operands[3] = {};
          for (size_t i = 0; i < inputs.size(); ++i) operands[i] = inputs[i][e][0];
          const double expected = ir::evaluate(op, operands[0], operands[1], operands[2]);
          ASSERT_TRUE(same_bits(outputs[0][e][0], expected))
              << ir::info(op).text << "(" << operands[0] << ", " << operands[1] << ", " << operands[2] << ") is "
              << outputs[0][e][0] << ", not " << expected << ", on `" << cpu << "` with " << llvm->description();
        }
        ++tried;
      }
      EXPECT_GE(tried, 25) << "ops are found by enumeration";
    }
}

TEST(LlvmOps, AnswerEveryOpWithCodeOrARefusalByName) {
  const auto llvm = backend();
  for (Op op : ir::all_ops()) {
    if (op == Op::Constant || op == Op::Input || op == Op::Iterate) continue;
    const bool is_scalar_op = ir::is_entrywise(op) && !is_replaced(op);
    Function f;
    f.name = "kernel";
    f.expanded = true;
    ir::Builder builder(f, ir::Rules::None);
    const ValueId x = builder.add_input("x", Type::scalar(), ir::kAxisMesh);
    // not through the builder, which would ask for operands of the right shape
    if (!is_scalar_op) {
      ir::Inst inst;
      inst.op = op;
      inst.args = {x, x};
      f.insts.push_back(inst);
      f.outputs.push_back({"value", Type::scalar(), {ValueId(1)}});
    }
    const KernelPlan plan{{}, is_scalar_op ? function_of(op) : f};
    const auto compiled = llvm->compile({&plan, 1});
    EXPECT_EQ(compiled.has_value(), is_scalar_op) << ir::info(op).text;
    if (!compiled) {
      EXPECT_NE(compiled.error().message.find(ir::info(op).text), std::string::npos) << compiled.error().message;
    }
  }
}

/// x ← x/2 + captured until x - captured < 1, at most `cap` rounds.
Function halving(int32_t cap) {
  Function body;
  body.name = "half";
  body.expanded = true;
  ir::Builder inner(body);
  const ValueId x = inner.add_input("x", Type::scalar(), ir::kAxisMesh);
  const ValueId c = inner.add_input("c", Type::scalar(), ir::kAxisMesh);
  const ValueId next = inner.add(inner.mul(inner.constant(0.5), x), c);
  inner.add_output("next", next);
  inner.add_output("stop", Type::boolean(), {inner.less(next, inner.add(c, inner.constant(1)))});
  Function f;
  f.name = "iterate";
  f.expanded = true;
  ir::Builder builder(f);
  const ValueId start = builder.add_input("start", Type::scalar(), ir::kAxisMesh);
  const ValueId captured = builder.add_input("captured", Type::scalar(), ir::kAxisMesh);
  const ValueId uniform = builder.add_input("uniform", Type::scalar(), 0);
  const ValueId once = builder.iterate(body, {start, captured}, cap);
  builder.add_output("value", builder.add(builder.constant(1), once));
  // a loop that depends on another, and one that is the same for all entities
  Function again = body, same = body;
  builder.add_output("twice", builder.iterate(again, {builder.mul(once, once), captured}, cap));
  builder.add_output("uniform", builder.iterate(same, {uniform, uniform}, cap));
  return f;
}

double halved(double x, double c, int cap) {
  for (int round = 0; round < cap; ++round) {
    x = 0.5 * x + c;
    if (x < c + 1) break;
  }
  return x;
}

TEST(LlvmOps, IterateStopsEachLaneByItselfAndAllAtTheCap) {
  for (const std::string& cpu : runnable_cpus())
    for (int32_t cap : {1, 7, 60}) {
      const auto llvm = backend({.cpu = cpu, .cache = false});
      for (size_t n : {1, 8, 9, 24, 40}) {
        Random random(11);
        Table inputs(3);
        for (size_t e = 0; e < n; ++e) {
          inputs[0].push_back({std::exp2(random.integer(0, 20)) * random.uniform(1, 2)});
          inputs[1].push_back({e % 5 == 4 ? kNaN : random.uniform(-1, 1)});  // NaN never stops
        }
        inputs[2] = {{0.25}};
        const Table outputs = launch(*llvm, halving(cap), inputs, n);
        for (size_t e = 0; e < n; ++e) {
          const double x = inputs[0][e][0], c = inputs[1][e][0], once = halved(x, c, cap);
          EXPECT_TRUE(same_bits(outputs[0][e][0], 1 + once)) << outputs[0][e][0] << " is not 1 + " << once;
          EXPECT_TRUE(same_bits(outputs[1][e][0], halved(once * once, c, cap)));
          EXPECT_EQ(outputs[2][e][0], halved(0.25, 0.25, cap));
        }
      }
    }
}

}  // namespace
}  // namespace asb::test
