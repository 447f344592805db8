// SPIR-V for people: the disassembly of a kernel, and the check of a module by SPIRV-Tools.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"
#include "compiler/plan/kernel.h"

namespace asb::spirv {

/// The module of a kernel, disassembled.
[[nodiscard]] Result<std::string> text_of(const KernelPlan& kernel);
[[nodiscard]] Result<std::string> disassemble(std::span<const uint32_t> words);

/// Whether the module obeys the rules of SPIR-V and of Vulkan 1.2; the error says which rule it breaks and where.
[[nodiscard]] Result<void> validate(std::span<const uint32_t> words);

}  // namespace asb::spirv
