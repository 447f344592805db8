// The operands, from a table of special numbers and from random bits.
#include "tests/backends/agreement/operands.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "compiler/ir/simplify.h"

namespace asb::test {
namespace {

using ir::Builder;
using ir::Function;
using ir::Op;
using ir::Type;
using ir::ValueId;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
const std::vector<double> kSpecials = {0, -0.0, 1, -1, 0.5, -0.5, 1.5, 2.5, kInfinity, -kInfinity, kNaN, 5e-324,
                                       -5e-324, 0x1p-1043, 0x1.8p-1042, 0x1p-1041, 0x0.fffffffffffffp-1022, 1e-310,
                                       0x1p-1022, 0x1.fffffffffffffp1023, 4503599627370497.5, 0x1p53};

bool takes_bools(Op op) { return op == Op::And || op == Op::Or || op == Op::Not; }

/// x and n such that x 2^n is subnormal, halfway between two numbers but for the last bit of x: rounded twice, it goes
/// the wrong way.
std::vector<std::pair<double, double>> almost_ties(Random& random) {
  std::vector<std::pair<double, double>> result;
  for (int n = -1072; n <= -1024; ++n) {
    const int lost = -1021 - n;  // bits of x in [1/2, 1)
    uint64_t fraction = random.bits() >> 11 | 1ull << 52;
    fraction = lost < 52 ? fraction >> (lost + 1) << (lost + 1) : 1ull << 52;
    if (lost < 52) fraction |= 1ull << (lost - 1);
    result.emplace_back(std::ldexp(static_cast<double>(fraction | 1), -53), n);
  }
  return result;
}

bool is_defined(Op op, const std::vector<double>& operands) {
  if (op == Op::Exponent || op == Op::Mantissa) return std::isfinite(operands[0]) && operands[0] != 0;
  if (op == Op::ScaleByPowerOf2)
    return operands[1] == std::floor(operands[1]) && std::fabs(operands[1]) <= 2100 && std::isfinite(operands[0]);
  return true;
}

}  // namespace

bool is_elementary(Op op) {
  return op == Op::Exp || op == Op::Log || op == Op::Sin || op == Op::Cos || op == Op::Tan || op == Op::Tanh ||
         op == Op::Atan2 || op == Op::Pow;
}

std::vector<Op> scalar_ops() {
  std::vector<Op> ops;
  for (Op op : ir::all_ops())
    if (ir::is_entrywise(op) && !is_elementary(op)) ops.push_back(op);
  return ops;
}

Function function_of(Op op) {
  Function f;
  f.name = ir::info(op).text;
  f.expanded = true;
  Builder builder(f, ir::Rules::None);
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

Table operands_of(Op op, Random& random, int random_entities) {
  const size_t arity = static_cast<size_t>(ir::info(op).arity);
  Table inputs(arity);
  const auto add = [&](std::vector<double> values) {
    if (takes_bools(op) || op == Op::Select) values[0] = random.coin();
    if (takes_bools(op)) values[1] = random.coin();
    if (!is_defined(op, values)) return;
    for (size_t i = 0; i < arity; ++i) inputs[i].push_back({values[i]});
  };
  for (double a : kSpecials)
    for (double b : kSpecials)
      for (double c : {-0.0, 1.25, kNaN}) add({a, b, c});
  if (op == Op::ScaleByPowerOf2)
    for (const auto& [x, n] : almost_ties(random)) add({x, n, 0});
  for (int i = 0; i < random_entities; ++i) {
    std::vector<double> values;
    for (int k = 0; k < 3; ++k)
      values.push_back(i % 2 ? std::bit_cast<double>(random.bits()) : random.uniform(-3, 3));
    if (op == Op::ScaleByPowerOf2) values[1] = random.integer(-2100, 2100);
    add(values);
  }
  return inputs;
}

Function halving(int32_t cap) {
  Function body;
  body.name = "half";
  body.expanded = true;
  Builder inner(body);
  const ValueId x = inner.add_input("x", Type::scalar(), ir::kAxisMesh);
  const ValueId c = inner.add_input("c", Type::scalar(), ir::kAxisMesh);
  const ValueId next = inner.add(inner.mul(inner.constant(0.5), x), c);
  inner.add_output("next", next);
  inner.add_output("stop", Type::boolean(), {inner.less(next, inner.add(c, inner.constant(1)))});
  Function f;
  f.name = "iterate";
  f.expanded = true;
  Builder builder(f);
  const ValueId start = builder.add_input("start", Type::scalar(), ir::kAxisMesh);
  const ValueId captured = builder.add_input("captured", Type::scalar(), ir::kAxisMesh);
  const ValueId uniform = builder.add_input("uniform", Type::scalar(), 0);
  const ValueId once = builder.iterate(body, {start, captured}, cap);
  builder.add_output("value", builder.add(builder.constant(1), once));
  builder.add_output("twice", builder.iterate(body, {builder.mul(once, once), captured}, cap));
  builder.add_output("uniform", builder.iterate(body, {uniform, uniform}, cap));
  return f;
}

double halved(double x, double c, int cap) {
  for (int round = 0; round < cap; ++round) {
    x = 0.5 * x + c;
    if (x < c + 1) break;
  }
  return x;
}

bool same_bits(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool is_subnormal(double a) { return std::fpclassify(a) == FP_SUBNORMAL; }

}  // namespace asb::test
