// Opens libvulkan.so.1 and asks its devices what they can do.
#include "backends/vulkan/instance.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "backends/vulkan/handle.h"

namespace asb::vulkan {
namespace {

constexpr const char* kLoader = "libvulkan.so.1";
constexpr const char* kWayOut = "`--backend llvm` runs on the CPU; `asb doctor` lists the devices";

std::string kind_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return "discrete GPU";
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return "integrated GPU";
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return "virtual GPU";
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return "CPU";
    default: return "device";
  }
}

int rank_of(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    default: return 3;
  }
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// The first thing that this backend needs and the device lacks; empty if it lacks nothing.
std::string lacks(const DeviceInfo& device) {
  if (device.version < VK_API_VERSION_1_2)
    return fmt::format("it offers Vulkan {}.{}, not 1.2", VK_API_VERSION_MAJOR(device.version),
                       VK_API_VERSION_MINOR(device.version));
  if (!device.has_f64) return "it lacks `shaderFloat64`: it can't compute with f64";
  if (!device.has_addresses) return "it lacks `bufferDeviceAddress`";
  if (device.queue_family < 0) return "it has no queue for computing";
  return {};
}

int32_t compute_family(const Instance& instance, VkPhysicalDevice device) {
  const auto get = instance.function<PFN_vkGetPhysicalDeviceQueueFamilyProperties>("vkGetPhysicalDeviceQueueFamilyProperties");
  uint32_t count = 0;
  get(device, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  get(device, &count, families.data());
  for (uint32_t i = 0; i < count; ++i)
    if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) return static_cast<int32_t>(i);
  return -1;
}

DeviceInfo describe(const Instance& instance, VkPhysicalDevice handle) {
  DeviceInfo info;
  info.handle = handle;
  info.queue_family = compute_family(instance, handle);
  VkPhysicalDeviceProperties basic{};
  instance.function<PFN_vkGetPhysicalDeviceProperties>("vkGetPhysicalDeviceProperties")(handle, &basic);
  info.name = basic.deviceName;
  info.type = basic.deviceType;
  info.kind = kind_of(basic.deviceType);
  info.version = basic.apiVersion;
  info.most_workgroups = basic.limits.maxComputeWorkGroupCount[0];
  VkPhysicalDeviceFeatures simple{};
  instance.function<PFN_vkGetPhysicalDeviceFeatures>("vkGetPhysicalDeviceFeatures")(handle, &simple);
  info.has_f64 = simple.shaderFloat64;
  if (info.version < VK_API_VERSION_1_2) return info;

  VkPhysicalDeviceVulkan11Properties v11{};
  v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
  VkPhysicalDeviceVulkan12Properties v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  v12.pNext = &v11;
  VkPhysicalDeviceProperties2 all{};
  all.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  all.pNext = &v12;
  instance.function<PFN_vkGetPhysicalDeviceProperties2>("vkGetPhysicalDeviceProperties2")(handle, &all);
  info.driver = fmt::format("{} {}", v12.driverName, v12.driverInfo);
  info.largest_allocation = v11.maxMemoryAllocationSize;
  info.float_controls.keeps_subnormals = v12.shaderDenormPreserveFloat64;
  info.float_controls.keeps_zeros_infs_nans = v12.shaderSignedZeroInfNanPreserveFloat64;
  info.float_controls.rounds_to_even = v12.shaderRoundingModeRTEFloat64;

  VkPhysicalDeviceVulkan12Features f12{};
  f12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
  VkPhysicalDeviceFeatures2 features{};
  features.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  features.pNext = &f12;
  instance.function<PFN_vkGetPhysicalDeviceFeatures2>("vkGetPhysicalDeviceFeatures2")(handle, &features);
  info.has_addresses = f12.bufferDeviceAddress;
  return info;
}

}  // namespace

std::string name_of(VkResult result) {
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY: return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY: return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED: return "initialisation failed";
    case VK_ERROR_DEVICE_LOST: return "device lost";
    case VK_ERROR_MEMORY_MAP_FAILED: return "memory can't be mapped";
    case VK_ERROR_LAYER_NOT_PRESENT: return "layer not present";
    case VK_ERROR_EXTENSION_NOT_PRESENT: return "extension not present";
    case VK_ERROR_FEATURE_NOT_PRESENT: return "feature not present";
    case VK_ERROR_INCOMPATIBLE_DRIVER: return "no driver of this version";
    case VK_ERROR_TOO_MANY_OBJECTS: return "too many objects";
    default: return fmt::format("VkResult {}", static_cast<int>(result));
  }
}

tl::unexpected<Error> call_failed(const char* call, VkResult result) {
  return fail("vulkan-failed", fmt::format("`{}`: {}", call, name_of(result)), kWayOut);
}

Result<std::shared_ptr<Instance>> Instance::create() {
  // Never closed: drivers leave threads and exit handlers behind.
  void* library = dlopen(kLoader, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* reason = dlerror();
    return fail("vulkan-missing", fmt::format("`{}` can't be opened: {}", kLoader, reason ? reason : "no reason given"),
                "install Vulkan's loader and a driver (Debian: libvulkan1, mesa-vulkan-drivers), or use `--backend llvm`");
  }
  const auto get_address = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (!get_address) return fail("vulkan-missing", fmt::format("`{}` has no `vkGetInstanceProcAddr`", kLoader), kWayOut);
  const auto get_version = reinterpret_cast<PFN_vkEnumerateInstanceVersion>(get_address(nullptr, "vkEnumerateInstanceVersion"));
  uint32_t version = VK_API_VERSION_1_0;
  if (get_version) get_version(&version);
  if (version < VK_API_VERSION_1_2)
    return fail("vulkan-too-old", fmt::format("Vulkan's loader is of version {}.{}; 1.2 is needed",
                                              VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version)), kWayOut);
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "asb";
  application.apiVersion = VK_API_VERSION_1_2;
  VkInstanceCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  create.pApplicationInfo = &application;
  VkInstance instance = nullptr;
  const auto create_instance = reinterpret_cast<PFN_vkCreateInstance>(get_address(nullptr, "vkCreateInstance"));
  if (const VkResult r = create_instance(&create, nullptr, &instance); r != VK_SUCCESS)
    return call_failed("vkCreateInstance", r);
  return std::shared_ptr<Instance>(new Instance(instance, get_address));
}

Instance::~Instance() { function<PFN_vkDestroyInstance>("vkDestroyInstance")(instance_, nullptr); }

Result<std::vector<DeviceInfo>> Instance::devices() const {
  const auto enumerate = function<PFN_vkEnumeratePhysicalDevices>("vkEnumeratePhysicalDevices");
  uint32_t count = 0;
  if (const VkResult r = enumerate(instance_, &count, nullptr); r != VK_SUCCESS)
    return call_failed("vkEnumeratePhysicalDevices", r);
  std::vector<VkPhysicalDevice> handles(count);
  if (const VkResult r = enumerate(instance_, &count, handles.data()); r < 0)
    return call_failed("vkEnumeratePhysicalDevices", r);
  handles.resize(count);
  std::vector<DeviceInfo> result;
  for (VkPhysicalDevice handle : handles) result.push_back(describe(*this, handle));
  return result;
}

Result<DeviceInfo> choose_device(const std::vector<DeviceInfo>& devices, const std::string& name) {
  if (devices.empty())
    return fail("vulkan-no-device", "Vulkan finds no device",
                "install a driver (Debian: mesa-vulkan-drivers has one for the CPU as well), or use `--backend llvm`");
  std::vector<DeviceInfo> candidates;
  std::string known;
  for (const DeviceInfo& device : devices) {
    known += fmt::format("{}`{}`", known.empty() ? "" : ", ", device.name);
    if (lower(device.name).find(lower(name)) != std::string::npos) candidates.push_back(device);
  }
  if (candidates.empty())
    return fail("vulkan-no-such-device", fmt::format("no device has `{}` in its name", name),
                fmt::format("devices are {}", known));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const DeviceInfo& a, const DeviceInfo& b) { return rank_of(a.type) < rank_of(b.type); });
  for (const DeviceInfo& device : candidates)
    if (lacks(device).empty()) return device;
  return fail("vulkan-device-lacks", fmt::format("`{}` can't be used: {}", candidates[0].name, lacks(candidates[0])),
              kWayOut);
}

}  // namespace asb::vulkan
