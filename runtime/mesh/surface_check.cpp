// Is a surface the skin of a solid? Counts of what is wrong, and errors that say it.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/mesh/surface.h"
#include "runtime/mesh/union_find.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

struct EdgeUse {
  int32_t low, high;
  int32_t direction;  // +1 from low to high
};

// Counts edges by how their facets run through them. A surface bounds a solid exactly when every
// edge is run through as often one way as the other; two bodies that touch along an edge (2 + 2
// facets) do.
void count_edges(const Surface& surface, std::span<const int32_t> name, SurfaceCheck& check) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * surface.facets.size());
  for (const auto& f : surface.facets) {
    for (int i = 0; i < 3; ++i) {
      const int32_t a = name[f[i]], b = name[f[(i + 1) % 3]];
      if (a != b) uses.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& a, const EdgeUse& b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  check.n_boundary_edges = check.n_flipped_edges = check.n_manifold_defects = 0;
  check.first_bad_edge = {-1, -1};
  for (size_t i = 0; i < uses.size();) {
    size_t j = i;
    int32_t balance = 0;
    for (; j < uses.size() && uses[j].low == uses[i].low && uses[j].high == uses[i].high; ++j)
      balance += uses[j].direction;
    if (balance != 0) {
      const size_t n = j - i;
      ++(n == 1   ? check.n_boundary_edges
         : n == 2 ? check.n_flipped_edges
                  : check.n_manifold_defects);
      if (check.first_bad_edge[0] < 0) check.first_bad_edge = {uses[i].low, uses[i].high};
    }
    i = j;
  }
}

// Counts components by shared vertices, and the closed ones that are inside out. A cavity points
// into the solid and is right: the rest of the surface winds around it.
void count_components(const Surface& surface, std::span<const int32_t> name, SurfaceCheck& check) {
  UnionFind sets(surface.vertices.size());
  for (const auto& f : surface.facets) {
    sets.join(name[f[0]], name[f[1]]);
    sets.join(name[f[0]], name[f[2]]);
  }
  std::vector<std::pair<int32_t, int32_t>> by_root;  // (component, facet)
  for (size_t t = 0; t < surface.facets.size(); ++t)
    by_root.push_back({sets.find(name[surface.facets[t][0]]), int32_t(t)});
  std::sort(by_root.begin(), by_root.end());
  const bool is_closed = check.is_closed();
  Surface part{surface.vertices, {}}, rest;
  for (size_t i = 0; i < by_root.size();) {
    size_t j = i;
    part.facets.clear();
    for (; j < by_root.size() && by_root[j].first == by_root[i].first; ++j)
      part.facets.push_back(surface.facets[by_root[j].second]);
    ++check.n_components;
    if (is_closed && enclosed_volume(part) < 0) {
      rest.vertices = surface.vertices;
      rest.facets.clear();
      for (const auto& [root, facet] : by_root)
        if (root != by_root[i].first) rest.facets.push_back(surface.facets[facet]);
      const bool is_cavity = winding_number(rest, surface.vertices[by_root[i].first]) > 0.5;
      ++(is_cavity ? check.n_cavities : check.n_inward_components);
    }
    i = j;
  }
}

}  // namespace

Result<SurfaceCheck> check_surface(const Surface& surface) {
  const size_t n = surface.vertices.size();
  if (surface.facets.empty())
    return fail("surface-empty", fmt::format("the surface has {} vertices and no facets", n));
  for (size_t v = 0; v < n; ++v)
    if (!is_finite(surface.vertices[v]))
      return fail("surface-not-finite",
                  fmt::format("vertex {} is at ({}, {}, {})", v, surface.vertices[v][0],
                              surface.vertices[v][1], surface.vertices[v][2]));
  std::vector<char> used(n, 0);
  SurfaceCheck check;
  for (size_t t = 0; t < surface.facets.size(); ++t) {
    for (int32_t v : surface.facets[t]) {
      if (v < 0 || size_t(v) >= n)
        return fail(
            "surface-corner-range",
            fmt::format("a corner of facet {} is vertex {}, but there are {} vertices", t, v, n));
      used[v] = 1;
    }
    if (norm(facet_area_vector(surface, t)) == 0) ++check.n_degenerate_facets;  // exactly flat
  }
  check.n_isolated_vertices = std::count(used.begin(), used.end(), 0);
  std::vector<int32_t> name(n);
  for (size_t v = 0; v < n; ++v) name[v] = int32_t(v);
  count_edges(surface, name, check);
  if (!check.is_closed()) {
    const std::vector<int32_t> first = coincident_vertices(surface);
    SurfaceCheck merged = check;
    count_edges(surface, first, merged);
    if (merged.is_closed()) {
      check = merged;
      check.used_coincident = true;
      name = first;
    }
  }
  count_components(surface, name, check);
  check.volume = enclosed_volume(surface);
  return check;
}

Result<SurfaceCheck> require_solid(const Surface& surface, const std::string& what) {
  Result<SurfaceCheck> checked = check_surface(surface);
  if (!checked) return checked;
  const SurfaceCheck& c = *checked;
  const auto place = [&] {
    const Vec3 p = scaled(
        add(surface.vertices[c.first_bad_edge[0]], surface.vertices[c.first_bad_edge[1]]), 0.5);
    return fmt::format("first the one between vertices {} and {} near ({:.4g}, {:.4g}, {:.4g}) m",
                       c.first_bad_edge[0], c.first_bad_edge[1], p[0], p[1], p[2]);
  };
  if (c.n_manifold_defects > 0)
    return fail(
        "surface-not-manifold",
        fmt::format(
            "{} doesn't bound a solid: {} edges join more than two facets, {} have one only; {}",
            what, c.n_manifold_defects, c.n_boundary_edges, place()),
        "remove the fins and inner walls, so that every edge joins two facets");
  if (c.n_boundary_edges > 0)
    return fail("surface-open",
                fmt::format("{} is open: {} edges have one facet only; {}", what,
                            c.n_boundary_edges, place()),
                "close it, or give a sheet a thickness by an offset surface");
  if (c.n_flipped_edges > 0)
    return fail("surface-orientation",
                fmt::format("facets of {} disagree about what is outside: {} edges are run through "
                            "the same way twice; {}",
                            what, c.n_flipped_edges, place()),
                "orient all facets counter-clockwise seen from outside");
  if (c.n_inward_components > 0)
    return fail(
        "surface-inward",
        fmt::format("{} of {} closed parts of {} point inward; the enclosed volume is {:.4g} m^3",
                    c.n_inward_components, c.n_components, what, c.volume),
        "reverse the order of the corners of their facets");
  if (!(c.volume > 0))
    return fail("surface-flat", fmt::format("{} encloses a volume of {:.4g} m^3", what, c.volume));
  return checked;
}

}  // namespace asb
