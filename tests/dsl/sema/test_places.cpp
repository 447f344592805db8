// Sets, and the table "what a name means there": every cell of it, read or refused.
#include <gtest/gtest.h>

#include "dsl/sema/units.h"
#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using model::DomainKind;
using model::ExprKind;
using test::checked;
using test::reports;
using test::with_body;

/// m with its boundary, a mesh M with a surface skin embedded in it, unknowns on both, and values on cells and facets.
std::string place(const std::string& text) {
  return with_body(
      "surface face = boundary(m)\n"
      "surface rest = file(\"rest.obj\", unit: 1 m)\n"
      "mesh M = voxels(rest, cells: 8)\n"
      "surface skin = embed(rest, in: M)\n"
      "unknown y: vec3 on M.nodes = X\n"
      "solve y minimizing integral(M) { sqnorm(grad(y)) }\n"
      "param q: real on m.cells = 1\n"
      "param f: real on m.facets = 1\n"
      "mesh cloth = file(\"cloth.obj\", unit: 1 m)\n"
      "unknown c: vec3 on cloth.nodes = X\n"
      "solve c minimizing integral(cloth) { sqnorm(grad(c)) }\n" +
      text);
}
std::string at(const std::string& set, const std::string& body) {
  return reports(place("output a = " + set + " { " + body + " }\n"));
}

TEST(Places, RestPositionIsEverywhereButAtTuplesWhereItIsOfACorner) {
  for (const char* set : {"mean(m)", "integral(face)", "mean(m.nodes)", "mean(skin.vertices)", "mean(m.facets)", "mean(m.cells)"})
    EXPECT_EQ(at(set, "X.x"), "") << set;
  EXPECT_EQ(at("sum(m.edges as (a, b))", "X[a].x"), "");
  EXPECT_EQ(at("sum(m.edges as (a, b))", "X.x"), "corner-needed");
  EXPECT_EQ(reports(place("output a = X.x")), "no-entity");
}

TEST(Places, ANodalValueIsReadAtPointsNodesFacetsAndCorners) {
  for (const char* set : {"mean(m)", "integral(face)", "mean(m.nodes)", "mean(m.facets)", "mean(m.cells)", "mean(sample(m, 10))"})
    EXPECT_EQ(at(set, "x.x"), "") << set;
  EXPECT_EQ(at("sum(m.facets as (a, b, c, d))", "x[a].x + x.x"), "");
  EXPECT_EQ(at("sum(cloth.hinges as (i, j, k, l))", "c[l].x"), "");
  EXPECT_EQ(at("sum(m.edges as (a, b))", "x.x"), "corner-needed");
  EXPECT_EQ(reports(place("output a = x.x")), "no-entity");
}

TEST(Places, ANodalValueOfTheMeshAroundIsReadAtEmbeddedPoints) {
  EXPECT_EQ(at("mean(skin.vertices)", "y.x"), "");
  EXPECT_EQ(at("mean(skin)", "y.x"), "");
  EXPECT_EQ(at("sum(skin.edges as (a, b))", "norm(y[a] - y[b])"), "");
  EXPECT_EQ(at("mean(skin.vertices)", "det(grad(y))"), "");
}

TEST(Places, AValueOfAMeshThatIsNotRelatedIsAnErrorThatNamesBothAndTheEmbed) {
  const auto c = checked(place("output a = mean(M) { x.x }"));
  EXPECT_EQ(c.names, "unrelated-domains");
  EXPECT_NE(c.shown.find("`x` lives on `m`"), std::string::npos) << c.shown;
  EXPECT_NE(c.shown.find("embed(M, in: m)"), std::string::npos) << c.shown;
  EXPECT_EQ(at("mean(rest.vertices)", "y.x"), "unrelated-domains") << "the rest surface doesn't move";
  EXPECT_EQ(at("sum(skin.edges as (a, b))", "x[a].x"), "unrelated-domains");
}

TEST(Places, AValuePerCellIsReadInsideCellsAndOnTheirFacetsButNotAtNodes) {
  for (const char* set : {"mean(m)", "integral(face)", "mean(m.cells)", "mean(m.facets)"}) EXPECT_EQ(at(set, "q"), "") << set;
  EXPECT_EQ(at("mean(m.nodes)", "q"), "no-meaning-here");
  EXPECT_EQ(at("sum(m.edges as (a, b))", "q"), "no-meaning-here");
  EXPECT_EQ(at("mean(m.facets)", "f"), "");
  EXPECT_EQ(at("mean(m)", "f"), "no-meaning-here");
}

TEST(Places, AGradientIsReadAtPointsOnBoundariesAndAtEmbeddedPoints) {
  const auto shape = [](const std::string& set, const std::string& g) {
    const auto c = checked(place("output a = " + set + " { " + g + " }"));
    return c.model ? sema::spell(c.output("a").type) : c.names;
  };
  EXPECT_EQ(shape("mean(m)", "grad(x)"), "mat3");
  EXPECT_EQ(shape("integral(face)", "grad(x)"), "mat3 in m^2");
  EXPECT_EQ(shape("mean(skin.vertices)", "grad(y)"), "mat3");
  EXPECT_EQ(shape("mean(cloth)", "grad(c)"), "real[3, 2]");
  EXPECT_EQ(shape("mean(m.nodes)", "grad(x)"), "no-meaning-here");
  EXPECT_EQ(at("mean(m)", "grad(q)"), "no-gradient");
  EXPECT_EQ(at("mean(m)", "grad(X)"), "needs-name");
  EXPECT_EQ(at("mean(m)", "grad(2 * x)"), "needs-name");
}

TEST(Places, NormalsAreOfFacets) {
  EXPECT_EQ(at("integral(face)", "dot(N, X)"), "");
  EXPECT_EQ(at("mean(skin.facets)", "dot(normal(y), N)"), "");
  EXPECT_EQ(at("mean(m)", "N.x"), "no-meaning-here");
  EXPECT_EQ(at("mean(m.nodes)", "N.x"), "no-meaning-here");
  EXPECT_EQ(at("mean(skin.vertices)", "normal(y).x"), "no-meaning-here");
}

TEST(Places, AFieldIsCheckedWhereItIsUsed) {
  EXPECT_EQ(reports(place("field g: vec3 = 2 * x\noutput a = mean(m) { g.x }")), "");
  EXPECT_EQ(reports(place("field g: real = det(grad(x))\noutput a = mean(m) { g }")), "");
  EXPECT_EQ(reports(place("field g: real = det(grad(x))\noutput a = mean(m.nodes) { g }")), "no-meaning-here");
  EXPECT_EQ(reports(place("field g: vec3 = 2 * x\noutput a = mean(M) { g.x }")), "unrelated-domains");
  EXPECT_EQ(reports(place("field g: vec3 = 2 * X\nfield h: vec3 = 3 * g\noutput a = mean(M.nodes) { h.x }")), "");
  EXPECT_EQ(reports(place("field g: vec3 = 2 * x\nfield h: vec3 = 3 * g\noutput a = mean(M) { h.x }")), "unrelated-domains");
  EXPECT_EQ(reports(place("field g: vec3 = 2 * X\noutput a = g.x")), "no-entity");
  EXPECT_EQ(reports(place("field g at m.nodes: vec3 = 2 * X\noutput a = mean(m) { g.x }")), "");
  EXPECT_EQ(reports(place("field g at m.nodes: vec3 = 2 * X\noutput a = mean(M) { g.x }")), "unrelated-domains");
}

TEST(Places, IntegralAndMeanOfAMeshAreByMeasureAndOfASetAreNot) {
  const auto c = checked(place(
      "output a = mean(m) { 1 }\noutput b = mean(m.cells) { 1 }\noutput c = integral(m) { 1 }\n"
      "output d = integral(face) { 1 }\noutput e = integral(m where X.x > 0.5, degree: 4) { 1 }"));
  EXPECT_TRUE(c.output("a").by_measure);
  EXPECT_FALSE(c.output("b").by_measure);
  EXPECT_TRUE(c.output("c").by_measure);
  EXPECT_EQ(sema::spell(c.output("c").type), "m^3");
  EXPECT_EQ(sema::spell(c.output("d").type), "m^2");
  EXPECT_EQ(c.output("e").degree, 4);
  EXPECT_EQ(c.model->domains[c.output("e").domain].narrowings.size(), 1u);
  EXPECT_EQ(at("integral(m.nodes)", "1"), "wrong-set");
  EXPECT_EQ(at("sum(m)", "1"), "wrong-set");
  EXPECT_EQ(at("max(face)", "1"), "wrong-set");
}

TEST(Places, SetsAreNarrowedByConditionsSurfacesTagsAndGroups) {
  const auto c = checked(place(
      "surface bone = file(\"bone.stl\", unit: 1 m)\n"
      "group foot = (m.cells within bone).nodes where X.z < 1 mm\n"
      "output a = sum(foot tag \"left\") { X.x }"));
  const model::Domain& d = c.model->domains[c.output("a").domain];
  EXPECT_EQ(d.kind, DomainKind::Nodes);
  ASSERT_EQ(d.narrowings.size(), 2u);
  EXPECT_TRUE(d.narrowings[0].where);
  EXPECT_EQ(d.narrowings[1].tag, "left");
  const model::Domain& cells = c.model->domains[d.nodes_of];
  EXPECT_EQ(cells.kind, DomainKind::Cells);
  EXPECT_TRUE(cells.narrowings[0].within);
  EXPECT_EQ(at("sum(m.nodes where X)", "1"), "wrong-operand");
  EXPECT_EQ(at("sum(m.nodes within M)", "1"), "wrong-geometry");
}

TEST(Places, CornersAreCountedAndBelongToTheirSet) {
  EXPECT_EQ(at("sum(m.edges as (a, b, c))", "1"), "wrong-corners");
  EXPECT_EQ(at("sum(skin.facets as (a, b, c))", "dot(y[a], cross(y[b], y[c]))"), "");
  EXPECT_EQ(at("sum(m.nodes as (a, b))", "1"), "wrong-corners");
  EXPECT_EQ(at("sum(m.edges as (a, b))", "a"), "not-a-value");
  EXPECT_EQ(at("sum(m.edges as (a, b))", "sum(cloth.edges as (c, d)) { norm(X[a]) }"), "no-meaning-here");
}

TEST(Places, IntoAddsToTheEntitiesThatTheLetRunsOver) {
  EXPECT_EQ(reports(place("let v: real on m.nodes = sum(m.edges as (a, b) into a) { norm(X[a] - X[b]) }\noutput o = max(m.nodes) { v }")), "");
  EXPECT_EQ(reports(place("let v: real on cloth.nodes = sum(m.edges as (a, b) into a) { 1 }")), "bad-into");
  EXPECT_EQ(reports(place("output v = sum(m.edges as (a, b) into a) { 1 }")), "bad-into");
}

TEST(Places, TheDerivativeOfAFunctionalIsANodalVector) {
  const std::string e = "energy e = integral(m) { sqnorm(grad(x)) }\n";
  EXPECT_EQ(reports(place(e + "output a = sum(m.nodes where X.x < 1 mm) { d(e, x) }")), "");
  EXPECT_EQ(reports(place(e + "output a = d(e, x)")), "no-meaning-here");
  EXPECT_EQ(reports(place(e + "output a = mean(m) { d(e, x) }")), "no-meaning-here");
}

TEST(Places, MembersOfAGeometryThatDoNotExistListWhatDoes) {
  const auto c = checked(place("output a = mean(m.vertices) { X.x }"));
  EXPECT_EQ(c.names, "no-such-member");
  EXPECT_NE(c.shown.find("`cells`, `facets`, `edges`, `nodes`"), std::string::npos) << c.shown;
  EXPECT_EQ(at("mean(skin.nodes)", "1"), "no-such-member");
  EXPECT_EQ(at("mean(m.hinges as (i, j, k, l))", "1"), "no-such-member");
}

TEST(Places, ATetMeshOfSecondOrderHasItsOwnNodes) {
  const auto c = checked(
      "mesh h = file(\"h.msh\", element: tet10, unit: 1 m)\nunknown x: vec3 on h.nodes = X\nunknown p: real on h.nodes(order: 1) = 0\n"
      "solve x, p making integral(h) { sqnorm(grad(x)) * p } stationary");
  ASSERT_TRUE(c.model) << c.shown;
  EXPECT_EQ(c.model->domains[c.model->unknowns[model::UnknownId(0)].domain].order, 2);
  EXPECT_EQ(c.model->domains[c.model->unknowns[model::UnknownId(1)].domain].order, 1);
}

}  // namespace
}  // namespace asb
