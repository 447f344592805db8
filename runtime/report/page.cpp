// report.html: the sources of tools/viewer/ with one block of data in the middle. The block is JSON
// whose arrays are base64 of little-endian f32 and u32; tools/viewer/README.md describes it.
// Nothing of a program is ever part of markup or script: `<` is written \u003c inside the block,
// and the page sets text as text.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "runtime/report/colour.h"
#include "runtime/report/embedded.h"
#include "runtime/report/json_text.h"
#include "runtime/report/report.h"

namespace asb {
namespace {

using Json = nlohmann::ordered_json;

std::string base64(const void* data, size_t size) {
  static constexpr char kDigits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* byte = static_cast<const unsigned char*>(data);
  std::string out;
  out.reserve((size + 2) / 3 * 4);
  for (size_t i = 0; i < size; i += 3) {
    const uint32_t bits = uint32_t{byte[i]} << 16 |
                          (i + 1 < size ? uint32_t{byte[i + 1]} << 8 : 0) |
                          (i + 2 < size ? uint32_t{byte[i + 2]} : 0);
    for (int k = 0; k < 4; ++k)
      out += i + static_cast<size_t>(k) <= size ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

Json f32(const std::vector<double>& values) {
  std::vector<float> narrow(values.begin(), values.end());
  return {{"f32", base64(narrow.data(), narrow.size() * sizeof(float))}};
}

Json f32(const std::vector<Vec3>& points) {
  std::vector<float> narrow;
  narrow.reserve(points.size() * 3);
  for (const Vec3& p : points)
    for (const double x : p) narrow.push_back(static_cast<float>(x));
  return {{"f32", base64(narrow.data(), narrow.size() * sizeof(float))}};
}

Json u32(const std::vector<uint32_t>& values) {
  return {{"u32", base64(values.data(), values.size() * sizeof(uint32_t))}};
}

Json body_json(const SceneBody& body) {
  // Triangles of the faces; `inner` is the side of each that is a quad's diagonal and no line of
  // the mesh (3: none).
  std::vector<uint32_t> corners, face_of, inner;
  const auto triangle = [&](size_t f, int a, int b, int c, uint32_t diagonal) {
    for (const int k : {a, b, c})
      corners.push_back(static_cast<uint32_t>(body.faces[f].point[static_cast<size_t>(k)]));
    face_of.push_back(static_cast<uint32_t>(f));
    inner.push_back(diagonal);
  };
  for (size_t f = 0; f < body.faces.size(); ++f) {
    const bool quad = body.faces[f].corners == 4;
    triangle(f, 0, 1, 2, quad ? 2 : 3);
    if (quad) triangle(f, 0, 2, 3, 0);
  }
  Json out = {
      {"name", body.name}, {"kind", body.is_mesh ? "mesh" : "surface"}, {"moves", body.moves}};
  out["facts"] = Json::array();
  for (const auto& [name, text] : body.facts) out["facts"].push_back({name, text});
  out["rest"] = f32(body.rest);
  if (body.moves) out["deformed"] = f32(body.deformed);
  out["corners"] = u32(corners);
  out["face_of"] = u32(face_of);
  out["inner"] = u32(inner);
  out["shows"] = Json::array();
  for (const Paint& paint : body.paints)
    out["shows"].push_back({{"name", paint.name},
                            {"unit", paint.unit},
                            {"at", paint.per_face ? "faces" : "points"},
                            {"components", paint.components},
                            {"values", f32(paint.values)}});
  return out;
}

std::string page_data(const RunResult& result) {
  const Scene scene = make_scene(result);
  Json out = {{"format", "asb-report"}, {"version", 1}};
  out.update(json_summary(result));
  out["seconds"] = Json::array();  // in order, which an object doesn't promise
  for (const auto& [name, seconds] : result.times)
    out["seconds"].push_back({name, json_number(seconds)});
  for (size_t s = 0; s < result.solves.size(); ++s) {
    Json& phases = out["solves"][s]["seconds"] = Json::array();
    for (const auto& [name, seconds] : result.solves[s].times)
      phases.push_back({name, json_number(seconds)});
  }
  out["learning"] = Json::array();
  for (const LearningCurve& curve : result.learning) {
    Json values = Json::array();
    for (const double v : curve.values) values.push_back(json_number(v));
    out["learning"].push_back({{"name", curve.name}, {"values", values}});
  }
  out["camera"] = {{"azimuth", scene.azimuth}, {"elevation", scene.elevation}};
  out["first_body"] = scene.first;
  out["colours"] = {{"sequential", sequential_colours()}, {"diverging", diverging_colours()}};
  out["bodies"] = Json::array();
  for (const SceneBody& body : scene.bodies) out["bodies"].push_back(body_json(body));
  const std::string text = json_text(out, -1);
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";  // `<` stands only inside texts of JSON, where this is the same
    else
      safe += c;
  }
  return safe;
}

}  // namespace

std::string html_bytes(const RunResult& result) {
  const std::string_view page = embedded_page();
  std::string out;
  size_t from = 0;
  // Marks are looked for in the page only, never in what was put in.
  const auto up_to = [&](std::string_view mark) {
    const size_t at = page.find(mark, from);
    ASB_CHECK(at != std::string_view::npos, "page.html has its marks in order");
    out += page.substr(from, at - from);
    from = at + mark.size();
  };
  up_to("/*STYLE*/");
  out += embedded_style();
  up_to("{\"DATA\":0}");
  out += page_data(result);
  up_to("/*SCRIPT*/");
  for (const std::string_view script : embedded_scripts()) out += script;
  out += page.substr(from);
  return out;
}

}  // namespace asb
