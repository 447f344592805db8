// Entry points of this folder: a RunResult becomes files. Every file is written whole or not at
// all.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/report/result.h"

namespace asb {

/// Which files write_results() makes.
struct ReportOptions {
  std::string folder;   ///< made if missing, "beam.out"
  bool picture = true;  ///< PROGRAM.png
  bool page = true;     ///< report.html
};

/// Writes into options.folder: one .vtu per mesh (and per surface that has a show), one .obj per
/// surface, PROGRAM.npz, PROGRAM.png, result.json, report.html. Returns the paths in the order
/// written; files written before an error stay. An entry of `result` whose sizes don't fit is an
/// internal error.
[[nodiscard]] Result<std::vector<std::string>> write_results(const RunResult& result,
                                                             const ReportOptions& options);

// The single formats, as bytes.

/// VTK XML UnstructuredGrid with raw appended data, 64-bit sizes. Points are at rest;
/// `displacement` moves them (ParaView: Warp By Vector).
[[nodiscard]] std::string vtu_bytes(const MeshResult& mesh, const std::vector<ShowResult>& shows);
[[nodiscard]] std::string vtu_bytes(const SurfaceResult& surface,
                                    const std::vector<ShowResult>& shows);

/// Wavefront text of the deformed surface (at rest if nothing moves it).
[[nodiscard]] std::string obj_bytes(const SurfaceResult& surface);

/// NumPy archive of every array: mesh.NAME.nodes / .cells / .deformed, surface.NAME.vertices /
/// .facets / .deformed, show.NAME, output.NAME, solve.NAME.energy and its siblings.
[[nodiscard]] Result<std::string> npz_bytes(const RunResult& result);

/// Outputs with units, solver history, timings; numbers that aren't finite are the texts "nan",
/// "inf", "-inf".
[[nodiscard]] std::string json_bytes(const RunResult& result);

/// The self-contained page.
[[nodiscard]] std::string html_bytes(const RunResult& result);

/// A still picture of the deformed bodies, coloured by the first show. Empty if there is no body.
[[nodiscard]] Result<std::string> png_bytes(const RunResult& result, int width = 1280,
                                            int height = 800);

/// `name` as a file's name: letters, digits, `_`, `-` and inner dots; everything else becomes `_`.
[[nodiscard]] std::string file_name(const std::string& name);

}  // namespace asb
