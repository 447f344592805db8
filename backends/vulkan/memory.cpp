// Picks a memory type and binds one buffer to one allocation.
#include "backends/vulkan/memory.h"

#include <fmt/format.h>

#include <algorithm>

namespace asb::vulkan {
namespace {

constexpr VkMemoryPropertyFlags kSeen = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
constexpr VkMemoryPropertyFlags kCached = kSeen | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags kLocal = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;

/// The first type among those allowed with the most wanted properties; `wanted` goes from best to least.
int32_t find_type(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                  std::initializer_list<VkMemoryPropertyFlags> wanted) {
  for (VkMemoryPropertyFlags flags : wanted)
    for (uint32_t i = 0; i < memory.memoryTypeCount; ++i)
      if (allowed >> i & 1 && (memory.memoryTypes[i].propertyFlags & flags) == flags) return static_cast<int32_t>(i);
  return -1;
}

double megabytes(uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

}  // namespace

Result<Memory> allocate(const std::shared_ptr<Device>& device, size_t bytes, Place place, bool may_map) {
  const Functions& call = device->call();
  bytes = std::max<size_t>(bytes, 64);
  if (bytes > device->info().largest_allocation)
    return fail("vulkan-buffer-too-large",
                fmt::format("a buffer of {:.1f} MB is wanted; `{}` gives {:.1f} MB at most", megabytes(bytes),
                            device->info().name, megabytes(device->info().largest_allocation)),
                "split the mesh or the frames, or use `--backend llvm`");
  Memory result;
  result.device = device;
  result.bytes = bytes;
  VkBufferCreateInfo create{};
  create.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  create.size = bytes;
  create.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                 VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  if (const VkResult r = call.CreateBuffer(device->handle(), &create, nullptr, &buffer); r != VK_SUCCESS)
    return call_failed("vkCreateBuffer", r);
  result.buffer = {device->handle(), buffer, call.DestroyBuffer};

  VkMemoryRequirements needs{};
  call.GetBufferMemoryRequirements(device->handle(), buffer, &needs);
  const int32_t type = place == Place::Host ? find_type(device->memory(), needs.memoryTypeBits, {kCached, kSeen})
                                            : find_type(device->memory(), needs.memoryTypeBits,
                                                        {kLocal | kCached, kLocal, VkMemoryPropertyFlags{0}});
  if (type < 0) return fail("vulkan-no-memory", fmt::format("`{}` has no memory that the host sees", device->info().name));
  VkMemoryAllocateFlagsInfo flags{};
  flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
  flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
  VkMemoryAllocateInfo allocation{};
  allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  allocation.pNext = &flags;
  allocation.allocationSize = needs.size;
  allocation.memoryTypeIndex = static_cast<uint32_t>(type);
  VkDeviceMemory memory = VK_NULL_HANDLE;
  if (const VkResult r = call.AllocateMemory(device->handle(), &allocation, nullptr, &memory); r != VK_SUCCESS)
    return fail("vulkan-out-of-memory",
                fmt::format("{:.1f} MB of `{}` could not be allocated: {}", megabytes(needs.size), device->info().name,
                            name_of(r)),
                "split the mesh or the frames, or use `--backend llvm`");
  result.memory = {device->handle(), memory, call.FreeMemory};
  if (const VkResult r = call.BindBufferMemory(device->handle(), buffer, memory, 0); r != VK_SUCCESS)
    return call_failed("vkBindBufferMemory", r);

  const VkMemoryPropertyFlags properties = device->memory().memoryTypes[type].propertyFlags;
  if (place == Place::Host || (may_map && (properties & kCached) == kCached)) {
    void* mapped = nullptr;
    if (const VkResult r = call.MapMemory(device->handle(), memory, 0, VK_WHOLE_SIZE, 0, &mapped); r != VK_SUCCESS)
      return call_failed("vkMapMemory", r);
    result.mapped = static_cast<std::byte*>(mapped);
  }
  VkBufferDeviceAddressInfo address{};
  address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
  address.buffer = buffer;
  result.address = call.GetBufferDeviceAddress(device->handle(), &address);
  return result;
}

}  // namespace asb::vulkan
