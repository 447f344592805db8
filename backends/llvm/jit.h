// Objects become callable code: ORC's session with JITLink, one library per object.
#pragma once

#include <memory>
#include <string>

#include "abi/kernel.h"
#include "base/result.h"

namespace asb::llvm_backend {

/// Owns linked code; it lives until the Jit and all handles to it are gone.
class Jit {
 public:
  Jit(const Jit&) = delete;
  Jit& operator=(const Jit&) = delete;
  ~Jit();

  [[nodiscard]] static Result<std::shared_ptr<Jit>> create();
  /// Links one ELF object, which defines `symbol`, and gives its address. May be called from any thread.
  [[nodiscard]] Result<asb_kernel> link(std::string object, const std::string& symbol);

 private:
  struct Session;
  explicit Jit(std::unique_ptr<Session> session);
  std::unique_ptr<Session> session_;
};

}  // namespace asb::llvm_backend
