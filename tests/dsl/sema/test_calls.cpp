// Names and calls: modules, order, shadowing, arguments, sizes, defaults, what an error in a body says.
#include <gtest/gtest.h>

#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using model::ExprKind;
using test::checked;
using test::reports;
using test::type_of;

TEST(Calls, DeclarationsStandInAnyOrder) {
  EXPECT_EQ(checked("output o = b + 1\nlet b = a * 2\nlet a = 3").output("o").number, 7);
  EXPECT_EQ(reports("let a = f(2)\nfn f(x: real) -> real = x * k\nparam k: real = 3"), "");
}

TEST(Calls, ParametersAndBindersMayShadowDeclarationsButNotEachOther) {
  EXPECT_EQ(reports("let X = 3\nfn f(X: real) -> real = 2 * X\noutput o = f(X)"), "");
  EXPECT_EQ(reports("fn f(a: real) -> real { let a = 2; a }"), "shadowed-binder");
  EXPECT_EQ(reports("let i = 3\noutput o = sum(i in 0..3) { i }"), "");
  EXPECT_EQ(reports("output o = sum(i in 0..3) { sum(i in 0..2) { i } }"), "shadowed-binder");
  EXPECT_EQ(reports("output o = { let a = 1; let a = 2; a }"), "shadowed-binder");
}

TEST(Calls, ValuesAndCallablesHaveSeparateNames) {
  EXPECT_EQ(reports("fn a(x: real) -> real = x\nlet a = a(3)\noutput o = a"), "");
  EXPECT_EQ(reports("fn f(x: real) -> real = x\noutput o = f"), "not-a-value");
  EXPECT_EQ(reports("let f = 3\noutput o = f(2)"), "unknown-function");
}

TEST(Calls, AUsersOwnFunctionGoesBeforeThePrelude) {
  EXPECT_EQ(checked("fn mix(a: real, b: real, t: real) -> real = 7\noutput o = mix(1, 2, 0.5)").output("o").number, 7);
}

TEST(Calls, AModuleComesInUnqualifiedOrByItsAlias) {
  const std::string a = "param F: mat3 = I\n";
  EXPECT_EQ(reports("use materials.neo_hookean\n" + a + "output o = neo_hookean(F, mu: 1 Pa, lambda: 2 Pa)"), "");
  EXPECT_EQ(reports("use materials.neo_hookean as m\n" + a + "output o = m.neo_hookean(F, mu: 1 Pa, lambda: 2 Pa)"), "");
  EXPECT_EQ(reports("use materials.neo_hookean as m\n" + a + "output o = neo_hookean(F, mu: 1 Pa, lambda: 2 Pa)"), "unknown-function");
  EXPECT_EQ(reports("use materials.neo_hookean as m\n" + a + "output o = m.hookean(F)"), "unknown-function");
}

TEST(Calls, ArgumentsArePositionalThenByNameWithDefaults) {
  const std::string f = "fn f(a: real, b: real = 2 * a, c: real = a + b) -> real = a + 10 * b + 100 * c\n";
  EXPECT_EQ(type_of(f, "f(1)"), "real");
  EXPECT_EQ(reports(f + "output o = f(1, c: 3)"), "");
  EXPECT_EQ(reports(f + "output o = f(b: 1)"), "missing-argument");
  EXPECT_EQ(reports(f + "output o = f(1, 2, 3, 4)"), "argument-count");
  EXPECT_EQ(reports(f + "output o = f(1, d: 2)"), "unknown-argument");
  EXPECT_EQ(reports(f + "output o = f(1, a: 2)"), "repeated-argument");
}

TEST(Calls, SizesAreInferredAndMustAgree) {
  const std::string f = "fn f(a: real[n], b: real[n]) -> real[n] = a + b\nfn g(M: real[n, m], v: real[m]) -> real[n] = M * v\n";
  EXPECT_EQ(type_of(f, "f([1, 2], [3, 4])"), "vec2");
  EXPECT_EQ(type_of(f, "g([[1, 2, 3], [4, 5, 6]], [1, 2, 3])"), "vec2");
  EXPECT_EQ(reports(f + "output o = f([1, 2], [1, 2, 3])"), "type-mismatch");
  EXPECT_EQ(reports(f + "output o = f(1, 2)"), "type-mismatch");
  EXPECT_EQ(reports(f + "output o = f(I, [1, 2])"), "unknown-size");
}

TEST(Calls, IntsOfASignatureAreCompileTimeAndMaySizeThings) {
  const std::string f = "fn f(n: int, s: real) -> real[n] = [s * i for i in 0..n]\n";
  EXPECT_EQ(type_of(f, "f(4, 2)"), "vec4");
  EXPECT_EQ(reports(f + "fn g(v: real[k]) -> real[2 * k] = concat(v, v)\noutput o = g(f(3, 1))"), "");
  EXPECT_EQ(reports(f + "frames p = 3\ndata k: int per p = file(\"k.csv\")\noutput o = f(k, 2)"), "not-compile-time");
}

TEST(Calls, ABadFunctionThatNobodyCallsIsAnError) {
  EXPECT_EQ(reports("fn f(F: mat3) -> real = F"), "type-mismatch");
  EXPECT_EQ(reports("fn f(a: Pa, b: m) -> Pa = a + b"), "unit-mismatch");
  EXPECT_EQ(reports("layer l(h: real[3]) -> real[4] { weight W: real[4, 3] = zero; W' * h }"), "shape-mismatch");
}

TEST(Calls, AnErrorInAGenericBodySaysInWhichCallOnce) {
  const auto c = checked("fn f(v: real[n]) -> real = cross(v, v).x\nfn g(v: real[n]) -> real = f(v)\nlet a = g([1, 2])\nlet b = g([1, 2])");
  EXPECT_EQ(c.names, "wrong-operand");
  EXPECT_NE(c.shown.find("in the call of `f` at test.asb:2:28"), std::string::npos) << c.shown;
  EXPECT_NE(c.shown.find("in the call of `g` at test.asb:3:9"), std::string::npos) << c.shown;
}

TEST(Calls, RecursionIsRefusedAndTheCircleNamed) {
  const auto c = checked("fn f(a: real) -> real = g(a)\nfn g(a: real) -> real = h(a)\nfn h(a: real) -> real = f(a)");
  EXPECT_EQ(c.names, "recursion");
  EXPECT_NE(c.shown.find("`f` → `g` → `h` → `f`"), std::string::npos) << c.shown;
}

TEST(Calls, AFunctionIsPureItSeesParamsButNoPlaces) {
  EXPECT_EQ(reports("param k: real = 2\nfn f(a: real) -> real = k * a"), "");
  EXPECT_EQ(reports(test::with_body("fn f(a: real) -> real = a * x.x")), "no-meaning-here");
  EXPECT_EQ(reports(test::with_body("fn f(a: vec3) -> vec3 = a + X")), "no-meaning-here");
}

TEST(Calls, ProposalsAreMadeForNamesThatAreClose) {
  EXPECT_NE(checked("param stiffness: Pa = 1\noutput o = stifness").shown.find("did you mean `stiffness`?"), std::string::npos);
  EXPECT_NE(checked("output o = sqnrm([1, 2])").shown.find("did you mean `sqnorm`?"), std::string::npos);
  EXPECT_NE(checked("param a: kPas = 1").shown.find("did you mean `kPa`?"), std::string::npos);
  EXPECT_NE(checked("param a: vector3 = 1").shown.find("did you mean `vec3`?"), std::string::npos);
}

TEST(Calls, NormalizeOfZeroIsZero) {
  // The branch that divides is not taken at 0; both have the shape of v.
  const auto c = checked("param v: vec3 = [0, 0, 0]\noutput o = normalize(v)");
  EXPECT_EQ(c.output("o").kind, ExprKind::Select);
}

}  // namespace
}  // namespace asb
