// See colour.h.
#include "runtime/report/colour.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace asb {
namespace {

constexpr const char* kSequential[] = {"#440154", "#482475", "#414487", "#355f8d",
                                       "#2a788e", "#21918c", "#22a884", "#44bf70",
                                       "#7ad151", "#bddf26", "#fde725"};
constexpr const char* kDiverging[] = {"#3b4cc0", "#5977e3", "#7b9ff9", "#9ebeff",
                                      "#c0d4f5", "#dddcdc", "#f2cbb7", "#f7ac8e",
                                      "#ee8468", "#d65244", "#b40426"};
constexpr Rgb kNoValue = {0.6f, 0.6f, 0.6f};

Rgb parsed(const char* hex) {
  const long bits = std::strtol(hex + 1, nullptr, 16);
  return {static_cast<float>(bits >> 16 & 255) / 255.0f,
          static_cast<float>(bits >> 8 & 255) / 255.0f, static_cast<float>(bits & 255) / 255.0f};
}

}  // namespace

std::span<const char* const> sequential_colours() { return kSequential; }
std::span<const char* const> diverging_colours() { return kDiverging; }

ColourMap::ColourMap(Range range) : range_(range) {
  const bool crosses = range.low < 0 && range.high > 0;
  if (crosses) {
    const double reach = std::max(-range.low, range.high);
    range_ = {-reach, reach};
  }
  for (const char* hex : crosses ? diverging_colours() : sequential_colours())
    stops_.push_back(parsed(hex));
}

Rgb ColourMap::operator()(double value) const {
  if (!std::isfinite(value)) return kNoValue;
  const double width = range_.high - range_.low;
  const double at = width > 0 ? std::clamp((value - range_.low) / width, 0.0, 1.0) : 0.5;
  const double scaled = at * static_cast<double>(stops_.size() - 1);
  const auto i = std::min(static_cast<size_t>(scaled), stops_.size() - 2);
  const auto t = static_cast<float>(scaled - static_cast<double>(i));
  Rgb out;
  for (size_t c = 0; c < 3; ++c) out[c] = stops_[i][c] * (1 - t) + stops_[i + 1][c] * t;
  return out;
}

Display display_unit(double largest, const std::string& unit) {
  static constexpr const char* kPrefixable[] = {"Pa", "N", "J", "W", "m", "s"};
  struct Prefix {
    double size;
    const char* text;
  };
  static constexpr Prefix kPrefixes[] = {{1e9, "G"}, {1e6, "M"},  {1e3, "k"},
                                         {1, ""},    {1e-3, "m"}, {1e-6, "µ"}};
  if (std::find(std::begin(kPrefixable), std::end(kPrefixable), unit) == std::end(kPrefixable) ||
      !(largest > 0) || !std::isfinite(largest))
    return {1, unit};
  for (const Prefix& prefix : kPrefixes)
    if (largest >= prefix.size * (1 - 1e-9)) return {1 / prefix.size, prefix.text + unit};
  return {1, unit};
}

std::vector<double> round_ticks(Range range, int count) {
  const double width = range.high - range.low;
  if (!(width > 0) || !std::isfinite(width)) return {range.low};
  const double raw = width / count;
  const double decade = std::pow(10.0, std::floor(std::log10(raw)));
  double step = decade;
  for (const double multiple : {1.0, 2.0, 5.0, 10.0}) {
    step = multiple * decade;
    if (step >= raw * 0.999) break;
  }
  std::vector<double> ticks;
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9 * width; ++k)
    ticks.push_back(k * step);
  return ticks;
}

}  // namespace asb
