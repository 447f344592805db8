// VTK XML UnstructuredGrid (.vtu), for ParaView, VTK and meshio: header in XML, arrays appended
// raw, each after its length as a UInt64. Byte order is the machine's and named in the header.
#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "base/check.h"
#include "runtime/mesh/element.h"
#include "runtime/report/report.h"

namespace asb {
namespace {

constexpr int kVtkTriangle = 5;  // of a mesh: element.h

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '_' : c;
    }
  }
  return out;
}

/// Grows the XML part and the appended data together.
class VtuFile {
 public:
  template <class T>
  void array(const std::string& name, const char* type, int components, const std::string& unit,
             const std::vector<T>& values) {
    xml_ += fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"", type,
                        xml_escaped(name), components);
    static constexpr const char* kSymmetric[] = {"xx", "yy", "zz", "xy", "yz", "xz"};
    for (int c = 0; components == 6 && c < 6; ++c)
      xml_ += fmt::format(" ComponentName{}=\"{}\"", c, kSymmetric[c]);
    xml_ += fmt::format(" format=\"appended\" offset=\"{}\"", data_.size());
    xml_ += unit.empty() ? std::string("/>\n")
                         : fmt::format(
                               "><InformationKey name=\"UNITS_LABEL\" location=\"vtkDataArray\">"
                               "{}</InformationKey></DataArray>\n",
                               xml_escaped(unit));
    const uint64_t bytes = values.size() * sizeof(T);
    data_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    data_.append(reinterpret_cast<const char*>(values.data()), bytes);
  }
  void text(const std::string& xml) { xml_ += xml; }

  std::string bytes() const {
    const char* order = std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian";
    std::string out = fmt::format(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
        "byte_order=\"{}\" "
        "header_type=\"UInt64\">\n",
        order);
    out += xml_;
    out += "<AppendedData encoding=\"raw\">\n_";
    out += data_;
    out += "\n</AppendedData>\n</VTKFile>\n";
    return out;
  }

 private:
  std::string xml_;
  std::string data_;
};

std::vector<double> flat(const std::vector<Vec3>& points) {
  std::vector<double> out;
  out.reserve(points.size() * 3);
  for (const Vec3& p : points) out.insert(out.end(), p.begin(), p.end());
  return out;
}

/// VTK stores a symmetric tensor as xx yy zz xy yz xz; ours is the upper triangle by rows.
std::vector<double> in_vtk_order(const ShowResult& show) {
  if (show.components != 6) return show.values;
  static constexpr size_t kFrom[6] = {0, 3, 5, 1, 4, 2};
  std::vector<double> out(show.values.size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = show.values[i / 6 * 6 + kFrom[i % 6]];
  return out;
}

void show_arrays(VtuFile& file, const std::string& on, const std::vector<ShowResult>& shows,
                 ShowAt at, size_t entities) {
  for (const ShowResult& show : shows) {
    if (show.on != on || show.at != at) continue;
    ASB_CHECK(show.values.size() == entities * static_cast<size_t>(show.components),
              "a show has a value for each entity");
    file.array(show.name, "Float64", show.components, show.unit, in_vtk_order(show));
  }
}

std::string grid(const std::string& name, const std::vector<Vec3>& points,
                 const std::vector<Vec3>& deformed, const std::vector<int32_t>& cells,
                 size_t corners, int vtk_type, const std::vector<double>& weight,
                 const std::vector<ShowResult>& shows, ShowAt at_points, ShowAt at_cells) {
  ASB_CHECK(deformed.empty() || deformed.size() == points.size(),
            "deformed positions fit their body");
  const size_t n_cells = cells.size() / corners;
  VtuFile file;
  file.text(fmt::format(
      "<UnstructuredGrid>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<PointData>\n",
      points.size(), n_cells));
  if (!deformed.empty()) {
    std::vector<double> displacement = flat(deformed);
    const std::vector<double> rest = flat(points);
    for (size_t i = 0; i < rest.size(); ++i) displacement[i] -= rest[i];
    file.array("displacement", "Float64", 3, "m", displacement);
  }
  show_arrays(file, name, shows, at_points, points.size());
  file.text("</PointData>\n<CellData>\n");
  if (!weight.empty()) file.array("cell_weight", "Float64", 1, "", weight);
  show_arrays(file, name, shows, at_cells, n_cells);
  file.text("</CellData>\n<Points>\n");
  file.array("Points", "Float64", 3, "m", flat(points));
  file.text("</Points>\n<Cells>\n");
  std::vector<int64_t> offsets(n_cells);
  for (size_t c = 0; c < n_cells; ++c) offsets[c] = static_cast<int64_t>((c + 1) * corners);
  file.array("connectivity", "Int32", 1, "", cells);
  file.array("offsets", "Int64", 1, "", offsets);
  file.array("types", "UInt8", 1, "",
             std::vector<uint8_t>(n_cells, static_cast<uint8_t>(vtk_type)));
  file.text("</Cells>\n</Piece>\n</UnstructuredGrid>\n");
  return file.bytes();
}

}  // namespace

std::string vtu_bytes(const MeshResult& result, const std::vector<ShowResult>& shows) {
  const Mesh& mesh = *result.mesh;
  const Element& kind = element(mesh.kind);
  return grid(result.name, mesh.nodes, result.deformed, mesh.cells,
              static_cast<size_t>(kind.corners), kind.vtk_type, mesh.cell_weight, shows,
              ShowAt::Nodes, ShowAt::Cells);
}

std::string vtu_bytes(const SurfaceResult& result, const std::vector<ShowResult>& shows) {
  std::vector<int32_t> cells;
  cells.reserve(result.surface->facets.size() * 3);
  for (const auto& facet : result.surface->facets)
    cells.insert(cells.end(), facet.begin(), facet.end());
  return grid(result.name, result.surface->vertices, result.deformed, cells, 3, kVtkTriangle, {},
              shows, ShowAt::Vertices, ShowAt::Facets);
}

}  // namespace asb
