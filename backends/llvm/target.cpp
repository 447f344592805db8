// Host detection and code generation through LLVM's classic code-generator pipeline. No optimisation passes run before
// it: the SSA arrives folded, shared and ordered.
#include "backends/llvm/target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/TargetParser/Host.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

namespace asb::llvm_backend {
namespace {

void register_native_target() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

std::string host_features() {
  std::vector<std::string> words;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    words.push_back((feature.second ? "+" : "-") + feature.first().str());
  std::sort(words.begin(), words.end());  // the map has no order of its own; a cache key needs one
  return fmt::format("{}", fmt::join(words, ","));
}

bool has(const llvm::TargetMachine& machine, const char* feature) {
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures(std::string("+") + feature);
}

int widest(const llvm::TargetMachine& machine) {
  if (has(machine, "avx512f")) return 8;
  if (has(machine, "avx")) return 4;
  return 2;  // SSE2, NEON
}

Result<std::string> emit(const Target& target, llvm::Module& module, llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (target.machine->addPassesToEmitFile(passes, stream, nullptr, type))
    return fail("llvm-no-code-generator",
                fmt::format("LLVM has no such output for `{}`", target.machine->getTargetTriple().str()));
  passes.run(module);
  return std::string(bytes.data(), bytes.size());
}

}  // namespace

std::string Target::identity() const {
  return fmt::format("llvm {} {} cpu {} features {} lanes {} level {} contract {}", LLVM_VERSION_STRING,
                     machine->getTargetTriple().str(), machine->getTargetCPU().str(),
                     machine->getTargetFeatureString().str(), lanes, static_cast<int>(machine->getOptLevel()),
                     contract);
}

Result<Target> make_target(const LlvmOptions& options) {
  register_native_target();
  const bool host = options.cpu.empty();
  const std::string triple = llvm::sys::getProcessTriple();
  std::string message;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!found) return fail("llvm-no-target", fmt::format("LLVM can't make code for `{}`: {}", triple, message));
  const std::string cpu = host ? llvm::sys::getHostCPUName().str() : options.cpu;

  // Asked first, because createTargetMachine complains on the standard error.
  const std::unique_ptr<llvm::MCSubtargetInfo> known(found->createMCSubtargetInfo(triple, "", ""));
  if (!known || !known->isCPUStringValid(cpu))
    return fail("llvm-unknown-cpu", fmt::format("LLVM knows no CPU `{}`", cpu), "leave it empty for this machine");

  llvm::TargetOptions settings;
  settings.AllowFPOpFusion = options.contract ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Strict;
  const auto level = options.optimisation <= 1   ? llvm::CodeGenOptLevel::Less
                     : options.optimisation == 2 ? llvm::CodeGenOptLevel::Default
                                                 : llvm::CodeGenOptLevel::Aggressive;
  Target target;
  target.machine.reset(found->createTargetMachine(triple, cpu, host ? host_features() : "", settings,
                                                  llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!target.machine) return fail("llvm-no-target", fmt::format("LLVM can't make code for `{}`", triple));

  const int most = widest(*target.machine);
  target.lanes = options.lanes == 0 ? most : options.lanes;
  if (target.lanes < 1 || target.lanes > ASB_LANES || (target.lanes & (target.lanes - 1)) != 0)
    return fail("llvm-lanes", fmt::format("{} lanes; a power of 2 up to {} is needed", options.lanes, int{ASB_LANES}));
  target.has_avx512_math = has(*target.machine, "avx512f") && target.lanes > 1 &&
                           (target.lanes == 8 || has(*target.machine, "avx512vl"));
  target.contract = options.contract;
  return target;
}

Result<std::string> emit_object(const Target& target, llvm::Module& module) {
  return emit(target, module, llvm::CodeGenFileType::ObjectFile);
}

Result<std::string> emit_assembly_text(const Target& target, llvm::Module& module) {
  return emit(target, module, llvm::CodeGenFileType::AssemblyFile);
}

}  // namespace asb::llvm_backend

namespace asb {

CpuDescription cpu_description() {
  const Result<llvm_backend::Target> target = llvm_backend::make_target({});
  CpuDescription cpu;
  cpu.llvm_version = LLVM_VERSION_STRING;
  if (!target) return cpu;
  cpu.name = target->machine->getTargetCPU().str();
  cpu.lanes = target->lanes;
  constexpr std::array kOfInterest = {"sse4.1", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512vl", "avx512fp16"};
  for (const char* feature : kOfInterest)
    if (llvm_backend::has(*target->machine, feature))
      cpu.features += (cpu.features.empty() ? "" : " ") + std::string(feature);
  return cpu;
}

}  // namespace asb
