// A place in the user's source text: bytes [begin, end) of file number `file` of the loaded program.
#pragma once

#include <cstdint>

namespace asb {

struct Span {
  static constexpr uint32_t kNoFile = 0xffffffffu;
  uint32_t file = kNoFile;
  uint32_t begin = 0;
  uint32_t end = 0;
  explicit operator bool() const { return file != kNoFile; }
  bool operator==(const Span&) const = default;
};

}  // namespace asb
