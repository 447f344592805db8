// See scene.h.
#include "runtime/report/scene.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/surface.h"

namespace asb {
namespace {

// A failed solve may leave anything behind; farther points than this can't be drawn with floats
// [m].
constexpr double kFarthest = 1e30;

bool drawable(const Vec3& p) {
  return std::abs(p[0]) < kFarthest && std::abs(p[1]) < kFarthest && std::abs(p[2]) < kFarthest;
}

std::string size_text(const std::vector<Vec3>& points) {
  if (points.empty()) return "empty";
  Vec3 low = points[0], high = points[0];
  for (const Vec3& p : points)
    for (int i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], p[i]);
      high[i] = std::max(high[i], p[i]);
    }
  return fmt::format("{:.4g} × {:.4g} × {:.4g} m", high[0] - low[0], high[1] - low[1],
                     high[2] - low[2]);
}

std::string moved_text(const std::vector<Vec3>& rest, const std::vector<Vec3>& deformed) {
  double largest = 0;
  for (size_t i = 0; i < rest.size(); ++i)
    largest = std::max(largest, std::hypot(deformed[i][0] - rest[i][0], deformed[i][1] - rest[i][1],
                                           deformed[i][2] - rest[i][2]));
  return fmt::format("{:.4g} m", largest);
}

/// Picks the tuples numbered by `entities` out of entity-major values.
std::vector<double> picked(const ShowResult& show, const std::vector<int32_t>& entities) {
  const auto n = static_cast<size_t>(show.components);
  std::vector<double> out;
  out.reserve(entities.size() * n);
  for (const int32_t e : entities) {
    ASB_CHECK((static_cast<size_t>(e) + 1) * n <= show.values.size(),
              "a show has a value for each entity");
    for (size_t c = 0; c < n; ++c) out.push_back(show.values[static_cast<size_t>(e) * n + c]);
  }
  return out;
}

/// SceneBody from all points of a mesh or surface and its outer faces.
SceneBody make_body(const RunResult& result, std::string name, bool is_mesh,
               const std::vector<Vec3>& points, const std::vector<Vec3>& deformed,
               std::vector<Face> faces) {
  ASB_CHECK(deformed.empty() || deformed.size() == points.size(),
            "deformed positions fit their body");
  SceneBody body;
  body.name = std::move(name);
  body.is_mesh = is_mesh;
  body.moves = !deformed.empty();
  std::vector<int32_t> number(points.size(), -1), used;
  for (const Face& face : faces)
    for (int k = 0; k < face.corners; ++k) number[static_cast<size_t>(face.point[k])] = 0;
  int64_t lost = 0;
  for (size_t i = 0; i < points.size(); ++i)
    if (number[i] == 0) {
      number[i] = static_cast<int32_t>(used.size());
      used.push_back(static_cast<int32_t>(i));
      body.rest.push_back(points[i]);
      const bool seen = deformed.empty() || drawable(deformed[i]);
      lost += !seen;
      body.deformed.push_back(deformed.empty() || !seen ? points[i] : deformed[i]);
    }
  if (lost > 0)
    body.facts.emplace_back("points lost",
                            fmt::format("{} have no finite position and are shown at rest", lost));
  std::vector<int32_t> owners;
  for (Face& face : faces) {
    for (int k = 0; k < face.corners; ++k)
      face.point[k] = number[static_cast<size_t>(face.point[k])];
    owners.push_back(face.owner);
  }
  body.faces = std::move(faces);
  for (const ShowResult& show : result.shows) {
    if (show.on != body.name) continue;
    const bool per_face = show.at == ShowAt::Cells || show.at == ShowAt::Facets;
    body.paints.push_back(
        {show.name, show.unit, per_face, show.components, picked(show, per_face ? owners : used)});
  }
  if (body.moves) {
    Paint paint{"displacement", "m", false, 3, {}};
    for (size_t i = 0; i < body.rest.size(); ++i)
      for (int c = 0; c < 3; ++c) paint.values.push_back(body.deformed[i][c] - body.rest[i][c]);
    body.paints.push_back(std::move(paint));
  }
  return body;
}

/// Looks mostly along the thinner of x and y, and from higher up when the body is flat in z.
void place_camera(const SceneBody& body, Scene& scene) {
  Vec3 low = body.deformed[0], high = low;
  for (const auto* points : {&body.rest, &body.deformed})
    for (const Vec3& p : *points)
      for (int i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], p[i]);
        high[i] = std::max(high[i], p[i]);
      }
  const Vec3 size = {high[0] - low[0], high[1] - low[1], high[2] - low[2]};
  const double degree = std::acos(-1.0) / 180;
  scene.azimuth = (size[0] < 0.6 * size[1] ? 28 : -62) * degree;
  scene.elevation = (size[2] < 0.4 * std::min(size[0], size[1]) ? 42 : 20) * degree;
}

}  // namespace

std::vector<Face> outer_faces(const Mesh& mesh) {
  const Element& kind = element(mesh.kind);
  std::vector<Face> faces;
  for (const BoundaryFace& outer : boundary_faces(mesh)) {
    const ElementFace& side = kind.faces[static_cast<size_t>(outer.face)];
    Face face{{}, side.corners, outer.cell};
    for (int k = 0; k < side.corners; ++k)
      face.point[k] = mesh.cells[static_cast<size_t>(outer.cell * kind.corners + side.corner[k])];
    faces.push_back(face);
  }
  return faces;
}

Scene make_scene(const RunResult& result) {
  Scene scene;
  for (const MeshResult& entry : result.meshes) {
    const Mesh& mesh = *entry.mesh;
    SceneBody body = make_body(result, entry.name, true, mesh.nodes, entry.deformed, outer_faces(mesh));
    body.facts.insert(body.facts.begin(),
                      {{"cells", fmt::format("{} {}", cell_count(mesh), element(mesh.kind).name)},
                       {"nodes", fmt::format("{}", mesh.nodes.size())},
                       {"outer faces", fmt::format("{}", body.faces.size())},
                       {"size at rest", size_text(mesh.nodes)}});
    if (mesh.lattice)
      body.facts.emplace_back("cell size",
                              fmt::format("{:.4g} × {:.4g} × {:.4g} m", mesh.lattice->spacing[0],
                                          mesh.lattice->spacing[1], mesh.lattice->spacing[2]));
    scene.bodies.push_back(std::move(body));
  }
  for (const SurfaceResult& entry : result.surfaces) {
    std::vector<Face> faces;
    for (size_t f = 0; f < entry.surface->facets.size(); ++f) {
      const auto& corner = entry.surface->facets[f];
      faces.push_back({{corner[0], corner[1], corner[2], 0}, 3, static_cast<int32_t>(f)});
    }
    SceneBody body = make_body(result, entry.name, false, entry.surface->vertices, entry.deformed,
                          std::move(faces));
    body.facts.insert(body.facts.begin(),
                      {{"facets", fmt::format("{}", entry.surface->facets.size())},
                       {"vertices", fmt::format("{}", entry.surface->vertices.size())},
                       {"size at rest", size_text(entry.surface->vertices)}});
    scene.bodies.push_back(std::move(body));
  }
  std::erase_if(scene.bodies, [](const SceneBody& body) { return body.faces.empty(); });
  for (size_t b = 0; b < scene.bodies.size(); ++b) {
    SceneBody& body = scene.bodies[b];
    if (!body.moves) continue;
    body.facts.emplace_back("largest displacement", moved_text(body.rest, body.deformed));
    scene.first = b;
  }
  for (size_t b = scene.bodies.size(); b-- > 0 && !result.shows.empty();)
    if (scene.bodies[b].name == result.shows[0].on) scene.first = b;
  if (!scene.bodies.empty()) place_camera(scene.bodies[scene.first], scene);
  return scene;
}

double painted_value(const Paint& paint, size_t entity) {
  const auto n = static_cast<size_t>(paint.components);
  const double* v = paint.values.data() + entity * n;
  if (n == 1) return v[0];
  double sum = 0;
  for (size_t c = 0; c < n; ++c) {
    const bool off_diagonal = n == 6 && (c == 1 || c == 2 || c == 4);  // stored once, there twice
    sum += (off_diagonal ? 2 : 1) * v[c] * v[c];
  }
  return std::sqrt(sum);
}

Range painted_range(const Paint& paint) {
  Range range{INFINITY, -INFINITY};
  const size_t n = paint.values.size() / static_cast<size_t>(paint.components);
  for (size_t i = 0; i < n; ++i) {
    const double v = painted_value(paint, i);
    if (!std::isfinite(v)) continue;
    range.low = std::min(range.low, v);
    range.high = std::max(range.high, v);
  }
  return range.low <= range.high ? range : Range{0, 0};
}

}  // namespace asb
