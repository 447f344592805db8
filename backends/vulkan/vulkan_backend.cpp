// The Backend object: compiles kernels to SPIR-V and pipelines; checks what is asked before the device does it.
#include "backends/vulkan/vulkan_backend.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include "backends/spirv/spirv_text.h"
#include "backends/spirv/spirv_writer.h"
#include "backends/vulkan/execution.h"

namespace asb {
namespace {

using namespace vulkan;
using Clock = std::chrono::steady_clock;

/// A call costs a submission and copies, tens of microseconds: worth thousands of entities.
constexpr int64_t kPreferredBlocks = 4096;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class DeviceBuffer final : public Buffer {
 public:
  DeviceBuffer(std::shared_ptr<Execution> execution, Memory memory, size_t size)
      : execution_(std::move(execution)), memory_(std::move(memory)), size_(size) {}
  size_t size() const override { return size_; }
  const Memory& memory() const { return memory_; }

 private:
  std::shared_ptr<Execution> execution_;
  Memory memory_;
  size_t size_;
};

class DeviceKernel final : public Kernel {
 public:
  DeviceKernel(std::shared_ptr<Execution> execution, Program program)
      : execution_(std::move(execution)), program_(std::move(program)) {}
  const Program& program() const { return program_; }

  /// Has no way to answer with an error: what the device couldn't compute becomes NaN, which no solve accepts.
  void run(const double* const* inputs, double* const* outputs, int64_t first, int64_t last) const override {
    const Result<void> done = execution_->call(program_, inputs, outputs, first, last);
    if (done) return;
    std::fputs(fmt::format("error: kernel `{}`: {} [{}]\n", program_.name, done.error().message, done.error().name).c_str(),
               stderr);
    for (size_t i = 0; i < program_.outputs.size(); ++i)
      std::fill(outputs[i] + program_.outputs[i].reals(first), outputs[i] + program_.outputs[i].reals(last),
                std::numeric_limits<double>::quiet_NaN());
  }

 private:
  std::shared_ptr<Execution> execution_;
  Program program_;
};

class VulkanBackend final : public Backend {
 public:
  explicit VulkanBackend(std::shared_ptr<Execution> execution) : execution_(std::move(execution)) {}

  std::string name() const override { return "vulkan"; }
  std::string description() const override {
    const DeviceInfo& info = device().info();
    return fmt::format("{}, {}, f64{}", info.name, info.kind,
                       info.float_controls.keeps_subnormals ? "" : ", subnormals may count as zero");
  }
  bool is_host() const override { return false; }
  CompileTimes compile_times() const override { return times_; }
  int64_t preferred_blocks() const override { return kPreferredBlocks; }

  Result<std::vector<std::unique_ptr<Kernel>>> compile(std::span<const KernelPlan> kernels) override {
    times_ = {};
    std::vector<std::unique_ptr<Kernel>> result;
    for (const KernelPlan& kernel : kernels) {
      Result<Program> program = compile(kernel.scalar);
      if (!program) return fail(program.error());
      result.push_back(std::make_unique<DeviceKernel>(execution_, std::move(*program)));
    }
    return result;
  }

  Result<std::unique_ptr<Buffer>> allocate(size_t reals) override {
    if (reals > spirv::kMostReals)
      return fail("vulkan-buffer-too-large", fmt::format("a buffer of {} reals is wanted; kernels reach {} of them",
                                                         reals, spirv::kMostReals),
                  "split the mesh or the frames, or use `--backend llvm`");
    Result<Memory> memory = execution_->allocate_cleared(reals * sizeof(double));
    if (!memory) return fail(memory.error());
    return std::make_unique<DeviceBuffer>(execution_, std::move(*memory), reals);
  }

  Result<void> upload(std::span<const double> from, Buffer& to, size_t offset) override {
    if (const Result<void> fits = check_range(from.size(), to, offset); !fits) return fits;
    return execution_->upload(from, static_cast<DeviceBuffer&>(to).memory(), offset * sizeof(double));
  }

  Result<void> download(const Buffer& from, std::span<double> to, size_t offset) override {
    if (const Result<void> fits = check_range(to.size(), from, offset); !fits) return fits;
    return execution_->download(static_cast<const DeviceBuffer&>(from).memory(), to, offset * sizeof(double));
  }

  Result<void> launch(const Kernel& kernel, std::span<const Buffer* const> inputs, std::span<Buffer* const> outputs,
                      int64_t first, int64_t last) override {
    const Program& program = static_cast<const DeviceKernel&>(kernel).program();
    if (inputs.size() != program.inputs.size() || outputs.size() != program.outputs.size())
      return fail("backend-arguments",
                  fmt::format("`{}` has {} inputs and {} outputs; {} and {} are given", program.name,
                              program.inputs.size(), program.outputs.size(), inputs.size(), outputs.size()));
    if (first >= last) return {};
    std::vector<VkDeviceAddress> addresses;
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (const Result<void> fits = check_argument(program, program.inputs[i], *inputs[i], first, last); !fits) return fits;
      addresses.push_back(static_cast<const DeviceBuffer*>(inputs[i])->memory().address);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (const Result<void> fits = check_argument(program, program.outputs[i], *outputs[i], first, last); !fits) return fits;
      addresses.push_back(static_cast<const DeviceBuffer*>(outputs[i])->memory().address);
    }
    return execution_->launch(program, addresses, first, last);
  }

 private:
  const Device& device() const { return *execution_->device(); }

  Result<Program> compile(const ir::Function& function) {
    Clock::time_point start = Clock::now();
    const Result<std::vector<uint32_t>> words = spirv::write(function, device().info().float_controls);
    if (!words) return fail(words.error());
    // Drivers trust what they are given; a fault of ours must not become a crash of theirs.
    if (const Result<void> valid = spirv::validate(*words); !valid) return fail(valid.error());
    times_.emit += seconds_since(start);
    start = Clock::now();
    Result<Owned<VkPipeline>> pipeline = device().make_pipeline(*words);
    if (!pipeline) return fail(pipeline.error());
    times_.link += seconds_since(start);
    Program program;
    program.name = function.name;
    program.pipeline = std::move(*pipeline);
    for (const ir::Input& input : function.inputs) program.inputs.push_back({input.type.entries(), input.per_entity()});
    for (const ir::Output& output : function.outputs)
      program.outputs.push_back({static_cast<int64_t>(output.values.size()), true});
    return program;
  }

  static Result<void> check_range(size_t count, const Buffer& buffer, size_t offset) {
    if (offset <= buffer.size() && count <= buffer.size() - offset) return {};
    return fail("buffer-range",
                fmt::format("{} reals from {} on don't fit a buffer of {}", count, offset, buffer.size()));
  }

  static Result<void> check_argument(const Program& program, const Argument& argument, const Buffer& buffer,
                                     int64_t first, int64_t last) {
    const int64_t needed = argument.reals(last);
    if (first >= 0 && static_cast<uint64_t>(needed) <= buffer.size()) return {};
    return fail("buffer-range", fmt::format("blocks {} … {} of `{}` need an argument of {} reals; it has {}", first, last,
                                            program.name, needed, buffer.size()));
  }

  std::shared_ptr<Execution> execution_;
  CompileTimes times_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_vulkan_backend(VulkanOptions options) {
  Result<std::shared_ptr<Instance>> instance = Instance::create();
  if (!instance) return fail(instance.error());
  const Result<std::vector<DeviceInfo>> devices = (*instance)->devices();
  if (!devices) return fail(devices.error());
  Result<DeviceInfo> info = choose_device(*devices, options.device);
  if (!info) return fail(info.error());
  Result<std::shared_ptr<Device>> device = Device::create(std::move(*instance), std::move(*info));
  if (!device) return fail(device.error());
  Result<std::shared_ptr<Execution>> execution =
      Execution::create(std::move(*device), {options.always_stage, options.host_call_bytes});
  if (!execution) return fail(execution.error());
  return std::make_unique<VulkanBackend>(std::move(*execution));
}

Result<std::vector<std::string>> vulkan_devices() {
  const Result<std::shared_ptr<Instance>> instance = Instance::create();
  if (!instance) return fail(instance.error());
  const Result<std::vector<DeviceInfo>> devices = (*instance)->devices();
  if (!devices) return fail(devices.error());
  if (devices->empty()) return fail(choose_device(*devices, {}).error());
  std::vector<std::string> lines;
  for (const DeviceInfo& device : *devices)
    lines.push_back(fmt::format("{}, {}{}{}, f64 {}", device.name, device.kind, device.driver.empty() ? "" : ", driver ",
                                device.driver, device.has_f64 ? "yes" : "no"));
  return lines;
}

}  // namespace asb
