// Whole programs: all of the design's, and those of the parser's tests, become Models that hold together.
#include <filesystem>

#include <gtest/gtest.h>

#include "dsl/sema/units.h"
#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using model::ExprKind;

std::vector<std::string> programs() {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(ASB_TEST_DIR "/programs"))
    if (entry.path().extension() == ".asb") all.push_back(entry.path().string());
  std::sort(all.begin(), all.end());
  return all;
}

TEST(Programs, EachIsCheckedToAModel) {
  EXPECT_GE(programs().size(), 19u);
  for (const std::string& path : programs()) {
    const auto c = test::checked_file(path);
    EXPECT_TRUE(c.model) << c.shown;
    if (c.model) {
      EXPECT_NE(sema::dump_model(*c.model).find("model "), std::string::npos);
    }
  }
}

TEST(Programs, ArgumentsStandBeforeWhatUsesThemAndNothingIsUnused) {
  for (const std::string& path : programs()) {
    const auto c = test::checked_file(path);
    if (!c.model) continue;
    std::vector<bool> used(c.model->exprs.size());
    for (uint32_t i = 0; i < c.model->exprs.size(); ++i)
      for (const model::ExprId arg : c[model::ExprId(i)].args) {
        ASSERT_LT(arg.index, i) << path;
        used[arg.index] = true;
      }
    size_t roots = 0;
    for (const bool u : used) roots += !u;
    EXPECT_LT(roots, 100u) << path;
  }
}

TEST(Programs, ANameIsNeverSharedByTwoLets) {
  for (const std::string& path : programs()) {
    const auto c = test::checked_file(path);
    if (!c.model) continue;
    for (uint32_t i = 0; i < c.model->exprs.size(); ++i) {
      const model::Expr& e = c[model::ExprId(i)];
      if (e.kind == ExprKind::Let) {
        EXPECT_EQ(e.args.size(), 1u);
      }
      if (e.kind == ExprKind::Derivative) {
        const ExprKind by = c[e.args[1]].kind;
        EXPECT_TRUE(by == ExprKind::Let || by == ExprKind::Param || by == ExprKind::RestPosition ||
                    by == ExprKind::Unknown || by == ExprKind::Parameter || by == ExprKind::Latent || by == ExprKind::Field)
            << path;
      }
    }
  }
}

TEST(Programs, TheBeamIsWhatItSays) {
  const auto c = test::checked_file(ASB_TEST_DIR "/programs/beam.asb");
  ASSERT_TRUE(c.model) << c.shown;
  const model::Model& m = *c.model;
  EXPECT_EQ(m.name, "beam");
  EXPECT_EQ(m.documentation, "A clamped rubber beam bends under its own weight.");
  const auto& box = std::get<model::BoxSource>(m.geometries[model::GeometryId(0)].source);
  EXPECT_EQ(box.cells, (std::array<int32_t, 3>{40, 4, 4}));
  EXPECT_EQ(box.size, (std::array<double, 3>{1, 0.1, 0.1}));
  ASSERT_EQ(m.params.size(), 3u);
  EXPECT_EQ(sema::spell(m.params[model::ParamId(2)].type), "kg/m^3");
  EXPECT_EQ(m.fixes.size(), 1u);
  const model::Solve& solve = m.solves[model::SolveId(0)];
  const model::Expr& sum = c[solve.objective];
  EXPECT_EQ(sema::spell(sum.type), "J");
  EXPECT_EQ(c[sum.args[0]].name, "elastic");
  EXPECT_EQ(sum.args[0], m.energies[0].body);
  EXPECT_EQ(sema::spell(c[m.outputs[0].body].type), "m");
  EXPECT_EQ(sema::spell(c[m.shows[0].body].type), "Pa");
}

TEST(Programs, CheckingTwiceGivesTheSameModel) {
  const std::string path = ASB_TEST_DIR "/programs/paper.asb";
  EXPECT_EQ(sema::dump_model(*test::checked_file(path).model), sema::dump_model(*test::checked_file(path).model));
}

}  // namespace
}  // namespace asb
