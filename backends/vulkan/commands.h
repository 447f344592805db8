// What is asked of the queue: copies and kernels, one after another, each waited for. Used by one thread at a time.
#pragma once

#include <functional>
#include <memory>

#include "backends/vulkan/memory.h"

namespace asb::vulkan {

class Commands {
 public:
  static Result<std::unique_ptr<Commands>> create(std::shared_ptr<Device> device);

  /// Records, submits and waits, for as long as it takes. Afterwards the host sees what the device wrote.
  Result<void> run(const std::function<void()>& record);

  // Within `record`
  void copy(const Memory& from, size_t from_byte, const Memory& to, size_t to_byte, size_t bytes);
  void clear(const Memory& memory);
  /// What follows sees what went before.
  void barrier();
  /// Blocks first … last (half open) of a kernel whose arguments' addresses stand at `table`.
  void dispatch(VkPipeline pipeline, VkDeviceAddress table, int64_t first, int64_t last);

 private:
  explicit Commands(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  std::shared_ptr<Device> device_;
  Owned<VkCommandPool> pool_;
  Owned<VkFence> fence_;
  VkCommandBuffer buffer_ = nullptr;  ///< of the pool
};

}  // namespace asb::vulkan
