// Random well-typed densities over the smooth ops of ops.def, with numbers of moderate size: the compositions on which
// derivatives, passes and backends are tried.
#pragma once

#include "tests/support/op_cases.h"

namespace asb::test {

struct RandomFunctionOptions {
  int instructions = 12;   ///< random ops (each with a few that keep its operands in its domain)
  bool with_kinks = false;  ///< also abs, min, max, select
};

/// Inputs "F" real[3,3], "v" real[3], "s" real; output 0 "psi", a scalar.
ir::Function random_density(Random& random, RandomFunctionOptions options = {});
/// Numbers for its inputs.
Arguments random_arguments(Random& random, const ir::Function& function);

}  // namespace asb::test
