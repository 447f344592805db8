// See tridiagonal.h.
#include "runtime/linalg/tridiagonal.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace asb {
namespace {

/// Number of eigenvalues below lambda: negative pivots of T − lambda I in
///   q_1 = a_1 − lambda,  q_i = a_i − lambda − b_{i−1}² / q_{i−1}.
size_t count_below(std::span<const double> a, std::span<const double> b, double lambda) {
  size_t count = 0;
  double q = 1;
  for (size_t i = 0; i < a.size(); ++i) {
    q = a[i] - lambda - (i > 0 ? b[i - 1] * b[i - 1] / q : 0.0);
    if (q == 0) q = std::numeric_limits<double>::min();
    if (q < 0) ++count;
  }
  return count;
}

}  // namespace

Extremes extreme_eigenvalues(std::span<const double> a, std::span<const double> b) {
  if (a.empty()) return {};
  // Gershgorin bounds.
  double low = a[0], high = a[0];
  for (size_t i = 0; i < a.size(); ++i) {
    const double radius =
        (i > 0 ? std::abs(b[i - 1]) : 0.0) + (i + 1 < a.size() ? std::abs(b[i]) : 0.0);
    low = std::min(low, a[i] - radius);
    high = std::max(high, a[i] + radius);
  }
  const auto bisect = [&](size_t wanted) {  // largest lambda with count_below(lambda) < wanted
    double from = low, to = high;
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (from + to);
      (count_below(a, b, middle) < wanted ? from : to) = middle;
    }
    return 0.5 * (from + to);
  };
  return {bisect(1), bisect(a.size())};
}

}  // namespace asb
