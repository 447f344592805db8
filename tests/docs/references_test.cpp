// What documents and sources point at exists: works that are cited, files that are linked, tables that repeat a registry.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

#include "tests/docs/text_files.h"

namespace asb {
namespace {

namespace fs = std::filesystem;

const TextFile& document(const std::vector<TextFile>& files, const std::string& path) {
  for (const TextFile& file : files)
    if (file.path == path) return file;
  ADD_FAILURE() << "there is no " << path;
  return files.front();
}

std::set<std::string> all_matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> found;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), pattern); at != std::sregex_iterator(); ++at)
    found.insert((*at)[1].str());
  return found;
}

std::set<std::string> listed_works() {
  const std::vector<TextFile> files = text_files({".bib"});
  return all_matches(document(files, "docs/references.bib").text, std::regex("\n@[a-z]+\\{([^,]+),"));
}

TEST(References, ListEveryWorkThatSourcesCite) {
  const std::set<std::string> listed = listed_works();
  ASSERT_GE(listed.size(), 30u);
  const std::regex key("\\[([A-Z][A-Za-z]+[0-9]{4}|FDLIBM|IEEE754)\\]");
  for (const TextFile& file : text_files({".h", ".cpp", ".def", ".asb", ".md", ".py", ".js"}))
    for (const std::string& cited : all_matches(file.text, key))
      EXPECT_TRUE(listed.contains(cited)) << file.path << " cites [" << cited << "], which docs/references.bib lacks";
}

TEST(References, ListOnlyWorksThatSomethingCites) {
  std::string everything;
  for (const TextFile& file : text_files({".h", ".cpp", ".def", ".asb", ".md", ".py", ".js"})) everything += file.text;
  for (const std::string& listed : listed_works())
    EXPECT_NE(everything.find("[" + listed + "]"), std::string::npos) << "nothing cites [" << listed << "]";
}

/// A document as readers see it: without <!-- … -->.
std::string without_comments(std::string text) {
  for (size_t begin; (begin = text.find("<!--")) != std::string::npos;) {
    const size_t end = text.find("-->", begin);
    text.erase(begin, end == std::string::npos ? end : end + 3 - begin);
  }
  return text;
}

// [text](path#anchor) and src="path", relative to the document.
TEST(Links, LeadToFilesOfTheRepository) {
  const std::regex link("(?:\\]\\(|src=\")([^)\"#: ]+)[)\"#]");
  for (const TextFile& file : documents())
    for (const std::string& to : all_matches(without_comments(file.text), link))
      EXPECT_TRUE(fs::exists(fs::path(ASB_SOURCE_FOLDER) / fs::path(file.path).parent_path() / to))
          << file.path << " links to " << to;
}

TEST(LanguageReference, NamesEveryFunctionOfTheLanguage) {
  const std::vector<TextFile> files = text_files({".md", ".def"});
  const std::string& reference = document(files, "docs/language.md").text;
  const std::set<std::string> functions =
      all_matches(document(files, "dsl/sema/builtins.def").text, std::regex("ASB_BUILTIN\\(\\w+, +\"([a-z0-9_]+)\""));
  ASSERT_GE(functions.size(), 25u);
  for (const std::string& name : functions)
    EXPECT_NE(reference.find("`" + name + "("), std::string::npos) << "docs/language.md doesn't show `" << name << "(…)`";
}

TEST(LanguageReference, NamesEveryUnit) {
  const std::vector<TextFile> files = text_files({".md", ".def"});
  const std::string& reference = document(files, "docs/language.md").text;
  const std::set<std::string> units =
      all_matches(document(files, "dsl/sema/units.def").text, std::regex("ASB_UNIT\\(\"([A-Za-z]+)\""));
  ASSERT_GE(units.size(), 40u);
  for (const std::string& name : units)
    EXPECT_NE(reference.find("`" + name + "`"), std::string::npos) << "docs/language.md doesn't list the unit `" << name << "`";
}

TEST(Folders, HaveAShortReadme) {
  for (const TextFile& file : documents()) {
    if (file.path == "README.md" || !file.path.ends_with("README.md")) continue;
    EXPECT_LT(std::ranges::count(file.text, '\n'), 80) << file.path;
  }
  for (const char* folder : {"abi", "asb", "backends", "base", "bench", "compiler", "docs", "dsl", "examples", "programs",
                             "runtime", "tests", "tools"})
    EXPECT_TRUE(fs::exists(fs::path(ASB_SOURCE_FOLDER) / folder / "README.md")) << folder;
}

}  // namespace
}  // namespace asb
