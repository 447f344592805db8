// The Vulkan backend: kernels become SPIR-V (backends/spirv) and run as compute shaders, one invocation an entity. Needs
// a device of Vulkan 1.2 with `shaderFloat64` and `bufferDeviceAddress`. The loader is opened by the first call, so that
// runs on the CPU never need it. Nothing of Vulkan passes this header.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace asb {

struct VulkanOptions {
  std::string device = {};         ///< part of the device's name; empty: the first GPU with f64, else any device with it
  bool always_stage = false;       ///< copy through staging memory even where the host sees the device's (for tests)
  size_t host_call_bytes = 1u << 26;  ///< Kernel::run goes in pieces of at most so many bytes of arguments
};

[[nodiscard]] Result<std::unique_ptr<Backend>> make_vulkan_backend(VulkanOptions options = {});

/// One line a device: name, kind, driver, whether it has f64.
[[nodiscard]] Result<std::vector<std::string>> vulkan_devices();

}  // namespace asb
