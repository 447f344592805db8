// Colour maps and number forms that the page and the still picture share.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "runtime/report/scene.h"

namespace asb {

using Rgb = std::array<float, 3>;  ///< sRGB, 0 to 1

/// Hex colours at equal distances. Sequential: viridis, whose lightness rises evenly and which
/// colour-blind people can read. Diverging: blue, grey, red, for values on both sides of zero.
[[nodiscard]] std::span<const char* const> sequential_colours();
[[nodiscard]] std::span<const char* const> diverging_colours();

/// A map over a range; a range across zero is widened to be symmetric and takes the diverging
/// colours.
class ColourMap {
 public:
  explicit ColourMap(Range range);
  [[nodiscard]] Rgb operator()(double value) const;  ///< grey if not finite
  [[nodiscard]] Range range() const { return range_; }

 private:
  Range range_;
  std::vector<Rgb> stops_;
};

/// Factor and name that make numbers as large as `largest` easy to read: (1e-3, "kPa") for 25000
/// Pa. Only units that take SI prefixes change.
struct Display {
  double factor = 1;
  std::string unit;
};
[[nodiscard]] Display display_unit(double largest, const std::string& unit);

/// Round numbers inside the range, about `count` of them.
[[nodiscard]] std::vector<double> round_ticks(Range range, int count);

}  // namespace asb
