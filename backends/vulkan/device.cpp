// Makes the logical device with the features that kernels need, and pipelines on it.
#include "backends/vulkan/device.h"

#include <fmt/format.h>

namespace asb::vulkan {

Device::Device(std::shared_ptr<Instance> instance, DeviceInfo info, VkDevice device)
    : instance_(std::move(instance)), info_(std::move(info)), device_(device) {
  const auto get = instance_->function<PFN_vkGetDeviceProcAddr>("vkGetDeviceProcAddr");
#define ASB_LOAD(name) call_.name = reinterpret_cast<PFN_vk##name>(get(device_, "vk" #name));
  ASB_VULKAN_FUNCTIONS(ASB_LOAD)
#undef ASB_LOAD
  call_.GetDeviceQueue(device_, static_cast<uint32_t>(info_.queue_family), 0, &queue_);
  instance_->function<PFN_vkGetPhysicalDeviceMemoryProperties>("vkGetPhysicalDeviceMemoryProperties")(info_.handle, &memory_);
}

Device::~Device() {
  layout_ = {};
  call_.DestroyDevice(device_, nullptr);
}

Result<std::shared_ptr<Device>> Device::create(std::shared_ptr<Instance> instance, DeviceInfo info) {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = static_cast<uint32_t>(info.queue_family);
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkPhysicalDeviceVulkan12Features f12{};
  f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  f12.bufferDeviceAddress = VK_TRUE;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &f12;
  features.features.shaderFloat64 = VK_TRUE;
  VkDeviceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  create.pNext = &features;
  create.queueCreateInfoCount = 1;
  create.pQueueCreateInfos = &queue;
  VkDevice handle = nullptr;
  if (const VkResult r = instance->function<PFN_vkCreateDevice>("vkCreateDevice")(info.handle, &create, nullptr, &handle);
      r != VK_SUCCESS)
    return call_failed("vkCreateDevice", r);
  std::shared_ptr<Device> device(new Device(std::move(instance), std::move(info), handle));

  VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(spirv::LaunchArguments)};
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.pushConstantRangeCount = 1;
  layout.pPushConstantRanges = &range;
  VkPipelineLayout made = VK_NULL_HANDLE;
  if (const VkResult r = device->call_.CreatePipelineLayout(handle, &layout, nullptr, &made); r != VK_SUCCESS)
    return call_failed("vkCreatePipelineLayout", r);
  device->layout_ = {handle, made, device->call_.DestroyPipelineLayout};
  return device;
}

Result<Owned<VkPipeline>> Device::make_pipeline(std::span<const uint32_t> words) const {
  VkShaderModuleCreateInfo shader{};
  shader.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  shader.codeSize = words.size_bytes();
  shader.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  if (const VkResult r = call_.CreateShaderModule(device_, &shader, nullptr, &module); r != VK_SUCCESS)
    return call_failed("vkCreateShaderModule", r);
  const Owned<VkShaderModule> owned(device_, module, call_.DestroyShaderModule);
  VkComputePipelineCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  create.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  create.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  create.stage.module = module;
  create.stage.pName = "main";
  create.layout = layout_.get();
  VkPipeline pipeline = VK_NULL_HANDLE;
  if (const VkResult r = call_.CreateComputePipelines(device_, VK_NULL_HANDLE, 1, &create, nullptr, &pipeline);
      r != VK_SUCCESS)
    return call_failed("vkCreateComputePipelines", r);
  return Owned<VkPipeline>(device_, pipeline, call_.DestroyPipeline);
}

}  // namespace asb::vulkan
