// 20,000 damaged programs: none may crash the front end, hang it, or pass with reports it can't
// show. Build with -DASB_SANITIZE=ON to look for memory errors at the same time.
#include <gtest/gtest.h>

#include <random>

#include "dsl/ast/dump.h"
#include "dsl/format/print.h"
#include "dsl/lex/lex.h"
#include "tests/dsl/front_end.h"

namespace asb {
namespace {

constexpr uint32_t kSeed = 20221;
constexpr int kMutations = 20'000;

class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& texts) : texts_(texts), random_(kSeed) {
    for (const std::string& text : texts_) {
      SourceFiles files;
      DiagnosticSink sink;
      tokens_.push_back(lex(files, files.add("", text), sink).tokens);
    }
  }

  /// A program with one to four kinds of damage.
  std::string next() {
    const size_t which = pick(texts_.size());
    std::string text = texts_[which];
    const std::vector<Token>& tokens = tokens_[which];
    switch (pick(4)) {  // at tokens, while their places are still right
      case 0: {
        const Token& t = tokens[pick(tokens.size())];
        text.erase(t.begin, t.end - t.begin);
        break;
      }
      case 1: {
        const Token& t = tokens[pick(tokens.size())];
        text.insert(t.end, " " + text.substr(t.begin, t.end - t.begin));
        break;
      }
      case 2: {
        const Token &a = tokens[pick(tokens.size())], &b = tokens[pick(tokens.size())];
        const Token &first = a.begin < b.begin ? a : b, &second = a.begin < b.begin ? b : a;
        if (first.end > second.begin) break;
        const std::string one = text.substr(first.begin, first.end - first.begin);
        const std::string two = text.substr(second.begin, second.end - second.begin);
        text.replace(second.begin, two.size(), one);
        text.replace(first.begin, one.size(), two);
        break;
      }
      default:
        text = spliced(text);
        break;
    }
    for (size_t n = pick(3); n > 0 && !text.empty(); --n) {  // at bytes
      const size_t at = pick(text.size());
      switch (pick(4)) {
        case 0:
          text[at] = static_cast<char>(static_cast<unsigned char>(text[at]) ^ 1u << pick(8));
          break;
        case 1:
          text.erase(at, 1 + pick(8));
          break;
        case 2:
          text.insert(at, 1, static_cast<char>(pick(256)));
          break;
        default: {
          constexpr std::string_view kSigns = "(){}[]\"'.,:;=+-*/^<> \n";
          text.insert(at, 1, kSigns[pick(kSigns.size())]);
        }
      }
    }
    return text;
  }

 private:
  size_t pick(size_t n) { return random_() % n; }
  /// The head of one program and the tail of another, or a stretch of another put in.
  std::string spliced(const std::string& text) {
    const std::string& other = texts_[pick(texts_.size())];
    const size_t at = pick(text.size()), from = pick(other.size());
    if (pick(2)) return text.substr(0, at) + other.substr(from);
    return text.substr(0, at) + other.substr(from, 1 + pick(80)) + text.substr(at);
  }

  const std::vector<std::string>& texts_;
  std::vector<std::vector<Token>> tokens_;
  std::mt19937 random_;
};

std::vector<std::string> all_texts() {
  std::vector<std::string> texts;
  for (const std::string folder : {"programs", "modules", "modules/materials", "modules/networks"})
    for (const std::string& path : test::programs_in(folder))
      texts.push_back(test::text_of_file(path));
  return texts;
}

TEST(Mutations, TwentyThousandDamagedProgramsEndInATreeOrDiagnostics) {
  const std::vector<std::string> texts = all_texts();
  Mutator mutator(texts);
  int n_clean = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutator.next();
    SCOPED_TRACE(fmt::format("seed {}, mutation {}:\n{}", kSeed, i, text));
    LoadedProgram p = load_text("mutated.asb", text, {});
    const bool is_clean = !p.diagnostics.has_errors();
    n_clean += is_clean;
    for (const Diagnostic& d : p.diagnostics.diagnostics()) {
      ASSERT_TRUE(d.primary);
      ASSERT_LE(d.primary.end, text.size());
      ASSERT_LE(d.primary.begin, d.primary.end);
    }
    if (is_clean) {  // whatever parses also prints and parses to the same
      const LoadedProgram again = load_text("mutated.asb", ast::print(p.tree, p.tree.main), {});
      ASSERT_EQ(ast::dump_ast(p.tree, p.tree.main), ast::dump_ast(again.tree, again.tree.main));
    }
    if (i % 16 == 0) {
      ASSERT_FALSE(!is_clean && render(p.diagnostics, p.tree.files).empty());
      (void)to_json(p.diagnostics, p.tree.files);
      (void)ast::dump_ast(p.tree, p.tree.main);
      (void)ast::print(p.tree, p.tree.main);
    }
  }
  EXPECT_GT(n_clean, kMutations / 200)
      << "damage must leave some programs whole, or little of the checker is reached";
  EXPECT_LT(n_clean, kMutations / 2) << "damage must be found";
}

TEST(Mutations, TheCheckerTakesAnyTreeThatTheParserMakes) {
  const std::vector<std::string> texts = all_texts();
  Mutator mutator(texts);
  for (int i = 0; i < kMutations; ++i) {
    const std::string text = mutator.next();
    SCOPED_TRACE(fmt::format("seed {}, mutation {}:\n{}", kSeed, i, text));
    LoadedProgram p = load_text("mutated.asb", text, {test::module_folder()});
    test::check(p);
    for (const Diagnostic& d : p.diagnostics.diagnostics()) ASSERT_FALSE(d.hint.empty());
    if (i % 16 == 0) (void)render(p.diagnostics, p.tree.files);
  }
}

}  // namespace
}  // namespace asb
