// result.json: what a script wants to know of a run without reading arrays.
#include <cmath>
#include <nlohmann/json.hpp>

#include "runtime/mesh/element.h"
#include "runtime/report/json_text.h"
#include "runtime/report/report.h"

namespace asb {

nlohmann::ordered_json json_number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

nlohmann::ordered_json json_summary(const RunResult& result) {
  using Json = nlohmann::ordered_json;
  const auto named = [](const auto& pairs) {
    Json out = Json::object();
    for (const auto& [name, value] : pairs) out[name] = value;
    return out;
  };
  Json out;
  out["program"] = result.program;
  out["summary"] = result.summary;
  out["backend"] = result.backend;
  out["device"] = result.device;
  out["notes"] = Json::array();
  for (const Note& note : result.notes)
    out["notes"].push_back({{"warning", note.warning}, {"text", note.text}});
  out["outputs"] = Json::array();
  for (const OutputResult& output : result.outputs) {
    Json entry = {{"name", output.name}, {"unit", output.unit}, {"shape", output.shape}};
    if (!output.frames.empty()) entry["frames"] = output.frames;
    entry["values"] = Json::array();
    for (const double v : output.values) entry["values"].push_back(json_number(v));
    out["outputs"].push_back(std::move(entry));
  }
  out["solves"] = Json::array();
  for (const SolveResult& solve : result.solves) {
    Json entry = {{"name", solve.name},
                  {"unknowns", solve.unknowns},
                  {"method", solve.method},
                  {"status", solve.status},
                  {"converged", solve.converged},
                  {"sentence", solve.sentence},
                  {"tolerance", json_number(solve.tolerance)}};
    entry["counts"] = named(solve.counts);
    entry["seconds"] = named(solve.times);
    entry["history"] = Json::array();
    for (const IterationRecord& row : solve.history)
      entry["history"].push_back({{"iteration", row.iteration},
                                  {"energy", json_number(row.energy)},
                                  {"gradient_norm", json_number(row.gradient_norm)},
                                  {"step", json_number(row.step)},
                                  {"inner", row.inner}});
    out["solves"].push_back(std::move(entry));
  }
  out["seconds"] = named(result.times);
  return out;
}

std::string json_text(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string json_bytes(const RunResult& result) {
  nlohmann::ordered_json out = {{"format", "asb-result"}, {"version", 1}};
  out.update(json_summary(result));
  const auto body = [](const char* kind, const std::string& name, size_t points, size_t cells) {
    return nlohmann::ordered_json{
        {"name", name}, {"kind", kind}, {"points", points}, {"cells", cells}};
  };
  out["bodies"] = nlohmann::ordered_json::array();
  for (const MeshResult& entry : result.meshes)
    out["bodies"].push_back(body("mesh", entry.name, entry.mesh->nodes.size(),
                                 static_cast<size_t>(cell_count(*entry.mesh))));
  for (const SurfaceResult& entry : result.surfaces)
    out["bodies"].push_back(
        body("surface", entry.name, entry.surface->vertices.size(), entry.surface->facets.size()));
  return json_text(out, 1) + "\n";
}

}  // namespace asb
