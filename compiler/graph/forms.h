// Finds the forms in a solve's objective: unknowns → gather → map → reduce, summed with coefficients. Derives their kernels.
#pragma once

#include "base/result.h"
#include "compiler/plan/plan.h"

namespace asb {

/// Fills solve.forms of every solve of the plan, hoisting what doesn't read the unknowns into Map nodes of their own, and
/// adds the forms' kernels (tensor stage only). An objective outside the pattern is an Error "not-yet" that says where.
[[nodiscard]] Result<void> find_forms(plan::Plan& plan);

}  // namespace asb
