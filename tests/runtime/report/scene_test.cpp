// What is seen of a body: its outer faces, and the values on them.
#include "runtime/report/scene.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/colour.h"
#include "tests/runtime/report/sample.h"

namespace asb {
namespace {

/// 1/3 of the flux of x through the faces: the volume inside, if all of them face outwards.
double enclosed_volume(const std::vector<Face>& faces, const std::vector<Vec3>& points) {
  double sum = 0;
  for (const Face& face : faces)
    for (int k = 1; k + 1 < face.corners; ++k) {
      const Vec3 &a = points[static_cast<size_t>(face.point[0])],
                 &b = points[static_cast<size_t>(face.point[static_cast<size_t>(k)])],
                 &c = points[static_cast<size_t>(face.point[static_cast<size_t>(k) + 1])];
      sum += (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
              a[2] * (b[0] * c[1] - b[1] * c[0])) /
             6;
    }
  return sum;
}

TEST(Scene, TheOuterFacesOfABoxAreItsSixSidesAndFaceOutwards) {
  const test::Sample sample = test::bent_beam({5, 3, 2});
  const std::vector<Face> faces = outer_faces(*sample.mesh);
  EXPECT_EQ(faces.size(), 2u * (5 * 3 + 3 * 2 + 2 * 5));
  EXPECT_NEAR(enclosed_volume(faces, sample.mesh->nodes), 1.0 * 0.6 * 0.4, 1e-12);
}

TEST(Scene, TwoTetrahedraHideTheFaceThatTheyShare) {
  Mesh mesh;
  mesh.kind = ElementKind::Tet4;
  mesh.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
  mesh.cells = {0, 1, 2, 3, 1, 4, 2, 3};
  const std::vector<Face> faces = outer_faces(mesh);
  EXPECT_EQ(faces.size(), 6u);
  EXPECT_NEAR(enclosed_volume(faces, mesh.nodes), 1.0 / 6 + 1.0 / 3, 1e-12);
}

TEST(Scene, AShowOnCellsPaintsEachOuterFaceWithTheValueOfItsCell) {
  const test::Sample sample = test::bent_beam({5, 3, 2});
  const Scene scene = make_scene(sample.result);
  const SceneBody& body = scene.bodies.at(0);
  const Paint& paint = body.paints.at(0);
  ASSERT_EQ(paint.name, "stress");
  ASSERT_EQ(paint.values.size(), body.faces.size());
  for (size_t f = 0; f < body.faces.size(); ++f)
    EXPECT_EQ(paint.values[f],
              sample.result.shows[0].values[static_cast<size_t>(body.faces[f].owner)]);
}

TEST(Scene, PointsInsideAreLeftOutAndTheOthersKeepTheirPlaces) {
  const test::Sample sample = test::bent_beam({3, 3, 3});
  const SceneBody body = make_scene(sample.result).bodies.at(0);
  EXPECT_EQ(body.rest.size(), 64u - 8u);
  for (const Face& face : body.faces) {
    const auto cell = static_cast<size_t>(face.owner) * 8;
    for (int k = 0; k < 4; ++k) {
      bool found = false;
      for (size_t c = 0; c < 8; ++c)
        found = found || body.rest[static_cast<size_t>(face.point[static_cast<size_t>(k)])] ==
                             sample.mesh->nodes[static_cast<size_t>(sample.mesh->cells[cell + c])];
      EXPECT_TRUE(found);
    }
  }
}

TEST(Scene, ASymmetricTensorCountsItsOffDiagonalTwice) {
  const Paint paint{"S", "", true, 6, {1, 2, 3, 4, 5, 6}};
  EXPECT_NEAR(painted_value(paint, 0), std::sqrt(1.0 + 16 + 36 + 2 * (4 + 9 + 25)), 1e-14);
}

TEST(Scene, ValuesThatAreNotFiniteDoNotSpoilTheRange) {
  const Paint paint{"q", "", true, 1, {3, NAN, -1, INFINITY}};
  EXPECT_EQ(painted_range(paint).low, -1);
  EXPECT_EQ(painted_range(paint).high, 3);
}

TEST(Scene, PointsThatASolveLostAreShownAtRestAndCounted) {
  test::Sample sample = test::bent_beam({3, 1, 1});
  std::vector<Vec3>& deformed = sample.result.meshes[0].deformed;
  deformed[0] = {NAN, 0, 0};
  deformed[5] = {0, 1e200, 0};
  const SceneBody body = make_scene(sample.result).bodies.at(0);
  EXPECT_EQ(body.deformed[0], body.rest[0]);
  EXPECT_EQ(body.deformed[5], body.rest[5]);
  EXPECT_NE(body.deformed[15], body.rest[15]);
  EXPECT_EQ(
      std::count_if(body.facts.begin(), body.facts.end(),
                    [](const auto& f) { return f.first == "points lost" && f.second[0] == '2'; }),
      1);
}

TEST(Colour, UnitsTakeThePrefixThatSuitsTheLargestNumber) {
  EXPECT_EQ(display_unit(25000, "Pa").unit, "kPa");
  EXPECT_NEAR(25000 * display_unit(25000, "Pa").factor, 25, 1e-12);
  EXPECT_EQ(display_unit(0.02, "m").unit, "mm");
  EXPECT_EQ(display_unit(25000, "kg/m^3").unit, "kg/m^3");
  EXPECT_EQ(display_unit(25000, "").unit, "");
}

TEST(Colour, TicksAreRoundAndInside) {
  EXPECT_EQ(round_ticks({0, 1}, 5), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
  for (const double tick : round_ticks({-3.3, 41.7}, 6)) {
    EXPECT_GE(tick, -3.3);
    EXPECT_LE(tick, 41.7);
  }
  EXPECT_EQ(round_ticks({2, 2}, 5).size(), 1u);
}

}  // namespace
}  // namespace asb
