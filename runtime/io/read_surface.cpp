// Picks the reader by the ending, and what holds for all formats.
#include "runtime/io/read_surface.h"

#include <fmt/format.h>

#include <cmath>

#include "base/atomic_file.h"
#include "runtime/io/surface_formats.h"

namespace asb {

Result<Surface> parse_surface(std::string_view bytes, const std::string& name, double unit) {
  if (!(std::isfinite(unit) && unit > 0))
    return fail("surface-unit", fmt::format("`unit` of `{}` is {} m", name, unit),
                "take a length above zero");
  const size_t dot = name.find_last_of('.');
  std::string ending = dot == std::string::npos ? "" : name.substr(dot + 1);
  for (char& c : ending) c = c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);  // byte-order mark of UTF-8
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"))
    return fail("surface-file", fmt::format("`{}` is UTF-16 text", name), "save it as UTF-8");
  Result<Surface> surface =
      ending == "obj"   ? parse_obj(bytes, name)
      : ending == "off" ? parse_off(bytes, name)
      : ending == "stl" ? parse_stl(bytes, name)
      : ending == "ply" ? parse_ply(bytes, name)
                        : fail("surface-format",
                               fmt::format("`{}` doesn't end in .obj, .off, .stl or .ply", name));
  if (!surface) return surface;
  if (surface->facets.empty())
    return fail("surface-empty",
                fmt::format("`{}` has {} vertices and no facets", name, surface->vertices.size()));
  for (Vec3& p : surface->vertices)
    for (double& x : p) {
      x *= unit;
      if (!std::isfinite(x))
        return fail("surface-unit", fmt::format("`{}` is too large in a unit of {} m", name, unit));
    }
  return surface;
}

Result<Surface> read_surface(const std::string& path, double unit) {
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return fail(bytes.error());
  return parse_surface(*bytes, path, unit);
}

}  // namespace asb
