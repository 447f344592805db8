// See fixed_sum.h. Blocks may run on any thread; what is added to what depends on the length alone.
#include "runtime/linalg/fixed_sum.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/check.h"

namespace asb {
namespace {

constexpr size_t kLanes = 8;
/// Below this many blocks starting tasks costs more than the sums.
constexpr size_t kParallelBlocks = 32;

/// Eight running sums, then ((0+4)+(2+6))+((1+5)+(3+7)).
template <class Term>
double sum_block(size_t begin, size_t end, Term term) {
  std::array<double, kLanes> lane = {};
  size_t i = begin;
  for (; i + kLanes <= end; i += kLanes)
    for (size_t k = 0; k < kLanes; ++k) lane[k] += term(i + k);
  for (size_t k = 0; i < end; ++i, ++k) lane[k] += term(i);
  return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

template <class Body>
void for_blocks(size_t n_blocks, Body body) {
  if (n_blocks < kParallelBlocks) {
    for (size_t b = 0; b < n_blocks; ++b) body(b);
  } else {
    tbb::parallel_for(size_t{0}, n_blocks, body);
  }
}

template <class Term>
double sum_tree(size_t n, Term term) {
  if (n <= kSumBlock) return sum_block(0, n, term);
  const size_t n_blocks = (n + kSumBlock - 1) / kSumBlock;
  std::vector<double> partial(n_blocks);
  for_blocks(n_blocks, [&](size_t b) {
    partial[b] = sum_block(b * kSumBlock, std::min(n, (b + 1) * kSumBlock), term);
  });
  for (size_t stride = 1; stride < n_blocks; stride *= 2)
    for (size_t b = 0; b + stride < n_blocks; b += 2 * stride) partial[b] += partial[b + stride];
  return partial[0];
}

template <class Body>
void for_entries(size_t n, Body body) {
  for_blocks((n + kSumBlock - 1) / kSumBlock, [&](size_t b) {
    const size_t end = std::min(n, (b + 1) * kSumBlock);
    for (size_t i = b * kSumBlock; i < end; ++i) body(i);
  });
}

}  // namespace

double fixed_sum(std::span<const double> a) {
  return sum_tree(a.size(), [a = a.data()](size_t i) { return a[i]; });
}

double dot(std::span<const double> a, std::span<const double> b) {
  ASB_CHECK(a.size() == b.size(), "dot of vectors of different lengths");
  return sum_tree(a.size(), [a = a.data(), b = b.data()](size_t i) { return a[i] * b[i]; });
}

double norm(std::span<const double> a) { return std::sqrt(dot(a, a)); }

double max_abs(std::span<const double> a) {
  double largest = 0;
  for (const double value : a) {
    if (std::isnan(value)) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

void add_scaled(double alpha, std::span<const double> x, std::span<double> y) {
  ASB_CHECK(x.size() == y.size(), "vectors of different lengths");
  for_entries(x.size(), [=, x = x.data(), y = y.data()](size_t i) { y[i] += alpha * x[i]; });
}

void scale_and_add(std::span<const double> x, double beta, std::span<double> y) {
  ASB_CHECK(x.size() == y.size(), "vectors of different lengths");
  for_entries(x.size(), [=, x = x.data(), y = y.data()](size_t i) { y[i] = x[i] + beta * y[i]; });
}

void move_along(std::span<const double> x, double t, std::span<const double> d,
                std::span<double> out) {
  ASB_CHECK(x.size() == d.size() && x.size() == out.size(), "vectors of different lengths");
  for_entries(x.size(), [=, x = x.data(), d = d.data(), out = out.data()](size_t i) {
    out[i] = x[i] + t * d[i];
  });
}

}  // namespace asb
