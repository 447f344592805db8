// The passes in their order, as values; a run that verifies after each and shows each result.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "base/result.h"
#include "compiler/ir/function.h"

namespace asb::ir {

struct Pass {
  std::string_view name;         ///< as in --emit=ssa-after:NAME
  Function (*run)(const Function&);
  std::string_view description;
};

/// All passes in order: from a tensor function with derivatives to scalars ready for a machine. Products and sums aren't
/// contracted to fma: a backend may round an fma otherwise than another, and results are compared. (Elementary functions
/// use fma on purpose.)
std::span<const Pass> passes();

using PassObserver = std::function<void(std::string_view pass, const Function&)>;

/// Runs the passes on a tensor function; verifies before and after each (an error names the pass). The observer, if
/// there is one, sees what each pass gives.
[[nodiscard]] Result<Function> run_pipeline(Function function, const PassObserver& observer = {});

}  // namespace asb::ir
