// Diagnostics for editors and scripts.
#include "dsl/diag/diagnostics.h"
#include "dsl/source/utf8.h"

namespace asb {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = decode_utf8(text, i);
    if (c.length == 0) {
      out += "\\ufffd";
      ++i;
      continue;
    }
    if (c.value == '"' || c.value == '\\') {
      out += '\\';
      out += static_cast<char>(c.value);
    } else if (c.value < 0x20) {
      out += fmt::format("\\u{:04x}", c.value);
    } else {
      out += text.substr(i, c.length);
    }
    i += c.length;
  }
  return out + "\"";
}

std::string place_fields(Span span, const SourceFiles& files) {
  if (!span || span.file >= files.size()) return "\"file\": null";
  const Position begin = files.position(span.file, span.begin);
  const Position end = files.position(span.file, std::max(span.begin, span.end));
  return fmt::format(
      "\"file\": {}, \"line\": {}, \"column\": {}, \"end_line\": {}, \"end_column\": {}",
      quoted(files[span.file].name), begin.line, begin.column, end.line, end.column);
}

}  // namespace

std::string to_json(const DiagnosticSink& sink, const SourceFiles& files) {
  std::string out = "[";
  for (const Diagnostic& d : sink.diagnostics()) {
    if (out.size() > 1) out += ",";
    out +=
        fmt::format("\n  {{\"name\": {}, \"severity\": {}, \"message\": {}, {}", quoted(d.name()),
                    d.severity == Severity::Error ? "\"error\"" : "\"warning\"", quoted(d.message),
                    place_fields(d.primary, files));
    if (!d.primary_text.empty()) out += ", \"text\": " + quoted(d.primary_text);
    out += ", \"labels\": [";
    for (size_t i = 0; i < d.labels.size(); ++i)
      out += fmt::format("{}{{{}, \"text\": {}}}", i ? ", " : "",
                         place_fields(d.labels[i].span, files), quoted(d.labels[i].text));
    out += "], \"notes\": [";
    for (size_t i = 0; i < d.notes.size(); ++i) out += (i ? ", " : "") + quoted(d.notes[i]);
    out += "], \"hint\": " + quoted(d.hint) + "}";
  }
  return out + (out.size() > 1 ? "\n]\n" : "]\n");
}

}  // namespace asb
