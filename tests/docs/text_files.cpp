// See text_files.h.
#include "tests/docs/text_files.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace asb {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"abi",      "asb",     "backends", "base",  "bench", "compiler", "docs",
                                    "dsl",      "examples", "programs", "runtime", "tests", "tools"};

void add_if_wanted(const fs::path& path, const std::vector<std::string>& endings, std::vector<TextFile>& files) {
  const std::string name = path.filename().string();
  const auto fits = [&](const std::string& ending) { return name.ends_with(ending); };
  if (!fs::is_regular_file(path) || std::ranges::none_of(endings, fits)) return;
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  files.push_back({fs::relative(path, ASB_SOURCE_FOLDER).string(), text.str()});
}

}  // namespace

std::vector<TextFile> text_files(const std::vector<std::string>& endings) {
  std::vector<TextFile> files;
  const fs::path root = ASB_SOURCE_FOLDER;
  for (const auto& entry : fs::directory_iterator(root)) add_if_wanted(entry.path(), endings, files);
  for (const char* folder : kFolders)
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) add_if_wanted(entry.path(), endings, files);
  std::ranges::sort(files, {}, &TextFile::path);
  return files;
}

std::vector<TextFile> documents() { return text_files({".md"}); }

}  // namespace asb
