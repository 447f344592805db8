// `asb doctor`: what this machine offers, and what ASB makes of it.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "asb/program.h"
#include "backends/llvm/llvm_backend.h"
#include "runtime/linalg/blas.h"
#include "tools/commands.h"
#include "tools/console.h"
#ifdef ASB_HAS_VULKAN
#include "backends/vulkan/vulkan_backend.h"
#endif

namespace asb::tools {
namespace {

int doctor() {
  const CpuDescription cpu = cpu_description();
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  const double gigabytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e9;
  fmt::print("asb       {}\n", ASB_VERSION);
  fmt::print("cpu       {}, {} cores, {:.1f} GB memory\n", cpu.name, cores, gigabytes);
  fmt::print("features  {}\n", cpu.features);
  fmt::print("llvm      {}, {} doubles a vector\n", cpu.llvm_version, cpu.lanes);
  fmt::print("blas      {}\n", blas_description());
  fmt::print("programs  {}\n", standard_programs_folder());
#ifdef ASB_HAS_VULKAN
  const auto devices = vulkan_devices();
  if (!devices) fmt::print("vulkan    none: {}\n", devices.error().message);
  else
    for (const std::string& device : *devices) fmt::print("vulkan    {}\n", device);
#else
  fmt::print("vulkan    not built in\n");
#endif
  return 0;
}

}  // namespace

void add_doctor(CLI::App& app, Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what this machine offers: CPU features, LLVM, the BLAS and its kernel, Vulkan devices.\n\n"
      "  asb doctor");
  command->callback([&chosen] { chosen = doctor; });
}

}  // namespace asb::tools
