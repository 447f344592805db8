// NumPy archive: .npy members, stored, in a zip made by libzip (which goes to zip64 by itself).
// Member times are fixed, so that equal results are equal files.
#include <fmt/format.h>

#include <bit>
#include <memory>

#include "base/check.h"
#include "runtime/io/zip_archive.h"
#include "runtime/mesh/element.h"
#include "runtime/report/report.h"

namespace asb {
namespace {

static_assert(std::endian::native == std::endian::little, "the headers below say little-endian");

/// Format version 1.0: magic, length, a Python literal padded so that the data starts at a multiple
/// of 64.
template <class T>
std::string npy_bytes(const char* type, const std::vector<int64_t>& shape, const T* values) {
  std::string tuple;
  size_t count = 1;
  for (const int64_t n : shape) {
    tuple += fmt::format("{}, ", n);
    count *= static_cast<size_t>(n);
  }
  if (shape.size() > 1) tuple.resize(tuple.size() - 2);  // (n, ) needs its comma, (n, m) doesn't
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, tuple);
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(reinterpret_cast<const char*>(values), count * sizeof(T));
  return out;
}

/// Collects members.
class Archive {
 public:
  void doubles(const std::string& name, std::vector<int64_t> shape, const double* values) {
    members_.emplace_back(name + ".npy", npy_bytes("<f8", shape, values));
  }
  void ints(const std::string& name, std::vector<int64_t> shape, const int32_t* values) {
    members_.emplace_back(name + ".npy", npy_bytes("<i4", shape, values));
  }
  void points(const std::string& name, const std::vector<Vec3>& values) {
    doubles(name, {static_cast<int64_t>(values.size()), 3},
            values.empty() ? nullptr : values[0].data());
  }
  Result<std::string> bytes() const { return zip_bytes(members_); }

 private:
  std::vector<std::pair<std::string, std::string>> members_;
};

/// One value per iteration of some field of the history.
template <class Field>
std::vector<double> column(const SolveResult& solve, Field field) {
  std::vector<double> out;
  for (const IterationRecord& row : solve.history) out.push_back(static_cast<double>(row.*field));
  return out;
}

}  // namespace

Result<std::string> npz_bytes(const RunResult& result) {
  Archive archive;
  const auto length = [](const auto& list) { return static_cast<int64_t>(list.size()); };
  for (const MeshResult& entry : result.meshes) {
    const int64_t corners = element(entry.mesh->kind).corners;
    archive.points("mesh." + entry.name + ".nodes", entry.mesh->nodes);
    archive.ints("mesh." + entry.name + ".cells", {length(entry.mesh->cells) / corners, corners},
                 entry.mesh->cells.data());
    if (!entry.deformed.empty()) archive.points("mesh." + entry.name + ".deformed", entry.deformed);
  }
  for (const SurfaceResult& entry : result.surfaces) {
    const auto& facets = entry.surface->facets;
    archive.points("surface." + entry.name + ".vertices", entry.surface->vertices);
    archive.ints("surface." + entry.name + ".facets", {length(facets), 3},
                 facets.empty() ? nullptr : facets[0].data());
    if (!entry.deformed.empty())
      archive.points("surface." + entry.name + ".deformed", entry.deformed);
  }
  for (const ShowResult& show : result.shows) {
    std::vector<int64_t> shape = {length(show.values) / show.components};
    if (show.components > 1) shape.push_back(show.components);
    archive.doubles("show." + show.name, shape, show.values.data());
  }
  for (const OutputResult& output : result.outputs) {
    std::vector<int64_t> shape = output.shape;
    if (!output.frames.empty()) shape.insert(shape.begin(), length(output.frames));
    int64_t count = 1;
    for (const int64_t n : shape) count *= n;
    ASB_CHECK(count == length(output.values), "an output has the values of its shape");
    archive.doubles("output." + output.name, shape, output.values.data());
  }
  for (const SolveResult& solve : result.solves) {
    const auto put = [&](const char* what, const std::vector<double>& values) {
      archive.doubles("solve." + solve.name + "." + what, {length(values)}, values.data());
    };
    put("energy", column(solve, &IterationRecord::energy));
    put("gradient_norm", column(solve, &IterationRecord::gradient_norm));
    put("step", column(solve, &IterationRecord::step));
    put("inner", column(solve, &IterationRecord::inner));
  }
  return archive.bytes();
}

}  // namespace asb
