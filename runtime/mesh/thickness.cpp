// Runs of cells and chords of solids.
#include "runtime/mesh/thickness.h"

#include <algorithm>
#include <limits>

#include "runtime/mesh/occupancy.h"

namespace asb {
namespace {

constexpr int kSamples = 4;  // rows along each side of a cell

// The value that a share kThinShare of the volume doesn't exceed; cells without volume don't count.
template <class T>
T thin_quantile(const std::vector<T>& value, const std::vector<char>& active,
                const std::vector<double>& fraction) {
  double total = 0, sum = 0;
  std::vector<size_t> order;
  for (size_t c = 0; c < active.size(); ++c) {
    if (!active[c] || fraction[c] == 0) continue;
    order.push_back(c);
    total += fraction[c];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return value[a] < value[b]; });
  for (size_t c : order)
    if ((sum += fraction[c]) > kThinShare * total) return value[c];
  return order.empty() ? T{} : value[order.back()];
}

}  // namespace

int32_t count_layers(const Lattice& lattice, const std::vector<char>& active,
                     const std::vector<double>& fraction) {
  const std::array<size_t, 3> n = {size_t(lattice.cells[0]), size_t(lattice.cells[1]),
                                   size_t(lattice.cells[2])};
  const std::array<size_t, 3> stride = {n[1] * n[2], n[2], 1};
  std::vector<int32_t> layers(active.size(), std::numeric_limits<int32_t>::max());
  for (int axis = 0; axis < 3; ++axis) {
    const int b = (axis + 1) % 3, c = (axis + 2) % 3;
    for (size_t i = 0; i < n[b]; ++i)
      for (size_t j = 0; j < n[c]; ++j) {
        const size_t start = i * stride[b] + j * stride[c];
        for (size_t k = 0; k < n[axis];) {
          const size_t begin = k;
          while (k < n[axis] && active[start + k * stride[axis]]) ++k;
          for (size_t m = begin; m < k; ++m) {
            int32_t& here = layers[start + m * stride[axis]];
            here = std::min(here, int32_t(k - begin));
          }
          ++k;
        }
      }
  }
  return thin_quantile(layers, active, fraction);
}

double measure_thickness(const Surface& surface, const Lattice& lattice,
                         const std::vector<char>& active, const std::vector<double>& fraction) {
  std::vector<double> thickness(active.size(), std::numeric_limits<double>::infinity());
  const size_t ny = size_t(lattice.cells[1]), nz = size_t(lattice.cells[2]);
  for (int axis = 0; axis < 3; ++axis) {
    // The surface turned so that this axis is z, along which chords are measured.
    const std::array<int, 3> from = {(axis + 1) % 3, (axis + 2) % 3, axis};
    Surface turned = surface;
    Lattice grid = lattice;
    for (int a = 0; a < 3; ++a) {
      grid.origin[a] = lattice.origin[from[a]];
      grid.spacing[a] = lattice.spacing[from[a]];
      grid.cells[a] = lattice.cells[from[a]];
      for (size_t v = 0; v < surface.vertices.size(); ++v)
        turned.vertices[v][a] = surface.vertices[v][from[a]];
    }
    const SampleCounts samples = count_samples(turned, grid, kSamples);
    for (size_t c = 0; c < active.size(); ++c) {
      if (!active[c]) continue;
      const std::array<size_t, 3> at = {c / (ny * nz), c / nz % ny, c % nz};
      const size_t there =
          (at[from[0]] * size_t(grid.cells[1]) + at[from[1]]) * size_t(grid.cells[2]) + at[from[2]];
      if (samples.inside[there] > 0)
        thickness[c] = std::min(thickness[c], samples.chord[there] / samples.inside[there]);
    }
  }
  return thin_quantile(thickness, active, fraction);
}

}  // namespace asb
