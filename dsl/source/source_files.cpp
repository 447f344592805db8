// Line tables are made once per file; a place is found by bisection in them.
#include "dsl/source/source_files.h"

#include <algorithm>

#include "dsl/source/utf8.h"

namespace asb {

uint32_t SourceFiles::add(std::string name, std::string text) {
  if (text.size() > kMaxSourceBytes) text.resize(kMaxSourceBytes);
  SourceFile file{std::move(name), std::move(text), {0}};
  for (size_t i = 0; i < file.text.size(); ++i)
    if (file.text[i] == '\n') file.line_starts.push_back(static_cast<uint32_t>(i + 1));
  files_.push_back(std::move(file));
  return static_cast<uint32_t>(files_.size() - 1);
}

Position SourceFiles::position(uint32_t file, uint32_t offset) const {
  const SourceFile& source = files_[file];
  offset = std::min(offset, static_cast<uint32_t>(source.text.size()));
  const auto after = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
  const uint32_t start = *(after - 1);
  return {static_cast<uint32_t>(after - source.line_starts.begin()),
          1 + count_code_points(std::string_view(source.text).substr(start, offset - start))};
}

std::string_view SourceFiles::line(uint32_t file, uint32_t line) const {
  const SourceFile& source = files_[file];
  if (line == 0 || line > source.line_starts.size()) return {};
  const size_t begin = source.line_starts[line - 1];
  size_t end = line < source.line_starts.size() ? source.line_starts[line] - 1 : source.text.size();
  if (end > begin && source.text[end - 1] == '\r') --end;
  return std::string_view(source.text).substr(begin, end - begin);
}

std::string_view SourceFiles::text(Span span) const {
  if (!span || span.file >= files_.size()) return {};
  const std::string_view all = files_[span.file].text;
  const size_t begin = std::min<size_t>(span.begin, all.size());
  return all.substr(begin, std::max(span.end, span.begin) - span.begin);
}

std::string SourceFiles::place(Span span) const {
  if (!span || span.file >= files_.size()) return {};
  const Position at = position(span.file, span.begin);
  return files_[span.file].name + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

uint32_t count_code_points(std::string_view text) {
  uint32_t count = 0;
  for (size_t i = 0; i < text.size(); ++count) {
    const uint32_t length = decode_utf8(text, i).length;
    i += length ? length : 1;
  }
  return count;
}

}  // namespace asb
