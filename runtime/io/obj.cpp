// Wavefront .obj: `v` and `f` lines; everything else (normals, texture, groups, materials, lines)
// is skipped. Our own reader, since tinyobjloader takes `nan` and any word for 0 and keeps corners
// that don't exist.
#include <fmt/format.h>

#include "runtime/io/polygon.h"
#include "runtime/io/surface_formats.h"
#include "runtime/io/text_scan.h"

namespace asb {
namespace {

struct Parser {
  const std::string& file;
  int64_t line = 0;
  Surface surface;
  std::vector<std::string_view> words;
  std::vector<int32_t> polygon;

  [[nodiscard]] Result<void> vertex() {
    if (words.size() < 4)
      return fail_at_line(file, line, fmt::format("a vertex has {} coordinates", words.size() - 1),
                          "`v` takes three");
    Vec3 p;
    for (int a = 0; a < 3; ++a) {
      const std::optional<double> value = to_real(words[1 + a]);
      if (!value)
        return fail_at_line(
            file, line,
            fmt::format("coordinate {} is {}", quoted(words[1 + a]), "not a finite number"));
      p[a] = *value;
    }
    surface.vertices.push_back(p);  // further words (w, colours) are no position
    return {};
  }

  // Corners are v, v/t, v//n or v/t/n, from 1, or negative from the last vertex so far.
  [[nodiscard]] Result<void> facet() {
    if (words.size() < 4)
      return fail_at_line(file, line, fmt::format("a facet has {} corners", words.size() - 1),
                          "`f` takes at least three");
    polygon.clear();
    const int64_t n = int64_t(surface.vertices.size());
    for (size_t i = 1; i < words.size(); ++i) {
      const std::optional<int64_t> number = to_integer(words[i].substr(0, words[i].find('/')));
      if (!number)
        return fail_at_line(file, line, fmt::format("corner {} names no vertex", quoted(words[i])));
      const int64_t v = *number < 0 ? n + *number : *number - 1;
      if (*number == 0 || v < 0 || v >= n)
        return fail_at_line(
            file, line,
            fmt::format("corner {} of a facet is vertex {}, but there are {} so far", i, *number,
                        n),
            "vertices are counted from 1 and come before the facets that use them");
      polygon.push_back(int32_t(v));
    }
    append_polygon(polygon, surface.vertices, surface.facets);
    return {};
  }
};

}  // namespace

Result<Surface> parse_obj(std::string_view text, const std::string& file) {
  Parser parser{file, 0, {}, {}, {}};
  Lines lines(text);
  std::string_view line;
  std::string joined;
  while (lines.next(line)) {
    parser.line = lines.number();
    if (!line.empty() && line.back() == '\\') {  // goes on in the next line
      joined.clear();
      do {
        joined.append(line.substr(0, line.size() - (!line.empty() && line.back() == '\\')));
        joined += ' ';
        if (line.empty() || line.back() != '\\') break;
      } while (lines.next(line));
      line = joined;
    }
    split_words(line.substr(0, line.find('#')), parser.words);
    if (parser.words.empty()) continue;
    Result<void> ok;
    if (parser.words[0] == "v") ok = parser.vertex();
    if (parser.words[0] == "f") ok = parser.facet();
    if (!ok) return fail(ok.error());
    if (int64_t(parser.surface.vertices.size()) > kMostVertices)
      return fail_at_line(file, parser.line, "more vertices than fit");
  }
  return std::move(parser.surface);
}

}  // namespace asb
