// Finds and opens the LibTorch plug-in: see learner.h.
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>

#include "runtime/linalg/blas.h"
#include "runtime/networks/plug_in.h"

namespace asb {
namespace {

constexpr const char* kFile = "libasb_torch.so";
constexpr const char* kInstall = "install Debian's libtorch-dev (`apt install libtorch-dev`) and build ASB again, or run with networks in the interpreter";

/// The folder of the running executable.
std::filesystem::path own_folder() {
  std::error_code error;
  return std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
}

/// dlopen of the first that exists; never closed, as LibTorch can't be unloaded.
Result<OpenNetworks*> find_entry() {
  const std::filesystem::path here = own_folder();
  for (const std::filesystem::path& folder : {here / "../lib", here, here / "../lib/asb"}) {
    const std::filesystem::path file = (folder / kFile).lexically_normal();
    std::error_code error;
    if (!std::filesystem::exists(file, error)) continue;
    // Local: LibTorch's many symbols stay out of the way of LLVM's and of ours.
    void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return fail("torch-open", fmt::format("can't open `{}`: {}", file.string(), ::dlerror()), kInstall);
    if (void* entry = ::dlsym(library, kNetworkPlugInEntry)) return reinterpret_cast<OpenNetworks*>(entry);
    return fail("torch-open", fmt::format("`{}` is no plug-in of ASB", file.string()), "build ASB again");
  }
  return fail("torch-missing", fmt::format("LibTorch is needed for networks and learning, and `{}` is neither in `{}` nor in `{}`", kFile,
                                           (here / "../lib").lexically_normal().string(), here.string()),
              kInstall);
}

}  // namespace

Result<NetworkEngine> open_torch(NetworkPrecision precision) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static const Result<OpenNetworks*> entry = find_entry();
  if (!entry) return fail(entry.error());
  use_one_blas_thread();
  Result<NetworkEngine> engine;
  if (!(*entry)(kNetworkPlugInVersion, precision, &engine))
    return fail("torch-open", fmt::format("`{}` is of another build of ASB", kFile), "build ASB again");
  return engine;
}

}  // namespace asb
