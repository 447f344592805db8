// A small software rasteriser: a shaded body with its mesh lines into a picture with depth. Used by
// picture.cpp; render.js draws the same look with WebGL.
#pragma once

#include <functional>
#include <vector>

#include "runtime/report/colour.h"

namespace asb {

/// Rows from the top; depth grows away from the eye and is infinite where nothing was drawn.
struct Raster {
  int width = 0;
  int height = 0;
  std::vector<Rgb> colour;
  std::vector<float> depth;
  Raster(int w, int h);
  [[nodiscard]] size_t at(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x);
  }
};

/// Empty part of the picture at each side, as a fraction of it.
struct Margin {
  double left = 0, top = 0, right = 0, bottom = 0;
};

/// A camera with z up that holds a body, at rest and deformed, inside the margins.
class View {
 public:
  View(const SceneBody& body, const Scene& scene, const Raster& raster, const Margin& margin);
  /// x and y in pixels, z the distance from the eye.
  [[nodiscard]] Vec3 project(const Vec3& point) const;
  [[nodiscard]] Vec3 turned(const Vec3& direction) const;  ///< right, up, towards the eye

 private:
  Vec3 right_, up_, back_, centre_;
  double distance_ = 1, scale_ = 1, x_ = 0, y_ = 0;
};

/// Draws the faces with their points at `points`. value(face, corner) is what colour(value) paints,
/// linear across a face.
void draw_body(Raster& raster, const View& view, const SceneBody& body, const std::vector<Vec3>& points,
               const std::function<double(size_t, int)>& value,
               const std::function<Rgb(double)>& colour);

}  // namespace asb
