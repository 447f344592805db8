// Handles of a device that destroy themselves, and the names of Vulkan's errors.
#pragma once

#include <vulkan/vulkan_core.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace asb::vulkan {

/// A handle that vkDestroyX(device, handle, nullptr) ends. The device must outlive it.
template <class T>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, T, const VkAllocationCallbacks*);

  Owned() = default;
  Owned(VkDevice device, T handle, Destroy destroy) : device_(device), handle_(handle), destroy_(destroy) {}
  Owned(Owned&& other) noexcept
      : device_(other.device_), handle_(std::exchange(other.handle_, T{})), destroy_(other.destroy_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~Owned() {
    if (handle_) destroy_(device_, handle_, nullptr);
  }
  T get() const { return handle_; }
  explicit operator bool() const { return handle_; }

 private:
  VkDevice device_ = nullptr;
  T handle_ = {};
  Destroy destroy_ = nullptr;
};

std::string name_of(VkResult result);

/// The Error of a call that Vulkan answered with `result`.
tl::unexpected<Error> call_failed(const char* call, VkResult result);

}  // namespace asb::vulkan
