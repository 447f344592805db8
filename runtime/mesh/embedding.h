// embed(points, in: mesh): which cell holds each point, and with what weights. Points move with the
// mesh by x = sum_c N_c x_c.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

/// A point outside every cell is held by the nearest one, extrapolated, up to half that cell's size
/// (the cube root of its volume, of six times its volume for tets). Beyond that: an error with how
/// many there are and how far. A point on a side that two cells share belongs to the lower-numbered
/// one. `name` is the points' in messages.
[[nodiscard]] Result<Embedding> embed(std::span<const Vec3> points, const Mesh& mesh,
                                      const std::string& name = "the points");

}  // namespace asb
