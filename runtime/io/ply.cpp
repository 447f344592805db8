// .ply, text and little-endian binary: elements `vertex` (x, y, z) and `face` (a list of corners);
// other elements and properties are skipped.
#include <fmt/format.h>

#include <cstring>

#include "runtime/io/polygon.h"
#include "runtime/io/surface_formats.h"
#include "runtime/io/text_scan.h"

namespace asb {
namespace {

struct Property {
  std::string name;
  char type = 0;        // see scalar_type()
  char count_type = 0;  // of a list; 0: a single value
};

struct PlyElement {
  std::string name;
  int64_t count = 0;
  std::vector<Property> properties;
};

// c C s S i I f d: signed and unsigned 1, 2, 4 bytes; 4 and 8 byte reals. 0: unknown.
char scalar_type(std::string_view w) {
  constexpr std::pair<std::string_view, char> kTypes[] = {
      {"char", 'c'},  {"int8", 'c'},    {"uchar", 'C'},  {"uint8", 'C'},
      {"short", 's'}, {"int16", 's'},   {"ushort", 'S'}, {"uint16", 'S'},
      {"int", 'i'},   {"int32", 'i'},   {"uint", 'I'},   {"uint32", 'I'},
      {"float", 'f'}, {"float32", 'f'}, {"double", 'd'}, {"float64", 'd'}};
  for (const auto& [name, type] : kTypes)
    if (name == w) return type;
  return 0;
}

template <class T>
double value_of(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return double(value);
}

// Values one after another, from text or bytes; nothing at the end of the file or where a word is
// no number.
struct Source {
  std::string_view rest;
  bool binary = false;

  std::optional<double> next(char type) {
    if (!binary) {
      const size_t start = rest.find_first_not_of(" \t\r\n\v\f");
      if (start == std::string_view::npos) return std::nullopt;
      const size_t end = std::min(rest.find_first_of(" \t\r\n\v\f", start), rest.size());
      const std::string_view word = rest.substr(start, end - start);
      rest.remove_prefix(end);
      return to_real(word);
    }
    const size_t size = type == 'd'                                 ? 8
                        : type == 'i' || type == 'I' || type == 'f' ? 4
                        : type == 's' || type == 'S'                ? 2
                                                                    : 1;
    if (rest.size() < size) return std::nullopt;
    const char* p = rest.data();
    rest.remove_prefix(size);
    switch (type) {
      case 'c':
        return value_of<int8_t>(p);
      case 'C':
        return value_of<uint8_t>(p);
      case 's':
        return value_of<int16_t>(p);
      case 'S':
        return value_of<uint16_t>(p);
      case 'i':
        return value_of<int32_t>(p);
      case 'I':
        return value_of<uint32_t>(p);
      case 'f':
        return value_of<float>(p);
      default:
        return value_of<double>(p);
    }
  }
};

[[nodiscard]] Result<std::vector<PlyElement>> parse_header(Lines& lines, const std::string& file,
                                                           bool& binary) {
  std::string_view line;
  std::vector<std::string_view> w;
  std::vector<PlyElement> elements;
  if (!lines.next(line) || line != "ply")
    return fail_at_line(file, 1, "a .ply file begins with `ply`");
  bool has_format = false;
  while (lines.next(line)) {
    split_words(line, w);
    const auto wrong = [&] {
      return fail_at_line(file, lines.number(),
                          fmt::format("header line {} isn't understood", quoted(line)));
    };
    if (w.empty() || w[0] == "comment" || w[0] == "obj_info") continue;
    if (w[0] == "end_header") {
      if (!has_format) return fail_at_line(file, lines.number(), "the header has no `format`");
      return elements;
    }
    if (w[0] == "format" && w.size() >= 2) {
      if (w[1] != "ascii" && w[1] != "binary_little_endian")
        return fail_at_line(file, lines.number(), fmt::format("format {} isn't read", quoted(w[1])),
                            "write it as `ascii` or `binary_little_endian`");
      binary = w[1] != "ascii";
      has_format = true;
    } else if (w[0] == "element" && w.size() == 3) {
      const std::optional<int64_t> n = to_integer(w[2]);
      if (!n || *n < 0 || *n > kMostVertices) return wrong();
      elements.push_back({std::string(w[1]), *n, {}});
    } else if (w[0] == "property" && !elements.empty()) {
      Property p;
      const bool list = w.size() == 5 && w[1] == "list";
      if (!list && w.size() != 3) return wrong();
      p.count_type = list ? scalar_type(w[2]) : char(0);
      p.type = scalar_type(list ? w[3] : w[1]);
      p.name = std::string(w.back());
      if (p.type == 0 || (list && p.count_type == 0)) return wrong();
      elements.back().properties.push_back(p);
    } else {
      return wrong();
    }
  }
  return fail_at_line(file, lines.number(), "the header has no `end_header`");
}

}  // namespace

Result<Surface> parse_ply(std::string_view bytes, const std::string& file) {
  Lines lines(bytes);
  Source source;
  const Result<std::vector<PlyElement>> elements = parse_header(lines, file, source.binary);
  if (!elements) return fail(elements.error());
  source.rest = lines.rest();
  Surface surface;
  std::vector<int32_t> polygon;
  int64_t n_vertices = 0;
  for (const PlyElement& e : *elements)
    if (e.name == "vertex") n_vertices = e.count;
  for (const PlyElement& e : *elements) {
    if (e.properties.empty()) continue;
    for (int64_t i = 0; i < e.count; ++i) {
      const auto wrong = [&](std::string_view what) {
        return fail("surface-file",
                    fmt::format("`{}`: {} {} of {} {}", file, e.name, i, e.count, what));
      };
      Vec3 p = {};
      int seen = 0;
      for (const Property& property : e.properties) {
        int64_t n = 1;
        const bool corners = e.name == "face" && property.count_type != 0 &&
                             (property.name == "vertex_indices" || property.name == "vertex_index");
        if (property.count_type != 0) {
          const std::optional<double> count = source.next(property.count_type);
          if (!count || *count < 0 || *count != double(int64_t(*count)))
            return wrong("is missing or no number");
          n = int64_t(*count);
        }
        polygon.clear();
        for (int64_t k = 0; k < n; ++k) {
          const std::optional<double> value = source.next(property.type);
          if (!value) return wrong("is missing or has a value that isn't a finite number");
          const int axis = property.name == "x"   ? 0
                           : property.name == "y" ? 1
                           : property.name == "z" ? 2
                                                  : -1;
          if (e.name == "vertex" && property.count_type == 0 && axis >= 0) {
            if (!(*value - *value == 0)) return wrong("isn't at a finite position");
            p[size_t(axis)] = *value;
            seen |= 1 << axis;
          }
          if (corners) {
            if (!(*value >= 0 && *value < double(n_vertices)) || *value != double(int64_t(*value)))
              return wrong(fmt::format("has vertex {} as a corner; they are 0 to {}", *value,
                                       n_vertices - 1));
            polygon.push_back(int32_t(*value));
          }
        }
        if (!corners) continue;
        if (n < 3) return wrong(fmt::format("has {} corners", n));
        if (surface.vertices.size() != size_t(n_vertices))
          return wrong("comes before the vertices");
        append_polygon(polygon, surface.vertices, surface.facets);
      }
      if (e.name == "vertex") {
        if (seen != 7) return wrong("lacks x, y or z");
        surface.vertices.push_back(p);
      }
    }
  }
  return surface;
}

}  // namespace asb
