// A logical device with one queue: its functions, and how pipelines are made. Everything else of this folder holds it
// through a shared pointer, so kernels and buffers may outlive the backend.
#pragma once

#include <memory>
#include <span>

#include "backends/vulkan/handle.h"
#include "backends/vulkan/instance.h"

namespace asb::vulkan {

/// Functions of the device that are called here.
#define ASB_VULKAN_FUNCTIONS(X)                                                                               \
  X(DestroyDevice) X(GetDeviceQueue) X(CreateBuffer) X(DestroyBuffer) X(GetBufferMemoryRequirements)          \
  X(AllocateMemory) X(FreeMemory) X(BindBufferMemory) X(MapMemory) X(GetBufferDeviceAddress)                  \
  X(CreateShaderModule) X(DestroyShaderModule) X(CreatePipelineLayout) X(DestroyPipelineLayout)               \
  X(CreateComputePipelines) X(DestroyPipeline) X(CreateCommandPool) X(DestroyCommandPool)                     \
  X(AllocateCommandBuffers) X(BeginCommandBuffer) X(EndCommandBuffer) X(ResetCommandPool) X(QueueSubmit)      \
  X(CreateFence) X(DestroyFence) X(WaitForFences) X(ResetFences) X(CmdBindPipeline) X(CmdPushConstants)       \
  X(CmdDispatch) X(CmdCopyBuffer) X(CmdFillBuffer) X(CmdPipelineBarrier)

struct Functions {
#define ASB_MEMBER(name) PFN_vk##name name = nullptr;
  ASB_VULKAN_FUNCTIONS(ASB_MEMBER)
#undef ASB_MEMBER
};

class Device {
 public:
  static Result<std::shared_ptr<Device>> create(std::shared_ptr<Instance> instance, DeviceInfo info);
  Device(const Device&) = delete;
  ~Device();

  VkDevice handle() const { return device_; }
  VkQueue queue() const { return queue_; }
  const DeviceInfo& info() const { return info_; }
  const Functions& call() const { return call_; }
  const VkPhysicalDeviceMemoryProperties& memory() const { return memory_; }
  VkPipelineLayout layout() const { return layout_.get(); }  ///< push constants spirv::LaunchArguments

  /// From a module that has been validated.
  Result<Owned<VkPipeline>> make_pipeline(std::span<const uint32_t> words) const;

 private:
  Device(std::shared_ptr<Instance> instance, DeviceInfo info, VkDevice device);

  std::shared_ptr<Instance> instance_;
  DeviceInfo info_;
  VkDevice device_;
  Functions call_;
  VkQueue queue_ = nullptr;
  VkPhysicalDeviceMemoryProperties memory_{};
  Owned<VkPipelineLayout> layout_;
};

}  // namespace asb::vulkan
