// Programs in the documentation: every block ```asb of a document is a whole program and has no mistakes. An excerpt that
// can't stand alone is marked ```asb excerpt; a block that shows a mistake ```asb error NAME, and gives that error.
#include <gtest/gtest.h>

#include <sstream>

#include "dsl/parse/load.h"
#include "dsl/sema/check.h"
#include "tests/docs/text_files.h"

namespace asb {
namespace {

struct Block {
  std::string place;  ///< "docs/language.md:12"
  std::string mark;   ///< what follows ```asb on its line: "", "excerpt", "error NAME"
  std::string text;
};

std::vector<Block> asb_blocks(const TextFile& document) {
  std::vector<Block> blocks;
  std::istringstream lines(document.text);
  std::string line;
  bool inside = false;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (inside && line == "```") {
      inside = false;
    } else if (inside) {
      blocks.back().text += line + "\n";
    } else if (line.starts_with("```asb")) {
      inside = true;
      const std::string mark = line.size() > 7 ? line.substr(7) : "";
      blocks.push_back({document.path + ":" + std::to_string(number), mark, ""});
    }
  }
  EXPECT_FALSE(inside) << document.path << ": the last block is never closed";
  return blocks;
}

/// What the checker says, as users see it; `names` of all errors.
std::string check(const Block& block, std::vector<std::string>& names) {
  LoadedProgram program = load_text(block.place, block.text, {ASB_SOURCE_FOLDER "/programs"});
  if (!program.diagnostics.has_errors()) (void)sema::check(program.tree, program.diagnostics, {});
  for (const Diagnostic& d : program.diagnostics.diagnostics()) names.emplace_back(d.name());
  return render(program.diagnostics, program.tree.files);
}

TEST(Documents, HoldOnlyProgramsThatPassTheChecker) {
  int programs = 0;
  for (const TextFile& document : documents())
    for (const Block& block : asb_blocks(document)) {
      if (!block.mark.empty()) continue;
      std::vector<std::string> names;
      const std::string said = check(block, names);
      EXPECT_TRUE(said.empty()) << said;
      ++programs;
    }
  EXPECT_GE(programs, 4);  // README.md has one, docs/language.md three
}

TEST(Documents, ShowMistakesThatGiveTheErrorNamed) {
  for (const TextFile& document : documents())
    for (const Block& block : asb_blocks(document)) {
      if (!block.mark.starts_with("error ")) continue;
      std::vector<std::string> names;
      const std::string said = check(block, names);
      EXPECT_EQ(names, std::vector{block.mark.substr(6)}) << block.place << "\n" << said;
    }
}

TEST(Documents, MarkBlocksInTheWaysThatThisTestKnows) {
  for (const TextFile& document : documents())
    for (const Block& block : asb_blocks(document))
      EXPECT_TRUE(block.mark.empty() || block.mark == "excerpt" || block.mark.starts_with("error ")) << block.place;
}

}  // namespace
}  // namespace asb
