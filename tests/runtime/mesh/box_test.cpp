// box(): counts, numbering, volumes, conformity.
#include "runtime/mesh/box.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "runtime/mesh/element.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

TEST(Box, EveryCellHasItsShareOfTheVolume) {
  const Vec3 size = {1, 0.1, 0.2};
  for (const auto& [kind, per_cube] : {std::pair{ElementKind::Hex8, 1}, {ElementKind::Tet4, 6}}) {
    const Mesh mesh = *box(size, {5, 2, 3}, kind);
    ASSERT_EQ(cell_count(mesh), 30 * per_cube);
    EXPECT_EQ(mesh.nodes.size(), 6u * 3 * 4);
    for (int32_t c = 0; c < cell_count(mesh); ++c)
      EXPECT_NEAR(cell_volume(mesh, c), 0.02 / 30 / per_cube, 1e-17) << element(kind).name;
  }
}

TEST(Box, NodesAreNumberedWithZFastestAndEndExactlyAtTheSize) {
  const Mesh mesh = *box({1, 0.3, 0.7}, {7, 3, 3}, ElementKind::Hex8);
  EXPECT_EQ(mesh.nodes.front(), (Vec3{0, 0, 0}));
  EXPECT_EQ(mesh.nodes.back(), (Vec3{1, 0.3, 0.7}));
  EXPECT_EQ(mesh.nodes[1][0], 0);
  EXPECT_GT(mesh.nodes[1][2], 0);
  EXPECT_EQ(mesh.nodes[4][2], 0);
  EXPECT_GT(mesh.nodes[4][1], 0);
}

TEST(Box, BoundaryIsTheSkinOfTheBoxWhateverTheElement) {
  for (const ElementKind kind : {ElementKind::Hex8, ElementKind::Tet4}) {
    const MeshBoundary skin = boundary(*box({2, 1, 1}, {4, 3, 2}, kind));
    EXPECT_EQ(skin.surface.facets.size(),
              2u * 2 * (4 * 3 + 3 * 2 + 4 * 2));  // conforming: no inner side is left over
    EXPECT_NEAR(enclosed_volume(skin.surface), 2, 1e-14);
    EXPECT_NEAR(surface_area(skin.surface), 10, 1e-14);
    const Result<SurfaceCheck> check = require_solid(skin.surface);
    ASSERT_TRUE(check) << check.error().message;
    EXPECT_EQ(check->n_components, 1);
    EXPECT_FALSE(check->used_coincident);
    EXPECT_EQ(skin.facet_face.size(), skin.surface.facets.size());
    for (size_t v = 0; v < skin.node.size(); ++v)
      EXPECT_TRUE(v == 0 || skin.node[v - 1] < skin.node[v]);
  }
}

TEST(Box, BoundaryQuadrilateralsAreCutAtTheirLowestNode) {
  const MeshBoundary skin = boundary(*box({2, 1, 1}, {4, 3, 2}, ElementKind::Hex8));
  for (size_t t = 0; t < skin.surface.facets.size(); t += 2) {
    const auto &a = skin.surface.facets[t], &b = skin.surface.facets[t + 1];
    EXPECT_EQ(a[0], b[0]);
    EXPECT_LT(a[0], std::min({a[1], a[2], b[1], b[2]}));
  }
}

TEST(Box, RefusesSizesAndCountsThatMakeNoBox) {
  const auto error = [](const Vec3& size, const std::array<int64_t, 3>& cells,
                        ElementKind kind = ElementKind::Hex8) {
    const Result<Mesh> mesh = box(size, cells, kind);
    return mesh ? std::string("made") : mesh.error().name;
  };
  EXPECT_EQ(error({1, 0, 1}, {1, 1, 1}), "box-size");
  EXPECT_EQ(error({1, -1, 1}, {1, 1, 1}), "box-size");
  EXPECT_EQ(error({std::nan(""), 1, 1}, {1, 1, 1}), "box-size");
  EXPECT_EQ(error({1, 1, 1}, {1, 0, 1}), "box-cells");
  EXPECT_EQ(error({1, 1, 1}, {int64_t(1) << 40, int64_t(1) << 40, 1}), "box-too-large");
  EXPECT_EQ(error({1, 1, 1}, {int64_t(1) << 62, int64_t(1) << 62, int64_t(1) << 62}),
            "box-too-large");
  EXPECT_EQ(error({1, 1, 1}, {300, 300, 300}, ElementKind::Tet4), "box-too-large");
}

}  // namespace
}  // namespace asb
