// Lines and numbers of text files: exact decimal numbers by std::from_chars, independent of locale.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace asb {

/// Walks over the lines of a text, without their ends (LF, CRLF).
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const size_t end = rest_.find('\n');
    line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    ++number_;
    return true;
  }
  int64_t number() const { return number_; }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
  int64_t number_ = 0;
};

inline void split_words(std::string_view line, std::vector<std::string_view>& words) {
  words.clear();
  constexpr std::string_view kBlank = " \t\v\f\r";
  size_t i = line.find_first_not_of(kBlank);
  while (i != std::string_view::npos) {
    const size_t end = std::min(line.find_first_of(kBlank, i), line.size());
    words.push_back(line.substr(i, end - i));
    i = line.find_first_not_of(kBlank, end);
  }
}

/// A finite number that is the whole word.
inline std::optional<double> to_real(std::string_view word) {
  if (!word.empty() && word[0] == '+') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || word[0] == '+' || error != std::errc() || end != word.data() + word.size())
    return std::nullopt;
  if (!(value - value == 0)) return std::nullopt;  // nan, inf
  return value;
}

inline std::optional<int64_t> to_integer(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  int64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

/// An error about one line of a file.
inline tl::unexpected<Error> fail_at_line(const std::string& file, int64_t line,
                                          std::string message, std::string hint = {}) {
  return fail("surface-file", fmt::format("`{}`, line {}: {}", file, line, message),
              std::move(hint));
}

/// At most 40 printable characters of a text, for messages.
inline std::string quoted(std::string_view text) {
  std::string out = "`";
  for (char c : text.substr(0, 40)) out += c >= ' ' && c < 127 ? c : '?';
  return out + (text.size() > 40 ? "…`" : "`");
}

}  // namespace asb
