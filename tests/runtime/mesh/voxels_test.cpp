// voxels(): weights, the touch rule, contacts, warnings and refusals.
#include "runtime/mesh/voxels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "runtime/io/read_surface.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/embedding.h"
#include "runtime/mesh/occupancy.h"
#include "runtime/mesh/quadrature.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/thickness.h"
#include "runtime/mesh/vec3.h"
#include "shapes.h"

namespace asb {
namespace {

using testing::box_surface;
using testing::joined;
using testing::sphere_surface;

bool warns(const VoxelReport& report, const std::string& name) {
  for (const auto& w : report.warnings)
    if (w.name == name) return true;
  return false;
}

double sum_of_measure(const Mesh& mesh) {
  const Result<MeshPoints> points = quadrature_points(mesh, default_rule(mesh.kind, false));
  EXPECT_TRUE(points) << points.error().message;
  double sum = 0;
  for (double m : points->measure) sum += m;
  return sum;
}

TEST(Voxels, ABoxThatFitsTheGridIsFilledExactly) {
  const Result<Voxels> made = voxels(box_surface({0.1, 0.2, 0.3}, {1.1, 0.7, 0.55}), {.cells = 12});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->mesh.lattice->cells, (std::array<int32_t, 3>{12, 6, 3}));
  EXPECT_EQ(made->report.n_cells, 12 * 6 * 3);
  for (double w : made->mesh.cell_weight) EXPECT_EQ(w, 1);
  EXPECT_EQ(made->report.layers, 3);
  EXPECT_TRUE(made->report.warnings.empty());
  EXPECT_NEAR(sum_of_measure(made->mesh), 0.125, 1e-14);
}

TEST(Voxels, WeightsOfASphereSumToItsVolume) {
  const Surface sphere = sphere_surface({3, -1, 2}, 0.5, 5);
  for (const int64_t cells : {12, 24, 48}) {
    const Result<Voxels> made = voxels(sphere, {.cells = cells});
    ASSERT_TRUE(made) << made.error().message;
    const double volume = enclosed_volume(sphere);
    EXPECT_NEAR(made->report.weighted_volume, volume, 0.02 * volume) << cells;
    EXPECT_NEAR(sum_of_measure(made->mesh), made->report.weighted_volume, 1e-11);  // 500,000 terms
    EXPECT_EQ(made->report.n_components, 1);
    for (double w : made->mesh.cell_weight) EXPECT_TRUE(w >= 0.05 && w <= 1);
  }
}

TEST(Voxels, TouchHoldsEveryVertexAndCentreDoesNot) {
  const Surface sphere = sphere_surface({0, 0, 0}, 1, 4);
  const Voxels touch = *voxels(sphere, {.cells = 16});
  const Embedding held = *embed(sphere.vertices, touch.mesh);
  EXPECT_EQ(held.n_outside, 0);
  const Voxels centre = *voxels(sphere, {.cells = 16, .rule = VoxelRule::Centre});
  EXPECT_LT(centre.report.n_cells, touch.report.n_cells);
  for (int32_t c = 0; c < centre.report.n_cells; ++c) {
    Vec3 x[kMaxCorners];
    cell_corners(centre.mesh, c, x);
    EXPECT_LT(norm(scaled(add(x[0], x[6]), 0.5)), 1);
  }
  const Embedding outside = *embed(sphere.vertices, centre.mesh);
  EXPECT_GT(outside.n_outside, int(sphere.vertices.size()) / 3);
}

TEST(Voxels, HeldPointsBesideTheBodyGetACellAndFarOnesAWarning) {
  const Surface cube = box_surface({0, 0, 0}, {1, 1, 1});
  const std::vector<Vec3> held = {{1.1, 0.5, 0.5}, {3, 0, 0}};
  const Voxels made = *voxels(cube, {.cells = 4, .held = held});
  EXPECT_EQ(made.report.n_cells, 65);
  EXPECT_EQ(made.report.n_raised, 1);
  EXPECT_TRUE(warns(made.report, "voxels-far-points"));
  EXPECT_EQ(embed(std::span(held).first(1), made.mesh)->n_outside, 0);
}

TEST(Voxels, ContactsByAnEdgeOrACornerAloneAreSplit) {
  const Surface a = box_surface({0, 0, 0}, {1, 1, 1});
  const Voxels edge = *voxels(joined(a, box_surface({1, 1, 0}, {2, 2, 1})), {.cells = 2});
  EXPECT_EQ(edge.report.n_cells, 2);
  EXPECT_EQ(edge.mesh.nodes.size(), 16u);
  EXPECT_EQ(edge.report.n_added_nodes, 2);
  EXPECT_EQ(edge.report.n_components, 2);
  const Voxels corner = *voxels(joined(a, box_surface({1, 1, 1}, {2, 2, 2})), {.cells = 2});
  EXPECT_EQ(corner.mesh.nodes.size(), 16u);
  EXPECT_EQ(corner.report.n_added_nodes, 1);
  EXPECT_EQ(corner.report.n_components, 2);
  // Side by side they share a face, and nothing is doubled.
  const Voxels face = *voxels(joined(a, box_surface({1, 0, 0}, {2, 1, 1})), {.cells = 2});
  EXPECT_EQ(face.mesh.nodes.size(), 12u);
  EXPECT_EQ(face.report.n_components, 1);
  for (const Voxels& v : {edge, corner, face}) EXPECT_NEAR(sum_of_measure(v.mesh), 2, 1e-14);
}

TEST(Voxels, PartsWithinACellOfEachOtherFuseAndAreReported) {
  const Surface slabs =
      joined(box_surface({0, 0, 0}, {1, 1, 0.45}), box_surface({0, 0, 0.46}, {1, 1, 0.9}));
  const Voxels made = *voxels(slabs, {.cells = 10});
  EXPECT_EQ(made.report.n_components, 1);
  EXPECT_TRUE(warns(made.report, "voxels-fused"));
}

TEST(Voxels, ThinBodiesAreWarnedAboutWithTheCellsThatHelp) {
  const Surface plate = box_surface({0, 0, 0}, {1, 0.8, 0.09});
  const Voxels made = *voxels(plate, {.cells = 16});
  EXPECT_EQ(made.report.layers, 2);
  ASSERT_TRUE(warns(made.report, "voxels-thin"));
  const int64_t better = made.report.cells_for_three_layers;
  EXPECT_TRUE(better > 22 && better <= 26) << better;  // h < 0.09 / 2
  const Voxels again = *voxels(plate, {.cells = better});
  EXPECT_GE(again.report.layers, 3);
  EXPECT_FALSE(warns(again.report, "voxels-thin"));
}

TEST(Voxels, TheCellsProposedForAThinBodyAreEnoughInAnyDirection) {
  for (int axis = 0; axis < 3; ++axis) {
    Surface bar = sphere_surface({0, 0, 0}, 1, 4);
    for (Vec3& v : bar.vertices) {  // an ellipsoid, long in one direction
      v = {v[axis], 0.15 * v[(axis + 1) % 3], 0.2 * v[(axis + 2) % 3]};
      std::rotate(v.begin(), v.begin() + axis, v.end());
    }
    const Voxels coarse = *voxels(bar, {.cells = 9});
    ASSERT_LT(coarse.report.layers, 3);
    const int64_t better = coarse.report.cells_for_three_layers;
    EXPECT_GE(voxels(bar, {.cells = better})->report.layers, 3) << axis << " " << better;
    EXPECT_LT(better, 40);
  }
}

TEST(Voxels, OverlapsAreSolidOnceAndReported) {
  const Surface two =
      joined(box_surface({0, 0, 0}, {1, 1, 1}), box_surface({0.5, 0, 0}, {1.5, 1, 1}));
  const Voxels made = *voxels(two, {.cells = 12});
  EXPECT_TRUE(warns(made.report, "surface-overlap"));
  EXPECT_NEAR(made.report.weighted_volume, 1.5, 1e-12);
}

TEST(Voxels, CavitiesStayEmpty) {
  const Surface hollow =
      joined(box_surface({0, 0, 0}, {1, 1, 1}),
             testing::reversed(box_surface({0.25, 0.25, 0.25}, {0.75, 0.75, 0.75})));
  const Voxels made = *voxels(hollow, {.cells = 8});
  EXPECT_EQ(made.report.n_cells, 512 - 64);
  EXPECT_NEAR(made.report.weighted_volume, 0.875, 1e-12);
}

TEST(Voxels, SamplesAgreeWithTheWindingNumberAlsoThroughVerticesAndEdges) {
  // Vertices on the rows of samples: the octahedron's lie on (0, 0) and its edges above the axes.
  Surface s = sphere_surface({0, 0, 0}, 1, 1);
  const Lattice lattice = {{-1.125, -1.125, -1.125}, {0.25, 0.25, 0.25}, {9, 9, 9}};
  const SampleCounts counts = count_samples(s, lattice, 1);
  int disagreements = 0, inside = 0;
  for (int i = 0; i < 9; ++i)
    for (int j = 0; j < 9; ++j)
      for (int k = 0; k < 9; ++k) {
        const Vec3 p = {-1 + 0.25 * i, -1 + 0.25 * j, -1 + 0.25 * k};
        const double w = winding_number(s, p);
        if (std::abs(w - 0.5) < 0.49) continue;  // on the surface
        inside += w > 0.5;
        disagreements += (w > 0.5) != (counts.inside[size_t((i * 9 + j) * 9 + k)] == 1);
      }
  EXPECT_EQ(disagreements, 0);
  EXPECT_GT(inside, 100);
  EXPECT_EQ(counts.n_negative, 0);
  EXPECT_EQ(counts.n_overlapping, 0);
}

TEST(Voxels, RowsCloseWhereTheyGrazeAnEdge) {
  // Rows on the silhouette of an octahedron, where the upper and the lower facet must decide alike.
  int64_t inside = 0;
  for (int trial = 1; trial <= 20; ++trial) {
    Surface s = sphere_surface({0, 0, 0}, 1, 0);
    const Vec3 size = {0.1 * trial, 0.3, 0.7};
    for (Vec3& v : s.vertices) v = {v[0] * size[0], v[1] * size[1], v[2] * size[2]};
    constexpr int kRows = 100;
    const Lattice lattice = {
        {0, 0, -1}, {size[0] / kRows, size[1] / kRows, 0.2}, {kRows, kRows, 10}};
    const SampleCounts counts = count_samples(s, lattice, 1);
    EXPECT_EQ(counts.n_negative, 0);
    EXPECT_EQ(counts.n_overlapping, 0);
    for (size_t c = 0; c < counts.inside.size(); ++c)
      if (c % 10 == 0 || c % 10 == 9) inside += counts.inside[c];  // above 0.7 or below -0.7
  }
  EXPECT_EQ(inside, 0);
}

TEST(Voxels, ThicknessIsTheChordOfThePlateWhereverTheCellsLie) {
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 high = {1, 1, 1};
    high[axis] = 0.13;
    Lattice lattice = {{-0.01, -0.02, -0.03}, {0.1, 0.1, 0.1}, {11, 11, 11}};
    const Surface plate = box_surface({0, 0, 0}, high);
    const SampleCounts counts = count_samples(plate, lattice, 4);
    std::vector<char> active;
    std::vector<double> fraction;
    for (int32_t n : counts.inside) {
      active.push_back(n > 0);
      fraction.push_back(n / 64.0);
    }
    EXPECT_NEAR(measure_thickness(plate, lattice, active, fraction), 0.13, 1e-12) << axis;
    EXPECT_EQ(count_layers(lattice, active, fraction), 2) << axis;
  }
}

TEST(Voxels, CellsWithASliverOfSolidAreKept) {
  // Cells of 1/3; above the block a sheet of a fifteenth of a cell: between the samples 4 a cell,
  // not those 16 a cell. Its middle cells hold no vertex.
  Surface s = joined(box_surface({0, 0, 0}, {1, 1, 1}), box_surface({1, 0, 0.34}, {2, 1, 0.36}));
  const Voxels kept = *voxels(s, {.cells = 6});
  EXPECT_EQ(kept.report.n_cells, 27 + 9);
  const Voxels dropped = *voxels(s, {.cells = 6, .drop_below = 0.1});
  EXPECT_EQ(dropped.report.n_cells, 27 + 2);  // those at its far corners
  EXPECT_EQ(dropped.report.n_dropped, kept.report.n_dropped + 7);
}

TEST(Voxels, ATriangleMeetsABoxByItsInteriorToo) {
  const Vec3 half = {0.5, 0.5, 0.5}, origin = {0, 0, 0};
  // A large triangle through the box whose corners and edges lie far away.
  EXPECT_TRUE(triangle_meets_box({{{-10, -10, 0.2}, {10, -10, 0.2}, {0, 20, 0.2}}}, origin, half));
  EXPECT_FALSE(triangle_meets_box({{{-10, -10, 0.6}, {10, -10, 0.6}, {0, 20, 0.6}}}, origin, half));
  // Its box meets the cube, the triangle passes by a corner: only the plane separates.
  EXPECT_FALSE(triangle_meets_box({{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}, {0, 0, 0}, half));
  EXPECT_TRUE(triangle_meets_box({{{1.4, 0, 0}, {0, 1.4, 0}, {0, 0, 1.4}}}, {0, 0, 0}, half));
  // Only an edge-edge axis separates.
  EXPECT_FALSE(triangle_meets_box({{{0.9, 0.4, -3}, {0.4, 0.9, 3}, {3, 3, 0}}}, origin, half));
  EXPECT_TRUE(triangle_meets_box({{{0.5, 0.4, -0.1}, {0.4, 0.5, 0.1}, {3, 3, 0}}}, origin, half));
}

TEST(Voxels, SurfacesThatBoundNoSolidAreRefused) {
  Surface open = box_surface({0, 0, 0}, {1, 1, 1});
  open.facets.pop_back();
  EXPECT_EQ(voxels(open, {.cells = 4}).error().name, "surface-open");
  EXPECT_EQ(voxels(testing::reversed(box_surface({0, 0, 0}, {1, 1, 1})), {.cells = 4}).error().name,
            "surface-inward");
  EXPECT_EQ(voxels(box_surface({0, 0, 0}, {1, 1, 1}), {.cells = 0}).error().name, "voxels-cells");
  EXPECT_EQ(voxels(box_surface({0, 0, 0}, {1, 1, 1}), {.cells = 2000}).error().name,
            "voxels-too-many");
}

TEST(Voxels, AMirroredBodyHasMirroredWeights) {
  const Surface sphere = sphere_surface({0, 0, 0}, 1, 4);  // symmetric in each axis
  const Voxels made = *voxels(sphere, {.cells = 9});
  const auto& n = made.mesh.lattice->cells;
  std::vector<double> weight(size_t(n[0] * n[1] * n[2]), 0);
  for (size_t c = 0; c < made.mesh.cell_weight.size(); ++c)
    weight[made.mesh.lattice_cell[c]] = made.mesh.cell_weight[c];
  for (int i = 0; i < n[0]; ++i)
    for (int j = 0; j < n[1]; ++j)
      for (int k = 0; k < n[2]; ++k)
        EXPECT_NEAR(weight[size_t((i * n[1] + j) * n[2] + k)],
                    weight[size_t(((n[0] - 1 - i) * n[1] + j) * n[2] + n[2] - 1 - k)], 1.5 / 64);
}

void starfish_becomes_one_body(const std::string& path, int64_t cells, int thin_axis) {
  const Result<Surface> rest = read_surface(path);
  ASSERT_TRUE(rest) << rest.error().message;
  const Result<Voxels> made = voxels(*rest, {.cells = cells});
  ASSERT_TRUE(made) << made.error().message;
  const VoxelReport& r = made->report;
  EXPECT_EQ(r.n_components, 1) << path;
  EXPECT_NEAR(r.weighted_volume, r.surface_volume, 0.02 * r.surface_volume) << path;
  const auto& n = made->mesh.lattice->cells;
  EXPECT_EQ(std::min_element(n.begin(), n.end()) - n.begin(), thin_axis) << path;
  const Result<Embedding> skin = embed(rest->vertices, made->mesh);
  ASSERT_TRUE(skin) << skin.error().message;
  EXPECT_EQ(skin->n_outside, 0) << path;
  std::cout << path << ": " << r.n_cells << " cells, " << made->mesh.nodes.size() << " nodes, "
            << r.layers << " layers, volume " << r.weighted_volume / r.surface_volume
            << " of the surface's\n";
}

TEST(Voxels, TheExampleStarfishBecomesOneBody) {
  starfish_becomes_one_body(ASB_EXAMPLES_DIR "/starfish/rest.obj", 48, 2);
}

TEST(Voxels, PublicStarfishBecomeOneBody) {
  for (const auto& [file, axis] : {std::pair{"starfish.obj", 0},
                                   {"starfish_simplified.obj", 0},
                                   {"starfish_simplified2.obj", 2}}) {
    const std::string path = testing::shared_file(std::string("data/starfish/") + file);
    if (path.empty()) GTEST_SKIP() << "no " << file;
    starfish_becomes_one_body(path, 48, axis);
  }
}

}  // namespace
}  // namespace asb
