// UTF-8, one code point at a time, and which code points may stand in a name.
#pragma once

#include <cstdint>
#include <string_view>

namespace asb {

struct CodePoint {
  uint32_t value = 0;
  uint32_t length = 0;  ///< bytes; 0 where the text is not UTF-8
};

/// The code point that begins at `offset` (which must be inside). Overlong forms, surrogates and
/// values past U+10FFFF are not UTF-8.
CodePoint decode_utf8(std::string_view text, size_t offset);

/// Letters that names may have besides ASCII ones: Latin and Greek, so that `μ` and `λ` work.
bool is_name_letter(uint32_t code_point);

}  // namespace asb
