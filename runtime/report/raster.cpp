// See raster.h.
#include "runtime/report/raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace asb {
namespace {

constexpr double kCreaseCosine =
    0.7;  // faces that meet more sharply (45 degrees) keep their own normal
constexpr double kLineWidth = 1.3;  // half of a mesh line [pixels of the large picture]
constexpr double kSmallestLineFace =
    10;  // mesh lines fade where a face is smaller than this [pixels]

double dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec3 minus(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 unit(const Vec3& a) {
  const double n = std::sqrt(dot(a, a));
  return n > 0 ? Vec3{a[0] / n, a[1] / n, a[2] / n} : Vec3{0, 0, 1};
}

/// Twice the area times the normal: of a quad from its diagonals.
Vec3 face_normal(const Face& face, const std::vector<Vec3>& points) {
  const auto p = [&](int k) {
    return points[static_cast<size_t>(face.point[static_cast<size_t>(k)])];
  };
  return face.corners == 4 ? cross(minus(p(2), p(0)), minus(p(3), p(1)))
                           : cross(minus(p(1), p(0)), minus(p(2), p(0)));
}

/// Faces around each point, as ranges of one list.
struct Around {
  std::vector<size_t> begin;
  std::vector<size_t> face;
  explicit Around(const SceneBody& body) : begin(body.rest.size() + 1) {
    for (const Face& f : body.faces)
      for (int k = 0; k < f.corners; ++k) ++begin[static_cast<size_t>(f.point[k]) + 1];
    for (size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    face.resize(begin.back());
    std::vector<size_t> next(begin.begin(), begin.end() - 1);
    for (size_t f = 0; f < body.faces.size(); ++f)
      for (int k = 0; k < body.faces[f].corners; ++k)
        face[next[static_cast<size_t>(body.faces[f].point[k])]++] = f;
  }
};

/// Two lamps and the eye's own, in the frame of the camera, and a little gloss.
Rgb lit(const Rgb& base, const Vec3& normal) {
  static const Vec3 kKey = unit({-0.35, 0.75, 0.65});
  static const Vec3 kFill = unit({0.8, 0.05, 0.45});
  const Vec3 n = normal[2] < 0 ? Vec3{-normal[0], -normal[1], -normal[2]} : normal;
  const double key = std::max(0.0, dot(n, kKey)), fill = std::max(0.0, dot(n, kFill));
  const double light = 0.44 + 0.46 * key + 0.16 * fill + 0.16 * n[2];
  const double gloss = 0.10 * std::pow(std::max(0.0, dot(n, unit({-0.18, 0.38, 0.83}))), 24);
  Rgb out;
  for (size_t c = 0; c < 3; ++c)
    out[c] = static_cast<float>(std::min(1.0, base[c] * light + gloss));
  return out;
}

struct Corner {
  Vec3 screen;
  Vec3 normal;
  double value;
};

/// `inner` is the side (k to k + 1) that is the diagonal of a quad and no mesh line, or -1.
void fill(Raster& raster, const std::array<Corner, 3>& corner, int inner, double line_strength,
          const std::function<Rgb(double)>& colour) {
  const Vec3 &a = corner[0].screen, &b = corner[1].screen, &c = corner[2].screen;
  const double area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
  if (area == 0 || !std::isfinite(area)) return;
  const auto [left, right] = std::minmax({a[0], b[0], c[0]});
  const auto [top, bottom] = std::minmax({a[1], b[1], c[1]});
  const int x0 = std::max(0, static_cast<int>(std::floor(left))),
            x1 = std::min(raster.width - 1, static_cast<int>(right) + 1);
  const int y0 = std::max(0, static_cast<int>(std::floor(top))),
            y1 = std::min(raster.height - 1, static_cast<int>(bottom) + 1);
  double side[3];  // lengths of sides, to turn barycentric weights into distances in pixels
  for (size_t k = 0; k < 3; ++k) {
    const Vec3 &p = corner[k].screen, &q = corner[(k + 1) % 3].screen;
    side[k] = std::hypot(q[0] - p[0], q[1] - p[1]);
  }
  for (int y = y0; y <= y1; ++y)
    for (int x = x0; x <= x1; ++x) {
      const double px = x + 0.5, py = y + 0.5;
      const double w0 = ((b[0] - px) * (c[1] - py) - (b[1] - py) * (c[0] - px)) / area;
      const double w1 = ((c[0] - px) * (a[1] - py) - (c[1] - py) * (a[0] - px)) / area;
      const double w2 = 1 - w0 - w1;
      if (w0 < 0 || w1 < 0 || w2 < 0) continue;
      const auto depth = static_cast<float>(w0 * a[2] + w1 * b[2] + w2 * c[2]);
      const size_t i = raster.at(x, y);
      if (depth >= raster.depth[i]) continue;
      raster.depth[i] = depth;
      const double w[3] = {w0, w1, w2};
      Vec3 normal = {};
      double value = 0, nearest = std::numeric_limits<double>::infinity();
      for (size_t k = 0; k < 3; ++k) {
        for (size_t j = 0; j < 3; ++j) normal[j] += w[k] * corner[k].normal[j];
        value += w[k] * corner[k].value;
        // the side k to k + 1 lies opposite to corner k + 2
        if (static_cast<int>(k) != inner)
          nearest = std::min(nearest, w[(k + 2) % 3] * std::abs(area) / side[k]);
      }
      Rgb out = lit(colour(value), unit(normal));
      const double line = line_strength * std::clamp(kLineWidth + 0.5 - nearest, 0.0, 1.0);
      for (float& channel : out) channel *= static_cast<float>(1 - line);
      raster.colour[i] = out;
    }
}

}  // namespace

Raster::Raster(int w, int h)
    : width(w),
      height(h),
      colour(static_cast<size_t>(w) * static_cast<size_t>(h)),
      depth(colour.size(), std::numeric_limits<float>::infinity()) {}

View::View(const SceneBody& body, const Scene& scene, const Raster& raster, const Margin& margin) {
  const double ca = std::cos(scene.azimuth), sa = std::sin(scene.azimuth);
  const double ce = std::cos(scene.elevation), se = std::sin(scene.elevation);
  back_ = {ce * ca, ce * sa, se};
  right_ = {-sa, ca, 0};
  up_ = cross(back_, right_);
  Vec3 low = body.rest[0], high = low;
  for (const auto* points : {&body.rest, &body.deformed})
    for (const Vec3& p : *points)
      for (size_t i = 0; i < 3; ++i) {
        low[i] = std::min(low[i], p[i]);
        high[i] = std::max(high[i], p[i]);
      }
  for (size_t i = 0; i < 3; ++i) centre_[i] = 0.5 * (low[i] + high[i]);
  const Vec3 size = minus(high, low);
  distance_ = 2.4 * std::max(std::sqrt(dot(size, size)), 1e-30);
  // Fit what is really seen: project with scale 1 first.
  double left = 1e300, right = -1e300, bottom = 1e300, top = -1e300;
  for (const auto* points : {&body.rest, &body.deformed})
    for (const Vec3& p : *points) {
      const Vec3 q = project(p);
      left = std::min(left, q[0]), right = std::max(right, q[0]);
      bottom = std::min(bottom, q[1]), top = std::max(top, q[1]);
    }
  const double room_x = raster.width * (1 - margin.left - margin.right);
  const double room_y = raster.height * (1 - margin.top - margin.bottom);
  scale_ =
      std::min(room_x / std::max(right - left, 1e-30), room_y / std::max(top - bottom, 1e-30)) *
      0.92;
  x_ = raster.width * margin.left + 0.5 * room_x - scale_ * 0.5 * (left + right);
  y_ = raster.height * margin.top + 0.5 * room_y - scale_ * 0.5 * (bottom + top);
}

Vec3 View::turned(const Vec3& d) const { return {dot(d, right_), dot(d, up_), dot(d, back_)}; }

Vec3 View::project(const Vec3& point) const {
  const Vec3 p = turned(minus(point, centre_));
  const double depth = distance_ - p[2];
  return {x_ + scale_ * p[0] * distance_ / depth, y_ - scale_ * p[1] * distance_ / depth, depth};
}

void draw_body(Raster& raster, const View& view, const SceneBody& body, const std::vector<Vec3>& points,
               const std::function<double(size_t, int)>& value,
               const std::function<Rgb(double)>& colour) {
  const Around around(body);
  std::vector<Vec3> area(body.faces.size()), screen(points.size());
  for (size_t f = 0; f < area.size(); ++f) area[f] = face_normal(body.faces[f], points);
  for (size_t i = 0; i < points.size(); ++i) screen[i] = view.project(points[i]);
  double total = 0;  // mean length of a side decides how strongly mesh lines are drawn
  for (const Face& face : body.faces) {
    const Vec3 &p = screen[static_cast<size_t>(face.point[0])],
               &q = screen[static_cast<size_t>(face.point[1])];
    total += std::hypot(q[0] - p[0], q[1] - p[1]);
  }
  const double mean = total / static_cast<double>(std::max<size_t>(1, body.faces.size()));
  const double strength =  // lines help to read a regular mesh and disturb on a scanned surface
      body.is_mesh ? 0.38 * std::clamp(mean / kSmallestLineFace - 0.6, 0.0, 1.0) : 0;
  for (size_t f = 0; f < body.faces.size(); ++f) {
    const Face& face = body.faces[f];
    const Vec3 own = unit(area[f]);
    std::array<Corner, 4> corner;
    for (int k = 0; k < face.corners; ++k) {
      const auto point = static_cast<size_t>(face.point[k]);
      Vec3 normal = {};
      for (size_t j = around.begin[point]; j < around.begin[point + 1]; ++j) {
        const Vec3& other = area[around.face[j]];
        if (dot(unit(other), own) < kCreaseCosine) continue;
        for (size_t i = 0; i < 3; ++i) normal[i] += other[i];
      }
      corner[static_cast<size_t>(k)] = {screen[point], view.turned(unit(normal)), value(f, k)};
    }
    fill(raster, {corner[0], corner[1], corner[2]}, face.corners == 4 ? 2 : -1, strength, colour);
    if (face.corners == 4) fill(raster, {corner[0], corner[2], corner[3]}, 0, strength, colour);
  }
}

}  // namespace asb
