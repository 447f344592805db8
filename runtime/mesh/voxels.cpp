// From a closed surface to cubes: choose cells, weigh them, number nodes, and say what was done.
#include "runtime/mesh/voxels.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/mesh/box.h"
#include "runtime/mesh/occupancy.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/thickness.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

constexpr int kSamples = 4;         // along each side of a cell
constexpr int kFineSamples = 16;    // in cells where those find nothing: 16^-3 is below drop_below
constexpr int32_t kLayers = 3;      // wanted across the body
constexpr int kMostProposals = 10;  // of a number of cells that gives them
constexpr double kLatticeSlack = 1e-9;  // of a cell: rounding in sizes and vertices on cell sides

// Cells of a lattice addressed by (i, j, k); outside there are none.
struct Grid {
  std::array<int64_t, 3> n;
  size_t size() const { return size_t(n[0] * n[1] * n[2]); }
  size_t at(int64_t i, int64_t j, int64_t k) const { return size_t((i * n[1] + j) * n[2] + k); }
  bool holds(int64_t i, int64_t j, int64_t k) const {
    return i >= 0 && j >= 0 && k >= 0 && i < n[0] && j < n[1] && k < n[2];
  }
};

std::vector<Vec3> used_vertices(const Surface& surface) {
  std::vector<char> used(surface.vertices.size(), 0);
  for (const auto& f : surface.facets)
    for (int32_t v : f) used[v] = 1;
  std::vector<Vec3> points;
  for (size_t v = 0; v < used.size(); ++v)
    if (used[v]) points.push_back(surface.vertices[v]);
  return points;
}

// n cubes along the longest side, which they fill exactly; along the others enough to cover the
// body, centred on it, so that a symmetric body gets symmetric cells. One layer more on a side
// where a held point lies beyond.
Result<Lattice> lattice_for(const Box3& box, const VoxelOptions& options) {
  const Vec3 size = box.size();
  const double longest = std::max({size[0], size[1], size[2]});
  const double h = longest / double(options.cells);
  Lattice lattice;
  lattice.spacing = {h, h, h};
  double total = 1;
  std::array<double, 3> count;
  for (int a = 0; a < 3; ++a) {
    count[a] = size[a] == longest ? double(options.cells)
                                  : std::max(1.0, std::ceil(size[a] / h - kLatticeSlack));
    lattice.origin[a] =
        size[a] == longest ? box.low[a] : box.low[a] - 0.5 * (count[a] * h - size[a]);
    double below = 0, above = 0;
    for (const Vec3& p : options.held) {
      if (p[a] < lattice.origin[a]) below = 1;
      if (p[a] > lattice.origin[a] + count[a] * h) above = 1;
    }
    lattice.origin[a] -= below * h;
    count[a] += below + above;
    total *= count[a];
  }
  if (!(total <= double(kMostCells)))
    return fail(
        "voxels-too-many",
        fmt::format("{} in cubes of {:.3g} m needs a grid of {:.3g} cells; at most {:.3g} fit",
                    options.name, h, total, double(kMostCells)),
        "take fewer `cells`");
  for (int a = 0; a < 3; ++a) lattice.cells[a] = int32_t(count[a]);
  return lattice;
}

// Marks the cell of each point that no active cell holds yet, a cell's sides belonging to it. With
// `near_body`, only where one of the 26 neighbours is active; returns how many points were too far
// for that.
int64_t hold_points(std::span<const Vec3> points, const Lattice& lattice, const Grid& grid,
                    const std::vector<char>& active, bool near_body, std::vector<char>& added) {
  int64_t n_far = 0;
  for (const Vec3& p : points) {
    std::array<int64_t, 3> cell, first, last;
    bool in_grid = true;
    for (int a = 0; a < 3; ++a) {
      const double t = (p[a] - lattice.origin[a]) / lattice.spacing[a];
      in_grid &= t >= -kLatticeSlack && t <= double(grid.n[a]) + kLatticeSlack;
      const auto index = [&](double x) {
        return int64_t(std::clamp(std::floor(x), 0.0, double(grid.n[a] - 1)));
      };
      cell[a] = index(t);
      first[a] = index(t - kLatticeSlack);
      last[a] = index(t + kLatticeSlack);
    }
    const auto any_active = [&](int64_t margin) {
      for (int64_t i = first[0] - margin; i <= last[0] + margin; ++i)
        for (int64_t j = first[1] - margin; j <= last[1] + margin; ++j)
          for (int64_t k = first[2] - margin; k <= last[2] + margin; ++k)
            if (grid.holds(i, j, k) && active[grid.at(i, j, k)]) return true;
      return false;
    };
    if (in_grid && any_active(0)) continue;
    if (near_body && !(in_grid && any_active(1)))
      ++n_far;
    else
      added[grid.at(cell[0], cell[1], cell[2])] = 1;
  }
  return n_far;
}

// Nodes of the active cells. Cells around a lattice node share a node only if they hang together by
// faces there; contacts by an edge or a corner alone get a node each, since they would be hinges of
// no width.
int32_t number_nodes(const Grid& grid, const std::vector<int32_t>& cell_of, Mesh& mesh) {
  constexpr int kCornerOfBits[8] = {0, 1, 3, 2, 4, 5, 7, 6};  // corner (x + 2y + 4z) in VTK order
  const Lattice& lattice = *mesh.lattice;
  int32_t n_added = 0;
  for (int64_t i = 0; i <= grid.n[0]; ++i)
    for (int64_t j = 0; j <= grid.n[1]; ++j)
      for (int64_t k = 0; k <= grid.n[2]; ++k) {
        int32_t around[8];  // cells by bits of which side of the node they lie on
        for (int b = 0; b < 8; ++b) {
          const int64_t x = i - 1 + (b & 1), y = j - 1 + (b >> 1 & 1), z = k - 1 + (b >> 2);
          around[b] = grid.holds(x, y, z) ? cell_of[grid.at(x, y, z)] : -1;
        }
        int group[8], n_groups = 0;
        std::fill(group, group + 8, -1);
        for (int start = 0; start < 8; ++start) {
          if (around[start] < 0 || group[start] >= 0) continue;
          int stack[8] = {start}, depth = 1;
          group[start] = n_groups;
          while (depth > 0) {
            const int b = stack[--depth];
            for (int axis = 0; axis < 3; ++axis) {
              const int other = b ^ (1 << axis);
              if (around[other] < 0 || group[other] >= 0) continue;
              group[other] = n_groups;
              stack[depth++] = other;
            }
          }
          ++n_groups;
        }
        const int32_t first = int32_t(mesh.nodes.size());
        for (int g = 0; g < n_groups; ++g)
          mesh.nodes.push_back({lattice.origin[0] + double(i) * lattice.spacing[0],
                                lattice.origin[1] + double(j) * lattice.spacing[1],
                                lattice.origin[2] + double(k) * lattice.spacing[2]});
        for (int b = 0; b < 8; ++b)
          if (around[b] >= 0)
            mesh.cells[size_t(around[b]) * 8 + kCornerOfBits[7 - b]] = first + group[b];
        n_added += std::max(0, n_groups - 1);
      }
  return n_added;
}

// Which cells of which lattice, and how full they are.
struct Filling {
  Lattice lattice;
  Grid grid = {};
  SampleCounts samples;
  std::vector<double> fraction;
  std::vector<char> active;
  int32_t n_dropped = 0;
  int64_t n_far = 0;
};

Result<Filling> choose_cells(const Surface& surface, std::span<const Vec3> vertices,
                             const VoxelOptions& options) {
  const Result<Lattice> lattice = lattice_for(bounding_box(vertices), options);
  if (!lattice) return fail(lattice.error());
  Filling f;
  f.lattice = *lattice;
  f.grid = {{lattice->cells[0], lattice->cells[1], lattice->cells[2]}};
  const size_t n = f.grid.size();
  f.samples = count_samples(surface, *lattice, kSamples);
  f.fraction.resize(n);
  f.active.assign(n, 0);
  for (size_t c = 0; c < n; ++c)
    f.fraction[c] = f.samples.inside[c] / double(kSamples * kSamples * kSamples);
  if (options.rule == VoxelRule::Centre) {
    const SampleCounts centres = count_samples(surface, *lattice, 1);
    for (size_t c = 0; c < n; ++c) f.active[c] = centres.inside[c] > 0;
    return f;
  }
  std::vector<char> touched(n, 0), slivers(n, 0), added(n, 0);
  mark_touched(surface, *lattice, touched);
  for (size_t c = 0; c < n; ++c) slivers[c] = touched[c] && f.fraction[c] == 0;
  const SampleCounts fine = count_samples(surface, *lattice, kFineSamples, &slivers);
  for (size_t c = 0; c < n; ++c) {
    if (slivers[c])
      f.fraction[c] = fine.inside[c] / double(kFineSamples * kFineSamples * kFineSamples);
    f.active[c] = f.fraction[c] > 0 && f.fraction[c] >= options.drop_below;
  }
  hold_points(vertices, *lattice, f.grid, f.active, false, added);
  f.n_far = hold_points(options.held, *lattice, f.grid, f.active, true, added);
  for (size_t c = 0; c < n; ++c) {
    f.active[c] |= added[c];
    f.n_dropped += touched[c] && !f.active[c];
  }
  return f;
}

// A `cells` that gives kLayers layers, 0 if none was found. A body thicker than n - 1 cells fills n
// wherever the grid lies, but often fewer cells do: proposals are tried from half of that number
// up.
int64_t cells_for_layers(const Surface& surface, std::span<const Vec3> vertices,
                         const VoxelOptions& options, const Filling& filling) {
  const double thickness =
      measure_thickness(surface, filling.lattice, filling.active, filling.fraction);
  const double longest = double(options.cells) * filling.lattice.spacing[0];
  VoxelOptions finer = options;
  const double always = (kLayers - 1) * longest / std::max(thickness, 1e-6 * longest);
  finer.cells = std::max(options.cells + 1, int64_t(0.5 * always));
  for (int attempt = 0; attempt < kMostProposals; ++attempt) {
    const Result<Filling> tried = choose_cells(surface, vertices, finer);
    if (!tried) return 0;  // too many cells
    if (count_layers(tried->lattice, tried->active, tried->fraction) >= kLayers) return finer.cells;
    finer.cells += 1 + finer.cells / 8;
  }
  return 0;
}

void warn(const VoxelOptions& options, const SurfaceCheck& check, const Filling& filling,
          VoxelReport& report) {
  const SampleCounts& samples = filling.samples;
  const auto add = [&](const char* name, std::string message, std::string hint = {}) {
    report.warnings.push_back({name, std::move(message), std::move(hint)});
  };
  if (check.n_isolated_vertices > 0)
    add("surface-isolated", fmt::format("{} vertices of {} belong to no facet",
                                        check.n_isolated_vertices, options.name));
  if (samples.n_overlapping + samples.n_negative > 0)
    add("surface-overlap",
        fmt::format(
            "{} overlaps itself: at {} samples it winds more than once around, at {} the wrong way",
            options.name, samples.n_overlapping, samples.n_negative),
        "overlaps count as solid once, what is inside out as empty");
  const int64_t parts = check.n_components - check.n_cavities;
  if (report.n_components < parts && samples.n_overlapping == 0)
    add("voxels-fused",
        fmt::format(
            "{} separate parts of {} became {} of cells: parts within a cell of each other fuse",
            parts, options.name, report.n_components),
        "take more `cells`");
  if (report.n_components > parts)
    add("voxels-parts",
        fmt::format("{} has {} parts, its cells {}: where it is thinner than a cell they don't "
                    "hang together by faces",
                    options.name, parts, report.n_components),
        "take more `cells`");
  if (filling.n_far > 0)
    add("voxels-far-points",
        fmt::format("{} of {} points to embed lie more than a cell away from the body",
                    filling.n_far, options.held.size()));
  if (report.layers < kLayers)
    add("voxels-thin",
        fmt::format("a tenth of the body is {} {} thick or less; bending wants {}", report.layers,
                    report.layers == 1 ? "cell" : "cells", kLayers),
        report.cells_for_three_layers > 0
            ? fmt::format("`cells: {}` gives {}", report.cells_for_three_layers, kLayers)
            : "take many more `cells`, or thicken the surface");
}

}  // namespace

Result<Voxels> voxels(const Surface& surface, const VoxelOptions& options) {
  if (options.cells < 1 || options.cells > kMostCells)
    return fail("voxels-cells", fmt::format("`cells: {}` along the longest side", options.cells),
                fmt::format("take from 1 to {}", kMostCells));
  for (const Vec3& p : options.held)
    if (!is_finite(p))
      return fail("voxels-not-finite",
                  fmt::format("a point to embed is at ({}, {}, {})", p[0], p[1], p[2]));
  const Result<SurfaceCheck> check = require_solid(surface, options.name);
  if (!check) return fail(check.error());
  const std::vector<Vec3> vertices = used_vertices(surface);
  const Result<Filling> filling = choose_cells(surface, vertices, options);
  if (!filling) return fail(filling.error());

  Voxels out;
  VoxelReport& report = out.report;
  Mesh& mesh = out.mesh;
  const Lattice& lattice = filling->lattice;
  mesh.lattice = lattice;
  const double cell_volume = lattice.spacing[0] * lattice.spacing[1] * lattice.spacing[2];
  std::vector<int32_t> cell_of(filling->grid.size(), -1);
  for (size_t c = 0; c < cell_of.size(); ++c) {
    if (!filling->active[c]) continue;
    cell_of[c] = int32_t(mesh.lattice_cell.size());
    mesh.lattice_cell.push_back(int32_t(c));
    report.n_raised += filling->fraction[c] < options.smallest_weight;
    mesh.cell_weight.push_back(std::max(filling->fraction[c], options.smallest_weight));
    report.weighted_volume += mesh.cell_weight.back() * cell_volume;
  }
  if (mesh.lattice_cell.empty())
    return fail(
        "voxels-empty",
        fmt::format("no cell of {:.3g} m has its centre in {}", lattice.spacing[0], options.name),
        "take more `cells`, or `rule: touch`");
  mesh.cells.resize(mesh.lattice_cell.size() * 8);
  report.n_added_nodes = number_nodes(filling->grid, cell_of, mesh);
  report.cell_size = lattice.spacing[0];
  report.surface_volume = check->volume;
  report.n_cells = int32_t(mesh.lattice_cell.size());
  report.n_dropped = filling->n_dropped;
  report.n_components = components(mesh).count;
  report.layers = count_layers(lattice, filling->active, filling->fraction);
  if (report.layers < kLayers)
    report.cells_for_three_layers = cells_for_layers(surface, vertices, options, *filling);
  warn(options, *check, *filling, report);
  return out;
}

}  // namespace asb
