// See blas.h. Symbols are looked up at run time: the same binary runs on OpenBLAS and on the
// reference BLAS.
#include "runtime/linalg/blas.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string_view>

namespace asb {
namespace {

template <class Function>
Function* find(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_DEFAULT, name));
}

/// The file that the BLAS in use was loaded from, or empty.
std::string library_path() {
  void* symbol = ::dlsym(RTLD_DEFAULT, "dgemm_");
  Dl_info info = {};
  if (symbol == nullptr || ::dladdr(symbol, &info) == 0 || info.dli_fname == nullptr) return {};
  return info.dli_fname;
}

}  // namespace

void use_one_blas_thread() {
  static const bool done = [] {
    if (auto* openblas = find<void(int)>("openblas_set_num_threads")) openblas(1);
    if (auto* mkl = find<void(int)>("MKL_Set_Num_Threads")) mkl(1);
    if (auto* blis = find<void(long)>("bli_thread_set_num_threads")) blis(1);
    return true;
  }();
  (void)done;
}

std::string blas_description() {
  use_one_blas_thread();
  const std::string path = library_path();
  auto* config = find<char*()>("openblas_get_config");
  if (config == nullptr) {
    if (find<void(int)>("MKL_Set_Num_Threads") != nullptr) return "MKL, 1 thread";
    if (path.empty()) return "no BLAS found";
    return fmt::format("BLAS from {} (not OpenBLAS: factorisations may be many times slower)",
                       path);
  }
  // The configuration begins with "OpenBLAS x.y.z" and goes on with build switches.
  std::string_view text = config();
  const size_t name_end = text.find(' ');
  const size_t version_end = name_end == text.npos ? text.npos : text.find(' ', name_end + 1);
  auto* core = find<char*()>("openblas_get_corename");
  auto* threads = find<int()>("openblas_get_num_threads");
  const int n_threads = threads != nullptr ? threads() : 0;
  return fmt::format("{}, kernel {}, {} thread{}", text.substr(0, version_end),
                     core != nullptr ? core() : "unknown", n_threads, n_threads == 1 ? "" : "s");
}

// With no active level of parallelism allowed, OpenMP runs a region on its caller even where the
// region names a number of threads. The setting belongs to the calling thread's task, so other
// users are not touched.
SingleOpenMpThread::SingleOpenMpThread() {
  auto* get = find<int()>("omp_get_max_active_levels");
  auto* set = find<void(int)>("omp_set_max_active_levels");
  if (get == nullptr || set == nullptr) return;
  saved_levels_ = get();
  set(0);
}

SingleOpenMpThread::~SingleOpenMpThread() {
  if (saved_levels_ >= 0) find<void(int)>("omp_set_max_active_levels")(saved_levels_);
}

}  // namespace asb
