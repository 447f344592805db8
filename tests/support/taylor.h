// The slope test of derivatives: the remainder of a Taylor polynomial must fall with the order that its terms promise.
// It is the only finite difference in the tests; a comparison at one h passes with small terms missing.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace asb::test {

constexpr double kTaylorRounding = 1e4 * 2.220446049250313e-16;  ///< remainders below it, relative, are round-off
constexpr double kTaylorSlack = 0.1;                             ///< of the order
constexpr int kTaylorPoints = 3;                                 ///< at least, for a slope

struct TaylorResult {
  bool passed = false;
  bool is_rounding = false;  ///< every remainder is at rounding level: f is the polynomial
  double slope = 0;
  int points = 0;
  std::string text;  ///< "slope 3.01 over 5 points"
};

/// f(h) against Σ h^k derivatives[k] / k!, for h = 1e-1 … 1e-5 by quarters of a decade. `noise_scale`: of which the rounding
/// error of f is a few eps; at least |f(0)| is taken.
inline TaylorResult taylor_once(const std::function<double(double)>& f, const std::vector<double>& derivatives,
                                double noise_scale) {
  const double order = static_cast<double>(derivatives.size());
  const double threshold = kTaylorRounding * std::fmax(noise_scale, std::fabs(derivatives[0]));
  std::vector<double> x, y;
  TaylorResult result;
  bool is_finite = true;
  double largest = 0;
  for (int i = 4; i <= 20; ++i) {
    const double h = std::pow(10.0, -0.25 * i);
    double polynomial = 0, factor = 1;
    for (size_t k = 0; k < derivatives.size(); ++k) {
      polynomial += factor * derivatives[k];
      factor *= h / static_cast<double>(k + 1);
    }
    const double remainder = std::fabs(f(h) - polynomial);
    is_finite &= std::isfinite(remainder);
    largest = std::fmax(largest, remainder);
    if (remainder <= threshold) continue;
    x.push_back(std::log10(h));
    y.push_back(std::log10(remainder));
  }
  const int n = result.points = static_cast<int>(x.size());
  if (!is_finite) {
    result.text = "a remainder isn't finite";
    return result;
  }
  if (n == 0) {
    result.passed = result.is_rounding = true;
    result.text = fmt::format("every remainder at rounding level ({:.1e} at most, threshold {:.1e})", largest, threshold);
    return result;
  }
  // Two terms of the remainder may cancel at a large h, so leading points may be left out while kTaylorPoints remain:
  // a wrong term shows the more the smaller h is.
  for (int first = 0; first == 0 || (first + kTaylorPoints <= n && result.slope < order - kTaylorSlack); ++first) {
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    result.points = n - first;
    for (int i = first; i < n; ++i) {
      sx += x[i];
      sy += y[i];
      sxx += x[i] * x[i];
      sxy += x[i] * y[i];
    }
    const double m = result.points;
    result.slope = n > 1 ? (m * sxy - sx * sy) / (m * sxx - sx * sx) : 0;
  }
  result.passed = n >= kTaylorPoints && result.slope >= order - kTaylorSlack;
  result.text = fmt::format("slope {:.2f} over {} points, order {} expected, largest remainder {:.1e}", result.slope,
                            result.points, order, largest);
  return result;
}

/// derivatives = {f, f'} has remainder order 2, {f, f', f''} order 3, at 0 along the line that f is a function of.
/// Where too few points stand above round-off the line is stretched, where h = 0.1 is too far it is shortened: a wrong
/// term lowers the order at every scale. "At rounding level" counts at full length only.
inline TaylorResult taylor(const std::function<double(double)>& f, const std::vector<double>& derivatives,
                           double noise_scale = 0) {
  TaylorResult first;
  for (const double scale : {1.0, 0.3, 3.0, 0.1}) {
    std::vector<double> scaled = derivatives;
    for (size_t k = 0; k < scaled.size(); ++k) scaled[k] *= std::pow(scale, static_cast<double>(k));
    TaylorResult result = taylor_once([&](double h) { return f(scale * h); }, scaled, noise_scale);
    if (scale == 1) first = result;
    if (result.passed && (!result.is_rounding || scale == 1)) return result;
  }
  return first;
}

inline ::testing::AssertionResult falls_as_promised(const TaylorResult& result) {
  return result.passed ? ::testing::AssertionSuccess() << result.text : ::testing::AssertionFailure() << result.text;
}

}  // namespace asb::test
