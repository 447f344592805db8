// What a run leaves behind, as plain data: filled by runtime/execute, written to files by this
// folder. Meshes and surfaces are borrowed and outlive the result. All numbers are SI.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runtime/mesh/mesh.h"

namespace asb {

/// A body and where it is now. `deformed` is as long as mesh->nodes, or empty if nothing moves it.
struct MeshResult {
  std::string name;
  const Mesh* mesh = nullptr;
  std::vector<Vec3> deformed;  ///< [m]
};

/// A surface and where it is now. `deformed` is as long as surface->vertices, or empty.
struct SurfaceResult {
  std::string name;
  const Surface* surface = nullptr;
  std::vector<Vec3> deformed;  ///< [m]
};

/// Where a `show` has its values: one per cell of a mesh, per node of a mesh, per vertex or facet
/// of a surface.
enum class ShowAt : uint8_t { Cells, Nodes, Vertices, Facets };

/// One `show`: entity-major values, `components` numbers each. 1 scalar, 3 vector, 6 symmetric
/// (xx xy xz yy yz zz), 9 matrix by rows; other counts are plain lists.
struct ShowResult {
  std::string name;
  std::string on;  ///< name of a mesh or surface of the same RunResult
  ShowAt at = ShowAt::Cells;
  int components = 1;
  std::string unit;  ///< as a user writes it, "Pa"; empty if dimensionless or free
  std::vector<double> values;
};

/// One `output`. With a frames axis there is one value of `shape` per frame, frame-major.
struct OutputResult {
  std::string name;
  std::string unit;
  std::vector<int64_t> shape;            ///< of one value; empty for a scalar
  std::vector<double> values;            ///< n_frames × product(shape), or product(shape)
  std::vector<std::string> frames = {};  ///< names of the frames; empty without a frames axis
};

/// One row of a solve's history: the state after `iteration` steps (row 0 is the start).
struct IterationRecord {
  int iteration = 0;
  double energy = 0;         ///< [J]
  double gradient_norm = 0;  ///< over free values [N]
  double step = 0;           ///< accepted length of the line search; 0 in row 0
  int inner = 0;             ///< iterations of the linear solver in this step; 0 if direct
};

struct SolveResult {
  std::string name;      ///< of the solve's unknowns, "x"
  int64_t unknowns = 0;  ///< free values
  std::string method;    ///< "newton, CHOLMOD LLt"
  std::string status;    ///< "converged", "stalled", "iteration-limit", "interrupted"...
  bool converged = false;
  std::string sentence;  ///< the same for people: what was reached, why it ended
  std::vector<IterationRecord> history;
  double tolerance = 0;  ///< gradient norm that counts as converged [N]; 0 if unknown
  std::vector<std::pair<std::string, int64_t>>
      counts;                                         ///< "factorisations", "energy evaluations"...
  std::vector<std::pair<std::string, double>> times;  ///< per phase [s]
};

struct Note {
  bool warning = false;
  std::string text;
};

/// One curve of a training: a loss or one of its parts after every step.
struct LearningCurve {
  std::string name;
  std::vector<double> values;
};

struct RunResult {
  std::string program;  ///< name without folder and suffix: "beam"
  std::string summary;  ///< the program's `///` text; may be empty
  std::vector<Note> notes;
  std::string backend;  ///< "llvm"
  std::string device;   ///< "AMD EPYC ..., 8 lanes, 2 threads"
  std::vector<MeshResult> meshes;
  std::vector<SurfaceResult> surfaces;
  std::vector<ShowResult> shows;
  std::vector<OutputResult> outputs;
  std::vector<SolveResult> solves;
  std::vector<std::pair<std::string, double>> times;  ///< per stage, in order [s]
  std::vector<LearningCurve> learning;                ///< of `asb train`; empty otherwise
};

}  // namespace asb
