// The backends by name.
#include <fmt/format.h>

#include "asb/run.h"
#include "backends/interpreter/interpreter.h"
#include "backends/llvm/llvm_backend.h"
#ifdef ASB_HAS_VULKAN
#include "backends/vulkan/vulkan_backend.h"
#endif

namespace asb {

Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const std::string& device) {
  if (name == "llvm") return make_llvm_backend();
  if (name == "interpreter") return interpreter::make_interpreter();
#ifdef ASB_HAS_VULKAN
  if (name == "vulkan") return make_vulkan_backend({.device = device});
#endif
  (void)device;
#ifdef ASB_HAS_VULKAN
  const char* known = "backends are `llvm`, `vulkan` and `interpreter`";
#else
  const char* known = "backends are `llvm` and `interpreter`; `vulkan` is not built in";
#endif
  return fail("backend-unknown", fmt::format("`{}` is not a backend", name), known);
}

}  // namespace asb
