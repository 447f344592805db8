// From the scalar stage of the SSA to a SPIR-V module (1.5, for Vulkan 1.2) with one compute shader, one invocation an
// entity. Needs no device. The device side of the same contract is backends/vulkan.
//
// Arguments: push constants hold LaunchArguments; `table` is the address of an array of addresses, those of the inputs
// in order, then those of the outputs; each is the start (block 0) of an argument laid out as in abi/kernel.h.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "compiler/plan/kernel.h"

namespace asb::spirv {

constexpr uint32_t kLocalSize = 64;             ///< invocations in a workgroup
constexpr uint64_t kMostReals = 1ull << 31;     ///< of one argument: entries are found by signed 32-bit numbers

/// The push constants. Blocks first … last are computed; invocation i has entity ASB_LANES first + i.
struct LaunchArguments {
  uint64_t table = 0;
  uint32_t first = 0, last = 0;
};

/// What a device promises for f64 when asked (VkPhysicalDeviceFloatControlsProperties); without it subnormals may be
/// zero, and by the letter of Vulkan NaN, infinities and the sign of zero may be lost.
struct FloatControls {
  bool keeps_subnormals = false;
  bool keeps_zeros_infs_nans = false;
  bool rounds_to_even = false;
  bool operator==(const FloatControls&) const = default;
};

/// The module's words; equal functions give equal words. Refuses by name what isn't of the scalar stage. Products and
/// sums are decorated NoContraction: every op rounds by itself. Only capabilities that the instructions need are asked
/// for; Int64 never.
[[nodiscard]] Result<std::vector<uint32_t>> write(const ir::Function& function, FloatControls controls = {});
[[nodiscard]] inline Result<std::vector<uint32_t>> write(const KernelPlan& kernel, FloatControls controls = {}) {
  return write(kernel.scalar, controls);
}

}  // namespace asb::spirv
