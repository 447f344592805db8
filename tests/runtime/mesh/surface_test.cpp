// Surfaces: geometry with closed forms, and what counts as the skin of a solid.
#include "runtime/mesh/surface.h"

#include <gtest/gtest.h>

#include <numbers>

#include "runtime/io/read_surface.h"
#include "runtime/mesh/box.h"
#include "runtime/mesh/vec3.h"
#include "shapes.h"

namespace asb {
namespace {

using testing::box_surface;
using testing::joined;
using testing::reversed;
using testing::sphere_surface;

std::string solid_error(const Surface& surface) {
  const Result<SurfaceCheck> check = require_solid(surface);
  return check ? "solid" : check.error().name;
}

TEST(Surface, VolumeAndAreaOfABoxAreExact) {
  const Surface s = box_surface({1, 2, 3}, {2, 4, 6});
  EXPECT_NEAR(enclosed_volume(s), 6, 1e-14);
  EXPECT_NEAR(surface_area(s), 22, 1e-14);
  double area = 0;
  for (double a : vertex_areas(s)) area += a;
  EXPECT_NEAR(area, 22, 1e-13);
}

TEST(Surface, NormalsOfASphereAreRadial) {
  const Surface s = sphere_surface({1, 2, 3}, 0.5, 4);
  const std::vector<Vec3> normals = vertex_normals(s);
  for (size_t v = 0; v < normals.size(); ++v)
    EXPECT_LT(distance(normals[v], scaled(subtract(s.vertices[v], {1, 2, 3}), 2)),
              0.03);  // edges span 0.1 rad
}

TEST(Surface, WindingNumberIsOneInsideZeroOutsideAndTwoInAnOverlap) {
  const Surface s = joined(sphere_surface({0, 0, 0}, 1, 3), sphere_surface({0.5, 0, 0}, 1, 3));
  EXPECT_NEAR(winding_number(s, {-0.8, 0, 0}), 1, 1e-12);
  EXPECT_NEAR(winding_number(s, {0.25, 0.1, 0}), 2, 1e-12);
  EXPECT_NEAR(winding_number(s, {3, 0.1, 0}), 0, 1e-12);
  Surface open = box_surface({-1, -1, -1}, {1, 1, 1});
  open.facets.resize(
      10);  // without the side z = 1, whose solid angle from the centre is a sixth of all
  EXPECT_NEAR(winding_number(open, {0, 0, 0}), 5.0 / 6, 1e-12);
}

TEST(Surface, OpenSurfacesAreRefusedWithTheNumberOfTheirBoundaryEdges) {
  Surface s = sphere_surface({0, 0, 0}, 1, 3);
  s.facets.erase(s.facets.begin() + 7);
  const Result<SurfaceCheck> check = require_solid(s, "`rest`");
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().name, "surface-open");
  EXPECT_NE(check.error().message.find("`rest` is open: 3 edges"), std::string::npos)
      << check.error().message;
  EXPECT_FALSE(check.error().hint.empty());
}

TEST(Surface, DefectsAreToldApart) {
  const Surface cube = box_surface({0, 0, 0}, {1, 1, 1});
  EXPECT_EQ(solid_error(cube), "solid");
  EXPECT_EQ(solid_error(reversed(cube)), "surface-inward");
  Surface flipped = cube;
  std::swap(flipped.facets[4][0], flipped.facets[4][1]);
  EXPECT_EQ(solid_error(flipped), "surface-orientation");
  Surface fin = cube;
  fin.vertices.push_back({2, 2, 2});
  fin.facets.push_back({0, 1, 8});
  EXPECT_EQ(solid_error(fin), "surface-not-manifold");
  EXPECT_EQ(check_surface(fin)->n_boundary_edges, 2);
  EXPECT_EQ(check_surface(fin)->n_manifold_defects, 1);
  EXPECT_EQ(solid_error(Surface{}), "surface-empty");
  Surface bad = cube;
  bad.facets[0][0] = 8;
  EXPECT_EQ(solid_error(bad), "surface-corner-range");
  bad = cube;
  bad.vertices[3][2] = std::nan("");
  EXPECT_EQ(solid_error(bad), "surface-not-finite");
  Surface isolated = cube;
  isolated.vertices.push_back({5, 5, 5});
  isolated.facets.push_back({0, 0, 1});
  EXPECT_EQ(solid_error(isolated), "solid");
  EXPECT_EQ(check_surface(isolated)->n_isolated_vertices, 1);
  EXPECT_EQ(check_surface(isolated)->n_degenerate_facets, 1);
}

TEST(Surface, CavitiesPointInwardAndOtherPartsMayNot) {
  const Surface outer = box_surface({0, 0, 0}, {3, 3, 3});
  const Surface cavity = joined(outer, reversed(box_surface({1, 1, 1}, {2, 2, 2})));
  EXPECT_EQ(solid_error(cavity), "solid");
  EXPECT_EQ(check_surface(cavity)->n_cavities, 1);
  EXPECT_NEAR(check_surface(cavity)->volume, 26, 1e-12);
  EXPECT_EQ(solid_error(joined(outer, reversed(box_surface({5, 5, 5}, {6, 6, 6})))),
            "surface-inward");
}

TEST(Surface, TriangleSoupClosesWhereItsVerticesCoincide) {
  const Surface cube = box_surface({0, 0, 0}, {1, 1, 1});
  Surface soup;
  for (const auto& f : cube.facets)
    for (int32_t v : f) soup.vertices.push_back(cube.vertices[v]);
  for (int32_t v = 0; v < 36; v += 3) soup.facets.push_back({v, v + 1, v + 2});
  const Result<SurfaceCheck> check = require_solid(soup);
  ASSERT_TRUE(check) << check.error().message;
  EXPECT_TRUE(check->used_coincident);
  EXPECT_EQ(check->n_components, 1);
  soup.facets.pop_back();
  EXPECT_EQ(solid_error(soup), "surface-open");
}

TEST(Surface, TheExampleStarfishHasFiveEqualArmsAndTwoEqualSides) {
  const Surface s = *read_surface(ASB_EXAMPLES_DIR "/starfish/rest.obj");
  ASSERT_TRUE(require_solid(s));
  const double c = std::cos(2 * std::numbers::pi / 5), n = std::sin(2 * std::numbers::pi / 5);
  for (const Vec3& p : s.vertices) {
    double to_rotated = 1, to_mirrored = 1;
    for (const Vec3& q : s.vertices) {
      to_rotated =
          std::min(to_rotated, distance(q, {c * p[0] - n * p[1], n * p[0] + c * p[1], p[2]}));
      to_mirrored = std::min(to_mirrored, distance(q, {p[0], p[1], -p[2]}));
    }
    EXPECT_LT(to_rotated, 3e-6);  // the file has six decimals
    EXPECT_LT(to_mirrored, 1e-9);
  }
  const Box3 box = bounding_box(s.vertices);
  EXPECT_NEAR(box.size()[1], 0.145, 0.01);
  EXPECT_NEAR(box.size()[2], 0.025, 0.002);
}

TEST(Surface, CellsThatShareNoNodeAreTwoComponents) {
  Mesh mesh = *box({3, 1, 1}, {3, 1, 1}, ElementKind::Hex8);
  EXPECT_EQ(components(mesh).count, 1);
  mesh.cells.erase(mesh.cells.begin() + 8, mesh.cells.begin() + 16);
  const Components parts = components(mesh);
  EXPECT_EQ(parts.count, 2);
  EXPECT_EQ(parts.of_cell, (std::vector<int32_t>{0, 1}));
}

}  // namespace
}  // namespace asb
