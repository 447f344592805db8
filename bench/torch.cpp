// Forward and backward of a modulated SIREN 64×5 at 134,656 points through the LibTorch plug-in, one thread, with glibc's
// mmap and trim thresholds raised (as the plug-in does) and at glibc's defaults.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <chrono>

#include "runtime/networks/learner.h"
#include "tests/runtime/networks/networks.h"

namespace {

using namespace asb;

/// Seconds, the best of seven: what others do on the machine only adds.
template <class Work>
double seconds(Work work) {
  std::vector<double> times;
  work();
  for (int i = 0; i < 7; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return *std::ranges::min_element(times);
}

void measure(NetworkEvaluator& evaluator, const test::NetworkCase& c, const char* thresholds) {
  const std::vector<NetworkInput> inputs = c.inputs();
  std::vector<double> value(static_cast<size_t>(c.n * c.output_entries())), bar(value.size(), 1e-3);
  std::vector<std::vector<double>> found = c.numbers;
  std::vector<std::span<double>> cotangents(found.begin(), found.end());
  cotangents[0] = {};  // the points are fixed
  Result<void> result;
  const double forward = seconds([&] { result = evaluator.forward(c.function, inputs, c.n, value); });
  if (!result) fmt::print("{}\n", result.error().message);
  const double backward = seconds([&] { result = evaluator.pull_back(c.function, inputs, c.n, bar, cotangents); });
  if (!result) fmt::print("{}\n", result.error().message);
  fmt::print("  thresholds {:8}  forward {:.3f} s   forward and backward {:.3f} s\n", thresholds, forward, backward);
}

}  // namespace

int main() {
  test::Random random(1);
  const test::NetworkCase c = test::modulated_siren(random, 64, 5, 8, 134656);
  for (const NetworkPrecision precision : {NetworkPrecision::F32, NetworkPrecision::F64}) {
    const auto engine = open_torch(precision);
    if (!engine) {
      fmt::print("skipped: {}\n", engine.error().message);
      return 0;
    }
    fmt::print("{}\n", engine->evaluator->description());
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20);
    ::mallopt(M_TRIM_THRESHOLD, 1 << 30);
    measure(*engine->evaluator, c, "raised");
    ::mallopt(M_MMAP_THRESHOLD, 128 << 10);
    ::mallopt(M_TRIM_THRESHOLD, 128 << 10);
    measure(*engine->evaluator, c, "default");
  }
  return 0;
}
