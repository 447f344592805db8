// Sums in fixed order.
#include "runtime/linalg/fixed_sum.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>

#include "runtime/minimise/curvature.h"

namespace asb {
namespace {

constexpr size_t kLong = 1'000'003;  // many blocks and an odd rest

double dot_with_threads(int n_threads, std::span<const double> a, std::span<const double> b) {
  tbb::task_arena arena(n_threads);
  return arena.execute([&] { return dot(a, b); });
}

TEST(FixedSum, HasTheSameBitsForAnyNumberOfThreads) {
  const tbb::global_control allow(tbb::global_control::max_allowed_parallelism, 8);
  const std::vector<double> a = fixed_noise(kLong);
  std::vector<double> b = a;
  std::reverse(b.begin(), b.end());
  const double one = dot_with_threads(1, a, b);
  for (const int n_threads : {2, 3, 8})
    for (int repeat = 0; repeat < 20; ++repeat) ASSERT_EQ(dot_with_threads(n_threads, a, b), one);
}

TEST(FixedSum, IsCloserToTheTrueSumThanAddingInOrder) {
  const std::vector<double> tenths(kLong, 0.1);
  double in_order = 0;
  for (const double value : tenths) in_order += value;
  const double expected = 100000.3;
  EXPECT_LT(std::abs(fixed_sum(tenths) - expected), 1e-9);
  EXPECT_GT(std::abs(in_order - expected), std::abs(fixed_sum(tenths) - expected));
}

TEST(FixedSum, TakesAnyLength) {
  for (const size_t n : {size_t{0}, size_t{1}, size_t{7}, size_t{9}, kSumBlock - 1, kSumBlock,
                         kSumBlock + 1, 3 * kSumBlock + 5, 40 * kSumBlock + 1}) {
    const std::vector<double> ones(n, 1.0);
    EXPECT_EQ(fixed_sum(ones), static_cast<double>(n));
    EXPECT_EQ(dot(ones, ones), static_cast<double>(n));
  }
  EXPECT_EQ(norm(std::vector<double>{3, 4}), 5);
  EXPECT_EQ(max_abs(std::vector<double>{3, -4}), 4);
  EXPECT_TRUE(std::isnan(max_abs(std::vector<double>{3, NAN, -4})));
}

TEST(FixedSum, MovesLongVectorsEntryByEntry) {
  const std::vector<double> x = fixed_noise(kLong);
  std::vector<double> y(kLong, 1.0), out(kLong);
  add_scaled(2, x, y);
  move_along(x, 0.5, y, out);
  scale_and_add(x, 3, y);
  for (size_t i = 0; i < kLong; i += 997) {
    ASSERT_EQ(out[i], x[i] + 0.5 * (1 + 2 * x[i]));
    ASSERT_EQ(y[i], x[i] + 3 * (1 + 2 * x[i]));
  }
}

}  // namespace
}  // namespace asb
