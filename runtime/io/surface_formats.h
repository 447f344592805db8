// The readers behind read_surface(), one a format. Positions in file units.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

[[nodiscard]] Result<Surface> parse_obj(std::string_view text, const std::string& file);
[[nodiscard]] Result<Surface> parse_off(std::string_view text, const std::string& file);
[[nodiscard]] Result<Surface> parse_stl(std::string_view bytes, const std::string& file);
[[nodiscard]] Result<Surface> parse_ply(std::string_view bytes, const std::string& file);

/// More vertices than this don't fit the 32-bit numbers of a Surface.
inline constexpr int64_t kMostVertices = 2'000'000'000;

}  // namespace asb
