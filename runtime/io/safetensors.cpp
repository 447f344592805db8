// .safetensors: 8 bytes N (little-endian), N bytes of JSON {name: {dtype, shape, data_offsets: [begin, end]}}, then the
// numbers. Offsets count from the end of the header; arrays neither overlap nor leave holes. Entries of `__metadata__`
// are skipped.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/io/weight_formats.h"

namespace asb {
namespace {

using nlohmann::json;

constexpr uint64_t kLongestHeader = 100'000'000;  // as in the format's own reader

std::optional<NumberType> type_of(const std::string& name) {
  static const std::pair<const char*, NumberType> kTypes[] = {
      {"F64", NumberType::F64}, {"F32", NumberType::F32}, {"F16", NumberType::F16}, {"BF16", NumberType::BF16},
      {"I64", NumberType::I64}, {"I32", NumberType::I32}, {"I16", NumberType::I16}, {"I8", NumberType::I8},
      {"U8", NumberType::U8}};
  for (const auto& [text, type] : kTypes)
    if (name == text) return type;
  return {};
}

struct Entry {
  NamedArray array;
  NumberType type = NumberType::F64;
  uint64_t begin = 0, end = 0;
};

class Reader {
 public:
  Reader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<std::vector<NamedArray>> run() {
    uint64_t length = 0;
    if (bytes_.size() < 8) return damaged(fmt::format("{} bytes are too few for a header", bytes_.size()));
    std::memcpy(&length, bytes_.data(), 8);
    if (length > bytes_.size() - 8 || length > kLongestHeader)
      return damaged(fmt::format("the header says it has {} bytes, the file has {}", length, bytes_.size()));
    const std::string_view text = bytes_.substr(8, length);
    data_ = bytes_.substr(8 + length);
    if (!is_shallow(text)) return damaged("the header nests too deep");
    bool is_unique = true;
    std::vector<std::string> names;
    const auto watch = [&](int depth, json::parse_event_t event, json& key) {
      if (event != json::parse_event_t::key || depth != 1) return true;
      names.push_back(key.get<std::string>());
      return true;
    };
    const json header = json::parse(text, watch, /*allow_exceptions=*/false);
    if (!header.is_object()) return damaged("the header is no JSON object");
    std::ranges::sort(names);
    is_unique = std::ranges::adjacent_find(names) == names.end();
    if (!is_unique) return damaged("the header has a name twice");
    return arrays(header);
  }

 private:
  tl::unexpected<Error> damaged(const std::string& what) const {
    return fail("weights-damaged", fmt::format("`{}` is no sound .safetensors file: {}", name_, what), "the file may be cut off; fetch it again");
  }

  /// A header has three levels; more would only use up the stack.
  static bool is_shallow(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string) {
        if (c == '\\') ++i;
        else if (c == '"') in_string = false;
      } else if (c == '"') {
        in_string = true;
      } else if (c == '{' || c == '[') {
        if (++depth > 8) return false;
      } else if (c == '}' || c == ']') {
        --depth;
      }
    }
    return true;
  }

  Result<std::vector<NamedArray>> arrays(const json& header) {
    std::vector<Entry> entries;
    for (const auto& [key, value] : header.items()) {
      if (key == "__metadata__") continue;
      Result<Entry> e = entry(key, value);
      if (!e) return fail(e.error());
      entries.push_back(std::move(*e));
    }
    std::ranges::sort(entries, {}, [](const Entry& e) { return std::pair(e.begin, e.end); });
    uint64_t end = 0;
    std::vector<NamedArray> result;
    for (Entry& e : entries) {
      if (e.begin != end) return damaged(fmt::format("`{}` begins at byte {} of the data, the one before it ends at {}", e.array.name, e.begin, end));
      end = e.end;
      auto values = decode_numbers(data_.substr(e.begin, e.end - e.begin), e.type);
      if (!values) return damaged(fmt::format("`{}` has whole numbers beyond 2^53", e.array.name));
      e.array.values = std::move(*values);
      result.push_back(std::move(e.array));
    }
    if (end != data_.size()) return damaged(fmt::format("the arrays take {} bytes, the file has {} for them", end, data_.size()));
    return result;
  }

  Result<Entry> entry(const std::string& key, const json& value) const {
    const auto text = [&](const char* field) { return value.contains(field) && value[field].is_string() ? value[field].get<std::string>() : ""; };
    const auto numbers = [&](const char* field) -> std::optional<std::vector<int64_t>> {
      if (!value.contains(field) || !value[field].is_array()) return {};
      std::vector<int64_t> result;
      for (const json& x : value[field]) {
        if (!x.is_number_unsigned() || x.get<uint64_t>() > INT64_MAX) return {};
        result.push_back(x.get<int64_t>());
      }
      return result;
    };
    if (!value.is_object()) return damaged(fmt::format("`{}` isn't described by an object", key));
    const auto shape = numbers("shape"), offsets = numbers("data_offsets");
    if (!shape || !offsets || offsets->size() != 2) return damaged(fmt::format("`{}` has no sound shape and data_offsets", key));
    const std::optional<NumberType> type = type_of(text("dtype"));
    if (!type)
      return fail("weights-type", fmt::format("`{}` in `{}` has numbers of type `{}`", key, name_, text("dtype")), "F64, F32, F16, BF16, I64, I32, I16, I8 and U8 are read");
    Entry e{{key, *shape, {}, *type == NumberType::F32}, *type, static_cast<uint64_t>((*offsets)[0]), static_cast<uint64_t>((*offsets)[1])};
    if (e.begin > e.end || e.end > data_.size())
      return damaged(fmt::format("`{}` lies at bytes {} to {} of {}", key, e.begin, e.end, data_.size()));
    const auto count = count_of(e.array.shape, data_.size());
    if (!count || *count * size_of(*type) != e.end - e.begin)
      return damaged(fmt::format("`{}` has {} bytes, which isn't what its shape [{}] needs", key, e.end - e.begin, fmt::join(e.array.shape, ", ")));
    return e;
  }

  std::string_view bytes_, data_;
  const std::string& name_;
};

}  // namespace

Result<std::vector<NamedArray>> parse_safetensors(std::string_view bytes, const std::string& name) { return Reader(bytes, name).run(); }

Result<std::string> safetensors_bytes(std::span<const NamedArray> arrays) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  std::string data;
  for (const NamedArray& a : arrays) {
    const size_t begin = data.size();
    data += encode_numbers(a);
    header[a.name] = {{"dtype", a.is_f32 ? "F32" : "F64"}, {"shape", a.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.append((8 - text.size() % 8) % 8, ' ');  // the data begins at a multiple of 8
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), 8);
  return bytes + text + data;
}

}  // namespace asb
