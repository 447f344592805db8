// Surfaces and meshes with known answers.
#include "shapes.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "runtime/mesh/box.h"

namespace asb::testing {

Surface box_surface(const Vec3& low, const Vec3& high) {
  Surface s;
  for (int b = 0; b < 8; ++b)
    s.vertices.push_back(
        {b & 1 ? high[0] : low[0], b & 2 ? high[1] : low[1], b & 4 ? high[2] : low[2]});
  const int quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                           {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
  for (const auto& q : quads) {
    s.facets.push_back({q[0], q[1], q[2]});
    s.facets.push_back({q[0], q[2], q[3]});
  }
  return s;
}

Surface sphere_surface(const Vec3& centre, double radius, int n) {
  Surface s;
  s.vertices = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  s.facets = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  for (int i = 0; i < n; ++i) {
    std::map<std::pair<int32_t, int32_t>, int32_t> middle;
    const auto between = [&](int32_t a, int32_t b) {
      const auto [it, is_new] =
          middle.insert({{std::min(a, b), std::max(a, b)}, int32_t(s.vertices.size())});
      if (is_new) {
        const Vec3 m = add(s.vertices[a], s.vertices[b]);
        s.vertices.push_back(scaled(m, 1 / norm(m)));
      }
      return it->second;
    };
    std::vector<std::array<int32_t, 3>> finer;
    for (const auto& [a, b, c] : s.facets) {
      const int32_t ab = between(a, b), bc = between(b, c), ca = between(c, a);
      finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
    }
    s.facets = finer;
  }
  for (Vec3& v : s.vertices) v = add(centre, scaled(v, radius));
  return s;
}

Surface joined(const Surface& a, const Surface& b) {
  Surface s = a;
  const int32_t offset = int32_t(a.vertices.size());
  s.vertices.insert(s.vertices.end(), b.vertices.begin(), b.vertices.end());
  for (const auto& f : b.facets) s.facets.push_back({f[0] + offset, f[1] + offset, f[2] + offset});
  return s;
}

Surface reversed(Surface surface) {
  for (auto& f : surface.facets) std::swap(f[1], f[2]);
  return surface;
}

Mesh distorted_box(ElementKind kind, double amount) {
  Mesh mesh = *box({2, 1, 1}, {4, 3, 2}, kind);
  const Vec3 h = mesh.lattice->spacing;
  mesh.lattice.reset();
  mesh.lattice_cell.clear();
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(-amount, amount);
  for (Vec3& x : mesh.nodes) {
    const Vec3 size = {2, 1, 1};
    for (int a = 0; a < 3; ++a) {
      const double shift = uniform(random) * h[a];
      if (x[a] > 1e-9 && x[a] < size[a] - 1e-9) x[a] += shift;
    }
  }
  for (Vec3& x : mesh.nodes)
    x = {x[0] + 0.2 * x[1], 0.9 * x[1] - 0.1 * x[2], x[2] + 0.3 * x[0] + 0.05};
  return mesh;
}

std::string shared_file(const std::string& file) {
  const std::string path = std::string(ASB_SHARED_DIR) + "/" + file;
  if (std::filesystem::exists(path)) return path;
  std::cerr << "[  SKIPPED ] NO SHARED DATA: " << path << " doesn't exist\n";
  return "";
}

}  // namespace asb::testing
