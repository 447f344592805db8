// .stl, text and binary: triangles with their own corners. Corners at equal positions become one
// vertex.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <numeric>

#include "runtime/io/surface_formats.h"
#include "runtime/io/text_scan.h"
#include "runtime/mesh/surface.h"

namespace asb {
namespace {

static_assert(std::endian::native == std::endian::little, "binary files are read as they lie");
constexpr size_t kHeader = 80, kRecord = 50;  // bytes

// Merges corners at equal positions, in order of first use. A facet that loses a corner by it
// stays, with no area.
Surface merged(const Surface& soup) {
  const std::vector<int32_t> first = coincident_vertices(soup);
  std::vector<int32_t> number(first.size(), -1);
  Surface surface;
  for (size_t v = 0; v < first.size(); ++v) {  // first[v] <= v: the first use comes first
    if (first[v] == int32_t(v)) {
      number[v] = int32_t(surface.vertices.size());
      surface.vertices.push_back(soup.vertices[v]);
    }
  }
  for (const auto& f : soup.facets)
    surface.facets.push_back({number[first[f[0]]], number[first[f[1]]], number[first[f[2]]]});
  return surface;
}

Result<Surface> parse_binary(std::string_view bytes, const std::string& file, uint32_t n) {
  Surface soup;
  soup.vertices.reserve(size_t(n) * 3);
  for (uint32_t t = 0; t < n; ++t) {
    const char* record = bytes.data() + kHeader + 4 + size_t(t) * kRecord + 12;  // after the normal
    for (int c = 0; c < 3; ++c) {
      float p[3];
      std::memcpy(p, record + 12 * c, 12);
      for (float x : p)
        if (!(x - x == 0))
          return fail("surface-file",
                      fmt::format("`{}`: a corner of facet {} is at {}", file, t, x));
      soup.vertices.push_back({p[0], p[1], p[2]});
    }
    const int32_t v = int32_t(3 * t);
    soup.facets.push_back({v, v + 1, v + 2});
  }
  return merged(soup);
}

Result<Surface> parse_text(std::string_view text, const std::string& file) {
  Surface soup;
  Lines lines(text);
  std::string_view line;
  std::vector<std::string_view> words;
  int corners = 0;
  bool is_whole = false;  // `endsolid` came after the last facet
  while (lines.next(line)) {
    split_words(line, words);
    if (words.empty()) continue;
    if (words[0] == "vertex" || words[0] == "VERTEX") {
      Vec3 p = {};
      if (words.size() != 4)
        return fail_at_line(file, lines.number(), "`vertex` takes three coordinates");
      for (int a = 0; a < 3; ++a) {
        const std::optional<double> value = to_real(words[1 + a]);
        if (!value)
          return fail_at_line(
              file, lines.number(),
              fmt::format("coordinate {} is not a finite number", quoted(words[1 + a])));
        p[a] = *value;
      }
      soup.vertices.push_back(p);
      ++corners;
    } else if (words[0] == "endloop" || words[0] == "ENDLOOP") {
      if (corners != 3)
        return fail_at_line(file, lines.number(), fmt::format("a facet has {} corners", corners));
      const int32_t v = int32_t(soup.vertices.size());
      soup.facets.push_back({v - 3, v - 2, v - 1});
      corners = 0;
    } else if (words[0] == "endsolid" || words[0] == "ENDSOLID") {
      is_whole = corners == 0;
    } else if (words[0] == "facet" || words[0] == "FACET") {
      is_whole = false;
    }
  }
  if (!is_whole)
    return fail_at_line(file, lines.number(), "the file ends without `endsolid`: it was cut short");
  return merged(soup);
}

}  // namespace

Result<Surface> parse_stl(std::string_view bytes, const std::string& file) {
  // A binary header may begin with `solid` too: the length decides.
  uint32_t n = 0;
  if (bytes.size() >= kHeader + 4) std::memcpy(&n, bytes.data() + kHeader, 4);
  const size_t expected = kHeader + 4 + size_t(n) * kRecord;
  if (bytes.size() >= kHeader + 4 && bytes.size() == expected &&
      size_t(n) * 3 < size_t(kMostVertices))
    return parse_binary(bytes, file, n);
  const size_t start = bytes.find_first_not_of(" \t\r\n");
  const bool is_text =
      start != std::string_view::npos &&
      (bytes.substr(start).starts_with("solid") || bytes.substr(start).starts_with("SOLID")) &&
      bytes.find('\0') == std::string_view::npos;
  if (is_text) return parse_text(bytes, file);
  return fail(
      "surface-file",
      fmt::format("`{}` is neither a text .stl nor a binary one: it has {} bytes, and its count "
                  "of {} facets asks for {}",
                  file, bytes.size(), n, expected));
}

}  // namespace asb
