// Inputs for every op of ops.def, from its columns: shapes from the shape rule, numbers from the domain in which it is
// smooth. An op whose shape rule is its own needs a line in op_forms(); without one it has no case, and the tests that
// enumerate the ops fail.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/builder.h"
#include "tests/support/random.h"
#include "tests/support/run.h"

namespace asb::test {

enum class Domain : uint8_t {
  Any,       ///< within ±1.5
  Positive,  ///< 0.4 … 2
  NonZero,   ///< ±(0.5 … 2)
  Apart,     ///< away from 0, whole numbers and each other by 0.15
  Whole,     ///< whole numbers within ±5
  Regular,   ///< matrices with singular values in 0.5 … 2
  Logical,   ///< 0 or 1
};

/// One way to use an op.
struct OpForm {
  std::vector<ir::Type> operands;
  std::vector<Domain> domains;
  ir::Type given = {};
  int32_t index = 0, extra = 0;
  double number = 0;
};
std::vector<OpForm> op_forms(ir::Op op);

std::vector<double> random_numbers(Random& random, const ir::Type& type, Domain domain);

/// A function whose inputs are the operands and whose output "value" is the op of them, with numbers for the inputs.
struct OpCase {
  std::string name;
  ir::Function function;
  Arguments arguments;
};
std::vector<OpCase> op_cases(ir::Op op, Random& random);

}  // namespace asb::test
