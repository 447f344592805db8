// Kernels at work: copies between host and device, launches on memory of the device, and calls on host pointers.
#pragma once

#include <mutex>
#include <span>
#include <vector>

#include "backends/vulkan/commands.h"

namespace asb::vulkan {

struct Argument {
  int64_t entries = 0;
  bool per_entity = true;
  int64_t reals(int64_t blocks) const;  ///< that it takes, see abi/kernel.h
};

/// A kernel ready to run.
struct Program {
  std::string name;
  std::vector<Argument> inputs, outputs;
  Owned<VkPipeline> pipeline;
};

struct ExecutionOptions {
  bool always_stage = false;
  size_t host_call_bytes = 0;
};

/// All of it is done under one lock: a queue belongs to one thread at a time.
class Execution {
 public:
  static Result<std::shared_ptr<Execution>> create(std::shared_ptr<Device> device, ExecutionOptions options);

  const std::shared_ptr<Device>& device() const { return device_; }

  Result<Memory> allocate_cleared(size_t bytes);
  Result<void> upload(std::span<const double> from, const Memory& to, size_t byte);
  Result<void> download(const Memory& from, std::span<double> to, size_t byte);
  /// Blocks first … last on memory that has been checked to hold them.
  Result<void> launch(const Program& program, std::span<const VkDeviceAddress> arguments, int64_t first, int64_t last);
  /// The same on host pointers: arguments are packed, copied to the device, and the outputs copied back, in pieces.
  Result<void> call(const Program& program, const double* const* inputs, double* const* outputs, int64_t first,
                    int64_t last);

 private:
  struct Piece;  ///< where the arguments of some blocks stand in the arena
  Execution(std::shared_ptr<Device> device, std::unique_ptr<Commands> commands, ExecutionOptions options)
      : device_(std::move(device)), commands_(std::move(commands)), options_(options) {}

  Result<void> grow(Memory& memory, size_t bytes, Place place);
  Result<void> write_table(std::span<const VkDeviceAddress> addresses);
  Result<void> call_piece(const Program& program, const double* const* inputs, double* const* outputs, int64_t first,
                          int64_t last);

  std::shared_ptr<Device> device_;
  std::unique_ptr<Commands> commands_;
  ExecutionOptions options_;
  std::mutex mutex_;
  Memory table_;    ///< addresses of the arguments of the kernel that runs
  Memory staging_;  ///< on its way between host and device
  Memory arena_;    ///< arguments of a call, one behind the other
};

}  // namespace asb::vulkan
