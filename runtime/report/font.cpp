// See font.h. A font that FreeType can't open leaves the picture without text, not the user without
// picture.
#include "runtime/report/font.h"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cmath>

#include "runtime/report/embedded.h"

namespace asb {
namespace {

/// The next code point; a broken sequence gives U+FFFD and moves one byte.
uint32_t next_code_point(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const uint32_t first = byte(at);
  const int more = first < 0x80         ? 0
                   : (first >> 5) == 6  ? 1
                   : (first >> 4) == 14 ? 2
                   : (first >> 3) == 30 ? 3
                                        : -1;
  if (more < 0) return ++at, 0xfffd;
  uint32_t code = more == 0 ? first : first & (0x3fu >> more);
  for (int k = 1; k <= more; ++k) {
    const uint32_t next = byte(at + static_cast<size_t>(k));
    if ((next >> 6) != 2) return ++at, 0xfffd;
    code = code << 6 | (next & 0x3f);
  }
  at += static_cast<size_t>(more) + 1;
  return code;
}

}  // namespace

struct Font::State {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
};

Font::Font() : state_(std::make_unique<State>()) {
  const auto bytes = embedded_font();
  if (FT_Init_FreeType(&state_->library) != 0) return;
  if (FT_New_Memory_Face(state_->library, reinterpret_cast<const FT_Byte*>(bytes.data()),
                         static_cast<FT_Long>(bytes.size()), 0, &state_->face) != 0)
    state_->face = nullptr;
}

Font::~Font() {
  if (state_->face) FT_Done_Face(state_->face);
  if (state_->library) FT_Done_FreeType(state_->library);
}

void Font::draw(const std::string& utf8, double left, double baseline, double size,
                const std::function<void(int, int, float)>& paint) const {
  if (!state_->face || FT_Set_Char_Size(state_->face, 0, std::lround(size * 64), 72, 72) != 0)
    return;
  double pen = left;
  for (size_t i = 0; i < utf8.size();) {
    if (FT_Load_Char(state_->face, next_code_point(utf8, i), FT_LOAD_RENDER | FT_LOAD_NO_HINTING) !=
        0)
      continue;
    const FT_GlyphSlot glyph = state_->face->glyph;
    const int x0 = static_cast<int>(std::lround(pen)) + glyph->bitmap_left;
    const int y0 = static_cast<int>(std::lround(baseline)) - glyph->bitmap_top;
    for (unsigned row = 0; paint && row < glyph->bitmap.rows; ++row)
      for (unsigned column = 0; column < glyph->bitmap.width; ++column) {
        const unsigned char cover =
            glyph->bitmap.buffer[static_cast<std::ptrdiff_t>(row) * glyph->bitmap.pitch + column];
        if (cover)
          paint(x0 + static_cast<int>(column), y0 + static_cast<int>(row),
                static_cast<float>(cover) / 255.0f);
      }
    pen += static_cast<double>(glyph->linearHoriAdvance) / 65536.0;
  }
}

double Font::width(const std::string& utf8, double size) const {
  if (!state_->face || FT_Set_Char_Size(state_->face, 0, std::lround(size * 64), 72, 72) != 0)
    return 0;
  double pen = 0;
  for (size_t i = 0; i < utf8.size();)
    if (FT_Load_Char(state_->face, next_code_point(utf8, i), FT_LOAD_NO_HINTING) == 0)
      pen += static_cast<double>(state_->face->glyph->linearHoriAdvance) / 65536.0;
  return pen;
}

}  // namespace asb
