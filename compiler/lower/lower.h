// Model → graph: every functional becomes gathers, one map and a reduce; every solve a node. Takes what dsl/sema
// checked; leaves forms to compiler/graph/forms and kernels to compiler/plan.
#pragma once

#include "base/result.h"
#include "compiler/plan/plan.h"
#include "dsl/model/model.h"

namespace asb {

/// Fills all of the plan but its kernels and the forms of its solves. What the language has and the compiler not yet is
/// an Error "not-yet" at its place. Only solves that an output, show or the caller's `all_energies` reads are kept.
[[nodiscard]] Result<plan::Plan> lower_to_graph(const model::Model& model);

}  // namespace asb
