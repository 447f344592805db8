// Runs kernels at many entities on any backend, from plain numbers, with the layout of abi/kernel.h.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"

namespace asb::test {

/// [argument][entity][entry]; a uniform argument has one entity.
using Table = std::vector<std::vector<std::vector<double>>>;

/// Backends by name; "vulkan-staged" copies through staging memory. Made once per process: a device is dear.
const std::vector<std::string>& backend_names();

/// Null, with the reason, where this machine lacks it.
struct Opened {
  std::shared_ptr<Backend> backend;
  std::string reason;
};
Opened open_backend(const std::string& name);

enum class Way : uint8_t {
  Buffers,  ///< Backend::launch on its buffers
  Host,     ///< Kernel::run on host pointers
};

int64_t blocks_of(size_t entities);
/// Outputs at each entity; the last block is padded with copies of the last entity.
Table launch(Backend& backend, const KernelPlan& plan, const Table& inputs, size_t entities, Way way = Way::Buffers);

/// Tests of one backend.
class OnBackend : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const Opened opened = open_backend(GetParam());
    if (!opened.backend) GTEST_SKIP() << opened.reason;
    backend_ = opened.backend;
  }
  std::shared_ptr<Backend> backend_;
};

#define ASB_ON_ALL_BACKENDS(suite)                                                      \
  INSTANTIATE_TEST_SUITE_P(All, suite, testing::ValuesIn(asb::test::backend_names()),   \
                           [](const auto& info) {                                       \
                             std::string name = info.param;                             \
                             for (char& c : name) c = c == '-' ? '_' : c;               \
                             return name;                                               \
                           })

}  // namespace asb::test
