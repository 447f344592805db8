// .off: a header, counts, positions, then polygons as `n v1 … vn`. Also COFF, NOFF and the like,
// whose further numbers in a line are skipped.
#include <fmt/format.h>

#include "runtime/io/polygon.h"
#include "runtime/io/surface_formats.h"
#include "runtime/io/text_scan.h"

namespace asb {
namespace {

// The next line that isn't blank or a comment, as words; false at the end.
bool next_words(Lines& lines, std::vector<std::string_view>& words) {
  std::string_view line;
  while (lines.next(line)) {
    split_words(line.substr(0, line.find('#')), words);
    if (!words.empty()) return true;
  }
  return false;
}

}  // namespace

Result<Surface> parse_off(std::string_view text, const std::string& file) {
  Lines lines(text);
  std::vector<std::string_view> words;
  if (!next_words(lines, words) || !words[0].ends_with("OFF"))
    return fail_at_line(file, lines.number(), "an .off file begins with `OFF`");
  if (words[0].starts_with("4") || words[0].find('n') != std::string_view::npos ||
      words.back() == "BINARY")
    return fail_at_line(file, lines.number(),
                        fmt::format("{} files aren't read", quoted(words[0])));
  words.erase(words.begin());
  if (words.empty() && !next_words(lines, words))
    return fail_at_line(file, lines.number(), "the counts are missing");
  const std::optional<int64_t> n_vertices = to_integer(words[0]);
  const std::optional<int64_t> n_facets = words.size() > 1 ? to_integer(words[1]) : std::nullopt;
  if (!n_vertices || !n_facets || *n_vertices < 0 || *n_facets < 0 || *n_vertices > kMostVertices)
    return fail_at_line(file, lines.number(), "expected the numbers of vertices, facets and edges");
  Surface surface;
  for (int64_t v = 0; v < *n_vertices; ++v) {
    if (!next_words(lines, words) || words.size() < 3)
      return fail_at_line(file, lines.number(),
                          fmt::format("vertex {} of {} is missing or short", v, *n_vertices));
    Vec3 p;
    for (int a = 0; a < 3; ++a) {
      const std::optional<double> value = to_real(words[a]);
      if (!value)
        return fail_at_line(file, lines.number(),
                            fmt::format("coordinate {} is not a finite number", quoted(words[a])));
      p[a] = *value;
    }
    surface.vertices.push_back(p);
  }
  std::vector<int32_t> polygon;
  for (int64_t f = 0; f < *n_facets; ++f) {
    if (!next_words(lines, words))
      return fail_at_line(file, lines.number(),
                          fmt::format("facet {} of {} is missing", f, *n_facets));
    const std::optional<int64_t> n = to_integer(words[0]);
    if (!n || *n < 3 || *n >= int64_t(words.size()))
      return fail_at_line(
          file, lines.number(),
          fmt::format("a facet of {} corners with {} numbers", quoted(words[0]), words.size() - 1));
    polygon.clear();
    for (int64_t i = 1; i <= *n; ++i) {
      const std::optional<int64_t> v = to_integer(words[size_t(i)]);
      if (!v || *v < 0 || *v >= *n_vertices)
        return fail_at_line(file, lines.number(),
                            fmt::format("corner {} of a facet is vertex {}, but they are 0 to {}",
                                        i, quoted(words[size_t(i)]), *n_vertices - 1));
      polygon.push_back(int32_t(*v));
    }
    append_polygon(polygon, surface.vertices, surface.facets);
  }
  return surface;
}

}  // namespace asb
