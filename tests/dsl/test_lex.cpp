// Tokens: the newline rules, numbers, texts, documentation, and the pairing of brackets.
#include <gtest/gtest.h>

#include <chrono>

#include "dsl/lex/lex.h"
#include "tests/dsl/front_end.h"

namespace asb {
namespace {

/// The tokens of a text, blank between; `;` for the end of a statement.
std::string tokens(const std::string& text) {
  SourceFiles files;
  DiagnosticSink sink;
  const uint32_t file = files.add("test.asb", text);
  std::string out;
  for (const Token& token : lex(files, file, sink).tokens) {
    if (token.kind == TokenKind::EndOfFile) continue;
    if (!out.empty()) out += " ";
    if (token.kind == TokenKind::End)
      out += ";";
    else if (token.is_synthetic)
      out += fmt::format("<{}>", spelling_of(token.kind));
    else
      out += text.substr(token.begin, token.end - token.begin);
  }
  return out;
}

TEST(Lexer, NewlineEndsStatement) { EXPECT_EQ(tokens("a\nb;c;;\n\n;d"), "a ; b ; c ; d"); }

TEST(Lexer, NewlineIsBlankInsideParenthesesAndBracketsButNotInsideBraces) {
  EXPECT_EQ(tokens("f(a\n,\nb)\n[c\n]"), "f ( a , b ) ; [ c ]");
  EXPECT_EQ(tokens("{ a\nb }"), "{ a ; b }");
  EXPECT_EQ(tokens("(x { a\nb\n} y\n)"), "( x { a ; b ; } y )");
}

TEST(Lexer, NewlineIsBlankAfterOperatorsAssignArrowCommaAndOpeningBrace) {
  for (const std::string sign : {"+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and",
                                 "or", "=", "->", ",", "{"})
    EXPECT_EQ(tokens("a " + sign + "\n\n  b").substr(0, 4 + sign.size()), "a " + sign + " b")
        << sign;
  for (const std::string sign : {"not", ":", "'"})
    EXPECT_EQ(tokens("a " + sign + "\nb"), "a " + sign + " ; b") << sign;
}

TEST(Lexer, NewlineIsBlankBeforeElseAndClauseWords) {
  for (const std::string word : {"else", "in", "on", "per", "where", "within", "tag", "as", "into",
                                 "over", "using", "at", "for", "with"})
    EXPECT_EQ(tokens("a\n// comment\n  " + word + " b"), "a " + word + " b") << word;
  for (const std::string word : {"steps", "minimizing", "let"})
    EXPECT_EQ(tokens("a\n" + word + " b"), "a ; " + word + " b") << word;
}

TEST(Lexer, LineThatStartsWithOperatorIsAnErrorButForMinus) {
  EXPECT_EQ(tokens("a\n- b"), "a ; - b");
  for (const std::string sign :
       {"+", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or", "="})
    EXPECT_EQ(test::reports("let a = 1\n" + sign + " 2\nlet b = 3"), "2:1 leading-operator")
        << sign;
}

TEST(Lexer, RangesAndDecimalPoints) {
  EXPECT_EQ(tokens("0..3 0.5..1.5 1e-3 2E5 v.x 1.5e+2"), "0 .. 3 0.5 .. 1.5 1e-3 2E5 v . x 1.5e+2");
  EXPECT_EQ(tokens("2e 3ex"), "2 e 3 ex");
}

TEST(Lexer, CommentsAndTextsAreWhole) {
  EXPECT_EQ(tokens("a // b { \"\n\"x // \\\" y\" c"), "a ; \"x // \\\" y\" c");
}

TEST(Lexer, GreekNamesAndByteOrderMarkAreRead) {
  EXPECT_EQ(tokens("\xEF\xBB\xBFμ_1 = λ"), "μ_1 = λ");
}

TEST(Lexer, MissingBracketsAreClosedBeforeTheNextDeclaration) {
  EXPECT_EQ(tokens("let a = f(1, [2\nlet b = 3"), "let a = f ( 1 , [ 2 <]> <)> ; let b = 3");
  EXPECT_EQ(tokens("fn f { (\n  let b = 3\n}"), "fn f { ( <)> ; let b = 3 ; }");
  EXPECT_EQ(tokens("fn f { (\nmesh b = 3"), "fn f { ( <)> <}> ; mesh b = 3");
  EXPECT_EQ(tokens("sum(\n  points as (a, b)\n)"), "sum ( points as ( a , b ) )");
}

TEST(Lexer, DocumentationBelongsToTheDeclarationBelowIt) {
  const LoadedProgram p = test::parse(
      "/// The module.\n\n/// First,\n///  second.\n// plain\nlet a = 1\nlet b = 2 /// not this\n"
      "/// lost\n\nlet c = 3\n/// of d\nlet d = 4\n");
  const ast::Module& m = p.tree.modules[p.tree.main];
  ASSERT_EQ(m.declarations.size(), 4u);
  EXPECT_EQ(m.doc, "The module.");
  EXPECT_EQ(p.tree.declarations[m.declarations[0]].doc, "First,\n second.");
  EXPECT_EQ(p.tree.declarations[m.declarations[1]].doc, "");
  EXPECT_EQ(p.tree.declarations[m.declarations[2]].doc, "");
  EXPECT_EQ(p.tree.declarations[m.declarations[3]].doc, "of d");
}

// Ten times the text may take some thirty times as long on a busy machine, but not a hundred times.
TEST(Lexer, LongLinesTakeLinearTime) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](const std::string& unit, size_t bytes) {
    std::string text = "let a = ";
    while (text.size() < bytes) text += unit;
    const auto start = Clock::now();
    (void)test::parse(text);
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (const std::string unit : {"1+", "(",    "[(]",   ")",       "}",   "9",  "x",       "\"",
                                 "$",  "\xFF", "μ",     "-",       "f(",  "{",  "a;",      "not ",
                                 "x'", "1 m*", "if a{", "let a=(", "///", "\n", "\n///\n", "= "}) {
    const double small = seconds(unit, 200'000), large = seconds(unit, 2'000'000);
    EXPECT_LT(large, 0.1 + 40 * small) << unit;
  }
  EXPECT_LT(seconds("1+", 10'000'000), 20.0);
}

}  // namespace
}  // namespace asb
