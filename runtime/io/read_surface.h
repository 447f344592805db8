// Reads triangle surfaces: .obj .off .stl .ply. Files are checked as they are read: a number that
// isn't one, a corner that doesn't exist, or a short file is an error that names the line, never a
// guess.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

/// Reads by the ending of the path. Vertices keep their order and number (of an .stl, which repeats
/// them: the order of first use, equal positions merged); polygons are cut into triangles. `unit`
/// is the length of one file unit [m].
[[nodiscard]] Result<Surface> read_surface(const std::string& path, double unit = 1);

/// The same from bytes in memory; `name` gives the ending and is named in errors.
[[nodiscard]] Result<Surface> parse_surface(std::string_view bytes, const std::string& name,
                                            double unit = 1);

}  // namespace asb
