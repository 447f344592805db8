// Seeded random numbers for tests: the same on every machine and library (splitmix64).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace asb::test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform(double lo, double hi) { return lo + (hi - lo) * static_cast<double>(bits() >> 11) * 0x1p-53; }
  int integer(int first, int last) {  ///< both included
    return first + static_cast<int>(bits() % static_cast<uint64_t>(last - first + 1));
  }
  bool coin() { return bits() & 1; }
  std::vector<double> uniforms(int n, double lo = -1, double hi = 1) {
    std::vector<double> result;
    for (int i = 0; i < n; ++i) result.push_back(uniform(lo, hi));
    return result;
  }

  /// A rotation, row major, from a random unit quaternion.
  std::vector<double> rotation() {
    double q[4], square = 0;
    do {
      square = 0;
      for (double& x : q) {
        x = uniform(-1, 1);
        square += x * x;
      }
    } while (square > 1 || square < 1e-3);
    for (double& x : q) x /= std::sqrt(square);
    const auto [w, x, y, z] = q;
    return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  }

  /// U diag(s) V' with random rotations U, V: a 3×3 with these (signed) singular values.
  std::vector<double> with_stretches(double a, double b, double c) {
    const std::vector<double> U = rotation(), V = rotation();
    const double s[3] = {a, b, c};
    std::vector<double> M(9, 0.0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) M[3 * i + j] += U[3 * i + k] * s[k] * V[3 * j + k];
    return M;
  }

 private:
  uint64_t state_;
};

}  // namespace asb::test
