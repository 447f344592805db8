// Decoding after the table of well-formed byte sequences in the Unicode standard (table 3-7).
#include "dsl/source/utf8.h"

namespace asb {

CodePoint decode_utf8(std::string_view text, size_t offset) {
  const auto byte = [&](size_t i) -> uint32_t {
    return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0u;
  };
  const auto is_tail = [&](size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  if (first >= 0xC2 && first <= 0xDF && is_tail(1))
    return {(first & 0x1Fu) << 6 | (byte(1) & 0x3Fu), 2};
  if (first >= 0xE0 && first <= 0xEF && is_tail(1) && is_tail(2)) {
    const uint32_t value = (first & 0x0Fu) << 12 | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
    const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
    return value < 0x800 || is_surrogate ? CodePoint{} : CodePoint{value, 3};
  }
  if (first >= 0xF0 && first <= 0xF4 && is_tail(1) && is_tail(2) && is_tail(3)) {
    const uint32_t value = (first & 0x07u) << 18 | (byte(1) & 0x3Fu) << 12 |
                           (byte(2) & 0x3Fu) << 6 | (byte(3) & 0x3Fu);
    return value < 0x10000 || value > 0x10FFFF ? CodePoint{} : CodePoint{value, 4};
  }
  return {};
}

bool is_name_letter(uint32_t c) {
  struct Block {
    uint32_t first, last;
  };
  constexpr Block kBlocks[] = {
      {0xB5, 0xB5},   {0xC0, 0xD6},   {0xD8, 0xF6},   {0xF8, 0x24F},   // Latin
      {0x370, 0x373}, {0x376, 0x377}, {0x37B, 0x37D}, {0x386, 0x386},  // Greek
      {0x388, 0x38A}, {0x38C, 0x38C}, {0x38E, 0x3A1}, {0x3A3, 0x3FF}};
  for (const Block& block : kBlocks)
    if (c >= block.first && c <= block.last) return true;
  return false;
}

}  // namespace asb
