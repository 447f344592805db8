// Memory of the device, as one buffer each, reached by address from kernels.
#pragma once

#include "backends/vulkan/device.h"

namespace asb::vulkan {

enum class Place : uint8_t {
  Device,  ///< where kernels are fastest; mapped too if the host sees it as fast as its own memory
  Host,    ///< mapped, cached by the host, seen by the device: for staging and tables
};

struct Memory {
  std::shared_ptr<Device> device;
  Owned<VkDeviceMemory> memory;  ///< goes after the buffer that lies in it
  Owned<VkBuffer> buffer;
  VkDeviceAddress address = 0;
  std::byte* mapped = nullptr;   ///< null where the host can't see it
  size_t bytes = 0;
};

/// At least `bytes` bytes, not cleared. `may_map` false keeps memory of the device unmapped.
[[nodiscard]] Result<Memory> allocate(const std::shared_ptr<Device>& device, size_t bytes, Place place, bool may_map = true);

}  // namespace asb::vulkan
