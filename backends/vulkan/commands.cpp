// One command buffer, recorded anew each time, and a fence.
#include "backends/vulkan/commands.h"

#include <algorithm>
#include <cstdint>

#include "abi/kernel.h"

namespace asb::vulkan {

Result<std::unique_ptr<Commands>> Commands::create(std::shared_ptr<Device> device) {
  const Functions& call = device->call();
  const VkDevice handle = device->handle();
  std::unique_ptr<Commands> result(new Commands(device));
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = static_cast<uint32_t>(device->info().queue_family);
  VkCommandPool made_pool = VK_NULL_HANDLE;
  if (const VkResult r = call.CreateCommandPool(handle, &pool, nullptr, &made_pool); r != VK_SUCCESS)
    return call_failed("vkCreateCommandPool", r);
  result->pool_ = {handle, made_pool, call.DestroyCommandPool};
  VkCommandBufferAllocateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffer.commandPool = made_pool;
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  if (const VkResult r = call.AllocateCommandBuffers(handle, &buffer, &result->buffer_); r != VK_SUCCESS)
    return call_failed("vkAllocateCommandBuffers", r);
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence made_fence = VK_NULL_HANDLE;
  if (const VkResult r = call.CreateFence(handle, &fence, nullptr, &made_fence); r != VK_SUCCESS)
    return call_failed("vkCreateFence", r);
  result->fence_ = {handle, made_fence, call.DestroyFence};
  return result;
}

Result<void> Commands::run(const std::function<void()>& record) {
  const Functions& call = device_->call();
  if (const VkResult r = call.ResetCommandPool(device_->handle(), pool_.get(), 0); r != VK_SUCCESS)
    return call_failed("vkResetCommandPool", r);
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  if (const VkResult r = call.BeginCommandBuffer(buffer_, &begin); r != VK_SUCCESS)
    return call_failed("vkBeginCommandBuffer", r);
  record();
  barrier();
  if (const VkResult r = call.EndCommandBuffer(buffer_); r != VK_SUCCESS) return call_failed("vkEndCommandBuffer", r);
  const VkFence fence = fence_.get();
  if (const VkResult r = call.ResetFences(device_->handle(), 1, &fence); r != VK_SUCCESS)
    return call_failed("vkResetFences", r);
  VkSubmitInfo submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &buffer_;
  if (const VkResult r = call.QueueSubmit(device_->queue(), 1, &submit, fence); r != VK_SUCCESS)
    return call_failed("vkQueueSubmit", r);
  if (const VkResult r = call.WaitForFences(device_->handle(), 1, &fence, VK_TRUE, UINT64_MAX); r != VK_SUCCESS)
    return call_failed("vkWaitForFences", r);
  return {};
}

void Commands::copy(const Memory& from, size_t from_byte, const Memory& to, size_t to_byte, size_t bytes) {
  const VkBufferCopy region{from_byte, to_byte, bytes};
  if (bytes > 0) device_->call().CmdCopyBuffer(buffer_, from.buffer.get(), to.buffer.get(), 1, &region);
}

void Commands::clear(const Memory& memory) {
  device_->call().CmdFillBuffer(buffer_, memory.buffer.get(), 0, VK_WHOLE_SIZE, 0);
}

void Commands::barrier() {
  VkMemoryBarrier all{};
  all.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  all.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;
  all.dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                      VK_ACCESS_TRANSFER_WRITE_BIT | VK_ACCESS_HOST_READ_BIT;
  const VkPipelineStageFlags on_device = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
  device_->call().CmdPipelineBarrier(buffer_, on_device, on_device | VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &all, 0, nullptr,
                                     0, nullptr);
}

void Commands::dispatch(VkPipeline pipeline, VkDeviceAddress table, int64_t first, int64_t last) {
  constexpr int64_t kBlocksPerGroup = spirv::kLocalSize / ASB_LANES;
  const Functions& call = device_->call();
  call.CmdBindPipeline(buffer_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  const int64_t most = kBlocksPerGroup * device_->info().most_workgroups;
  for (int64_t begin = first; begin < last; begin += most) {
    const int64_t end = std::min(last, begin + most);
    const spirv::LaunchArguments arguments{table, static_cast<uint32_t>(begin), static_cast<uint32_t>(end)};
    call.CmdPushConstants(buffer_, device_->layout(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof arguments, &arguments);
    call.CmdDispatch(buffer_, static_cast<uint32_t>((end - begin + kBlocksPerGroup - 1) / kBlocksPerGroup), 1, 1);
  }
}

}  // namespace asb::vulkan
