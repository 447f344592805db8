// What the weight file formats share; not for use outside of runtime/io.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/networks/learner.h"

namespace asb {

enum class NumberType : uint8_t { F64, F32, F16, BF16, I64, I32, I16, I8, U8 };
size_t size_of(NumberType type);

/// Little-endian numbers as doubles, which hold them exactly; nothing if a whole number is beyond 2^53.
std::optional<std::vector<double>> decode_numbers(std::string_view bytes, NumberType type);

/// The values of an array, in f32 or f64, little-endian.
std::string encode_numbers(const NamedArray& array);

/// Product of the extents; nothing if one is negative or the product is above `limit`.
std::optional<uint64_t> count_of(std::span<const int64_t> shape, uint64_t limit);

Result<std::vector<NamedArray>> parse_safetensors(std::string_view bytes, const std::string& name);
Result<std::string> safetensors_bytes(std::span<const NamedArray> arrays);

Result<std::vector<NamedArray>> parse_state_dictionary(std::string_view bytes, const std::string& name);
Result<std::string> state_dictionary_bytes(std::span<const NamedArray> arrays);

}  // namespace asb
