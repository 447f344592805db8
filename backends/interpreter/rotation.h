// The rotation closest to a small matrix, by a singular value decomposition: on purpose another algorithm than the
// one that `rotation` is expanded to.
#pragma once

#include <array>

namespace asb::interpreter {

/// R with det R = +1 that minimises |M - R|, row major.
struct ClosestRotation {
  std::array<double, 9> R = {};
  std::array<double, 3> s = {};  ///< singular values, falling, the last with the sign of det M; 2x2: two of them
  /// 2 (s1+s2)(s2+s3)(s1+s3), the measure of singularity of numerics.md; 2x2: s1+s2
  double D = 0;
};

/// One-sided Jacobi rotations [Demmel1992]: every singular value to a relative rounding error for graded matrices
/// too. Where the rotation isn't unique (D = 0) one of the closest is returned; M = 0 gives the identity.
ClosestRotation closest_rotation_3x3(const double* M);

/// R = ((x, -y), (y, x)) / hypot(x, y), x = M00 + M11, y = M10 - M01.
ClosestRotation closest_rotation_2x2(const double* M);

}  // namespace asb::interpreter
