// Every registered diagnostic has a program that brings it about: diagnostics/fail_<name>.asb, with
// all reports in comments, `// expect LINE:COLUMN name: message`, before the place the path if it
// is in another file. `// set NAME=EXPR` is given to the checker as `--set`. Nothing else may be
// reported: cascades fail.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <sstream>

#include "tests/dsl/front_end.h"

namespace asb {
namespace {

namespace fs = std::filesystem;

/// What stands behind `mark` on the lines that begin with it.
std::vector<std::string> marked_in(const std::string& text, const std::string& mark) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(mark)) out.push_back(line.substr(mark.size()));
  return out;
}

std::vector<std::string> reported_in(const LoadedProgram& p, const std::string& main) {
  std::vector<std::string> out;
  for (const Diagnostic& d : p.diagnostics.diagnostics()) {
    std::string place = p.tree.files.place(d.primary);
    if (place.starts_with(main + ":")) place = place.substr(main.size() + 1);
    out.push_back(fmt::format("{} {}: {}", place, d.name(), d.message));
    EXPECT_FALSE(d.hint.empty()) << d.name() << " has no hint";
    EXPECT_TRUE(d.primary) << d.name() << " has no place";
  }
  return out;
}

TEST(Diagnostics, EachFailingProgramReportsWhatItSaysAndNothingElse) {
  fs::current_path(fs::path(ASB_TEST_DIR) / "diagnostics");  // paths in messages are relative
  for (const std::string& path : test::programs_in("diagnostics")) {
    const std::string file = fs::path(path).filename().string();
    LoadedProgram p = load_program(file, {"../modules"});
    if (!p.diagnostics.has_errors() &&
        !test::check(p, marked_in(test::text_of_file(path), "// set ")))
      continue;
    EXPECT_EQ(reported_in(p, file), marked_in(test::text_of_file(path), "// expect "))
        << file << "\n"
        << render(p.diagnostics, p.tree.files);
  }
}

TEST(Diagnostics, EachRegisteredOneHasAFailingProgramAndEachProgramItsDiagnostic) {
  std::set<std::string> registered;
  for (const DiagnosticEntry& entry : all_diagnostics()) {
    std::string name(entry.name);
    std::replace(name.begin(), name.end(), '-', '_');
    const std::string path = fmt::format("{}/diagnostics/fail_{}.asb", ASB_TEST_DIR, name);
    registered.insert(fs::path(path).filename().string());
    if (!fs::exists(path)) {
      ADD_FAILURE() << "no program shows `" << entry.name << "`: write " << path;
      continue;
    }
    bool is_shown = false;
    for (const std::string& expected : marked_in(test::text_of_file(path), "// expect "))
      is_shown = is_shown || expected.find(fmt::format(" {}: ", entry.name)) != std::string::npos;
    EXPECT_TRUE(is_shown) << path << " does not expect " << entry.name;
  }
  for (const std::string& path : test::programs_in("diagnostics"))
    EXPECT_TRUE(registered.contains(fs::path(path).filename().string()))
        << path << " names no diagnostic";
}

TEST(Diagnostics, WordingFollowsTheHouse) {
  for (const DiagnosticEntry& entry : all_diagnostics()) {
    EXPECT_EQ(entry.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-"),
              std::string::npos)
        << entry.name;
    EXPECT_FALSE(entry.hint.empty()) << entry.name;
    for (const std::string_view text : {entry.wording, entry.hint}) {
      EXPECT_FALSE(text.ends_with(".")) << entry.name;
      EXPECT_FALSE(!text.empty() && text[0] >= 'A' && text[0] <= 'Z') << entry.name;
      for (const std::string_view word : {"invalid", "illegal", "not allowed"})
        EXPECT_EQ(text.find(word), std::string_view::npos) << entry.name;
    }
  }
}

}  // namespace
}  // namespace asb
