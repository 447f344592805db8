// The CPU that code is made for: its LLVM TargetMachine, the width of its vectors, and the step from module to object.
#pragma once

#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <memory>
#include <string>

#include "backends/llvm/llvm_backend.h"
#include "base/result.h"

namespace asb::llvm_backend {

struct Target {
  std::unique_ptr<llvm::TargetMachine> machine;
  int lanes = 1;               ///< entities per vector
  bool has_avx512_math = false;  ///< vscalef, vgetexp, vgetmant at this width
  bool contract = false;

  /// All that decides which code comes out, for cache keys.
  std::string identity() const;
};

[[nodiscard]] Result<Target> make_target(const LlvmOptions& options);

/// An ELF object.
[[nodiscard]] Result<std::string> emit_object(const Target& target, llvm::Module& module);
/// Assembly text.
[[nodiscard]] Result<std::string> emit_assembly_text(const Target& target, llvm::Module& module);

}  // namespace asb::llvm_backend
