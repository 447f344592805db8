// Units: sums, products, free quantities, bare numbers, what messages say.
#include <gtest/gtest.h>

#include "dsl/sema/units.h"
#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using test::checked;
using test::reports;
using test::type_of;
using test::with_body;

TEST(Units, ANumberWithAUnitIsItsValueInSiRoundedOnce) {
  const auto c = checked("output a = 999 mm\noutput b = 9.81 m/s^2\noutput c = 1 MPa\noutput d = 180 deg\noutput e = 3 g/cm^3");
  EXPECT_EQ(c.output("a").number, 0.999);
  EXPECT_EQ(c.output("b").number, 9.81);
  EXPECT_EQ(c.output("c").number, 1e6);
  EXPECT_EQ(c.output("d").number, 3.14159265358979323846);
  EXPECT_DOUBLE_EQ(c.output("e").number, 3000);
}

TEST(Units, AUnitBindsTighterThanEveryOperator) {
  EXPECT_EQ(type_of("", "1 s / 60"), "s");
  EXPECT_EQ(type_of("", "2 m ^ 2"), "m^2");
}

TEST(Units, ProductsQuotientsPowersAndRootsHaveTheirUnits) {
  const std::string d = "param E: Pa = 1 kPa\nparam A: m^2 = 1 m^2\nparam l: m = 2 m";
  EXPECT_EQ(type_of(d, "E * A"), "N");
  EXPECT_EQ(type_of(d, "E * A * l"), "J");
  EXPECT_EQ(type_of(d, "E * A / l"), "N/m");
  EXPECT_EQ(type_of(d, "E / (l / 1 s)^2"), "kg/m^3");
  EXPECT_EQ(type_of(d, "sqrt(A)"), "m");
  EXPECT_EQ(type_of(d, "sqrt(l) * sqrt(l)"), "m");
  EXPECT_EQ(type_of(d, "l ^ 0.5 * l ^ (1/3) * l ^ (1/6)"), "m");
  EXPECT_EQ(type_of(d, "E / E"), "real");
}

TEST(Units, ABareNumberFitsAnythingInASumAndIsDimensionlessInAProduct) {
  const std::string d = "param l: m = 2 m\n";
  EXPECT_EQ(type_of(d, "l + 1"), "m");
  EXPECT_EQ(type_of(d, "2 * 3 - l"), "m");
  EXPECT_EQ(type_of(d, "3 * l"), "m");
  EXPECT_EQ(reports(d + "output a = if l < 1 { l } else { 0 }"), "");
  EXPECT_EQ(reports(d + "param n: real = 1\noutput a = l + n"), "unit-mismatch");  // declared: not bare
  EXPECT_EQ(reports(d + "output a = l + 1 s"), "unit-mismatch");
}

TEST(Units, ARealParamIsDimensionlessAndAUnitIsCheckedAgainstItsType) {
  EXPECT_EQ(reports("param nu: real = 1 m"), "wrong-unit");
  EXPECT_EQ(reports("param E: Pa = 1"), "");
  EXPECT_EQ(reports("param E: Pa = 1 N/m^2"), "");
  EXPECT_EQ(reports("param E: Pa = 1 N"), "wrong-unit");
}

TEST(Units, AnUnknownTakesTheUnitOfItsInitialValueAndANumberLeavesItFree) {
  EXPECT_EQ(type_of(with_body(""), "mean(m.nodes) { x.z }"), "m");
  EXPECT_EQ(type_of(with_body(""), "mean(m) { det(grad(x)) }"), "real");
  EXPECT_EQ(reports("unknown w: real[3] = 0\nsolve w minimizing 0.01 J * sqnorm(w)"), "");
}

TEST(Units, TypesWithoutAUnitInAFunctionAreGenericInIt) {
  const std::string d = "fn twice(a: real) -> real = a + a\nfn ratio(a: real, b: real) -> real = a / b\n";
  EXPECT_EQ(type_of(d, "twice(3 m)"), "m");
  EXPECT_EQ(type_of(d, "twice(3 Pa)"), "Pa");
  EXPECT_EQ(type_of(d, "ratio(3 m, 2 s)"), "m/s");
  EXPECT_EQ(reports("fn stiff(E: Pa) -> Pa = 2 * E\noutput a = stiff(3 m)"), "wrong-unit");
}

TEST(Units, FreeTimesAnythingIsFreeAndFreePlusKnownIsKnown) {
  const std::string d = "frames f = 3\nlatent z: real per f = zero\nparam l: m = 1 m\n";
  EXPECT_TRUE(checked(d + "output a = z * l").output("a").type.unit.free);
  EXPECT_EQ(type_of(d, "z + l"), "m");
  EXPECT_EQ(reports(d + "output a = log(z)"), "");
}

TEST(Units, AMeshFromAFileWithoutUnitIsFreeAndWithOneItIsInMetres) {
  const std::string tail = "output a = max(s.vertices) { X.x } + 1 Pa";
  EXPECT_EQ(reports("surface s = file(\"a.obj\")\n" + tail), "");
  EXPECT_EQ(reports("surface s = file(\"a.obj\", unit: 1 mm)\n" + tail), "unit-mismatch");
}

TEST(Units, SumsInLossesAreNotCheckedAndEnergiesAddedInASolveAre) {
  const std::string d = "param E: Pa = 1 kPa\nparam l: m = 1 m\n";
  EXPECT_EQ(reports(d + "loss a = E + l"), "");
  EXPECT_EQ(reports(d + "loss a = E\nloss b = l\nlearn E minimizing a + b using adam(steps: 3)"), "");
  EXPECT_EQ(reports(d + "let a = E + l"), "unit-mismatch");
  const std::string u = "mesh m = box(size: [1, 1, 1] m, cells: [1, 1, 1])\nunknown x: vec3 on m.nodes = X\n";
  EXPECT_EQ(reports(u + "energy a = integral(m) { sqnorm(x) }\nenergy b = integral(m) { 1 Pa * x.z }\nsolve x minimizing a + b"),
            "unit-mismatch");
}

TEST(Units, FunctionsOfPureNumbersRefuseAUnitAndSayTheWay) {
  EXPECT_EQ(reports("param E: Pa = 1 kPa\nlet a = exp(E)"), "not-dimensionless");
  EXPECT_EQ(reports("param E: Pa = 1 kPa\nlet a = exp(E / 1 Pa)"), "");
  EXPECT_EQ(reports("param E: Pa = 1 kPa\nparam p: real = 2\nlet a = E ^ p"), "unit-power");
}

TEST(Units, AListTakesOneUnitForAllItsEntries) {
  const auto c = checked("output a = [0, 4, -2] cm");
  EXPECT_EQ(sema::spell(c.output("a").type), "vec3 in m");
  EXPECT_EQ(c[c.output("a").args[1]].number, 0.04);
  EXPECT_EQ(reports("let a = [1 m, 2] cm"), "unit-mismatch");
}

TEST(Units, DeterminantInverseAndDerivativeFollowTheirDefinitions) {
  const std::string d = "param A: mat3 = [[2, 0, 0], [0, 2, 0], [0, 0, 2]] m\nfn psi(F: mat3) -> Pa = 3 Pa * sqnorm(F)\n";
  EXPECT_EQ(type_of(d, "det(A)"), "m^3");
  EXPECT_EQ(type_of(d, "inv(A)"), "mat3 in 1/m");
  EXPECT_EQ(type_of(d, "cof(A)"), "mat3 in m^2");
  EXPECT_EQ(type_of(d, "sqnorm(A)"), "m^2");
  EXPECT_EQ(type_of(with_body(d), "mean(m) { let F = grad(x); norm(d(psi(F), F)) }"), "Pa");
}

TEST(Units, AMessageSaysBothUnitsAndWhereEachCameFrom) {
  const auto c = checked("param E: Pa = 1 kPa\nparam h: m = 1 mm\nlet a = E + h");
  EXPECT_NE(c.shown.find("`Pa` + `m`: both sides must have one unit"), std::string::npos) << c.shown;
  EXPECT_NE(c.shown.find("declared at test.asb:1:7"), std::string::npos) << c.shown;
  EXPECT_NE(c.shown.find("declared at test.asb:2:7"), std::string::npos) << c.shown;
}

}  // namespace
}  // namespace asb
