// Types: shapes of operators and functions, I and zero, sym and mat, components, slices, compile-time numbers.
#include <gtest/gtest.h>

#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using test::checked;
using test::reports;
using test::type_of;
using model::Builtin;
using model::ExprKind;

const std::string kValues =
    "param A: mat3 = I\nparam S: sym3 = I\nparam v: vec3 = [1, 2, 3]\nparam a: real = 2\nparam w: real[5] = 0\n"
    "param B: real[2, 3] = 0\n";

TEST(Types, ProductsAreScalarTimesAnyMatrixTimesMatrixMatrixTimesVector) {
  EXPECT_EQ(type_of(kValues, "a * A"), "mat3");
  EXPECT_EQ(type_of(kValues, "S * a"), "sym3");
  EXPECT_EQ(type_of(kValues, "A * S"), "mat3");
  EXPECT_EQ(type_of(kValues, "S * S"), "mat3");
  EXPECT_EQ(type_of(kValues, "A * v"), "vec3");
  EXPECT_EQ(type_of(kValues, "B * A"), "real[2, 3]");
  EXPECT_EQ(type_of(kValues, "B' * B"), "mat3");
  EXPECT_EQ(reports(kValues + "output o = v * v"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = v * A"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = A * B"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = a / v"), "wrong-operand");
}

TEST(Types, OnlyScalarsSpread) {
  EXPECT_EQ(type_of(kValues, "v + a"), "vec3");
  EXPECT_EQ(type_of(kValues, "max(w, 0)"), "real[5]");
  EXPECT_EQ(reports(kValues + "output o = v + w"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = A + v"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = A + 1"), "shape-mismatch") << "nearly always `I` is meant";
}

TEST(Types, ISizesItselfByTheOtherOperandOrTheDeclaredType) {
  EXPECT_EQ(type_of(kValues, "A - I"), "mat3");
  EXPECT_EQ(type_of(kValues, "I + S"), "sym3");
  EXPECT_EQ(type_of(kValues, "2 * I - S / a"), "sym3");
  EXPECT_EQ(type_of(kValues, "-I + A"), "mat3");
  EXPECT_EQ(type_of(kValues, "inner(A, I)"), "real");
  EXPECT_EQ(type_of("param a: real = 2", "{ let M: mat2 = a * I; det(M) }"), "real");
  EXPECT_EQ(reports("output o = det(I)"), "unknown-size");
  EXPECT_EQ(reports(kValues + "output o = v + I"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = B + I"), "shape-mismatch");
  const auto c = checked(kValues + "output o = A - I");
  EXPECT_EQ(c[c.output("o").args[1]].kind, ExprKind::Identity);
}

TEST(Types, ZeroTakesTheShapeOfTheOtherSide) {
  EXPECT_EQ(type_of(kValues, "if a > 0 { v } else { zero }"), "vec3");
  EXPECT_EQ(type_of(kValues, "A + zero"), "mat3");
  EXPECT_EQ(reports("param a: vec3 = zero"), "");
  EXPECT_EQ(reports("output o = norm(zero)"), "unknown-size");
}

TEST(Types, SymBecomesMatByItselfAndMatBecomesSymBySym) {
  EXPECT_EQ(type_of(kValues, "A + S"), "mat3");
  EXPECT_EQ(type_of(kValues, "S + S"), "sym3");
  EXPECT_EQ(type_of(kValues, "sym(A)"), "sym3");
  EXPECT_EQ(type_of(kValues, "inv(S)"), "sym3");
  EXPECT_EQ(type_of(kValues, "dev(S)"), "sym3");
  EXPECT_EQ(type_of(kValues, "stretch(A)"), "sym3");
  EXPECT_EQ(type_of(kValues, "sym3([1, 2, 3, 4, 5, 6])"), "sym3");
  EXPECT_EQ(reports(kValues + "output o = sym3([1, 2, 3])"), "wrong-operand");
  EXPECT_EQ(reports(kValues + "fn f(M: mat3) -> real = det(M)\noutput o = f(S)"), "");
  EXPECT_EQ(reports(kValues + "fn f(M: sym3) -> real = tr(M)\noutput o = f(A)"), "type-mismatch");
}

TEST(Types, FunctionsOfSymmetricMatricesAreNotEntryByEntry) {
  EXPECT_EQ(type_of(kValues, "exp(S)"), "sym3");
  EXPECT_EQ(type_of(kValues, "spectral(S, s => sin(s))"), "sym3");
  EXPECT_EQ(type_of(kValues, "symmetric(s = principal(A)) { s.x + s.y + s.z }"), "real");
  EXPECT_EQ(reports(kValues + "output o = sin(S)"), "wrong-operand");
  EXPECT_EQ(reports(kValues + "output o = exp(A)"), "wrong-operand");
  EXPECT_EQ(reports(kValues + "output o = spectral(A, s => s)"), "wrong-operand");
}

TEST(Types, ComponentsSwizzlesIndicesAndSlices) {
  EXPECT_EQ(type_of(kValues, "v.x"), "real");
  EXPECT_EQ(type_of(kValues, "v.xz"), "vec2");
  EXPECT_EQ(type_of(kValues, "w[1..4]"), "vec3");
  EXPECT_EQ(type_of(kValues, "A[0]"), "vec3");
  EXPECT_EQ(type_of(kValues, "S[0, 2]"), "real");
  EXPECT_EQ(type_of(kValues, "A[0..2, 1]"), "vec2");
  EXPECT_EQ(type_of(kValues, "A[0..2, 0..2]"), "mat2");
  EXPECT_EQ(reports(kValues + "output o = v.w"), "index-out-of-range");
  EXPECT_EQ(reports(kValues + "output o = v[3]"), "index-out-of-range");
  EXPECT_EQ(reports(kValues + "output o = w[4..6]"), "index-out-of-range");
  EXPECT_EQ(reports(kValues + "output o = a.x"), "no-such-member");
  EXPECT_EQ(reports(kValues + "output o = v[a]"), "not-compile-time");
  EXPECT_EQ(reports(kValues + "output o = a[0]"), "wrong-operand");
}

TEST(Types, ADerivativeHasTheShapesOfBothAndIsSymmetricForASymmetricVariable) {
  const std::string f = kValues + "fn f(M: mat3) -> real = det(M)\nfn g(M: sym3) -> real = tr(M)\n";
  EXPECT_EQ(type_of(f, "{ let M = A; d(f(M), M) }"), "mat3");
  EXPECT_EQ(type_of(f, "{ let M = S; d(g(M), M) }"), "sym3");
  EXPECT_EQ(type_of(f, "{ let M = A; d(d(f(M), M), M) }"), "real[3, 3, 3, 3]");
  EXPECT_EQ(type_of(f, "{ let u = v; d(A * u, u) }"), "mat3");
  EXPECT_EQ(type_of(f, "d(a * v, a)"), "vec3");
  EXPECT_EQ(reports(f + "output o = d(f(2 * A), 2 * A)"), "needs-name");
}

TEST(Types, ADerivativeCutsAtTheNameAndNowhereElse) {
  // d(e, F): the second argument is the very Let that e was made from.
  const auto c = checked("param A: mat3 = I\nfn f(F: mat3) -> real = det(F)\noutput o = { let F = 2 * A; d(f(F), F) }");
  const model::Expr& d = c.output("o");
  ASSERT_EQ(d.kind, ExprKind::Derivative);
  EXPECT_EQ(c[d.args[1]].kind, ExprKind::Let);
  EXPECT_EQ(c[d.args[1]].name, "F");
  const model::Expr& det = c[d.args[0]];
  ASSERT_EQ(det.kind, ExprKind::Call);
  const model::Expr& parameter = c[det.args[0]];
  EXPECT_EQ(parameter.kind, ExprKind::Let) << "a parameter is a name of its own";
  EXPECT_EQ(parameter.args[0], d.args[1]);
}

TEST(Types, ANameForACompileTimeNumberCanStillBeDifferentiatedBy) {
  const auto c = checked("output o = { let a = 2.0; d(a * a, a) }");
  const model::Expr& d = c.output("o");
  ASSERT_EQ(d.kind, ExprKind::Derivative);
  EXPECT_EQ(c[d.args[0]].kind, ExprKind::Call) << "folded away, the derivative would be 0";
  EXPECT_EQ(c[d.args[0]].args[0], d.args[1]);
}

TEST(Types, CompileTimeNumbersAreEvaluated) {
  const auto c = checked("output o = 2 * 3 + 1 / 4\noutput p = sqrt(2) ^ 2\noutput q = if 3 > 2 { 1 } else { det(I) }");
  EXPECT_EQ(c.output("o").number, 6.25);
  EXPECT_EQ(c.output("p").kind, ExprKind::Number);
  EXPECT_EQ(c.output("q").number, 1) << "the branch not taken is not looked at";
}

TEST(Types, LoopsAreUnrolledWithCompileTimeEnds) {
  EXPECT_EQ(checked("output o = sum(i in 0..5) { i * i }").output("o").number, 30);
  EXPECT_EQ(checked("output o = max(i in 0..5) { i * (4 - i) }").output("o").number, 4);
  EXPECT_EQ(type_of("", "[i^2 for i in 0..6]"), "real[6]");
  EXPECT_EQ(type_of("", "[[i * j for j in 0..2] for i in 0..3]"), "real[3, 2]");
  EXPECT_EQ(checked("output o = repeat k in 0..5 with h = 1 { 2 * h }").output("o").type.dims.size(), 0u);
  EXPECT_EQ(type_of("", "repeat k in 0..2 with h = [1, 2] { concat(h, h) }"), "real[8]");
  EXPECT_EQ(type_of("param v: vec3 = [1, 2, 3]", "v + sum(i in 0..0) { v }"), "vec3");
  EXPECT_EQ(reports("param n: real = 3\noutput o = sum(i in 0..n) { i }"), "not-compile-time");
}

TEST(Types, IntsAndBoolsKeepToThemselves) {
  EXPECT_EQ(checked("output o = 1 / 2").output("o").number, 0.5);
  EXPECT_EQ(reports("output o = 1 + true"), "wrong-operand");
  EXPECT_EQ(reports("output o = if 1 { 1 } else { 2 }"), "wrong-operand");
  EXPECT_EQ(reports("param open: bool = true\nparam b: real = 1\noutput o = if open and not (b < 2 or b == 3) { 1 } else { b }"), "");
  EXPECT_EQ(reports("param open: bool = 1"), "type-mismatch");
}

TEST(Types, ClampAndMixTakeAnyShape) {
  EXPECT_EQ(checked("output o = clamp(5, -1, 2)").output("o").number, 2);
  EXPECT_EQ(checked("output o = mix(1, 3, 0.25)").output("o").number, 1.5);
  EXPECT_EQ(type_of(kValues, "clamp(v, -1, 2)"), "vec3");
  EXPECT_EQ(type_of(kValues, "mix(A, I, a)"), "mat3");
  EXPECT_EQ(type_of(kValues, "mix(S, I, a)"), "sym3");
  EXPECT_EQ(reports(kValues + "output o = mix(v, w, 0.5)"), "shape-mismatch");
  EXPECT_EQ(reports(kValues + "output o = mix(v, v, v)"), "wrong-operand");
}

TEST(Types, AComparisonIsNeverSpread) {
  EXPECT_EQ(reports(kValues + "output o = if v < 1 { 1 } else { 2 }"), "wrong-operand");
  EXPECT_EQ(reports(kValues + "output o = if a != 1 { 1 } else { 2 }"), "");
}

TEST(Types, MinimalHoldsItsMinimiser) {
  const auto c = checked(kValues + "output o = minimal R = rotation(A * S) { 0.5 * sqnorm(A - R * S) }");
  const model::Expr& m = c.output("o");
  ASSERT_EQ(m.kind, ExprKind::Minimal);
  EXPECT_EQ(c[m.args[0]].builtin, Builtin::Rotation);
  EXPECT_EQ(reports(kValues + "output o = minimal R = rotation(A) { R }"), "wrong-operand");
}

}  // namespace
}  // namespace asb
