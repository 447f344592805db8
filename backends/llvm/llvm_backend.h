// The CPU backend: kernels become machine code through LLVM, one entity per SIMD lane. Everything of LLVM stays behind
// this header. Reads the scalar stage of each KernelPlan, in which the pass `elementary` has replaced exp, log, sin, …
//
// Floating point: every op rounds once, as written; Mul and Add are never contracted and there are no fast-math flags,
// so that all host backends give the same bits. A fused multiply-add happens where the SSA says Fma.
#pragma once

#include <memory>
#include <string>

#include "backends/backend.h"

namespace asb {

struct LlvmOptions {
  std::string cpu = {};           ///< LLVM's name of a CPU, "x86-64-v3" for instance; empty: this machine
  int lanes = 0;                  ///< entities per vector, a power of 2 up to ASB_LANES; 0: as wide as the CPU allows
  int optimisation = 2;           ///< effort of the code generator, 1 … 3
  bool contract = false;          ///< lets LLVM fuse a·b + c: other bits, and pow loses its bound (for measurements)
  bool cache = true;              ///< keep compiled objects on disk; ASB_CACHE=off in the environment refuses it too
  std::string cache_folder = {};  ///< empty: $XDG_CACHE_HOME/asb, or ~/.cache/asb
};

/// What the code generator makes of this machine.
struct CpuDescription {
  std::string name;          ///< "znver5"
  int lanes = 0;             ///< doubles per vector
  std::string features;      ///< those of interest that it has: "avx2 fma avx512f"
  std::string llvm_version;  ///< "19.1.7"
};
CpuDescription cpu_description();

[[nodiscard]] Result<std::unique_ptr<Backend>> make_llvm_backend(LlvmOptions options = {});

/// The module that a kernel becomes, as text.
[[nodiscard]] Result<std::string> emit_llvm_text(const KernelPlan& kernel, const LlvmOptions& options = {});
/// Its assembly for the CPU chosen.
[[nodiscard]] Result<std::string> emit_assembly(const KernelPlan& kernel, const LlvmOptions& options = {});

}  // namespace asb
