// Diagnostics as text for a terminal:
//   arm.asb:7:23: error: adding `Pa` to `m`; both sides of `+` must have one unit [unit-mismatch]
//     7 |   return mu*(I_C - 3) + thickness;
//       |          ~~~~~~~~~~~~ ^ ~~~~~~~~~
//       |          `Pa`           `m`, declared at arm.asb:2:35
// Labels on the line of the primary place share its picture; others follow with their own line.
#include <algorithm>

#include "dsl/diag/diagnostics.h"
#include "dsl/source/utf8.h"

namespace asb {
namespace {

constexpr uint32_t kMaxWidth =
    140;  // columns of source shown; a longer line is cut around the caret
constexpr std::string_view kCut = "…";

struct Mark {
  uint32_t begin, end;  // columns from 0, end exclusive
  char sign;
  std::string text;
};

/// The columns [from, from + width) of a line, tabs as one blank and other bytes as they are.
std::string columns_of(std::string_view line, uint32_t from, uint32_t width) {
  std::string out;
  uint32_t column = 0;
  for (size_t i = 0; i < line.size() && column < from + width; ++column) {
    const CodePoint c = decode_utf8(line, i);
    if (column >= from) {
      if (c.length == 0 || (c.value < 0x20) || c.value == 0x7F)
        out += c.value == '\t' ? " " : "?";
      else
        out += line.substr(i, c.length);
    }
    i += c.length ? c.length : 1;
  }
  return out;
}

/// The texts under their marks, each on the first row where it does not run into one to its right.
std::vector<std::string> rows_of_texts(const std::vector<Mark>& marks) {
  std::vector<std::vector<const Mark*>> rows;  // each from right to left
  for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
    if (mark->text.empty()) continue;
    const uint32_t end = mark->begin + count_code_points(mark->text);
    size_t row = 0;
    while (row < rows.size() && end + 1 > rows[row].back()->begin) ++row;
    if (row == rows.size()) rows.emplace_back();
    rows[row].push_back(&*mark);
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string& line = lines.emplace_back();
    uint32_t column = 0;
    for (auto mark = row.rbegin(); mark != row.rend(); ++mark) {
      line += std::string((*mark)->begin - column, ' ') + (*mark)->text;
      column = (*mark)->begin + count_code_points((*mark)->text);
    }
  }
  return lines;
}

/// One source line with the marks below it.
void draw(std::string& out, const SourceFiles& files, uint32_t file, uint32_t line_number,
          std::vector<Mark> marks) {
  const std::string_view line = files.line(file, line_number);
  std::stable_sort(marks.begin(), marks.end(),
                   [](const Mark& a, const Mark& b) { return a.begin < b.begin; });
  uint32_t from = 0;
  const uint32_t first = marks.empty() ? 0 : marks.front().begin;
  if (first + 40 > kMaxWidth) from = first - std::min<uint32_t>(first, 40);
  const bool cut_left = from > 0;
  const uint32_t shift = cut_left ? 1 : 0;  // the cut sign takes one column
  std::string underline;
  std::vector<Mark> shown;
  for (Mark mark : marks) {
    if (mark.begin >= from + kMaxWidth) continue;
    mark.begin = mark.begin - from + shift;
    mark.end = std::min(std::max(mark.end, from + 1) - from, kMaxWidth) + shift;
    mark.end = std::max(mark.end, mark.begin + 1);
    if (underline.size() < mark.end) underline.resize(mark.end, ' ');
    for (uint32_t i = mark.begin; i < mark.end; ++i)
      if (underline[i] != '^') underline[i] = mark.sign;
    shown.push_back(std::move(mark));
  }
  const std::string number = std::to_string(line_number);
  const std::string gutter = std::string(number.size() + 3, ' ') + "| ";
  const uint32_t total = count_code_points(line.substr(0, 4 * (from + kMaxWidth + 1)));
  out += "  " + number + " | " + (cut_left ? std::string(kCut) : std::string()) +
         columns_of(line, from, kMaxWidth) +
         (total > from + kMaxWidth ? std::string(kCut) : std::string()) + "\n";
  out += gutter + underline + "\n";
  for (const std::string& row : rows_of_texts(shown)) out += gutter + row + "\n";
}

/// The mark of a span on its first line; a span over several lines is marked to the line's end.
Mark mark_of(const SourceFiles& files, Span span, char sign, std::string text) {
  const Position begin = files.position(span.file, span.begin);
  const Position end = files.position(span.file, std::max(span.end, span.begin));
  const uint32_t line_end = count_code_points(files.line(span.file, begin.line)) + 1;
  uint32_t last = end.line == begin.line ? end.column : line_end;
  last = std::max(last, begin.column + 1);
  return {begin.column - 1, last - 1, sign, std::move(text)};
}

}  // namespace

std::string render(const Diagnostic& d, const SourceFiles& files) {
  const std::string severity = d.severity == Severity::Error ? "error" : "warning";
  const bool has_place = d.primary && d.primary.file < files.size();
  std::string out = has_place ? files.place(d.primary) + ": " : std::string();
  out += severity + ": " + d.message + " [" + std::string(d.name()) + "]\n";
  std::vector<const Label*> elsewhere;
  if (has_place) {
    const uint32_t line = files.position(d.primary.file, d.primary.begin).line;
    std::vector<Mark> marks = {mark_of(files, d.primary, '^', d.primary_text)};
    for (const Label& label : d.labels) {
      if (!label.span || label.span.file >= files.size()) continue;
      const bool same_line = label.span.file == d.primary.file &&
                             files.position(label.span.file, label.span.begin).line == line;
      if (same_line)
        marks.push_back(mark_of(files, label.span, '~', label.text));
      else
        elsewhere.push_back(&label);
    }
    draw(out, files, d.primary.file, line, std::move(marks));
  }
  for (const Label* label : elsewhere) {
    out += files.place(label->span) + ": note: " + label->text + "\n";
    draw(out, files, label->span.file, files.position(label->span.file, label->span.begin).line,
         {mark_of(files, label->span, '~', {})});
  }
  for (const std::string& note : d.notes) out += "  note: " + note + "\n";
  if (!d.hint.empty()) out += "  hint: " + d.hint + "\n";
  return out;
}

std::string render(const Error& error, const SourceFiles& files) {
  const bool has_place = error.span && error.span.file < files.size();
  std::string out = has_place ? files.place(error.span) + ": " : std::string();
  out += "error: " + error.message + " [" + error.name + "]\n";
  if (has_place)
    draw(out, files, error.span.file, files.position(error.span.file, error.span.begin).line,
         {mark_of(files, error.span, '^', {})});
  if (!error.hint.empty()) out += "  hint: " + error.hint + "\n";
  return out;
}

std::string render(const DiagnosticSink& sink, const SourceFiles& files) {
  std::string out;
  for (const Diagnostic& d : sink.diagnostics()) out += render(d, files);
  if (sink.n_errors() > DiagnosticSink::kMaxErrors)
    out += "only the first " + std::to_string(sink.diagnostics().size()) + " of " +
           std::to_string(sink.n_errors()) + " errors are shown\n";
  return out;
}

}  // namespace asb
