// The files of the repository as texts, for tests of what they say.
#pragma once

#include <string>
#include <vector>

namespace asb {

struct TextFile {
  std::string path;  ///< from the root of the repository: "docs/language.md"
  std::string text;
};

/// Files with one of the endings, in the source folders, docs/ and the root, by path. Build folders are not visited.
std::vector<TextFile> text_files(const std::vector<std::string>& endings);

/// The files that users read: *.md.
std::vector<TextFile> documents();

}  // namespace asb
