// How diagnostics look, as text and as JSON.
#include <gtest/gtest.h>

#include "dsl/diag/diagnostics.h"
#include "tests/dsl/front_end.h"

namespace asb {
namespace {

Span find(const SourceFiles& files, std::string_view word, size_t from = 0) {
  const size_t at = files[0].text.find(word, from);
  return {0, static_cast<uint32_t>(at), static_cast<uint32_t>(at + word.size())};
}

TEST(Rendering, CaretLabelsOnTheLineAndElsewhereNotesAndHint) {
  SourceFiles files;
  files.add("arm.asb", "fn f(mu: Pa,\n     thickness: m) -> Pa {\n  mu*(I_C - 3) + thickness\n}\n");
  DiagnosticSink sink;
  sink.error(DiagnosticKind::ExpectedType, find(files, "+"), "`+`")
      .label(find(files, "mu*(I_C - 3)"), "`Pa`")
      .label(find(files, "thickness", 40), "`m`, declared at arm.asb:2:6")
      .label(find(files, "thickness"), "declared here")
      .note("units must agree")
      .with_hint("divide it");
  EXPECT_EQ(render(sink, files),
            "arm.asb:3:16: error: expected a type, found `+` [expected-type]\n"
            "  3 |   mu*(I_C - 3) + thickness\n"
            "    |   ~~~~~~~~~~~~ ^ ~~~~~~~~~\n"
            "    |   `Pa`           `m`, declared at arm.asb:2:6\n"
            "arm.asb:2:6: note: declared here\n"
            "  2 |      thickness: m) -> Pa {\n"
            "    |      ~~~~~~~~~\n"
            "  note: units must agree\n"
            "  hint: divide it\n");
}

TEST(Rendering, TextsThatWouldCollideGetRowsOfTheirOwn) {
  SourceFiles files;
  files.add("a.asb", "ab + cd");
  DiagnosticSink sink;
  sink.error(DiagnosticKind::ExpectedType, find(files, "+"), "x")
      .caret_text("the sum")
      .label(find(files, "ab"), "left side")
      .label(find(files, "cd"), "right");
  EXPECT_EQ(render(sink.diagnostics()[0], files),
            "a.asb:1:4: error: expected a type, found x [expected-type]\n"
            "  1 | ab + cd\n"
            "    | ~~ ^ ~~\n"
            "    |      right\n"
            "    |    the sum\n"
            "    | left side\n"
            "  hint: " +
                std::string(entry_of(DiagnosticKind::ExpectedType).hint) + "\n");
}

TEST(Rendering, LongLinesAreCutAroundTheCaret) {
  SourceFiles files;
  files.add("a.asb", std::string(1000, 'x') + "Y" + std::string(1000, 'z'));
  DiagnosticSink sink;
  sink.error(DiagnosticKind::ExpectedType, Span{0, 1000, 1001}, "`Y`");
  const std::string text = render(sink, files);
  const size_t line = text.find("…x"), end = text.find('\n', line);
  ASSERT_NE(line, std::string::npos);
  const size_t caret = text.find('^');
  EXPECT_EQ(count_code_points(text.substr(line, text.find('Y', line) - line)),
            count_code_points(text.substr(end + 1, caret - end - 1)) - 6)
      << text;  // the gutter
  EXPECT_LT(text.size(), 500u);
}

TEST(Rendering, SpansOverSeveralLinesEmptySpansAndOddBytesAreDrawn) {
  SourceFiles files;
  files.add("a.asb",
            "ab\tc\xFF"
            "d\x01\nnext\n");
  DiagnosticSink sink;
  sink.error(DiagnosticKind::ExpectedType, Span{0, 1, 12}, "x");
  sink.error(DiagnosticKind::ExpectedType, Span{0, 13, 13}, "x");
  sink.error(DiagnosticKind::ExpectedType, Span{}, "x");
  const std::string text = render(sink, files);
  EXPECT_NE(text.find("  1 | ab c?d?\n    |  ^^^^^^\n"), std::string::npos) << text;
  EXPECT_NE(text.find("a.asb:3:1: error"), std::string::npos) << text;
  EXPECT_NE(text.find("\nerror: expected"), std::string::npos) << text;
}

TEST(Rendering, JsonHoldsPlacesAndEscapes) {
  SourceFiles files;
  files.add("a\"b.asb", "let\nx");
  DiagnosticSink sink;
  sink.error(DiagnosticKind::ExpectedType, Span{0, 4, 5}, "`\n`")
      .label(Span{0, 0, 3}, "here")
      .note("n");
  EXPECT_EQ(to_json(sink, files),
            "[\n  {\"name\": \"expected-type\", \"severity\": \"error\", \"message\": \"expected a "
            "type, found "
            "`\\u000a`\", \"file\": \"a\\\"b.asb\", \"line\": 2, \"column\": 1, \"end_line\": 2, "
            "\"end_column\": 2, "
            "\"labels\": [{\"file\": \"a\\\"b.asb\", \"line\": 1, \"column\": 1, \"end_line\": 1, "
            "\"end_column\": 4, "
            "\"text\": \"here\"}], \"notes\": [\"n\"], \"hint\": \"" +
                std::string(entry_of(DiagnosticKind::ExpectedType).hint) + "\"}\n]\n");
  EXPECT_EQ(to_json(DiagnosticSink(), files), "[]\n");
}

TEST(Rendering, OnlyTheFirstErrorsAreKeptAndTheRestCounted) {
  std::string text;
  for (int i = 0; i < 150; ++i) text += "let a = )\n";
  const LoadedProgram p = test::parse(text);
  EXPECT_EQ(p.diagnostics.diagnostics().size(), 100u);
  EXPECT_EQ(p.diagnostics.n_errors(), 150u);
  EXPECT_NE(render(p.diagnostics, p.tree.files).find("only the first 100 of 150 errors are shown"),
            std::string::npos);
}

}  // namespace
}  // namespace asb
