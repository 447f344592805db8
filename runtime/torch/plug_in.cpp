// The entry of the plug-in. Sets up the process once, before the first tensor.
#include "runtime/networks/plug_in.h"

#include <ATen/Parallel.h>
#include <malloc.h>

#include <exception>

#include "runtime/torch/evaluator.h"
#include "runtime/torch/learner.h"

namespace asb::networks {
namespace {

// Tensors of a few MB come and go thousands of times a second. By default glibc maps each anew and gives it back, and a
// network is bound by page faults. 32 MB is the largest mmap threshold that glibc takes.
void keep_memory() {
  ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
  ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

void set_up() {
  static const bool done = [] {
    keep_memory();
    at::set_num_threads(1);  // tasks are parallel, not what is inside them
    return true;
  }();
  (void)done;
}

}  // namespace
}  // namespace asb::networks

extern "C" __attribute__((visibility("default"))) bool asb_open_networks(int version, asb::NetworkPrecision precision,
                                                                         asb::Result<asb::NetworkEngine>* engine) {
  using namespace asb::networks;
  if (version != asb::kNetworkPlugInVersion) return false;
  try {
    set_up();
    *engine = asb::NetworkEngine{make_evaluator(precision), make_learner(precision)};
  } catch (const std::exception& error) {
    *engine = asb::fail("torch-open", std::string("LibTorch can't be set up: ") + error.what());
  }
  return true;
}
