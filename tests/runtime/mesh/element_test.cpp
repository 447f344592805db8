// The element table and quadrature: identities that any wrong entry breaks.
#include "runtime/mesh/element.h"

#include <gtest/gtest.h>

#include <random>

#include "runtime/mesh/box.h"
#include "runtime/mesh/quadrature.h"
#include "runtime/mesh/vec3.h"
#include "shapes.h"

namespace asb {
namespace {

constexpr double kRounding = 1e-13;

Vec3 random_point(std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1.2, 1.2);
  return {uniform(random), uniform(random), uniform(random)};
}

double power(double x, int n) { return n == 0 ? 1 : x * power(x, n - 1); }
double factorial(int n) { return n <= 1 ? 1 : n * factorial(n - 1); }

// Integral of x^a y^b z^c over the reference element.
double exact_monomial(ElementKind kind, int a, int b, int c) {
  if (kind == ElementKind::Tet4)  // a! b! c! / (a + b + c + 3)!
    return factorial(a) * factorial(b) * factorial(c) / factorial(a + b + c + 3);
  const auto line = [](int n) { return n % 2 == 1 ? 0.0 : 2.0 / (n + 1); };
  return line(a) * line(b) * line(c);
}

double applied(const QuadratureRule& rule, int a, int b, int c) {
  double sum = 0;
  for (size_t q = 0; q < rule.points.size(); ++q) {
    const Vec3& p = rule.points[q];
    sum += rule.weights[q] * power(p[0], a) * power(p[1], b) * power(p[2], c);
  }
  return sum;
}

TEST(Element, ShapeFunctionsAreOneAtTheirOwnCornerAndZeroAtOthers) {
  for (const Element& e : all_elements()) {
    for (int c = 0; c < e.corners; ++c) {
      double N[kMaxCorners];
      e.shape(e.corner_position[c], N);
      for (int d = 0; d < e.corners; ++d) EXPECT_EQ(N[d], c == d ? 1.0 : 0.0) << e.name;
    }
  }
}

TEST(Element, ShapeFunctionsSumToOneAndTheirGradientsToZero) {
  std::mt19937 random(1);
  for (const Element& e : all_elements()) {
    for (int i = 0; i < 50; ++i) {
      const Vec3 xi = random_point(random);
      double N[kMaxCorners], sum = 0;
      Vec3 dN[kMaxCorners], total = {};
      e.shape(xi, N);
      e.shape_gradient(xi, dN);
      for (int c = 0; c < e.corners; ++c) {
        sum += N[c];
        total = add(total, dN[c]);
      }
      EXPECT_NEAR(sum, 1, kRounding) << e.name;
      EXPECT_LT(norm(total), kRounding) << e.name;
    }
  }
}

TEST(Element, ShapeGradientsAreTheSlopesOfTheShapeFunctions) {
  std::mt19937 random(2);
  for (const Element& e : all_elements()) {
    for (int i = 0; i < 20; ++i) {
      const Vec3 xi = random_point(random), d = random_point(random);
      Vec3 dN[kMaxCorners];
      e.shape_gradient(xi, dN);
      double N[4][kMaxCorners];  // Along a line N is a cubic: its slope follows exactly from four
                                 // values.
      for (int k = 0; k < 4; ++k)
        e.shape(add(xi, scaled(d, k == 0 ? -1 : k == 1 ? 1 : k == 2 ? -2 : 2)), N[k]);
      for (int c = 0; c < e.corners; ++c) {
        const double slope = (8 * (N[1][c] - N[0][c]) - (N[3][c] - N[2][c])) / 12;
        EXPECT_NEAR(slope, dot(dN[c], d), 1e-12) << e.name;
      }
    }
  }
}

TEST(Element, FacesPointOutwardAndCloseTheCell) {
  for (const Element& e : all_elements()) {
    Surface skin;
    skin.vertices.assign(e.corner_position.begin(), e.corner_position.end());
    Vec3 centre = {};
    for (const Vec3& p : skin.vertices) centre = add(centre, scaled(p, 1.0 / e.corners));
    Vec3 closure = {};
    double volume = 0;
    for (const ElementFace& f : e.faces) {
      Vec3 area = {}, middle = {};
      const Vec3& first = skin.vertices[f.corner[0]];
      for (int i = 0; i < f.corners; ++i) {
        const Vec3 &a = skin.vertices[f.corner[i]],
                   &b = skin.vertices[f.corner[(i + 1) % f.corners]];
        area = add(area, scaled(cross(subtract(a, first), subtract(b, first)), 0.5));
        middle = add(middle, scaled(a, 1.0 / f.corners));
      }
      EXPECT_GT(dot(area, subtract(middle, centre)), 0) << e.name;
      closure = add(closure, area);
      volume += dot(first, area) / 3;
    }
    EXPECT_LT(norm(closure), kRounding) << e.name;
    EXPECT_NEAR(volume, e.reference_measure, kRounding) << e.name;
  }
}

TEST(Quadrature, RulesAreExactToTheirDegreeAndNoFurther) {
  for (const Element& e : all_elements()) {
    for (int degree = 0; degree <= 2 * kMaxGaussPoints - 1; ++degree) {
      const Result<QuadratureRule> rule = rule_of_degree(e.kind, degree);
      ASSERT_TRUE(rule);
      ASSERT_GE(rule->degree, degree);
      double worst_beyond = 0;
      const int d = rule->degree;
      for (int a = 0; a <= d + 1; ++a)
        for (int b = 0; a + b <= d + 1; ++b)
          for (int c = 0; a + b + c <= d + 1; ++c) {
            const double error =
                std::abs(applied(*rule, a, b, c) - exact_monomial(e.kind, a, b, c));
            if (a + b + c <= d)
              EXPECT_LT(error, kRounding)
                  << e.name << " degree " << d << " x^" << a << " y^" << b << " z^" << c;
            else
              worst_beyond = std::max(worst_beyond, error);
          }
      EXPECT_GT(worst_beyond, 1e-9) << e.name << " is better than it says at degree " << d;
      for (size_t q = 0; q < rule->weights.size(); ++q) EXPECT_GT(rule->weights[q], 0);
    }
    EXPECT_FALSE(rule_of_degree(e.kind, 2 * kMaxGaussPoints));
    EXPECT_FALSE(rule_of_degree(e.kind, -1));
  }
}

TEST(Quadrature, HexRulesAreExactInEachCoordinateApart) {
  for (int n = 1; n <= kMaxGaussPoints; ++n) {
    const QuadratureRule rule = *rule_of_degree(ElementKind::Hex8, 2 * n - 1);
    EXPECT_EQ(rule.points.size(), size_t(n * n * n));
    const int d = 2 * n - 2;
    EXPECT_NEAR(applied(rule, d, d, d), exact_monomial(ElementKind::Hex8, d, d, d), 1e-14);
  }
}

TEST(Quadrature, DefaultRulesHaveTheNumberOfPointsThatTheLanguagePromises) {
  EXPECT_EQ(default_rule(ElementKind::Hex8, false).points.size(), 8u);
  EXPECT_EQ(default_rule(ElementKind::Hex8, true).points.size(), 8u);
  EXPECT_EQ(default_rule(ElementKind::Tet4, false).points.size(), 1u);
  EXPECT_EQ(default_rule(ElementKind::Tet4, true).points.size(), 4u);
}

TEST(MeshPoints, GradientOfALinearFieldIsExactOnDistortedCells) {
  const Vec3 slope = {0.7, -1.3, 2.1};
  for (const Element& e : all_elements()) {
    const Mesh mesh = testing::distorted_box(e.kind, 0.25);
    const Result<MeshPoints> points = quadrature_points(mesh, default_rule(e.kind, true));
    ASSERT_TRUE(points) << points.error().message;
    EXPECT_EQ(points->n_patterns, points->n_cells);
    double volume = 0;
    for (int32_t c = 0; c < points->n_cells; ++c)
      for (int q = 0; q < points->points_per_cell; ++q) {
        const double* g = points->gradient(c, q);
        Vec3 found = {}, X = {};
        for (int a = 0; a < e.corners; ++a) {
          const Vec3& x = mesh.nodes[mesh.cells[size_t(c) * e.corners + a]];
          for (int j = 0; j < 3; ++j) found[j] += (4 + dot(slope, x)) * g[3 * a + j];
          X = add(X, scaled(x, points->N[size_t(q) * e.corners + a]));
        }
        EXPECT_LT(distance(found, slope), 1e-12) << e.name;
        EXPECT_LT(distance(X, points->X[size_t(c) * points->points_per_cell + q]), 1e-15);
        volume += points->measure[size_t(c) * points->points_per_cell + q];
      }
    // Inner nodes don't change the volume 2 of the box; the linear map multiplies it by its
    // determinant.
    EXPECT_NEAR(volume, 2 * (0.9 - 0.2 * 0.1 * 0.3), 1e-12) << e.name;
  }
}

TEST(MeshPoints, CellsOfALatticeShareTheirGradients) {
  const Result<MeshPoints> hexes = quadrature_points(*box({1, 1, 1}, {3, 3, 3}, ElementKind::Hex8),
                                                     default_rule(ElementKind::Hex8, false));
  ASSERT_TRUE(hexes);
  EXPECT_EQ(hexes->n_patterns, 1);
  EXPECT_EQ(hexes->gradN.size(), 8u * 8 * 3);
  const Mesh tets = *box({1, 2, 3}, {3, 3, 3}, ElementKind::Tet4);
  Mesh plain = tets;
  plain.lattice.reset();
  const QuadratureRule rule = default_rule(ElementKind::Tet4, false);
  const MeshPoints shared = *quadrature_points(tets, rule), own = *quadrature_points(plain, rule);
  EXPECT_EQ(shared.n_patterns, 6);
  EXPECT_EQ(own.n_patterns, own.n_cells);
  for (int32_t c = 0; c < own.n_cells; ++c) {
    for (int i = 0; i < 12; ++i)
      EXPECT_NEAR(shared.gradient(c, 0)[i], own.gradient(c, 0)[i], 1e-12);
    EXPECT_NEAR(shared.measure[c], own.measure[c], 1e-15);
  }
}

TEST(MeshPoints, ALatticeWhoseNodesMovedIsNoLongerOne) {
  Mesh mesh = *box({1, 1, 1}, {2, 2, 2}, ElementKind::Hex8);
  mesh.nodes[13] = add(mesh.nodes[13], {0.1, 0, 0});
  EXPECT_EQ(quadrature_points(mesh, default_rule(mesh.kind, false))->n_patterns, 8);
  mesh = *box({1, 1, 1}, {2, 2, 2}, ElementKind::Hex8);
  for (Vec3& x : mesh.nodes) x = scaled(x, 1e-3);  // and the lattice still says metres
  const MeshPoints points = *quadrature_points(mesh, default_rule(mesh.kind, false));
  EXPECT_EQ(points.n_patterns, 8);
  EXPECT_NEAR(points.measure[0], 1e-9 / 64, 1e-20);
}

TEST(MeshPoints, CellWeightsMultiplyTheMeasure) {
  Mesh mesh = *box({1, 1, 1}, {2, 1, 1}, ElementKind::Hex8);
  mesh.cell_weight = {0.25, 1};
  const MeshPoints points = *quadrature_points(mesh, default_rule(mesh.kind, false));
  double first = 0, second = 0;
  for (int q = 0; q < 8; ++q) {
    first += points.measure[q];
    second += points.measure[8 + q];
  }
  EXPECT_NEAR(first, 0.125, 1e-15);
  EXPECT_NEAR(second, 0.5, 1e-15);
}

TEST(MeshPoints, BrokenMeshesAreNamedErrors) {
  const QuadratureRule rule = default_rule(ElementKind::Hex8, false);
  const Mesh good = *box({1, 1, 1}, {3, 1, 1}, ElementKind::Hex8);
  const auto error = [&](const Mesh& mesh) { return quadrature_points(mesh, rule).error(); };
  Mesh mesh = good;
  std::swap(mesh.cells[8 + 1], mesh.cells[8 + 3]);  // cell 1 left-handed
  std::swap(mesh.cells[8 + 5], mesh.cells[8 + 7]);
  EXPECT_EQ(error(mesh).name, "mesh-inverted-cell");
  EXPECT_NE(error(mesh).message.find("cell 1 "), std::string::npos) << error(mesh).message;
  mesh = good;
  mesh.nodes[2][1] = std::nan("");
  EXPECT_EQ(error(mesh).name, "mesh-not-finite");
  mesh = good;
  mesh.cells[3] = 99;
  EXPECT_EQ(error(mesh).name, "mesh-corner-range");
  mesh = good;
  mesh.cells.pop_back();
  EXPECT_EQ(error(mesh).name, "mesh-corner-count");
  mesh = good;
  mesh.cell_weight = {1};
  EXPECT_EQ(error(mesh).name, "mesh-weight-count");
  EXPECT_EQ(error(Mesh{}).name, "mesh-empty");
}

}  // namespace
}  // namespace asb
