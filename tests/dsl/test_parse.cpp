// What trees texts become. Trees are compared as dump_ast() writes them.
#include <gtest/gtest.h>

#include "tests/dsl/front_end.h"

namespace asb {
namespace {

using test::expr_tree;
using test::reports;
using test::tree_of;

/// Both texts mean the same.
void expect_same(const std::string& a, const std::string& b) {
  EXPECT_EQ(expr_tree(a), expr_tree(b)) << a << "  and  " << b;
}
void expect_other(const std::string& a, const std::string& b) {
  EXPECT_NE(expr_tree(a), expr_tree(b)) << a << "  and  " << b;
}

TEST(Parser, OperatorsBindAsInMathematics) {
  expect_same("a + b * c", "a + (b * c)");
  expect_same("a - b - c", "(a - b) - c");
  expect_same("a / b * c", "(a / b) * c");
  expect_same("-x^2", "-(x^2)");
  expect_same("a^b^c", "a^(b^c)");
  expect_same("2^-x'", "2^(-(x'))");
  expect_same("-a * b", "(-a) * b");
  expect_same("a or b and not c == d + e", "a or (b and (not (c == (d + e))))");
  expect_same("F' * F[0].x", "(F') * ((F[0]).x)");
  expect_other("a - (b - c)", "a - b - c");
  expect_other("(-x)^2", "-x^2");
}

TEST(Parser, UnitFollowsNumberAfterOneBlankAndBindsTightest) {
  EXPECT_EQ(expr_tree("9.81 m/s^2"), "number 9.81 unit m/s^2\n");
  expect_same("1 s / 60", "(1 s) / 60");
  expect_same("1 s/60", "(1 s) / 60");
  expect_same("rho * 9.81 m/s^2 * x.z", "(rho * (9.81 m/s^2)) * (x.z)");
  EXPECT_EQ(expr_tree("2 kg*m^-1/s^2"), "number 2 unit kg/m/s^2\n");
  EXPECT_EQ(expr_tree("[1, 0] m/s"), "list unit m/s\n  number 1\n  number 0\n");
  EXPECT_EQ(expr_tree("[i for i in 0..3] m"),
            "comprehension i unit m\n  begin: number 0\n  end: number 3\n  body: name i\n");
}

TEST(Parser, ClauseWordsAndStepsAreNotUnits) {
  EXPECT_EQ(tree_of("param p: real = 1 in [0, 2]"),
            "  param p\n    type: type real\n    value: number 1\n    low: number 0\n    high: "
            "number 2\n");
  EXPECT_EQ(tree_of("time for 10 steps"), "  time\n    steps: number 10\n");
}

TEST(Parser, TypesAreNamesOrUnits) {
  EXPECT_EQ(tree_of("fn f(a: real[n, 3], b: sym3, c: 1/s, d: Pa[3], e: kg/m^3) -> int = 1"),
            "  fn f\n    parameter a\n      type: type real\n        name n\n        number 3\n"
            "    parameter b\n      type: type sym3\n    parameter c\n      type: type s^-1\n"
            "    parameter d\n      type: type Pa\n        number 3\n    parameter e\n      type: "
            "type kg/m^3\n"
            "    result: type int\n    body: number 1\n");
}

TEST(Parser, SetsAreNarrowedFromLeftToRight) {
  EXPECT_EQ(tree_of("group g = m.cells where X.x > 1 mm and a within s tag \"t\""),
            "  group g\n    set: tag \"t\"\n      set: within\n        set: where\n"
            "          set: member cells\n            name m\n"
            "          condition: binary and\n            binary >\n              member x\n"
            "                name X\n              number 1 unit mm\n            name a\n"
            "        surface: name s\n");
  expect_same("(m.cells within s).nodes(order: 2)", "((m.cells within s)).nodes(order: 2)");
}

TEST(Parser, ReductionNeedsItsBlockAndIsACallWithoutOne) {
  EXPECT_EQ(expr_tree("max(a, b)"), "call max\n  name a\n  name b\n");
  EXPECT_EQ(expr_tree("sum(near as (i, j) into i, degree: 2) { 1 }"),
            "sum as (i, j) into i\n  domain: name near\n  degree: number 2\n  body: number 1\n");
  EXPECT_EQ(expr_tree("sum(near as c) { c }"), "sum as c\n  domain: name near\n  body: name c\n");
  EXPECT_EQ(expr_tree("sum(i in 0..n) { i }"),
            "sum i\n  begin: number 0\n  end: name n\n  body: name i\n");
  expect_same("mean(S) { 1 } - 2", "(mean(S) { 1 }) - 2");
}

TEST(Parser, HeadOfIfAndRepeatEndsAtItsBrace) {
  EXPECT_EQ(expr_tree("if sum(a) { b } else { c }"),
            "if\n  condition: call sum\n    name a\n  then: name b\n  else: name c\n");
  expect_other("if (sum(a) { 1 }) > 0 { b } else { c }", "if sum(a) { 1 } else { c }");
  EXPECT_EQ(expr_tree("repeat k in 0..n with h = f(x) { g(h) }"),
            "repeat k with h\n  begin: number 0\n  end: name n\n  initial: call f\n    name x\n"
            "  body: call g\n    name h\n");
  expect_same("if f(sum(a) { 1 }) { b } else { c }", "if (f(sum(a) { 1 })) { b } else { c }");
}

TEST(Parser, BlockIsItsLastExpression) {
  expect_same("{ a }", "a");
  EXPECT_EQ(expr_tree("{ let a: real = 1; a\n}"),
            "block\n  let a\n    type: type real\n    value: number 1\n  value: name a\n");
}

TEST(Parser, BindersAndLambdas) {
  EXPECT_EQ(expr_tree("minimal R = rotation(F) { R }"),
            "minimal R\n  value: call rotation\n    name F\n  body: name R\n");
  EXPECT_EQ(expr_tree("symmetric(s = principal(F)) { s[0] }"),
            "symmetric s\n  value: call principal\n    name F\n  body: index\n    base: name s\n   "
            " number 0\n");
  EXPECT_EQ(expr_tree("spectral(S, s => log(s))"),
            "call spectral\n  name S\n  lambda s\n    call log\n      name s\n");
  EXPECT_EQ(expr_tree("minimal(a) + repeat + symmetric(b)"),
            "binary +\n  binary +\n    call minimal\n      name a\n    name repeat\n  call "
            "symmetric\n    name b\n");
}

TEST(Parser, DeclarationWordsAreNamesElsewhere) {
  EXPECT_EQ(tree_of("energy weight = loss + data"),
            "  energy weight\n    value: binary +\n      name loss\n      name data\n");
  EXPECT_EQ(expr_tree("{ let a = time\n weight }"),
            "block\n  let a\n    value: name time\n  value: name weight\n");
}

TEST(Parser, LastStepIsNotAPosition) {
  EXPECT_EQ(tree_of("loss l = f(x) at last step"),
            "  loss l at last step\n    value: call f\n      name x\n");
  EXPECT_EQ(tree_of("output o = norm(skin at x)"),
            "  output o\n    value: call norm\n      at\n        set: name skin\n        position: "
            "name x\n");
}

TEST(Parser, ErrorsInSeveralStatementsAreReportedTogetherWithoutCascades) {
  EXPECT_EQ(
      reports("let a = (1 + * 2\nlet b = ]\nlet c = 3\nfn f(a: real) -> real {\n  let d = 1 +\n"
              "  let e = $ 3 3 3\n  d + + e\n}\nlet g = 1 2\n"),
      "1:9 unclosed-bracket; 2:9 unmatched-bracket; 6:3 expected-expression; "
      "6:11 unexpected-character; 7:7 expected-expression; 9:11 expected-end");
}

TEST(Parser, BrokenDeclarationKeepsItsName) {
  const LoadedProgram p = test::parse("param p: real = (\nfn f(a) -> real = 3\nlet c = p");
  const ast::Module& m = p.tree.modules[p.tree.main];
  ASSERT_EQ(m.declarations.size(), 3u);
  const auto* first = std::get_if<ast::BrokenDecl>(&p.tree.declarations[m.declarations[0]].kind);
  const auto* second = std::get_if<ast::BrokenDecl>(&p.tree.declarations[m.declarations[1]].kind);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->name.text, "f");
  EXPECT_TRUE(second->is_callable);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->name.text, "p");
}

TEST(Parser, NestingIsBoundedEverywhere) {
  const auto repeated = [](const std::string& unit, int n) {
    std::string out;
    for (int i = 0; i < n; ++i) out += unit;
    return out;
  };
  for (const std::string opening :
       {"(", "[", "{", "f(", "m.f(", "v[", "-", "not ", "2^", "if a { b } else ", "if ",
        "sum(S) { ", "repeat k in 0..2 with h = ", "minimal R = ", "s(a => ",
        "symmetric(s = ", "{ let a = "}) {
    const std::string text = "let a = " + repeated(opening, 100'000);
    const LoadedProgram p = test::parse(text);
    EXPECT_TRUE(p.diagnostics.has_errors()) << opening;
  }
  EXPECT_EQ(reports("let a = " + repeated("v + ", 400) + "v" + repeated("'", 100)), "");
  EXPECT_EQ(reports("let a = v" + repeated("'", 600)), "1:9 expression-too-long");
  EXPECT_EQ(reports("let a = v" + repeated(".x", 600)), "1:9 expression-too-long");
}

}  // namespace
}  // namespace asb
