// The interpreter as a backend: runs the tensor form of a kernel, one entity after another, on host memory.
#pragma once

#include <memory>
#include <optional>

#include "backends/backend.h"
#include "backends/interpreter/evaluate.h"

namespace asb::interpreter {

std::unique_ptr<Backend> make_interpreter();

/// A value that isn't finite, and the entity where it arose.
struct NonFiniteAt {
  int64_t entity = 0;
  NonFinite what;
};

/// Runs `function` on blocks first .. last of arguments laid out as in abi/kernel.h and stops at the first entity
/// with a live value that isn't finite. A failed launch of any backend is explained by replaying it here.
std::optional<NonFiniteAt> find_first_non_finite(const ir::Function& function, const double* const* inputs,
                                                 int64_t first, int64_t last);

}  // namespace asb::interpreter
