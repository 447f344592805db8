// What there is to see of a result: the outer faces of each body with its shows on them. Read by
// the page (page.cpp) and by the still picture (picture.cpp), so that both show the same.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/report/result.h"

namespace asb {

/// A triangle (corners == 3) or quad of point numbers, outward by the right-hand rule.
struct Face {
  std::array<int32_t, 4> point = {};
  int32_t corners = 3;
  int32_t owner = 0;  ///< cell of a mesh, facet of a surface
};

/// The faces that belong to exactly one cell, by cell and then in the order of the element's faces.
[[nodiscard]] std::vector<Face> outer_faces(const Mesh& mesh);

/// A show as it is painted: one value tuple per face or per point of its body.
struct Paint {
  std::string name;
  std::string unit;
  bool per_face = true;
  int components = 1;
  std::vector<double> values;
};

/// Only the points that faces use, renumbered in ascending order.
struct SceneBody {
  std::string name;
  bool is_mesh = true;
  std::vector<Vec3> rest;      ///< [m]
  std::vector<Vec3> deformed;  ///< [m], equal to rest if nothing moves it
  bool moves = false;
  std::vector<Face> faces;
  std::vector<Paint> paints;
  std::vector<std::pair<std::string, std::string>> facts;  ///< "cells" → "640 hex8", for people
};

struct Scene {
  std::vector<SceneBody> bodies;
  size_t first = 0;    ///< the body to show first: that of the first show, else the last that moves
  double azimuth = 0;  ///< of the camera about z, from x [rad]
  double elevation = 0;  ///< above the xy plane [rad]
};

[[nodiscard]] Scene make_scene(const RunResult& result);

/// One number to colour by: the value itself, else the Euclidean or (6, 9 components) Frobenius
/// norm.
[[nodiscard]] double painted_value(const Paint& paint, size_t entity);

struct Range {
  double low = 0;
  double high = 1;
};
/// Smallest and largest finite value.
[[nodiscard]] Range painted_range(const Paint& paint);

}  // namespace asb
