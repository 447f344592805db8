// Declarations around solves: params and their bounds, fix, energies, works, order, time, --set.
#include <gtest/gtest.h>

#include "dsl/sema/units.h"
#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using model::ExprKind;
using test::checked;
using test::reports;
using test::with_body;

const std::string kTwo =
    "mesh m = box(size: [1, 1, 1] m, cells: [2, 2, 2])\nunknown x: vec3 on m.nodes = X\nunknown y: vec3 on m.nodes = X\n";

TEST(Solves, EveryUnknownIsSolvedByExactlyOneSolve) {
  EXPECT_EQ(reports(kTwo + "solve x minimizing integral(m) { sqnorm(grad(x)) }"), "unsolved-unknown");
  EXPECT_EQ(reports(with_body("solve x minimizing integral(m) { sqnorm(x) }")), "solved-twice");
  EXPECT_EQ(reports(with_body("param p: real = 1\nsolve p minimizing p^2")), "not-an-unknown");
  EXPECT_EQ(reports(kTwo + "solve x, y minimizing integral(m) { sqnorm(grad(x)) }"), "unread-unknown");
}

TEST(Solves, SolvesComeInTheOrderInWhichTheyNeedEachOther) {
  const auto c = checked(kTwo + "solve y minimizing integral(m) { sqnorm(y - x) }\nsolve x minimizing integral(m) { sqnorm(grad(x)) }");
  ASSERT_TRUE(c.model) << c.shown;
  EXPECT_EQ(c.model->unknowns[c.model->solves[model::SolveId(0)].unknowns[0]].name, "x");
  EXPECT_EQ(c.model->unknowns[c.model->solves[model::SolveId(1)].unknowns[0]].name, "y");
}

TEST(Solves, DependenceThroughFieldsFixedValuesAndDerivedValuesCounts) {
  for (const char* text : {"field f: vec3 = 2 * x\nsolve y minimizing integral(m) { sqnorm(y - f) }\n",
                           "fix y on m.nodes where X.x < 1 mm = x\nsolve y minimizing integral(m) { sqnorm(grad(y)) }\n",
                           "let w: vec3 on m.nodes = 2 * x\nsolve y minimizing integral(m) { sqnorm(y - w) }\n"}) {
    const auto c = checked(kTwo + text + "solve x minimizing integral(m) { sqnorm(grad(x)) }");
    ASSERT_TRUE(c.model) << c.shown;
    EXPECT_EQ(c.model->unknowns[c.model->solves[model::SolveId(0)].unknowns[0]].name, "x") << text;
  }
}

TEST(Solves, ACycleSuggestsToSolveTogether) {
  const auto c = checked(kTwo + "solve x minimizing integral(m) { sqnorm(x - y) }\nsolve y minimizing integral(m) { sqnorm(x + y) }");
  EXPECT_EQ(c.names, "solve-cycle");
  EXPECT_NE(c.shown.find("solve x, y minimizing"), std::string::npos) << c.shown;
}

TEST(Solves, WhatIsMinimisedIsOneNumber) {
  EXPECT_EQ(reports(kTwo + "solve x, y minimizing integral(m) { x + y }"), "not-scalar");
  EXPECT_EQ(reports(with_body("energy e = mean(m) { x }")), "not-scalar");
}

TEST(Solves, FixHoldsValuesOnAPartOfTheUnknownsNodes) {
  EXPECT_EQ(reports(with_body("fix x on m.nodes where X.x < 1 mm")), "");
  EXPECT_EQ(reports(with_body("fix x.xz on m.nodes where X.x < 1 mm = [0, 0] m")), "");
  EXPECT_EQ(reports(with_body("fix x.y on m.nodes where X.x < 1 mm = 3 mm over")), "");
  EXPECT_EQ(reports(with_body("fix x on m.nodes where X.x < 1 mm = 0")), "");
  EXPECT_EQ(reports(with_body("fix x on m.nodes where X.x < 1 mm = [0, 0, 0] Pa")), "wrong-unit");
  EXPECT_EQ(reports(with_body("fix x.xx on m.nodes")), "no-such-member");
  EXPECT_EQ(reports(with_body("fix x.y on m.nodes = [1, 2, 3] m")), "type-mismatch");
  const auto c = checked(with_body("fix x on m.cells where X.x < 1 mm"));
  EXPECT_EQ(c.names, "wrong-set");
  EXPECT_NE(c.shown.find("(m.cells where X.x < 1 mm).nodes"), std::string::npos) << c.shown;
}

TEST(Solves, ABalanceKeepsEnergiesAndWorksApart) {
  const std::string w = "mesh m = box(size: [1, 1, 1] m, cells: [2, 2, 2])\nsurface face = boundary(m)\nunknown x: vec3 on m.nodes = X\n"
                        "param p: Pa = 1 kPa\nenergy e = integral(m) { 1 Pa * sqnorm(grad(x)) }\n"
                        "work a = integral(face) { -p * dot(cof(grad(x)) * N, virtual(x)) }\n";
  const auto c = checked(w + "solve x balancing e - a");
  ASSERT_TRUE(c.model) << c.shown;
  const model::Solve& s = c.model->solves[model::SolveId(0)];
  EXPECT_EQ(c[s.objective].name, "e");
  EXPECT_EQ(c[s.work].builtin, model::Builtin::Negate);
  EXPECT_EQ(reports(w + "solve x balancing a"), "");
  EXPECT_EQ(reports(w + "solve x minimizing e + a"), "work-minimised");
  EXPECT_EQ(reports(w + "work b = integral(face) { p * norm(virtual(x)) }\nsolve x balancing e + b"), "not-linear");
  EXPECT_EQ(reports(w + "work b = integral(face) { p * (1 m + dot(N, virtual(x))) }\nsolve x balancing e + b"), "not-linear");
  EXPECT_EQ(reports(w + "energy b = integral(face) { p * dot(N, virtual(x)) }\nsolve x balancing e + a"), "misplaced");
}

TEST(Solves, MethodsAndOptionsAreKnown) {
  const std::string s = kTwo + "solve x, y minimizing integral(m) { sqnorm(x - y) } using ";
  const auto c = checked(s + "newton(tol: 1e-9, relative_to: start)");
  ASSERT_TRUE(c.model) << c.shown;
  const model::Solve& solve = c.model->solves[model::SolveId(0)];
  EXPECT_EQ(solve.method, "newton");
  EXPECT_EQ(c[solve.options[0].value].number, 1e-9);
  EXPECT_EQ(solve.options[1].word, "start");
  EXPECT_EQ(reports(s + "simplex"), "unknown-method");
  EXPECT_EQ(reports(s + "newton(tolerance: 1)"), "unknown-argument");
}

TEST(Solves, ParamsKeepTheirBounds) {
  EXPECT_EQ(reports("param a: Pa = 1 MPa in [0.1 MPa, 10 MPa]"), "");
  EXPECT_EQ(reports("param a: Pa = 20 MPa in [0.1 MPa, 10 MPa]"), "out-of-bounds");
  EXPECT_EQ(reports("param a: Pa = 1 MPa in [0.1 m, 10 MPa]"), "wrong-unit");
  EXPECT_EQ(reports("param a: Pa = 1 MPa in [2 MPa, 1 MPa]"), "empty-bounds");
}

TEST(Solves, SetReplacesTheValueInTheDeclaredTypeAndUnit) {
  const std::string p = "param E: Pa = 1 MPa in [0.1 MPa, 10 MPa]\nparam v: vec3 = [1, 2, 3] m\n";
  const auto value = [&](const std::string& set) {
    const auto c = checked(p, {set});
    return c.model ? c[c.model->params[model::ParamId(0)].initial].number : -1;
  };
  EXPECT_EQ(value("E=2e5"), 2e5);
  EXPECT_EQ(value("E = 3 MPa"), 3e6);
  EXPECT_EQ(value("E=2 * 100 kPa"), 2e5);
  EXPECT_EQ(checked(p, {"E=1 m"}).names, "wrong-unit");
  EXPECT_EQ(checked(p, {"E=1e9"}).names, "out-of-bounds");
  EXPECT_EQ(checked(p, {"v=[1, 2]"}).names, "type-mismatch");
  EXPECT_EQ(checked(p, {"v=[1, 2, 3] Pa"}).names, "wrong-unit");
  EXPECT_EQ(checked(p, {"e=1"}).names, "unknown-setting");
  EXPECT_EQ(checked(p, {"E"}).names, "setting-form");
  EXPECT_EQ(checked(p, {"E=1 +"}).names, "expected-expression");
}

TEST(Solves, TimeGivesStepsAndPreviousValues) {
  const std::string t = with_body("time dt = 1 s / 60 for 10 steps\nstate v: vec3 on m.nodes = [1, 0, 0] m/s\n");
  EXPECT_EQ(reports(t + "advance v = (x - previous(x)) / dt\nlet load = step / steps\noutput a = load at last step"), "");
  EXPECT_EQ(reports(t + "advance v = x"), "wrong-unit");
  EXPECT_EQ(reports(t + "advance v = v\nadvance v = v"), "advanced-twice");
  EXPECT_EQ(reports(t + "advance x = x"), "not-a-state");
  EXPECT_EQ(reports(with_body("output a = mean(m.nodes) { norm(previous(x)) }")), "no-time");
  EXPECT_EQ(reports(with_body("time for 10 steps\nlet load = step / steps\noutput a = load")), "");
  EXPECT_EQ(reports("time dt = 1 m for 10 steps"), "wrong-unit");
}

TEST(Solves, AStateThatReadsItsOwnSolveOfTheStepBeforeIsNoCycle) {
  EXPECT_EQ(reports(kTwo + "time dt = 1 s for 3 steps\nsolve x minimizing integral(m) { sqnorm(x - previous(y)) }\n"
                           "solve y minimizing integral(m) { sqnorm(y - x) }"),
            "");
}

}  // namespace
}  // namespace asb
