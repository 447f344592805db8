// See weights.h: dispatch by ending, and numbers from and to bytes.
#include "runtime/io/weights.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "base/atomic_file.h"
#include "base/check.h"
#include "runtime/io/weight_formats.h"

namespace asb {
namespace {

static_assert(std::endian::native == std::endian::little, "weight files are little-endian and copied as they are");

enum class Format : uint8_t { Safetensors, StateDictionary };

Result<Format> format_of(const std::string& name) {
  if (name.ends_with(".safetensors")) return Format::Safetensors;
  if (name.ends_with(".pt") || name.ends_with(".pth")) return Format::StateDictionary;
  return fail("weights-format", fmt::format("`{}` has no ending of a weight file", name), "use `.safetensors` or `.pt`");
}

template <class T>
T load(std::string_view bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

// 1 sign, 5 exponent (bias 15), 10 fraction bits
double half(uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value;
  if (exponent == 31) value = fraction ? std::nan("") : HUGE_VAL;
  else if (exponent == 0) value = std::ldexp(fraction, -24);
  else value = std::ldexp(1024 + fraction, exponent - 25);
  return bits >> 15 ? -value : value;
}

double number_at(std::string_view bytes, size_t i, NumberType type) {
  switch (type) {
    case NumberType::F64: return load<double>(bytes, i);
    case NumberType::F32: return load<float>(bytes, i);
    case NumberType::F16: return half(load<uint16_t>(bytes, i));
    case NumberType::BF16: return std::bit_cast<float>(uint32_t{load<uint16_t>(bytes, i)} << 16);
    case NumberType::I64: return static_cast<double>(load<int64_t>(bytes, i));
    case NumberType::I32: return load<int32_t>(bytes, i);
    case NumberType::I16: return load<int16_t>(bytes, i);
    case NumberType::I8: return load<int8_t>(bytes, i);
    case NumberType::U8: return load<uint8_t>(bytes, i);
  }
  ASB_UNREACHABLE("number type");
}

}  // namespace

size_t size_of(NumberType type) {
  switch (type) {
    case NumberType::F64: case NumberType::I64: return 8;
    case NumberType::F32: case NumberType::I32: return 4;
    case NumberType::F16: case NumberType::BF16: case NumberType::I16: return 2;
    case NumberType::I8: case NumberType::U8: return 1;
  }
  ASB_UNREACHABLE("number type");
}

std::optional<std::vector<double>> decode_numbers(std::string_view bytes, NumberType type) {
  std::vector<double> values(bytes.size() / size_of(type));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = number_at(bytes, i, type);
    if (type == NumberType::I64 && std::fabs(values[i]) > 0x1p53) return {};
  }
  return values;
}

std::string encode_numbers(const NamedArray& array) {
  std::string bytes;
  if (!array.is_f32) {
    bytes.assign(reinterpret_cast<const char*>(array.values.data()), array.values.size() * sizeof(double));
    return bytes;
  }
  bytes.reserve(array.values.size() * sizeof(float));
  for (const double value : array.values) {
    const auto rounded = static_cast<float>(value);
    bytes.append(reinterpret_cast<const char*>(&rounded), sizeof rounded);
  }
  return bytes;
}

std::optional<uint64_t> count_of(std::span<const int64_t> shape, uint64_t limit) {
  uint64_t count = 1;
  for (const int64_t extent : shape) {
    if (extent < 0) return {};
    const auto n = static_cast<uint64_t>(extent);
    if (n != 0 && count > limit / n) return {};
    count *= n;
  }
  return count;
}

Result<std::vector<NamedArray>> parse_weights(std::string_view bytes, const std::string& name) {
  const Result<Format> format = format_of(name);
  if (!format) return fail(format.error());
  return *format == Format::Safetensors ? parse_safetensors(bytes, name) : parse_state_dictionary(bytes, name);
}

Result<std::string> weight_bytes(const std::string& name, std::span<const NamedArray> arrays) {
  const Result<Format> format = format_of(name);
  if (!format) return fail(format.error());
  std::set<std::string_view> names;
  for (const NamedArray& a : arrays) {
    ASB_CHECK(names.insert(a.name).second, "names in a weight file are unique");
    ASB_CHECK(count_of(a.shape, a.values.size()) == a.values.size(), "a weight has as many values as its shape says");
  }
  return *format == Format::Safetensors ? safetensors_bytes(arrays) : state_dictionary_bytes(arrays);
}

Result<std::vector<NamedArray>> read_weights(const std::string& path) {
  const Result<Format> format = format_of(path);  // before a large file is read
  if (!format) return fail(format.error());
  const Result<std::string> bytes = read_file(path);
  if (!bytes) return fail(bytes.error());
  return parse_weights(*bytes, path);
}

Result<void> write_weights(const std::string& path, std::span<const NamedArray> arrays) {
  const Result<std::string> bytes = weight_bytes(path, arrays);
  if (!bytes) return fail(bytes.error());
  return write_file_atomically(path, *bytes);
}

}  // namespace asb
