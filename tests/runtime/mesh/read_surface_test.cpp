// Surface files: what is read, and what is refused by line.
#include "runtime/io/read_surface.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <random>

#include "base/atomic_file.h"
#include "runtime/io/polygon.h"
#include "runtime/mesh/surface.h"
#include "runtime/mesh/vec3.h"
#include "shapes.h"

namespace asb {
namespace {

const std::string kTetObj =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::string error_of(std::string_view text, const std::string& name = "a.obj") {
  const Result<Surface> s = parse_surface(text, name);
  return s ? "read" : s.error().message;
}

TEST(ReadSurface, ObjKeepsVertexOrderAndEveryDigit) {
  const Result<Surface> s = parse_surface(
      "v 0.1 -2.5e-3 +3\nv 1 0 0 1 nan nan\nv\t0 1  0\n# v 9 9 9\nvn 0 0 1\nf 1/4/7 2//1 3\r\n",
      "a.obj");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->vertices[0], (Vec3{0.1, -2.5e-3, 3}));
  EXPECT_EQ(s->facets, (std::vector<std::array<int32_t, 3>>{{0, 1, 2}}));
}

TEST(ReadSurface, ObjCountsNegativeCornersFromTheEndAndJoinsContinuedLines) {
  const Result<Surface> s =
      parse_surface("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 \\\n -2 \\\n-1\nv 5 5 5\nf -1 1 2", "a.obj");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->facets, (std::vector<std::array<int32_t, 3>>{{0, 1, 2}, {3, 0, 1}}));
}

TEST(ReadSurface, UnitScalesPositions) {
  const Result<Surface> s = parse_surface(kTetObj, "a.obj", 1e-3);
  ASSERT_TRUE(s);
  EXPECT_NEAR(enclosed_volume(*s), 1e-9 / 6, 1e-24);
  EXPECT_FALSE(parse_surface(kTetObj, "a.obj", 0));
}

TEST(ReadSurface, BrokenObjLinesAreNamed) {
  const std::string v = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
  EXPECT_NE(error_of("v 0 0 nan\n").find("line 1"), std::string::npos);
  EXPECT_NE(error_of("v 0 0 inf\n").find("`inf`"), std::string::npos);
  EXPECT_NE(error_of("v 0 0 1e999\n").find("`1e999`"), std::string::npos);
  EXPECT_NE(error_of("v 0 zero 1\n").find("`zero`"), std::string::npos);
  EXPECT_NE(error_of("v 0 0\n").find("2 coordinates"), std::string::npos);
  EXPECT_NE(error_of("v 0 0 1.5x\n").find("`1.5x`"), std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 4\n").find("line 4"), std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 0\n").find("vertex 0"), std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 -4\n").find("vertex -4"), std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 99999999999999999999\n").find("names no vertex"),
            std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 -9223372036854775808\n").find("vertex -9223372036854775808"),
            std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2\n").find("2 corners"), std::string::npos);
  EXPECT_NE(error_of(v + "f 1 2 x\n").find("`x`"), std::string::npos);
  EXPECT_NE(error_of(v).find("no facets"), std::string::npos);
  EXPECT_NE(error_of("").find("no facets"), std::string::npos);
  EXPECT_NE(error_of("\xFE\xFF").find("UTF-16"), std::string::npos);
  EXPECT_NE(error_of(kTetObj, "a.fbx").find(".obj"), std::string::npos);
  EXPECT_EQ(error_of("\xEF\xBB\xBF" + kTetObj, "A.OBJ"), "read");
}

TEST(ReadSurface, PolygonsBecomeTrianglesOfTheSameArea) {
  // A comb of 14 corners, area by the shoelace formula; every cut must stay inside.
  std::vector<Vec3> comb;
  const double xy[][2] = {{0, 0}, {7, 0}, {7, 3}, {6, 3}, {6, 1}, {5, 1}, {5, 3},
                          {4, 3}, {4, 1}, {3, 1}, {3, 3}, {2, 3}, {2, 1}, {0, 1}};
  std::vector<int32_t> ring;
  for (const auto& p : xy) {
    ring.push_back(int32_t(ring.size()));
    comb.push_back({p[0], p[1] * 0.6, p[1] * 0.8});
  }
  for (size_t start = 0; start < ring.size(); ++start) {
    Surface s{comb, {}};
    append_polygon(ring, comb, s.facets);
    EXPECT_EQ(s.facets.size(), 12u);
    Vec3 total = {};
    for (size_t t = 0; t < s.facets.size(); ++t) total = add(total, facet_area_vector(s, t));
    EXPECT_NEAR(surface_area(s), norm(total), 1e-12);  // no triangle is turned over
    EXPECT_NEAR(norm(total), 7 + 3 * 2, 1e-12);
    std::rotate(ring.begin(), ring.begin() + 1, ring.end());
  }
  Surface square{{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}, {}};
  append_polygon(std::vector<int32_t>{0, 1, 2, 3}, square.vertices, square.facets);
  EXPECT_EQ(square.facets, (std::vector<std::array<int32_t, 3>>{{0, 1, 2}, {0, 2, 3}}));
  Surface line{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}}, {}};
  append_polygon(std::vector<int32_t>{0, 1, 2, 3}, line.vertices, line.facets);
  EXPECT_EQ(line.facets.size(), 2u);
}

TEST(ReadSurface, StlCornersAtEqualPositionsAreOneVertex) {
  std::string text = "solid t\n";
  const Surface tet = *parse_surface(kTetObj, "a.obj");
  for (const auto& f : tet.facets) {
    text += "facet normal 0 0 0\nouter loop\n";
    for (int32_t v : f)
      text += fmt::format("vertex {} {} {}\n", tet.vertices[v][0], tet.vertices[v][1],
                          tet.vertices[v][2]);
    text += "endloop\nendfacet\n";
  }
  const Result<Surface> s = parse_surface(text + "endsolid t\n", "t.stl");
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->vertices.size(), 4u);
  EXPECT_TRUE(require_solid(*s));
  EXPECT_FALSE(parse_surface(text.substr(0, text.size() - 60), "t.stl"));
  EXPECT_FALSE(parse_surface("solid", "t.stl"));
}

TEST(ReadSurface, OffAndPlyAreReadAndTheirBadCornersNamed) {
  const std::string off =
      "OFF # a tet\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3 0.5 0.5 "
      "0.5\n";
  ASSERT_TRUE(parse_surface(off, "t.off")) << error_of(off, "t.off");
  EXPECT_TRUE(require_solid(*parse_surface(off, "t.off")));
  EXPECT_NE(error_of("OFF\n1 1 0\n0 0 0\n3 0 0 1\n", "t.off").find("line 4"), std::string::npos);
  EXPECT_NE(error_of("OFF\n4 99999999 0\n0 0 0\n", "t.off").find("missing"), std::string::npos);
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty "
      "double z\n"
      "element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 "
      "0 1 ";
  EXPECT_EQ(error_of(ply + "2\n", "t.ply"), "read");
  EXPECT_NE(error_of(ply + "3\n", "t.ply").find("vertex 3"), std::string::npos);
  EXPECT_NE(error_of(ply, "t.ply").find("missing"), std::string::npos);
  EXPECT_NE(error_of("ply\nend_header\n", "t.ply").find("format"), std::string::npos);
}

TEST(ReadSurface, RandomDamageNeverCrashes) {
  constexpr unsigned kSeed = 11;
  std::mt19937 random(kSeed);
  std::vector<std::pair<std::string, std::string>> files = {
      {kTetObj, "a.obj"},
      {"OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n", "a.off"}};
  for (const char* file : {"ply/trimesh_tet.ply", "ply/assimp_issue623.ply",
                           "nasty/binary_header_solid.stl", "stl/trimesh_origin_inside.STL"}) {
    const std::string path = testing::shared_file(std::string("data/formats/") + file);
    if (!path.empty()) files.push_back({*read_file(path), path});
  }
  int n_read = 0, n_refused = 0;
  for (int i = 0; i < 3000; ++i) {
    auto [text, name] = files[random() % files.size()];
    for (unsigned k = random() % 4 + 1; k > 0 && !text.empty(); --k) {
      const size_t at = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = char(random());
          break;
        case 1:
          text.erase(at, random() % 8);
          break;
        case 2:
          text.insert(at, std::string(random() % 4, "-/09 \n"[random() % 6]));
          break;
        default:
          text.resize(std::max<size_t>(at, 1));
          break;
      }
    }
    const Result<Surface> s = parse_surface(text, name);
    ++(s ? n_read : n_refused);
    if (!s) continue;
    const Result<SurfaceCheck> check = check_surface(*s);  // what is read is always well formed
    EXPECT_TRUE(check) << name << " seed " << kSeed << " round " << i << ": "
                       << check.error().message;
  }
  EXPECT_GT(n_read, 100);
  EXPECT_GT(n_refused, 100);
}

TEST(ReadSurface, PublicFilesAreReadOrRefusedAsTheyShould) {
  const std::string folder = testing::shared_file("data/formats");
  if (folder.empty()) GTEST_SKIP() << "no public files";
  struct Expected {
    const char* file;
    size_t vertices, facets;  // 0, 0: refused
  };
  for (const Expected& e : std::vector<Expected>{{"nasty/flipped_fin_hole_isolated.obj", 194, 380},
                                                 {"nasty/soup_crlf_negative_idx.obj", 1140, 380},
                                                 {"nasty/binary_header_solid.stl", 4, 2},
                                                 {"obj/assimp_box_UTF16BE.obj", 0, 0},
                                                 {"obj/assimp_box_without_lineending.obj", 8, 12},
                                                 {"obj/assimp_concave_polygon.obj", 64, 64},
                                                 {"obj/assimp_number_formats.obj", 0, 0},
                                                 {"obj/assimp_point_cloud.obj", 0, 0},
                                                 {"obj/assimp_multiple_spaces.obj", 4, 1},
                                                 {"obj/assimp_testmixed.obj", 8, 12},
                                                 {"obj/trimesh_nancolor.obj", 8, 12},
                                                 {"obj/trimesh_notenoughindices.obj", 0, 0},
                                                 {"obj/trimesh_polygonfaces.obj", 5, 3},
                                                 {"obj/trimesh_face_in_group_name.obj", 0, 0},
                                                 {"off/assimp_invalid.off", 0, 0},
                                                 {"off/trimesh_comments.off", 8, 12},
                                                 {"ply/trimesh_sphere.ply", 642, 1280},
                                                 {"ply/assimp_cube_binary.ply", 8, 12},
                                                 {"ply/trimesh_metadata.ply", 4, 2},
                                                 {"stl/trimesh_unit_cube.STL", 8, 12},
                                                 {"stl/trimesh_empty.stl", 0, 0}}) {
    const Result<Surface> s = read_surface(folder + "/" + e.file);
    EXPECT_EQ(bool(s), e.facets > 0) << e.file << ": " << (s ? "read" : s.error().message);
    if (!s) continue;
    EXPECT_EQ(s->vertices.size(), e.vertices) << e.file;
    EXPECT_EQ(s->facets.size(), e.facets) << e.file;
  }
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(folder)) {  // and no file at all crashes it
    if (!entry.is_regular_file()) continue;
    const Result<std::string> bytes = read_file(entry.path());
    ASSERT_TRUE(bytes);
    for (const char* name : {"a.obj", "a.off", "a.stl", "a.ply"}) (void)parse_surface(*bytes, name);
  }
}

TEST(ReadSurface, ThePublicBrokenStarfishIsReadButIsNoSolid) {
  const std::string path = testing::shared_file("data/formats/nasty/flipped_fin_hole_isolated.obj");
  if (path.empty()) GTEST_SKIP() << "no public files";
  const Result<SurfaceCheck> check = require_solid(*read_surface(path));
  ASSERT_FALSE(check);
  EXPECT_EQ(check.error().name, "surface-not-manifold");
  std::cout << check.error().message << "\n";
  const std::string soup = testing::shared_file("data/formats/nasty/soup_crlf_negative_idx.obj");
  EXPECT_TRUE(require_solid(*read_surface(soup)));  // closed once equal positions are one
}

}  // namespace
}  // namespace asb
