// The still picture: the first body of the scene where it is now, coloured by its first show, a
// pale ghost of its rest shape behind, a colour bar and a caption. Drawn at twice the size and
// averaged down.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>

#include "runtime/report/colour.h"
#include "runtime/report/font.h"
#include "runtime/report/raster.h"
#include "runtime/report/report.h"

namespace asb {
namespace {

constexpr int kOversampling = 2;
constexpr Rgb kInk = {0.13f, 0.15f, 0.18f};
constexpr Rgb kFaintInk = {0.42f, 0.45f, 0.50f};
constexpr Rgb kGhost = {0.70f, 0.74f, 0.80f};
constexpr Rgb kPlain = {0.36f, 0.55f, 0.80f};

void blend(Rgb& under, const Rgb& over, float amount) {
  for (size_t c = 0; c < 3; ++c) under[c] += (over[c] - under[c]) * amount;
}

/// A light page that darkens a little downwards.
void paint_background(Raster& raster) {
  for (int y = 0; y < raster.height; ++y) {
    const float t = static_cast<float>(y) / static_cast<float>(raster.height);
    for (int x = 0; x < raster.width; ++x)
      raster.colour[raster.at(x, y)] = {0.992f - 0.055f * t, 0.994f - 0.048f * t,
                                        1.0f - 0.040f * t};
  }
}

void write_text(Raster& raster, const Font& font, const std::string& text, double left,
                double baseline, double size, const Rgb& ink) {
  font.draw(text, left, baseline, size, [&](int x, int y, float cover) {
    if (x >= 0 && y >= 0 && x < raster.width && y < raster.height)
      blend(raster.colour[raster.at(x, y)], ink, cover);
  });
}

/// Rounded number without trailing zeros; "-0" is "0".
std::string tick_text(double value) {
  const std::string text = fmt::format("{:.4g}", value);
  return text == "-0" ? "0" : text;
}

/// A bar of colours at the right with round numbers beside it.
void draw_colour_bar(Raster& raster, const Font& font, const ColourMap& map, const Paint& paint) {
  const double s = kOversampling * static_cast<double>(raster.height) / (kOversampling * 800.0);
  const Range range = map.range();
  const Display display =
      display_unit(std::max(std::abs(range.low), std::abs(range.high)), paint.unit);
  const double left = raster.width - 130 * s, top = 150 * s, width = 22 * s,
               height = raster.height - 300 * s;
  for (int y = static_cast<int>(top); y < static_cast<int>(top + height); ++y) {
    const double t = 1 - (y - top) / height;
    const Rgb colour = map(range.low + t * (range.high - range.low));
    for (int x = static_cast<int>(left); x < static_cast<int>(left + width); ++x)
      raster.colour[raster.at(x, y)] = colour;
  }
  const std::string label = paint.components == 1 ? paint.name : "|" + paint.name + "|";
  const std::string title =
      display.unit.empty() ? label : fmt::format("{} [{}]", label, display.unit);
  const double title_left = std::min(left, raster.width - 30 * s - font.width(title, 19 * s));
  write_text(raster, font, title, title_left, top - 24 * s, 19 * s, kInk);
  const Range shown = {range.low * display.factor, range.high * display.factor};
  for (const double tick : round_ticks(shown, 6)) {
    const double t = shown.high > shown.low ? (tick - shown.low) / (shown.high - shown.low) : 0.5;
    const double y = top + (1 - t) * height;
    for (int x = static_cast<int>(left + width); x < static_cast<int>(left + width + 7 * s); ++x)
      for (int k = 0; k < static_cast<int>(1.5 * s); ++k)
        raster.colour[raster.at(x, std::min(static_cast<int>(y) + k, raster.height - 1))] =
            kFaintInk;
    write_text(raster, font, tick_text(tick), left + width + 13 * s, y + 6 * s, 17 * s, kInk);
  }
}

Result<std::string> encoded(const Raster& raster) {
  const int w = raster.width / kOversampling, h = raster.height / kOversampling;
  std::vector<uint8_t> pixels(static_cast<size_t>(w) * static_cast<size_t>(h) * 3);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x)
      for (size_t c = 0; c < 3; ++c) {
        float sum = 0;
        for (int j = 0; j < kOversampling; ++j)
          for (int i = 0; i < kOversampling; ++i)
            sum += raster.colour[raster.at(x * kOversampling + i, y * kOversampling + j)][c];
        const float mean = std::clamp(sum / (kOversampling * kOversampling), 0.0f, 1.0f);
        pixels[(static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)) * 3 + c] =
            static_cast<uint8_t>(std::lround(mean * 255.0f));
      }
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(w);
  image.height = static_cast<png_uint_32>(h);
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, pixels.data(), 0, nullptr))
    return fail("file-write", fmt::format("can't make the picture: {}", image.message));
  bytes.resize(size);
  return bytes;
}

}  // namespace

Result<std::string> png_bytes(const RunResult& result, int width, int height) {
  const Scene scene = make_scene(result);
  if (scene.bodies.empty()) return std::string();
  const SceneBody& body = scene.bodies[scene.first];
  const Paint* paint = body.paints.empty() ? nullptr : &body.paints[0];
  const ColourMap map(paint ? painted_range(*paint) : Range{});
  Raster raster(width * kOversampling, height * kOversampling);
  paint_background(raster);
  const double right = paint ? 0.13 : 0.04;
  const View view(body, scene, raster, {0.04, 0.06, right, 0.11});
  if (body.moves) {
    Raster ghost(raster.width, raster.height);
    draw_body(
        ghost, view, body, body.rest, [](size_t, int) { return 0.0; },
        [](double) { return kGhost; });
    for (size_t i = 0; i < ghost.colour.size(); ++i)
      if (std::isfinite(ghost.depth[i])) blend(raster.colour[i], ghost.colour[i], 0.45f);
  }
  draw_body(
      raster, view, body, body.deformed,
      [&](size_t face, int corner) {
        if (!paint) return 0.0;
        return painted_value(
            *paint, paint->per_face
                        ? face
                        : static_cast<size_t>(body.faces[face].point[static_cast<size_t>(corner)]));
      },
      [&](double value) { return paint ? map(value) : kPlain; });
  const Font font;
  const double s = raster.height / 800.0;
  write_text(raster, font, result.program, 40 * s, raster.height - 56 * s, 27 * s, kInk);
  const std::string what =
      fmt::format("{}{}{}", body.facts[0].second, body.is_mesh ? "" : " facets",
                  body.moves ? ", pale: at rest" : ", at rest");
  write_text(raster, font, what, 40 * s, raster.height - 28 * s, 17 * s, kFaintInk);
  if (paint) draw_colour_bar(raster, font, map, *paint);
  return encoded(raster);
}

}  // namespace asb
