// examples/starfish/forward.asb: a closed surface made solid, actuated, solved on the scalar factor, its skin carried along.
#include <algorithm>

#include "tests/programs/program_testing.h"

namespace asb::test {
namespace {

const std::string kForward = source_folder() + "/examples/starfish/forward.asb";

TEST(Starfish, ConvergesOnTheConstantFactorWithNoPointInverted) {
  Ran ran = run_for_test(kForward);
  const SolveResult& solve = ran.solve("x");
  EXPECT_NE(solve.method.find("newton_cg"), std::string::npos) << solve.method;
  EXPECT_NE(solve.method.find("constant stiffness"), std::string::npos) << solve.method;
  EXPECT_LE(ran.iterations("x"), 40);
  const auto outcome = ran.session().solve(graph::SolveId(0));
  EXPECT_EQ((*outcome)->inverted, 0);
  EXPECT_GT((*outcome)->factor_bytes, 0u);
}

TEST(Starfish, TheSkinIsWhereItsCellsCarryIt) {
  Ran ran = run_for_test(kForward);
  const auto& meshes = ran.result().meshes;
  const auto& surfaces = ran.result().surfaces;
  ASSERT_EQ(meshes.size(), 1u);
  const auto skin = std::ranges::find(surfaces, std::string("skin"), &SurfaceResult::name);
  ASSERT_NE(skin, surfaces.end());
  ASSERT_EQ(skin->deformed.size(), skin->surface->vertices.size());
  uint32_t id = 0;
  while (ran.run.plan->geometries[id].name != "skin") ++id;
  const Embedding& held = ran.session().body(plan::GeometryId(id)).embedding;
  double worst = 0, moved = 0;
  for (size_t v = 0; v < skin->deformed.size(); ++v)
    for (int k = 0; k < 3; ++k) {
      double at_rest = 0, now = 0;
      for (int a = 0; a < held.corners; ++a) {
        const int32_t node = held.nodes[v * held.corners + a];
        at_rest += held.weights[v * held.corners + a] * meshes[0].mesh->nodes[node][k];
        now += held.weights[v * held.corners + a] * meshes[0].deformed[node][k];
      }
      worst = std::max({worst, std::abs(at_rest - skin->surface->vertices[v][k]), std::abs(now - skin->deformed[v][k])});
      moved = std::max(moved, std::abs(skin->deformed[v][k] - skin->surface->vertices[v][k]));
    }
  EXPECT_LE(worst, 1e-12);
  EXPECT_GE(moved, 5e-3);
}

TEST(Starfish, TurnsItsArmsTheOtherWayWhenTheMusclesDo) {
  const Ran up = run_for_test(kForward, {.edits = {}, .settings = {"curl=0.3"}, .run = {}});
  const Ran down = run_for_test(kForward, {.edits = {}, .settings = {"curl=-0.3"}, .run = {}});
  const auto middle = [](const Ran& ran) {
    double sum = 0;
    const MeshResult& mesh = ran.result().meshes.at(0);
    for (size_t i = 0; i < mesh.deformed.size(); ++i) sum += mesh.deformed[i][2] - mesh.mesh->nodes[i][2];
    return sum / static_cast<double>(mesh.deformed.size());
  };
  EXPECT_GE(middle(up), 2e-3);
  EXPECT_LE(middle(down), -2e-3);
}

}  // namespace
}  // namespace asb::test
