// The passes in their order.
#include "compiler/passes/pipeline.h"

#include <fmt/format.h>

#include "compiler/ir/verify.h"
#include "compiler/passes/passes.h"

namespace asb::ir {
namespace {

constexpr Pass kPasses[] = {
#define ASB_PASS(name, function, description) {#name, function, description},
#include "compiler/passes/passes.def"
#undef ASB_PASS
};

}  // namespace

std::span<const Pass> passes() { return kPasses; }

Result<Function> run_pipeline(Function function, const PassObserver& observer) {
  if (Result<void> ok = verify(function); !ok) return fail(ok.error());
  for (const Pass& pass : kPasses) {
    function = pass.run(function);
    if (Result<void> ok = verify(function); !ok)
      return fail("internal-ir", fmt::format("after the pass {}: {}", pass.name, ok.error().message));
    if (observer) observer(pass.name, function);
  }
  return function;
}

}  // namespace asb::ir
