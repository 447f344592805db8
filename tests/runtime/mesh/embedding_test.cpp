// embed(): weights reproduce positions and linear fields, inside, on sides and a little outside.
#include "runtime/mesh/embedding.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/mesh/box.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/vec3.h"
#include "runtime/mesh/voxels.h"
#include "shapes.h"

namespace asb {
namespace {

constexpr double kReproduced = 1e-12;

// Largest |sum N f(x_c) - f(p)| for a linear f of values around one.
double linear_error(const Embedding& e, const Mesh& mesh, std::span<const Vec3> points) {
  const auto f = [](const Vec3& x) { return 0.3 + 0.7 * x[0] - 0.4 * x[1] + 0.9 * x[2]; };
  double worst = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    double sum = 0;
    for (int c = 0; c < e.corners; ++c)
      sum += e.weights[i * e.corners + c] * f(mesh.nodes[e.nodes[i * e.corners + c]]);
    worst = std::max(worst, std::abs(sum - f(points[i])));
  }
  return worst;
}

std::vector<Vec3> random_points_in(const Mesh& mesh, int n) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Vec3> points;
  const Element& e = element(mesh.kind);
  for (int i = 0; i < n;
       ++i) {  // positive combinations of the corners of a cell lie in a convex cell
    Vec3 x[kMaxCorners], p = {};
    double sum = 0;
    cell_corners(mesh, int32_t(random() % size_t(cell_count(mesh))), x);
    for (int c = 0; c < e.corners; ++c) {
      const double w = uniform(random);
      p = add(p, scaled(x[c], w));
      sum += w;
    }
    points.push_back(scaled(p, 1 / sum));
  }
  return points;
}

TEST(Embedding, ReproducesLinearFieldsInLatticesAndDistortedCells) {
  for (const Element& e : all_elements()) {
    for (const Mesh& mesh :
         {*box({2, 1, 1}, {4, 3, 2}, e.kind), testing::distorted_box(e.kind, 0.2)}) {
      const std::vector<Vec3> points = random_points_in(mesh, 500);
      const Result<Embedding> found = embed(points, mesh);
      ASSERT_TRUE(found) << found.error().message;
      EXPECT_LT(linear_error(*found, mesh, points), kReproduced) << e.name;
      // Hexes with bent sides: the corner mean may lie just outside the cell but within a
      // neighbour.
      EXPECT_EQ(found->n_outside, 0) << e.name;
      EXPECT_EQ(found->cell.size(), points.size());
      for (double w : found->weights) EXPECT_GE(w, -1e-7);
    }
  }
}

TEST(Embedding, KeepsItsDigitsFarFromTheOrigin) {
  Mesh mesh = testing::distorted_box(ElementKind::Hex8, 0.2);
  for (Vec3& x : mesh.nodes) x = add(scaled(x, 1e-3), {50, -30, 20});
  const std::vector<Vec3> points = random_points_in(mesh, 200);
  const Result<Embedding> found = embed(points, mesh);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LT(linear_error(*found, mesh, points), 1e-13);  // rounding of values around 60
}

TEST(Embedding, NodesAreHeldByThemselves) {
  for (const Element& e : all_elements()) {
    const Mesh mesh = testing::distorted_box(e.kind, 0.2);
    const Embedding found = *embed(mesh.nodes, mesh);
    for (size_t i = 0; i < mesh.nodes.size(); ++i)
      for (int c = 0; c < e.corners; ++c) {
        const bool own = found.nodes[i * e.corners + c] == int32_t(i);
        EXPECT_NEAR(found.weights[i * e.corners + c], own ? 1 : 0, 1e-12) << e.name;
      }
  }
}

TEST(Embedding, ExtrapolatesLinearFieldsUpToHalfACell) {
  for (const Element& e : all_elements()) {
    const Mesh mesh = *box({1, 1, 1}, {4, 4, 4}, e.kind);
    const std::vector<Vec3> points = {
        {-0.12, 0.3, 0.6}, {0.5, 1.1, 0.4}, {0.2, 0.9, 1.05}, {1.08, 1.08, 0.5}, {0.5, 0.5, 0.5}};
    const Result<Embedding> found = embed(points, mesh);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_LT(linear_error(*found, mesh, points), kReproduced);
    EXPECT_EQ(found->n_outside, 4);
    EXPECT_NEAR(found->largest_distance, 0.12, 1e-12);  // exact: the nearest side is known
  }
}

TEST(Embedding, PointsFurtherThanHalfACellAreCountedAndMeasured) {
  const Mesh mesh = *box({1, 1, 1}, {4, 4, 4}, ElementKind::Hex8);
  const std::vector<Vec3> points = {
      {0.5, 0.5, 0.5}, {1.2, 0.5, 0.5}, {0.5, -3, 0.5}, {1.1, 0.5, 0.5}};
  const Result<Embedding> found = embed(points, mesh, "`skin`");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().name, "embed-outside");
  EXPECT_NE(found.error().message.find("2 of 4 points of `skin`"), std::string::npos)
      << found.error().message;
  EXPECT_NE(found.error().message.find("3 m away"), std::string::npos) << found.error().message;
  EXPECT_FALSE(embed(std::vector<Vec3>{{0, std::nan(""), 0}}, mesh));
}

TEST(Embedding, NearestCellOfALatticeWithHolesIsFound) {
  // An L of three cells, (0,0), (0,1) and (1,0): the point lies in the missing one, 0.3 from (0,1),
  // 0.4 from (1,0).
  Mesh mesh = *box({2, 2, 1}, {2, 2, 1}, ElementKind::Hex8);
  mesh.cells.resize(3 * 8);
  mesh.lattice_cell.resize(3);
  const std::vector<Vec3> points = {{1.3, 1.4, 0.5}};
  const Result<Embedding> found = embed(points, mesh);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->cell[0], 1);
  EXPECT_NEAR(found->largest_distance, 0.3, 1e-12);
}

TEST(Embedding, SharedSidesBelongToTheLowerCell) {
  const Mesh mesh = *box({2, 1, 1}, {2, 1, 1}, ElementKind::Hex8);
  EXPECT_EQ(embed(std::vector<Vec3>{{1, 0.5, 0.5}}, mesh)->cell[0], 0);
}

}  // namespace
}  // namespace asb
