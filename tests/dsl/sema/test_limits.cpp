// Hostile programs: they end in a diagnostic, soon, and without much memory. Also 4,000 damaged programs with the product's
// own modules (those of the parser's test have none).
#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using test::checked;
using test::reports;

std::string repeated(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

TEST(Limits, DoublingLetsShareTheirNodes) {
  std::string text = "param a: real = 1\nlet b0 = a\n";
  for (int i = 1; i <= 200; ++i) text += fmt::format("let b{} = b{} + b{}\n", i, i - 1, i - 1);
  const auto c = checked(text + "output o = b200");
  ASSERT_TRUE(c.model) << c.shown;
  EXPECT_LT(c.model->exprs.size(), 1000u);
}

TEST(Limits, DoublingCallsEndInADiagnostic) {
  std::string text = "fn f0(a: real) -> real = a * a\n";
  for (int i = 1; i <= 60; ++i) text += fmt::format("fn f{}(a: real) -> real = f{}(a) + f{}(a + 1)\n", i, i - 1, i - 1);
  EXPECT_EQ(reports(text + "param p: real = 1\noutput o = f60(p)"), "too-large");
}

TEST(Limits, LoopsInLoopsEndInADiagnostic) {
  EXPECT_EQ(reports("let a = sum(i in 0..1000000000) { 1 }"), "too-large");
  EXPECT_EQ(reports("param p: real = 1\nlet a = sum(i in 0..100000) { sum(j in 0..100000) { p * i } }"), "too-large");
  EXPECT_EQ(reports("param p: real = 1\nlet a = repeat i in 0..1000000 with h = p { h * h }"), "too-deep");
}

TEST(Limits, TensorsOfAnySizeAreRefusedPastALimit) {
  EXPECT_EQ(reports("param p: real[100000, 100000] = 0"), "too-large");
  EXPECT_EQ(reports("param p: real[1000, 1000] = 0\nlet q = p\nlet a = d(q, q)"), "too-large");
  EXPECT_EQ(reports("let a = repeat i in 0..40 with h = [1, 2] { concat(h, h) }"), "too-large");
  EXPECT_EQ(reports("param p: real[99999999999] = 0"), "bad-size");
}

TEST(Limits, ChainsOfDeclarationsEndInADiagnosticNotInTheStack) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += fmt::format("let a{} = a{} + 1\n", i, i + 1);
  EXPECT_EQ(reports(text + "param a20000: real = 1"), "too-deep");
}

TEST(Limits, DeepExpressionsThroughDeepCallsFit) {
  std::string text = "fn f0(a: real) -> real = " + repeated(100, "-(") + "a" + repeated(100, ")") + "\n";
  for (int i = 1; i < 10; ++i) text += fmt::format("fn f{0}(a: real) -> real = {1}f{2}(a){3}\n", i, repeated(100, "-("), i - 1, repeated(100, ")"));
  EXPECT_EQ(reports(text + "param p: real = 1\noutput o = f9(p)"), "");
}

TEST(Limits, UnitsPastTheirRangeAreRefused) {
  EXPECT_EQ(reports("param a: m = 1\nlet b = repeat i in 0..20 with h = a { h * h }"), "unit-power");
}

TEST(Limits, DamagedProgramsEndInAModelOrDiagnostics) {
  constexpr uint32_t kSeed = 7;
  constexpr int kPrograms = 4000;
  std::mt19937 random(kSeed);
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(ASB_TEST_DIR "/programs"))
    texts.push_back(std::string(test::checked_file(entry.path().string()).program.tree.files[0].text));
  std::sort(texts.begin(), texts.end());
  // Words are exchanged for other words of the same programs, so that most still parse and the checker has the work.
  std::vector<std::string> words;
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (const std::string& text : texts)
    for (size_t i = 0; i < text.size();) {
      size_t j = i;
      while (j < text.size() && is_word(text[j])) ++j;
      if (j > i) words.push_back(text.substr(i, j - i));
      i = j + 1;
    }
  int clean = 0;
  for (int k = 0; k < kPrograms; ++k) {
    std::string text = texts[random() % texts.size()];
    for (uint32_t n = 1 + random() % 3; n > 0; --n) {
      size_t at = random() % text.size();
      while (at < text.size() && !is_word(text[at])) ++at;
      size_t begin = at, end = at;
      while (begin > 0 && is_word(text[begin - 1])) --begin;
      while (end < text.size() && is_word(text[end])) ++end;
      text.replace(begin, end - begin, words[random() % words.size()]);
    }
    SCOPED_TRACE(fmt::format("seed {}, program {}:\n{}", kSeed, k, text));
    const auto c = checked(text);
    clean += c.names.empty();
    for (const Diagnostic& d : c.program.diagnostics.diagnostics()) {
      ASSERT_TRUE(d.primary) << d.name();
      ASSERT_FALSE(d.hint.empty()) << d.name();
    }
    if (c.model) (void)sema::dump_model(*c.model);
  }
  EXPECT_GT(clean, kPrograms / 50);
  EXPECT_LT(clean, kPrograms / 2);
}

}  // namespace
}  // namespace asb
