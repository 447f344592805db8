// Boxes of hexes, and of tets by the same split of every cube, which fits across faces.
#include "runtime/mesh/box.h"

#include <fmt/format.h>

#include "base/check.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

// The six tets of the Kuhn split [Freudenthal1942]: one for each order in which the axes are walked
// from corner (0,0,0) to (1,1,1), the two middle corners swapped for odd orders so that det J > 0.
// Corners as bits x + 2y + 4z.
constexpr int kKuhn[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7},
                             {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 5, 1, 7}};
constexpr int kHexBits[8] = {0, 1, 3, 2, 4, 5, 7, 6};

}  // namespace

Result<Mesh> box(const Vec3& size, const std::array<int64_t, 3>& cells, ElementKind kind) {
  constexpr const char* kAxis = "xyz";
  for (int a = 0; a < 3; ++a) {
    if (!(std::isfinite(size[a]) && size[a] > 0))
      return fail("box-size", fmt::format("the box is {} m long in {}", size[a], kAxis[a]),
                  "`size` takes three lengths above zero");
    if (cells[a] < 1)
      return fail("box-cells", fmt::format("the box has {} cells along {}", cells[a], kAxis[a]),
                  "`cells` takes three counts of at least 1");
  }
  const int64_t per_cube = kind == ElementKind::Tet4 ? 6 : 1;
  // Products in double: the counts may be anything.
  const double n_nodes = (cells[0] + 1.0) * (cells[1] + 1.0) * (cells[2] + 1.0);
  const double n_cells = double(cells[0]) * double(cells[1]) * double(cells[2]) * double(per_cube);
  if (n_nodes > double(kMostCells) || n_cells > double(kMostCells))
    return fail("box-too-large",
                fmt::format("a box of {} × {} × {} cells has {:.3g} cells and {:.3g} nodes; at "
                            "most {:.3g} of each fit",
                            cells[0], cells[1], cells[2], n_cells, n_nodes, double(kMostCells)),
                "take fewer `cells`");

  Mesh mesh;
  mesh.kind = kind;
  mesh.lattice = Lattice{.origin = {0, 0, 0},
                         .spacing = {size[0] / double(cells[0]), size[1] / double(cells[1]),
                                     size[2] / double(cells[2])},
                         .cells = {int32_t(cells[0]), int32_t(cells[1]), int32_t(cells[2])}};
  const std::array<int32_t, 3> n = mesh.lattice->cells;
  mesh.nodes.reserve(size_t(n_nodes));
  for (int32_t i = 0; i <= n[0]; ++i)
    for (int32_t j = 0; j <= n[1]; ++j)
      for (int32_t k = 0; k <= n[2]; ++k)  // i/n first: the last plane lies exactly at `size`
        mesh.nodes.push_back(
            {double(i) / n[0] * size[0], double(j) / n[1] * size[1], double(k) / n[2] * size[2]});

  mesh.cells.reserve(size_t(n_cells) * (per_cube == 6 ? 4 : 8));
  mesh.lattice_cell.reserve(size_t(n_cells));
  for (int32_t i = 0; i < n[0]; ++i)
    for (int32_t j = 0; j < n[1]; ++j)
      for (int32_t k = 0; k < n[2]; ++k) {
        const auto node = [&](int bits) {
          return ((i + (bits & 1)) * (n[1] + 1) + j + (bits >> 1 & 1)) * (n[2] + 1) + k +
                 (bits >> 2);
        };
        const int32_t cube = (i * n[1] + j) * n[2] + k;
        if (kind == ElementKind::Hex8) {
          for (int bits : kHexBits) mesh.cells.push_back(node(bits));
          mesh.lattice_cell.push_back(cube);
        } else {
          for (const auto& tet : kKuhn) {
            for (int bits : tet) mesh.cells.push_back(node(bits));
            mesh.lattice_cell.push_back(cube);
          }
        }
      }
  return mesh;
}

Mesh split_into_tets(const Mesh& hexes) {
  ASB_CHECK(hexes.kind == ElementKind::Hex8, "only hexes are split");
  int place[8];  // of corner bits among a hex's corners
  for (int c = 0; c < 8; ++c) place[kHexBits[c]] = c;
  Mesh tets;
  tets.kind = ElementKind::Tet4;
  tets.nodes = hexes.nodes;
  const size_t n = hexes.cells.size() / 8;
  tets.cells.reserve(n * 24);
  for (size_t cell = 0; cell < n; ++cell)
    for (const auto& tet : kKuhn) {
      for (const int bits : tet) tets.cells.push_back(hexes.cells[cell * 8 + place[bits]]);
      if (!hexes.cell_weight.empty()) tets.cell_weight.push_back(hexes.cell_weight[cell]);
    }
  return tets;
}

}  // namespace asb
