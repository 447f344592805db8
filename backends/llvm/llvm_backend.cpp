// The Backend object: compiles kernels side by side, each into an object of its own, and runs them on threads.
#include "backends/llvm/llvm_backend.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <optional>

#include "backends/llvm/cache_key.h"
#include "backends/llvm/emit_ir.h"
#include "backends/llvm/jit.h"
#include "backends/llvm/object_cache.h"
#include "backends/llvm/target.h"

#include <llvm/Support/raw_ostream.h>

namespace asb {
namespace {

using namespace llvm_backend;
using Clock = std::chrono::steady_clock;

constexpr size_t kAlignment = 64;       // bytes: one vector of eight reals, one cache line
constexpr int64_t kBlocksPerTask = 32;  // 256 entities: microseconds of work, far above the cost of a task

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

class HostBuffer final : public Buffer {
 public:
  HostBuffer(double* data, size_t size) : data_(data), size_(size) {}
  ~HostBuffer() override { std::free(data_); }
  size_t size() const override { return size_; }
  double* host() override { return data_; }
  const double* data() const { return data_; }

 private:
  double* data_;
  size_t size_;
};

class LlvmKernel final : public Kernel {
 public:
  LlvmKernel(std::shared_ptr<Jit> jit, asb_kernel entry) : jit_(std::move(jit)), entry_(entry) {}
  asb_kernel entry() const override { return entry_; }

 private:
  std::shared_ptr<Jit> jit_;  // keeps the code
  asb_kernel entry_;
};

/// One kernel on its way to an object.
struct Job {
  const ir::Function* function = nullptr;
  std::optional<Error> error;
  std::string object;
  CompileTimes times;
};

void compile_object(const LlvmOptions& options, ObjectCache& cache, const std::string& identity, Job& job) {
  const std::string key = cache_key(*job.function, identity);
  if (std::optional<std::string> found = cache.find(key)) {
    job.object = std::move(*found);
    job.times.from_cache = true;
    return;
  }
  Clock::time_point start = Clock::now();
  // LLVM's contexts and target machines belong to one thread at a time, so each job has its own.
  const Result<Target> target = make_target(options);
  if (!target) return void(job.error = target.error());
  llvm::LLVMContext context;
  Result<std::unique_ptr<llvm::Module>> module = emit_module(*job.function, *target, context);
  if (!module) return void(job.error = module.error());
  job.times.optimise = seconds_since(start);
  start = Clock::now();
  Result<std::string> object = emit_object(*target, **module);
  if (!object) return void(job.error = object.error());
  job.times.emit = seconds_since(start);
  job.object = std::move(*object);
  cache.store(key, job.object);
}

class LlvmBackend final : public Backend {
 public:
  LlvmBackend(LlvmOptions options, std::shared_ptr<Jit> jit, Target target, std::string cache_folder)
      : options_(std::move(options)),
        jit_(std::move(jit)),
        lanes_(target.lanes),
        cpu_(target.machine->getTargetCPU().str()),
        identity_(target.identity()),
        cache_(std::move(cache_folder)) {}

  std::string name() const override { return "llvm"; }
  std::string description() const override {
    return fmt::format("{}, {} lane{} of f64", cpu_, lanes_, lanes_ == 1 ? "" : "s");
  }
  bool is_host() const override { return true; }

  Result<std::vector<std::unique_ptr<Kernel>>> compile(std::span<const KernelPlan> kernels) override {
    std::vector<Job> jobs(kernels.size());
    tbb::parallel_for(size_t{0}, jobs.size(), [&](size_t i) {
      jobs[i].function = &kernels[i].scalar;
      compile_object(options_, cache_, identity_, jobs[i]);
    });
    times_ = {};
    times_.from_cache = !jobs.empty();
    bool stored = false;
    for (const Job& job : jobs) {
      if (job.error) return fail(*job.error);
      times_.optimise += job.times.optimise;
      times_.emit += job.times.emit;
      times_.from_cache = times_.from_cache && job.times.from_cache;
      stored = stored || !job.times.from_cache;
    }
    if (stored) cache_.prune();
    return link(jobs);
  }
  CompileTimes compile_times() const override { return times_; }

  Result<std::unique_ptr<Buffer>> allocate(size_t reals) override {
    const size_t bytes = std::max<size_t>(1, (reals * sizeof(double) + kAlignment - 1) / kAlignment) * kAlignment;
    auto* data = static_cast<double*>(std::aligned_alloc(kAlignment, bytes));
    if (!data)
      return fail("out-of-memory", fmt::format("{:.1f} MB could not be allocated", static_cast<double>(bytes) / 1e6));
    std::fill_n(data, bytes / sizeof(double), 0.0);
    return std::make_unique<HostBuffer>(data, reals);
  }

  Result<void> upload(std::span<const double> from, Buffer& to, size_t offset) override {
    if (const Result<void> fits = check_range(from.size(), to, offset); !fits) return fits;
    std::copy(from.begin(), from.end(), to.host() + offset);
    return {};
  }

  Result<void> download(const Buffer& from, std::span<double> to, size_t offset) override {
    if (const Result<void> fits = check_range(to.size(), from, offset); !fits) return fits;
    std::copy_n(static_cast<const HostBuffer&>(from).data() + offset, to.size(), to.begin());
    return {};
  }

  Result<void> launch(const Kernel& kernel, std::span<const Buffer* const> inputs, std::span<Buffer* const> outputs,
                      int64_t first, int64_t last) override {
    std::vector<const double*> in;
    for (const Buffer* buffer : inputs) in.push_back(static_cast<const HostBuffer*>(buffer)->data());
    std::vector<double*> out;
    for (Buffer* buffer : outputs) out.push_back(buffer->host());
    // Blocks don't depend on each other, so the split over threads can't be seen in the result.
    tbb::parallel_for(tbb::blocked_range<int64_t>(first, last, kBlocksPerTask), [&](const auto& range) {
      kernel.entry()(in.data(), out.data(), range.begin(), range.end());
    });
    return {};
  }

 private:
  static Result<void> check_range(size_t count, const Buffer& buffer, size_t offset) {
    if (offset <= buffer.size() && count <= buffer.size() - offset) return {};
    return fail("buffer-range",
                fmt::format("{} reals from {} on don't fit a buffer of {}", count, offset, buffer.size()));
  }

  Result<std::vector<std::unique_ptr<Kernel>>> link(std::vector<Job>& jobs) {
    const Clock::time_point start = Clock::now();
    std::vector<std::unique_ptr<Kernel>> compiled;
    for (Job& job : jobs) {
      const Result<asb_kernel> entry = jit_->link(job.object, symbol_of(*job.function));
      if (!entry) return fail(entry.error());
      compiled.push_back(std::make_unique<LlvmKernel>(jit_, *entry));
    }
    times_.link = seconds_since(start);
    return compiled;
  }

  LlvmOptions options_;
  std::shared_ptr<Jit> jit_;
  int lanes_;
  std::string cpu_;
  std::string identity_;
  ObjectCache cache_;
  CompileTimes times_;
};

}  // namespace

Result<std::unique_ptr<Backend>> make_llvm_backend(LlvmOptions options) {
  Result<Target> target = make_target(options);
  if (!target) return fail(target.error());
  Result<std::shared_ptr<Jit>> jit = Jit::create();
  if (!jit) return fail(jit.error());
  const std::string standard = default_cache_folder();  // empty: refused by the environment
  std::string folder;
  if (options.cache && !standard.empty()) folder = options.cache_folder.empty() ? standard : options.cache_folder;
  return std::make_unique<LlvmBackend>(std::move(options), std::move(*jit), std::move(*target), std::move(folder));
}

Result<std::string> emit_llvm_text(const KernelPlan& kernel, const LlvmOptions& options) {
  const Result<Target> target = make_target(options);
  if (!target) return fail(target.error());
  llvm::LLVMContext context;
  const Result<std::unique_ptr<llvm::Module>> module = emit_module(kernel.scalar, *target, context);
  if (!module) return fail(module.error());
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*module)->print(stream, nullptr);
  return text;
}

Result<std::string> emit_assembly(const KernelPlan& kernel, const LlvmOptions& options) {
  const Result<Target> target = make_target(options);
  if (!target) return fail(target.error());
  llvm::LLVMContext context;
  const Result<std::unique_ptr<llvm::Module>> module = emit_module(kernel.scalar, *target, context);
  if (!module) return fail(module.error());
  return emit_assembly_text(*target, **module);
}

}  // namespace asb
