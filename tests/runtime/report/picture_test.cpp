// The still picture, decoded again by libpng.
#include <gtest/gtest.h>
#include <png.h>

#include <cstdlib>
#include <vector>

#include "runtime/report/report.h"
#include "tests/runtime/report/sample.h"

namespace asb {
namespace {

struct Picture {
  int width = 0, height = 0;
  std::vector<uint8_t> rgb;
};

Picture decoded(const std::string& bytes) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  Picture out;
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return out;
  image.format = PNG_FORMAT_RGB;
  out.width = static_cast<int>(image.width);
  out.height = static_cast<int>(image.height);
  out.rgb.resize(PNG_IMAGE_SIZE(image));
  png_image_finish_read(&image, nullptr, out.rgb.data(), 0, nullptr);
  return out;
}

/// Pixels of clear colour (not the greys of the page, the ghost and the text) left of the colour
/// bar.
int coloured_pixels(const Picture& picture) {
  int n = 0;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width * 85 / 100; ++x) {
      const uint8_t* p = &picture.rgb[(static_cast<size_t>(y) * static_cast<size_t>(picture.width) +
                                       static_cast<size_t>(x)) *
                                      3];
      n += std::abs(p[0] - p[1]) + std::abs(p[1] - p[2]) > 60;
    }
  return n;
}

TEST(Picture, HasItsSizeAndABodyInColour) {
  const test::Sample sample = test::bent_beam({10, 2, 2});
  const Result<std::string> bytes = png_bytes(sample.result, 640, 400);
  ASSERT_TRUE(bytes) << bytes.error().message;
  const Picture picture = decoded(*bytes);
  EXPECT_EQ(picture.width, 640);
  EXPECT_EQ(picture.height, 400);
  EXPECT_GT(coloured_pixels(picture), 5000);
}

TEST(Picture, BodyAtRestWithoutShowsIsDrawnToo) {
  test::Sample sample = test::bent_beam({10, 2, 2});
  sample.result.shows.clear();
  sample.result.surfaces.clear();
  sample.result.meshes[0].deformed.clear();
  EXPECT_GT(coloured_pixels(decoded(*png_bytes(sample.result, 640, 400))), 5000);
}

TEST(Picture, WithoutBodiesThereIsNone) {
  RunResult result;
  result.program = "numbers";
  EXPECT_TRUE(png_bytes(result)->empty());
}

TEST(Picture, EqualResultsAreEqualPictures) {
  const test::Sample sample = test::bent_beam({6, 2, 2});
  EXPECT_EQ(*png_bytes(sample.result, 320, 200), *png_bytes(sample.result, 320, 200));
}

}  // namespace
}  // namespace asb
