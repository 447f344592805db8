// Whole programs against closed forms, known deformations and the reference values of docs/verification.md.
#include "tests/programs/program_testing.h"

namespace asb::test {
namespace {

const Edits kTets = {{"element: hex8", "element: tet4"}};

TEST(PatchTest, ASurfaceMovedLinearlyCarriesTheInsideLinearlyWhateverTheMaterial) {
  for (const Edits& edits : {Edits{}, kTets}) {
    RunOptions run;
    run.session.tolerance = 1e-14;
    const Ran ran = run_for_test("patch.asb", {.edits = edits, .settings = {}, .run = run});
    for (const char* name : {"neo_hookean_error", "stable_neo_hookean_error", "shape_targeting_error"})
      EXPECT_LE(ran.number(name), 1e-12) << name << (edits.empty() ? " on hex8" : " on tet4");
  }
}

// nhlog and stable neo-Hookean of docs/verification.md, "Homogeneous states".
TEST(HomogeneousStates, UniaxialStretchWithFreeSidesGivesTheTabledStressAndWidth) {
  struct Row {
    double stretch, neo_stress, neo_width, stable_stress, stable_width;
  };
  for (const Row& row : {Row{0.7, -0.405230, 1.107935, -0.372900, 1.085299}, Row{1.5, 0.378280, 0.880175, 0.404446, 0.867086},
                         Row{2.0, 0.646745, 0.798078, 0.732113, 0.771045}}) {
    for (const Edits& edits : {Edits{}, kTets}) {
      RunOptions run;
      run.session.tolerance = 1e-11;
      const Ran ran = run_for_test("homogeneous.asb",
                                   {.edits = edits, .settings = {"stretch_x=" + std::to_string(row.stretch)}, .run = run});
      EXPECT_NEAR(ran.number("uniaxial_stress"), row.neo_stress, 6e-7);
      EXPECT_NEAR(ran.number("uniaxial_width"), row.neo_width, 6e-7);
      EXPECT_NEAR(ran.number("uniaxial_height"), row.neo_width, 6e-7);
      EXPECT_NEAR(ran.number("stable_stress"), row.stable_stress, 6e-7);
      EXPECT_NEAR(ran.number("stable_width"), row.stable_width, 6e-7);
    }
  }
}

TEST(HomogeneousStates, EquibiaxialStretchGivesTheTabledStressAndThickness) {
  const Ran ran = run_for_test("homogeneous.asb", {.edits = {}, .settings = {"stretch_x=1.5"}, .run = {}});
  EXPECT_NEAR(ran.number("biaxial_stress"), 0.467916, 6e-7);
  EXPECT_NEAR(ran.number("biaxial_thickness"), 0.652019, 6e-7);
}

// J = 1: s12 = mu g, s11 = mu g², all other entries 0.
TEST(HomogeneousStates, SimpleShearGivesShearAndNormalStressOfTheClosedForm) {
  const double mu = 1 / 2.6;
  for (const double g : {0.4, 1.1}) {
    const Ran ran = run_for_test("homogeneous.asb", {.edits = {}, .settings = {"slip=" + std::to_string(g)}, .run = {}});
    EXPECT_LE(largest_difference(ran.output("shear_stress"), {mu * g * g, mu * g, 0, mu * g, 0, 0, 0, 0, 0}), 1e-12);
  }
}

TEST(Oracle, ABodyToldTheStretchOfADeformationFindsThatDeformation) {
  const double d = std::sqrt(6.0);
  for (const Edits& element : {Edits{}, kTets})
    for (const char* method : {"newton", "newton_cg"}) {
      Edits edits = element;
      if (std::string(method) != "newton") edits.push_back({"using newton(", std::string("using ") + method + "("});
      const Ran ran = run_for_test("oracle.asb", {.edits = edits, .settings = {}, .run = {}});
      EXPECT_LE(ran.number("error"), 1e-10 * d) << method << (element.empty() ? ", hex8" : ", tet4");
      EXPECT_GE(ran.number("moved"), 0.1 * d);
    }
}

// E = 1 MPa, nu = 0.45: tip centre (-9.495e-4, 0, -2.4168e-2) m with quadratic hexes. Measured: 10.6 %, 2.97 %, 0.12 %.
TEST(Cantilever, TheErrorOfTheTipFallsWithEveryRefinementAndEndsSmall) {
  const double reference[3] = {-9.495e-4, 0, -2.4168e-2};
  double last = 1;
  for (const char* cells : {"[16, 4, 4]", "[32, 8, 8]", "[64, 16, 16]"}) {
    RunOptions run;
    run.session.tolerance = 1e-6;
    const Ran ran = run_for_test("cantilever.asb", {.edits = {{"[16, 4, 4]", cells}}, .settings = {}, .run = run});
    const std::vector<double>& tip = ran.output("tip_moves");
    double error = 0;
    for (int k = 0; k < 3; ++k) error += (tip[k] - reference[k]) * (tip[k] - reference[k]);
    error = std::sqrt(error) / 2.4187e-2;
    RecordProperty(std::string("error_in_percent_") + cells, std::to_string(100 * error));
    EXPECT_LE(error, last / 2.5) << cells;
    last = error;
  }
  EXPECT_LE(last, 0.02);
}

TEST(Boundary, TheSurfaceOfABodyMovesWithIt) {
  const Ran ran = run_for_test("boundary.asb");
  EXPECT_EQ(ran.number("highest"), ran.number("from_nodes"));
  ASSERT_EQ(ran.result().surfaces.size(), 1u);
  const SurfaceResult& hull = ran.result().surfaces[0];
  double highest = 0;
  for (const Vec3& p : hull.deformed) highest = std::max(highest, p[2]);
  EXPECT_EQ(hull.deformed.size(), hull.surface->vertices.size());
  EXPECT_NEAR(highest, 0.15, 1e-12);
}

TEST(References, SpringsAloneHoldABodyAndCarryItsWeight) {
  constexpr double kWeight = 1000 * 9.81 * 0.2 * 0.1 * 0.1;
  EXPECT_NEAR(run_for_test("springs.asb").number("carried"), kWeight, 1e-6 * kWeight);
}

}  // namespace
}  // namespace asb::test
