// The texts of a loaded program, and where a byte of them is: line and column for people.
// First thing in the road; a Span names a file by its number here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/span.h"

namespace asb {

/// Larger files are refused: a Span counts bytes in 32 bits, and nobody writes such a program.
constexpr size_t kMaxSourceBytes = size_t{1} << 26;

struct SourceFile {
  std::string name;  ///< as shown in diagnostics
  std::string text;
  std::vector<uint32_t> line_starts;  ///< offset of the first byte of each line; never empty
};

/// Both count from 1; a column is one code point (a byte, where the text isn't UTF-8).
struct Position {
  uint32_t line = 1;
  uint32_t column = 1;
  bool operator==(const Position&) const = default;
};

class SourceFiles {
 public:
  /// Adds a text and returns its file number. Text past kMaxSourceBytes is dropped.
  uint32_t add(std::string name, std::string text);

  size_t size() const { return files_.size(); }
  const SourceFile& operator[](uint32_t file) const { return files_[file]; }

  /// The place of a byte offset; offsets past the end are the end.
  Position position(uint32_t file, uint32_t offset) const;
  /// Line `line` (from 1) without its newline.
  std::string_view line(uint32_t file, uint32_t line) const;
  /// The text that a span covers.
  std::string_view text(Span span) const;
  /// "beam.asb:7:23", or "" for an empty span.
  std::string place(Span span) const;

 private:
  std::vector<SourceFile> files_;
};

/// The number of code points in UTF-8 text; each byte that isn't part of one counts as one.
uint32_t count_code_points(std::string_view text);

}  // namespace asb
