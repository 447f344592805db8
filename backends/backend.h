// The one interface of all backends. A launch computes a kernel at a range of entities; layouts as in abi/kernel.h.
// Every op rounds by itself: a backend never contracts Mul and Add into one rounding (the elementary functions rest on
// that), only Fma may have a single one. The order of operations is that of the SSA.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/kernel.h"
#include "base/result.h"
#include "compiler/plan/kernel.h"

namespace asb {

/// Memory of a device. For host backends `data` is the memory itself.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual size_t size() const = 0;          ///< in reals
  virtual double* host() { return nullptr; }  ///< null where the host can't see it
};

/// A compiled kernel.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// For host backends: call it directly on host pointers, from any thread. Null elsewhere.
  virtual asb_kernel entry() const { return nullptr; }
  /// On host pointers, from any thread: backends without machine code run this (a device copies in and out); default
  /// calls entry().
  virtual void run(const double* const* inputs, double* const* outputs, int64_t first, int64_t last) const {
    entry()(inputs, outputs, first, last);
  }
};

struct CompileTimes {
  double optimise = 0, emit = 0, link = 0;  ///< [s]
  bool from_cache = false;
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual std::string name() const = 0;         ///< "llvm", "interpreter", "vulkan"
  virtual std::string description() const = 0;  ///< machine, lanes, device
  virtual bool is_host() const = 0;             ///< buffers and kernels may be used through host pointers

  /// Compiles all kernels of a program at once. An op that the backend lacks is refused by name.
  [[nodiscard]] virtual Result<std::vector<std::unique_ptr<Kernel>>> compile(
      std::span<const KernelPlan> kernels) = 0;
  virtual CompileTimes compile_times() const { return {}; }
  /// Entity blocks that one call of Kernel::run should cover at least: many where a call is dear.
  virtual int64_t preferred_blocks() const { return 1; }

  [[nodiscard]] virtual Result<std::unique_ptr<Buffer>> allocate(size_t reals) = 0;
  [[nodiscard]] virtual Result<void> upload(std::span<const double> from, Buffer& to, size_t offset = 0) = 0;
  [[nodiscard]] virtual Result<void> download(const Buffer& from, std::span<double> to, size_t offset = 0) = 0;
  /// Blocks first .. last of one kernel; returns when done (wait) or an error of the device.
  [[nodiscard]] virtual Result<void> launch(const Kernel& kernel, std::span<const Buffer* const> inputs,
                                            std::span<Buffer* const> outputs, int64_t first,
                                            int64_t last) = 0;
};

}  // namespace asb
