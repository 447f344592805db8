// Every named error of the code is brought about, or at least named, by a test. What can't be stands in
// untested_errors.txt with the reason; that list may hold nothing else.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "tests/tools/process.h"

namespace asb::test {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool is_source(const fs::path& path) {
  return path.extension() == ".cpp" || path.extension() == ".h" || path.extension() == ".asb";
}

/// Names in fail("…", Error{"…", system_error("…": the first text, in kebab case, with the file that says it.
std::map<std::string, std::string> named_errors() {
  const std::regex pattern("(?:\\bfail|\\bError|\\b[a-z_]*_error)\\s*[({]+\\s*(?:Error\\{\\s*)?\"([a-z0-9]+(?:-[a-z0-9]+)+)\"");
  std::map<std::string, std::string> names;
  for (const char* folder : {"base", "compiler", "backends", "runtime", "asb", "tools"})
    for (const auto& entry : fs::recursive_directory_iterator(source_file(folder))) {
      if (!is_source(entry.path())) continue;
      const std::string text = text_of(entry.path());
      for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
        names.emplace((*at)[1], fs::relative(entry.path(), source_file("")).string());
    }
  return names;
}

std::set<std::string> words_of_tests() {
  std::set<std::string> words;
  const std::regex word("[a-z0-9]+(?:-[a-z0-9]+)+");
  for (const auto& entry : fs::recursive_directory_iterator(source_file("tests"))) {
    if (!is_source(entry.path())) continue;
    const std::string text = text_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at) words.insert(at->str());
  }
  return words;
}

/// Lines `name: reason`.
std::map<std::string, std::string> untested() {
  std::map<std::string, std::string> list;
  std::istringstream lines(text_of(source_file("tests/tools/untested_errors.txt")));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    const size_t colon = line.find(": ");
    EXPECT_NE(colon, std::string::npos) << "no reason in `" << line << "`";
    if (colon != std::string::npos) list[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return list;
}

TEST(NamedErrors, EachHasATestOrAReasonForHavingNone) {
  const auto names = named_errors();
  const auto words = words_of_tests();
  const auto excused = untested();
  EXPECT_GE(names.size(), 60u) << "the pattern finds the errors";
  for (const auto& [name, file] : names)
    EXPECT_TRUE(words.contains(name) || excused.contains(name))
        << "[" << name << "] of " << file << " has no test: bring it about in one, or give the reason in untested_errors.txt";
  for (const auto& [name, reason] : excused) {
    EXPECT_TRUE(names.contains(name)) << "[" << name << "] is excused and no longer exists";
    EXPECT_FALSE(words.contains(name)) << "[" << name << "] is excused (" << reason << ") and has a test";
  }
}

}  // namespace
}  // namespace asb::test
