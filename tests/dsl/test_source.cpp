// Places in texts, and UTF-8.
#include <gtest/gtest.h>

#include "dsl/source/source_files.h"
#include "dsl/source/utf8.h"

namespace asb {
namespace {

TEST(SourceFiles, ColumnsCountCodePointsAndLinesCountNewlines) {
  SourceFiles files;
  const uint32_t file = files.add("a.asb", "one\nμμ x\r\n\nend");
  EXPECT_EQ(files.position(file, 0), (Position{1, 1}));
  EXPECT_EQ(files.position(file, 3), (Position{1, 4}));  // the newline itself
  EXPECT_EQ(files.position(file, 9), (Position{2, 4}));  // `x` after two letters of two bytes
  EXPECT_EQ(files.position(file, 999), (Position{4, 4}));
  EXPECT_EQ(files.line(file, 2), "μμ x");
  EXPECT_EQ(files.line(file, 3), "");
  EXPECT_EQ(files.line(file, 5), "");
  EXPECT_EQ(files.place({file, 9, 10}), "a.asb:2:4");
  EXPECT_EQ(files.text({file, 4, 8}), "μμ");
}

TEST(Utf8, EveryCodePointDecodesToItself) {
  for (uint32_t c = 1; c <= 0x10FFFF; c += c < 0x3000 ? 1 : 251) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string s;
    if (c < 0x80) {
      s += static_cast<char>(c);
    } else {
      const int tails = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
      constexpr uint32_t kLeads[] = {0, 0xC0, 0xE0, 0xF0};
      s += static_cast<char>(kLeads[tails] | c >> (6 * tails));
      for (int i = tails - 1; i >= 0; --i) s += static_cast<char>(0x80u | (c >> (6 * i) & 0x3Fu));
    }
    const CodePoint decoded = decode_utf8(s, 0);
    ASSERT_EQ(decoded.value, c);
    ASSERT_EQ(decoded.length, s.size());
  }
}

TEST(Utf8, OverlongFormsSurrogatesAndCutSequencesAreRefused) {
  for (const std::string s :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xED\xA0\x80", "\xF0\x80\x80\xAF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xFF"})
    EXPECT_EQ(decode_utf8(s, 0).length, 0u) << testing::PrintToString(s);
}

}  // namespace
}  // namespace asb
