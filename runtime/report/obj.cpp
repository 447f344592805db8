// Wavefront .obj of a surface where it is now. Coordinates in their shortest exact form.
#include <fmt/format.h>

#include <iterator>

#include "base/check.h"
#include "runtime/report/report.h"

namespace asb {

std::string obj_bytes(const SurfaceResult& result) {
  const Surface& surface = *result.surface;
  const auto& points = result.deformed.empty() ? surface.vertices : result.deformed;
  ASB_CHECK(points.size() == surface.vertices.size(), "deformed positions fit their surface");
  std::string out =
      fmt::format("# {} vertices, {} facets, metres\n", points.size(), surface.facets.size());
  auto end = std::back_inserter(out);
  for (const Vec3& p : points) fmt::format_to(end, "v {} {} {}\n", p[0], p[1], p[2]);
  for (const auto& f : surface.facets)
    fmt::format_to(end, "f {} {} {}\n", f[0] + 1, f[1] + 1, f[2] + 1);
  return out;
}

}  // namespace asb
