// A printed program parses to the same tree, for every program we have and for random expressions.
#include <gtest/gtest.h>

#include <random>

#include "dsl/ast/dump.h"
#include "dsl/ast/walk.h"
#include "dsl/format/print.h"
#include "tests/dsl/front_end.h"

namespace asb {
namespace {

TEST(Printer, EveryProgramPrintsToTheSameTree) {
  std::vector<std::string> paths = test::programs_in("programs");
  for (const std::string folder : {"modules", "modules/materials", "modules/networks"})
    for (const std::string& path : test::programs_in(folder)) paths.push_back(path);
  ASSERT_GT(paths.size(), 20u);
  for (const std::string& path : paths) {
    const LoadedProgram first = load_program(path, {test::module_folder()});
    ASSERT_EQ(render(first.diagnostics, first.tree.files), "") << path;
    const std::string printed = ast::print(first.tree, first.tree.main);
    const LoadedProgram second = load_text(path, printed, {test::module_folder()});
    ASSERT_EQ(render(second.diagnostics, second.tree.files), "") << printed;
    EXPECT_EQ(ast::dump_ast(first.tree, first.tree.main),
              ast::dump_ast(second.tree, second.tree.main))
        << path;
    EXPECT_EQ(ast::print(second.tree, second.tree.main), printed) << path;
  }
}

TEST(Printer, EveryFormOfDeclarationAndExpressionIsInTheProgramThatClaimsSo) {
  std::vector<bool> decls(std::variant_size_v<ast::DeclKind>),
      exprs(std::variant_size_v<ast::ExprKind>);
  const LoadedProgram p =
      load_program(std::string(ASB_TEST_DIR) + "/programs/every_form.asb", {test::module_folder()});
  for (ast::DeclId id : p.tree.modules[p.tree.main].declarations)
    decls[p.tree.declarations[id].kind.index()] = true;
  for (const ast::Expr& e : p.tree.exprs) exprs[e.kind.index()] = true;
  for (size_t i = 0; i + 1 < decls.size(); ++i)
    EXPECT_TRUE(decls[i]) << "declaration " << i;  // the last is BrokenDecl
  for (size_t i = 1; i < exprs.size(); ++i)
    EXPECT_TRUE(exprs[i]) << "expression " << i;  // the first is Missing
}

/// Random trees, made as the C++ form would make them.
class RandomTrees {
 public:
  explicit RandomTrees(uint32_t seed) : random_(seed) {}
  ast::SyntaxTree tree;

  ast::ExprId expr(int depth) {
    using namespace ast;
    if (depth == 0) return leaf();
    const auto sub = [&] { return expr(depth - 1); };
    switch (pick(15)) {
      case 0:
        return add(Binary{BinaryOp(pick(13)), sub(), sub(), {}});
      case 1:
        return add(Binary{BinaryOp(pick(5)), sub(), sub(), {}});
      case 2:
        return add(Unary{UnaryOp(pick(2)), sub()});
      case 3:
        return add(Transpose{sub()});
      case 4:
        return add(Member{sub(), {"x", {}}});
      case 5:
        return add(Index{sub(), {sub(), add(Range{sub(), sub()})}});
      case 6:
        return add(Call{{"f", {}}, {{{}, sub()}, {{"in", {}}, sub()}}});
      case 7:
        return add(
            List{{sub(), sub()}, pick(2) ? Unit{{{"m", 1, {}}, {"s", -2, {}}}, {}} : Unit{}});
      case 8:
        return add(Reduction{ReductionKind(pick(5)),
                             set(depth),
                             pick(2) ? CornerNames{{{"a", {}}}, pick(2) == 0} : CornerNames{},
                             {},
                             {},
                             sub()});
      case 9:
        return add(IndexedReduction{ReductionKind::Sum, {"i", {}}, sub(), sub(), sub()});
      case 10:
        return add(If{sub(), sub(), sub()});
      case 11:
        return add(Repeat{{"k", {}}, sub(), sub(), {"h", {}}, sub(), sub()});
      case 12:
        return add(Minimal{{"R", {}}, sub(), sub()});
      case 13:
        return add(Block{{{LocalLet{{"a", {}}, {}, sub()}, {}}}, sub()});
      default:
        return add(MemberCall{set(depth), {"nodes", {}}, {}});
    }
  }
  ast::ExprId set(int depth) {
    using namespace ast;
    const auto sub = [&] { return expr(depth - 1); };
    switch (pick(4)) {
      case 0:
        return add(Where{depth > 1 ? set(depth - 1) : leaf(), sub()});
      case 1:
        return add(Within{depth > 1 ? set(depth - 1) : leaf(), sub()});
      case 2:
        return add(Tagged{sub(), "a \"tag\"", {}});
      default:
        return sub();
    }
  }

 private:
  uint32_t pick(uint32_t n) { return random_() % n; }
  ast::ExprId add(ast::ExprKind kind) { return tree.exprs.add({std::move(kind), {}}); }
  ast::ExprId leaf() {
    using namespace ast;
    switch (pick(5)) {
      case 0:
        return add(Number{double(pick(100)), true, {}});
      case 1:
        return add(Number{pick(1000) / 7.0, false, {}});
      case 2:
        return add(Number{2.0, pick(2) == 0, {{{"s", -1, {}}}, {}}});
      case 3:
        return add(Bool{pick(2) == 0});
      default:
        return add(Name{"v"});
    }
  }
  std::mt19937 random_;
};

TEST(Printer, RandomExpressionsPrintToTheSameTree) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    RandomTrees made(seed);
    const ast::ExprId expr = made.expr(1 + static_cast<int>(seed % 4));
    const std::string printed = ast::print(made.tree, expr);
    ast::SyntaxTree tree;
    DiagnosticSink sink;
    const ast::ExprId parsed = parse_expression(tree, "printed", printed, sink);
    ASSERT_TRUE(parsed) << "seed " << seed << "\n" << printed << "\n" << render(sink, tree.files);
    ASSERT_EQ(ast::dump_ast(made.tree, expr), ast::dump_ast(tree, parsed))
        << "seed " << seed << "\n"
        << printed;
  }
}

TEST(Printer, WordsAfterNumbersDoNotBecomeUnits) {
  const std::string text = "attach p.nodes where (X.x > 2) to X\n";
  const LoadedProgram p = test::parse("attach (p.nodes where X.x > 2) to X");
  const std::string printed = ast::print(p.tree, p.tree.main);
  EXPECT_EQ(test::tree_of(printed), test::tree_of(text)) << printed;
}

}  // namespace
}  // namespace asb
