// write_results(): all files of one run.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>

#include "base/atomic_file.h"
#include "runtime/report/report.h"

namespace asb {

std::string file_name(const std::string& name) {
  std::string out;
  for (const char c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !out.empty());
    out += plain ? c : '_';
  }
  return out.empty() ? "unnamed" : out;
}

Result<std::vector<std::string>> write_results(const RunResult& result,
                                               const ReportOptions& options) {
  std::error_code code;
  std::filesystem::create_directories(options.folder, code);
  if (code)
    return fail("file-write",
                fmt::format("can't make the folder `{}`: {}", options.folder, code.message()),
                "`--out` names another folder");
  std::vector<std::string> written;
  Result<void> state;
  const auto put = [&](const std::string& name, const std::string& suffix,
                       const Result<std::string>& bytes) {
    if (!state) return;
    if (!bytes) {
      state = fail(bytes.error());
      return;
    }
    if (bytes->empty()) return;
    const std::string path =
        (std::filesystem::path(options.folder) / (file_name(name) + suffix)).string();
    state = write_file_atomically(path, *bytes);
    if (state) written.push_back(path);
  };
  const auto shown = [&](const std::string& name) {
    for (const ShowResult& show : result.shows)
      if (show.on == name) return true;
    return false;
  };
  put("result", ".json", json_bytes(result));  // small and first: it stays if the disk is full
  for (const MeshResult& mesh : result.meshes)
    put(mesh.name, ".vtu", vtu_bytes(mesh, result.shows));
  for (const SurfaceResult& surface : result.surfaces) {
    if (shown(surface.name)) put(surface.name, ".vtu", vtu_bytes(surface, result.shows));
    put(surface.name, ".obj", obj_bytes(surface));
  }
  put(result.program, ".npz", npz_bytes(result));
  if (options.picture) put(result.program, ".png", png_bytes(result));
  if (options.page) put("report", ".html", html_bytes(result));
  if (!state) return fail(state.error());
  return written;
}

}  // namespace asb
