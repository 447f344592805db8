// One-sided Jacobi singular value decomposition of a 3x3 matrix, with det(U) = det(V) = +1.
#include "backends/interpreter/rotation.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace asb::interpreter {
namespace {

using Vec = std::array<double, 3>;
using Columns = std::array<Vec, 3>;

double dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
double norm(const Vec& a) { return std::hypot(a[0], a[1], a[2]); }
Vec scaled(double f, const Vec& a) { return {f * a[0], f * a[1], f * a[2]}; }
Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// A unit vector perpendicular to the unit vector a.
Vec perpendicular(const Vec& a) {
  const int smallest = std::fabs(a[0]) <= std::fabs(a[1]) ? (std::fabs(a[0]) <= std::fabs(a[2]) ? 0 : 2)
                                                          : (std::fabs(a[1]) <= std::fabs(a[2]) ? 1 : 2);
  Vec e = {};
  e[smallest] = 1;
  const Vec b = cross(a, e);
  return scaled(1 / norm(b), b);
}

void turn(Vec& p, Vec& q, double c, double s) {
  for (int i = 0; i < 3; ++i) {
    const double x = p[i], y = q[i];
    p[i] = c * x - s * y;
    q[i] = s * x + c * y;
  }
}

/// Turns columns p and q of A and V so that those of A become perpendicular; false if they were.
bool make_perpendicular(Columns& A, Columns& V, int p, int q) {
  const double a = dot(A[p], A[p]), b = dot(A[q], A[q]), c = dot(A[p], A[q]);
  constexpr double kEpsilon = 2.2e-16;
  if (c == 0 || std::fabs(c) <= kEpsilon * std::sqrt(a) * std::sqrt(b)) return false;
  const double zeta = (b - a) / (2 * c);
  const double t = std::copysign(1 / (std::fabs(zeta) + std::hypot(1.0, zeta)), zeta);
  const double cosine = 1 / std::hypot(1.0, t), sine = cosine * t;
  turn(A[p], A[q], cosine, sine);
  turn(V[p], V[q], cosine, sine);
  return true;
}

/// Swaps two columns and keeps det V = +1.
void swap_columns(Columns& A, Columns& V, int p, int q) {
  std::swap(A[p], A[q]);
  std::swap(V[p], V[q]);
  A[q] = scaled(-1, A[q]);
  V[q] = scaled(-1, V[q]);
}

}  // namespace

ClosestRotation closest_rotation_3x3(const double* M) {
  double largest = 0;
  bool is_finite = true;
  for (int i = 0; i < 9; ++i) {
    largest = std::max(largest, std::fabs(M[i]));
    is_finite &= std::isfinite(M[i]);
  }
  ClosestRotation result;
  if (!is_finite) {
    result.R.fill(std::nan(""));
    return result;
  }
  if (largest == 0) {
    result.R = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    return result;
  }
  int exponent = 0;  // a power of two takes the matrix near 1, so that no square over- or underflows
  std::frexp(largest, &exponent);
  Columns A, V = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) A[j][i] = std::scalbn(M[3 * i + j], -exponent);
  constexpr int kMaxSweeps = 60;  // 3 to 6 are usual
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool turned = false;
    for (auto [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}}) turned |= make_perpendicular(A, V, p, q);
    if (!turned) break;
  }
  for (auto [p, q] : {std::pair{0, 1}, {1, 2}, {0, 1}})
    if (norm(A[p]) < norm(A[q])) swap_columns(A, V, p, q);

  // U from the two largest columns; its third makes det U = +1, which puts the sign of det M on the smallest value.
  Columns U;
  U[0] = scaled(1 / norm(A[0]), A[0]);
  const double second = norm(A[1]);
  U[1] = second > 0 ? scaled(1 / second, A[1]) : perpendicular(U[0]);
  U[2] = cross(U[0], U[1]);
  for (int i = 0; i < 3; ++i) {
    result.s[i] = std::scalbn(dot(U[i], A[i]), exponent);
    for (int j = 0; j < 3; ++j) result.R[3 * i + j] = U[0][i] * V[0][j] + U[1][i] * V[1][j] + U[2][i] * V[2][j];
  }
  const auto& s = result.s;
  result.D = 2 * (s[0] + s[1]) * (s[1] + s[2]) * (s[0] + s[2]);
  return result;
}

ClosestRotation closest_rotation_2x2(const double* M) {
  const double x = M[0] + M[3], y = M[2] - M[1];
  const double sum = std::hypot(x, y), difference = std::hypot(M[0] - M[3], M[2] + M[1]);
  ClosestRotation result;
  const double c = sum == 0 ? 1 : x / sum, s = sum == 0 ? 0 : y / sum;
  result.R = {c, -s, s, c};
  result.s = {0.5 * (sum + difference), 0.5 * (sum - difference), 0};
  result.D = sum;
  return result;
}

}  // namespace asb::interpreter
