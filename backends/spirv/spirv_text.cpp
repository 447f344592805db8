// The doors to SPIRV-Tools.
#include "backends/spirv/spirv_text.h"

#include <fmt/format.h>
#include <spirv-tools/libspirv.h>

#include <memory>

#include "backends/spirv/spirv_writer.h"

namespace asb::spirv {
namespace {

constexpr spv_target_env kTarget = SPV_ENV_VULKAN_1_2;

using Context = std::unique_ptr<spv_context_t, decltype(&spvContextDestroy)>;
using Diagnostic = std::unique_ptr<spv_diagnostic_t, decltype(&spvDiagnosticDestroy)>;
using Text = std::unique_ptr<spv_text_t, decltype(&spvTextDestroy)>;

Context make_context() { return {spvContextCreate(kTarget), spvContextDestroy}; }

tl::unexpected<Error> broken(const Diagnostic& diagnostic) {
  if (!diagnostic) return fail("spirv-broken", "a module is broken; SPIRV-Tools doesn't say why");
  return fail("spirv-broken",
              fmt::format("word {} of a module: {}", diagnostic->position.index, diagnostic->error));
}

}  // namespace

Result<std::string> disassemble(std::span<const uint32_t> words) {
  const Context context = make_context();
  spv_text text = nullptr;
  spv_diagnostic diagnostic = nullptr;
  const uint32_t options = SPV_BINARY_TO_TEXT_OPTION_INDENT | SPV_BINARY_TO_TEXT_OPTION_FRIENDLY_NAMES;
  const spv_result_t status =
      spvBinaryToText(context.get(), words.data(), words.size(), options, &text, &diagnostic);
  const Diagnostic owned(diagnostic, spvDiagnosticDestroy);
  const Text result(text, spvTextDestroy);
  if (status != SPV_SUCCESS) return broken(owned);
  return std::string(result->str, result->length);
}

Result<void> validate(std::span<const uint32_t> words) {
  const Context context = make_context();
  spv_const_binary_t binary{words.data(), words.size()};
  spv_diagnostic diagnostic = nullptr;
  const spv_result_t status = spvValidate(context.get(), &binary, &diagnostic);
  const Diagnostic owned(diagnostic, spvDiagnosticDestroy);
  if (status != SPV_SUCCESS) return broken(owned);
  return {};
}

Result<std::string> text_of(const KernelPlan& kernel) {
  const Result<std::vector<uint32_t>> words = write(kernel);
  if (!words) return fail(words.error());
  return disassemble(*words);
}

}  // namespace asb::spirv
