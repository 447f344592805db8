// The way in: the loader as a shared library, an instance, and what its devices can do.
#pragma once

#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/spirv/spirv_writer.h"
#include "base/result.h"

namespace asb::vulkan {

/// A device as it describes itself.
struct DeviceInfo {
  VkPhysicalDevice handle = nullptr;
  std::string name, kind, driver;  ///< "llvmpipe (LLVM 15.0.6, 256 bits)", "cpu", "llvmpipe Mesa 22.3.6"
  VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
  uint32_t version = 0;              ///< of Vulkan
  bool has_f64 = false, has_addresses = false;
  spirv::FloatControls float_controls;
  uint64_t largest_allocation = 0;   ///< [bytes]
  uint32_t most_workgroups = 0;      ///< in one dispatch
  int32_t queue_family = -1;         ///< with compute
};

class Instance {
 public:
  static Result<std::shared_ptr<Instance>> create();
  Instance(const Instance&) = delete;
  ~Instance();

  Result<std::vector<DeviceInfo>> devices() const;
  VkInstance handle() const { return instance_; }
  PFN_vkGetInstanceProcAddr get_address() const { return get_address_; }
  /// A function of the instance, of the pointer type given.
  template <class F>
  F function(const char* name) const {
    return reinterpret_cast<F>(get_address_(instance_, name));
  }

 private:
  Instance(VkInstance instance, PFN_vkGetInstanceProcAddr get_address)
      : instance_(instance), get_address_(get_address) {}

  VkInstance instance_;
  PFN_vkGetInstanceProcAddr get_address_;
};

/// The device to use: by part of its name, or the best with f64 (discrete, integrated, virtual, others). Refusals name
/// the device, the feature that it lacks and a way out.
[[nodiscard]] Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, const std::string& name);

}  // namespace asb::vulkan
