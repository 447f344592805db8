// The device side: choice and refusals without a device; memory, ranges and lifetimes on one.
#include <limits>
#include <thread>

#include "backends/vulkan/instance.h"
#include "backends/vulkan/vulkan_backend.h"
#include "tests/backends/agreement/operands.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Op;

vulkan::DeviceInfo info(const char* name, VkPhysicalDeviceType type, bool has_f64 = true) {
  vulkan::DeviceInfo result;
  result.name = name;
  result.type = type;
  result.version = VK_API_VERSION_1_2;
  result.has_f64 = has_f64;
  result.has_addresses = true;
  result.queue_family = 0;
  return result;
}

TEST(VulkanDevices, ADiscreteGpuIsChosenBeforeOthersAndOnlyWithF64) {
  const std::vector<vulkan::DeviceInfo> devices = {
      info("llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU), info("Small Graphics", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, false),
      info("Big Graphics", VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU)};
  EXPECT_EQ(vulkan::choose_device(devices, "")->name, "Big Graphics");
  EXPECT_EQ(vulkan::choose_device({devices.begin(), devices.begin() + 2}, "")->name, "llvmpipe");
  EXPECT_EQ(vulkan::choose_device(devices, "LLVM")->name, "llvmpipe") << "part of a name, in any case";
}

TEST(VulkanDevices, ARefusalNamesFeatureDeviceAndWayOut) {
  const std::vector<vulkan::DeviceInfo> devices = {info("Small Graphics", VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, false),
                                                   info("llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU)};
  const auto refused = vulkan::choose_device(devices, "small");
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("`Small Graphics`"), std::string::npos);
  EXPECT_NE(refused.error().message.find("`shaderFloat64`"), std::string::npos);
  EXPECT_NE(refused.error().hint.find("--backend llvm"), std::string::npos);
}

TEST(VulkanDevices, AnUnknownNameListsTheNamesThatExist) {
  const auto refused = vulkan::choose_device({info("llvmpipe", VK_PHYSICAL_DEVICE_TYPE_CPU)}, "quantum");
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().name, "vulkan-no-such-device");
  EXPECT_NE(refused.error().hint.find("`llvmpipe`"), std::string::npos);
  EXPECT_EQ(vulkan::choose_device({}, "").error().name, "vulkan-no-device");
}

/// Both ways of moving data.
class OnDevice : public OnBackend {};
INSTANTIATE_TEST_SUITE_P(All, OnDevice, testing::Values("vulkan", "vulkan-staged"),
                         [](const auto& info) { return info.param == "vulkan" ? "mapped" : "staged"; });

std::vector<double> numbers(size_t n) {
  std::vector<double> result(n);
  for (size_t i = 0; i < n; ++i) result[i] = 0.5 * static_cast<double>(i) - 7;
  return result;
}

TEST_P(OnDevice, IsListedByNameWithItsF64) {
  const auto devices = vulkan_devices();
  ASSERT_TRUE(devices.has_value()) << devices.error().message;
  EXPECT_NE(devices->at(0).find("f64 "), std::string::npos) << devices->at(0);
  EXPECT_EQ(backend_->name(), "vulkan");
  EXPECT_FALSE(backend_->is_host());
}

TEST_P(OnDevice, MemoryStartsAsZeroAndGivesBackWhatItGot) {
  const size_t n = 3'000'000;  // 24 MB: more than one piece of staging
  auto buffer = backend_->allocate(n);
  ASSERT_TRUE(buffer.has_value()) << buffer.error().message;
  std::vector<double> back(n, 1.0);
  ASSERT_TRUE(backend_->download(**buffer, back).has_value());
  EXPECT_EQ(back, std::vector<double>(n, 0.0));
  const std::vector<double> sent = numbers(n - 10);
  ASSERT_TRUE(backend_->upload(sent, **buffer, 10).has_value());
  std::vector<double> tail(5);
  ASSERT_TRUE(backend_->download(**buffer, back).has_value());
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), back.begin() + 10));
  EXPECT_EQ(std::vector<double>(back.begin(), back.begin() + 10), std::vector<double>(10, 0.0));
  ASSERT_TRUE(backend_->download(**buffer, tail, n - 5).has_value());
  EXPECT_TRUE(std::equal(tail.begin(), tail.end(), sent.end() - 5));
}

TEST_P(OnDevice, RangesThatLeaveABufferAreRefused) {
  auto buffer = backend_->allocate(16);
  ASSERT_TRUE(buffer.has_value());
  std::vector<double> x(10);
  EXPECT_EQ(backend_->upload(x, **buffer, 7).error().name, "buffer-range");
  EXPECT_EQ(backend_->download(**buffer, x, 17).error().name, "buffer-range");
  const Function f = function_of(Op::Neg);
  const KernelPlan plan{f, f};
  const auto kernels = backend_->compile({&plan, 1});
  ASSERT_TRUE(kernels.has_value());
  const Buffer* in = buffer->get();
  Buffer* out = buffer->get();
  EXPECT_EQ(backend_->launch(*kernels->at(0), {&in, 1}, {&out, 1}, 0, 3).error().name, "buffer-range");
  EXPECT_EQ(backend_->launch(*kernels->at(0), {}, {&out, 1}, 0, 1).error().name, "backend-arguments");
  EXPECT_TRUE(backend_->launch(*kernels->at(0), {&in, 1}, {&out, 1}, 2, 2).has_value()) << "no blocks, no work";
}

TEST_P(OnDevice, TooLargeABufferIsAnErrorWithBothSizes) {
  const auto buffer = backend_->allocate(size_t{1} << 40);
  ASSERT_FALSE(buffer.has_value());
  EXPECT_EQ(buffer.error().name, "vulkan-buffer-too-large");
  EXPECT_NE(buffer.error().message.find(std::to_string(size_t{1} << 40)), std::string::npos) << buffer.error().message;
}

TEST_P(OnDevice, OnlyTheBlocksAskedForAreComputed) {
  const Function f = function_of(Op::Neg);
  const KernelPlan plan{f, f};
  const auto kernels = backend_->compile({&plan, 1});
  ASSERT_TRUE(kernels.has_value());
  const std::vector<double> x = numbers(40 * ASB_LANES);
  auto in = backend_->allocate(x.size()), out = backend_->allocate(x.size());
  ASSERT_TRUE(backend_->upload(x, **in).has_value());
  const Buffer* inputs = in->get();
  Buffer* outputs = out->get();
  ASSERT_TRUE(backend_->launch(*kernels->at(0), {&inputs, 1}, {&outputs, 1}, 3, 21).has_value());
  std::vector<double> y(x.size()), host(x.size(), 0.0);
  ASSERT_TRUE(backend_->download(**out, y).has_value());
  const double* from = x.data();
  double* to = host.data();
  kernels->at(0)->run(&from, &to, 3, 21);
  for (size_t i = 0; i < x.size(); ++i) {
    const double expected = i >= 3 * ASB_LANES && i < 21 * ASB_LANES ? -x[i] : 0;
    ASSERT_EQ(y[i], expected) << i;
    ASSERT_EQ(host[i], expected) << i;
  }
}

TEST_P(OnDevice, MoreEntitiesThanOneDispatchTakesAreComputed) {
  const Function f = function_of(Op::Neg);
  const KernelPlan plan{f, f};
  const auto kernels = backend_->compile({&plan, 1});
  ASSERT_TRUE(kernels.has_value());
  const int64_t blocks = 65535 * 8 + 100;  // lavapipe's most, and some
  const std::vector<double> x = numbers(static_cast<size_t>(blocks) * ASB_LANES);
  auto in = backend_->allocate(x.size()), out = backend_->allocate(x.size());
  ASSERT_TRUE(in.has_value() && out.has_value());
  ASSERT_TRUE(backend_->upload(x, **in).has_value());
  const Buffer* inputs = in->get();
  Buffer* outputs = out->get();
  ASSERT_TRUE(backend_->launch(*kernels->at(0), {&inputs, 1}, {&outputs, 1}, 0, blocks).has_value());
  std::vector<double> y(x.size());
  ASSERT_TRUE(backend_->download(**out, y).has_value());
  size_t wrong = 0;
  for (size_t i = 0; i < x.size(); ++i) wrong += y[i] != -x[i];
  EXPECT_EQ(wrong, 0u);
}

TEST_P(OnDevice, KernelsRunFromSeveralThreadsAtOnce) {
  const Function f = function_of(Op::Add);
  const KernelPlan plan{f, f};
  const auto kernels = backend_->compile({&plan, 1});
  ASSERT_TRUE(kernels.has_value());
  const std::vector<double> x = numbers(2000 * ASB_LANES);
  std::vector<double> y(x.size());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const double* in[] = {x.data(), x.data()};
      double* out = y.data();
      for (int64_t first = t * 500; first < (t + 1) * 500; first += 125)
        kernels->at(0)->run(in, &out, first, first + 125);
    });
  for (std::thread& thread : threads) thread.join();
  for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(y[i], x[i] + x[i]) << i;
}

TEST_P(OnDevice, KernelsAndBuffersOutliveTheBackend) {
  auto made = make_vulkan_backend({.always_stage = GetParam() == "vulkan-staged"});
  ASSERT_TRUE(made.has_value());
  const Function f = function_of(Op::Neg);
  const KernelPlan plan{f, f};
  auto kernels = (*made)->compile({&plan, 1});
  auto buffer = (*made)->allocate(8);
  ASSERT_TRUE(kernels.has_value() && buffer.has_value());
  made->reset();
  const std::vector<double> x = numbers(8);
  std::vector<double> y(8);
  const double* in = x.data();
  double* out = y.data();
  kernels->at(0)->run(&in, &out, 0, 1);
  EXPECT_EQ(y[3], -x[3]);
}

TEST_P(OnDevice, AnUnknownDeviceIsRefused) {
  const auto made = make_vulkan_backend({.device = "no such device"});
  ASSERT_FALSE(made.has_value());
  EXPECT_EQ(made.error().name, "vulkan-no-such-device");
}

}  // namespace
}  // namespace asb::test
