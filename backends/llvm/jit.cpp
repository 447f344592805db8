// The ORC session. Symbols that objects lack (floor without SSE4.1, fma without FMA, memcpy) come from this process.
#include "backends/llvm/jit.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutionUtils.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/Support/MemoryBuffer.h>

#include <mutex>

namespace asb::llvm_backend {
namespace {

tl::unexpected<Error> link_failure(llvm::Error error) {
  return fail("llvm-link", fmt::format("compiled code could not be linked: {}", llvm::toString(std::move(error))));
}

}  // namespace

struct Jit::Session {
  explicit Session(std::unique_ptr<llvm::orc::ExecutorProcessControl> process)
      : session(std::move(process)), linking(session) {}
  ~Session() {
    if (llvm::Error error = session.endSession()) llvm::consumeError(std::move(error));
  }

  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linking;
  std::mutex mutex;
  int libraries = 0;
};

Jit::Jit(std::unique_ptr<Session> session) : session_(std::move(session)) {}
Jit::~Jit() = default;

Result<std::shared_ptr<Jit>> Jit::create() {
  auto process = llvm::orc::SelfExecutorProcessControl::Create();
  if (!process) return link_failure(process.takeError());
  return std::shared_ptr<Jit>(new Jit(std::make_unique<Session>(std::move(*process))));
}

Result<asb_kernel> Jit::link(std::string object, const std::string& symbol) {
  const std::lock_guard lock(session_->mutex);
  llvm::orc::JITDylib& library = session_->session.createBareJITDylib(fmt::format("asb{}", session_->libraries++));
  auto from_process = llvm::orc::DynamicLibrarySearchGenerator::GetForCurrentProcess('\0');
  if (!from_process) return link_failure(from_process.takeError());
  library.addGenerator(std::move(*from_process));
  if (llvm::Error error = session_->linking.add(
          library, llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object), symbol)))
    return link_failure(std::move(error));
  auto found = session_->session.lookup({&library}, session_->session.intern(symbol));
  if (!found) return link_failure(found.takeError());
  return found->getAddress().toPtr<asb_kernel>();
}

}  // namespace asb::llvm_backend
