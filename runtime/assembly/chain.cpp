// See chain.h. Written as plain loops over lanes; the compiler makes one version per instruction set.
#include "runtime/assembly/chain.h"

#include <cstring>

#include "runtime/mesh/element.h"

#define ASB_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))

namespace asb {
namespace {

/// B of one local at a point: for node a and local direction J a row of lanes. Shared weights are spread over lanes.
struct Weights {
  alignas(64) double w[kMaxCorners * 3][kLanes];
};

inline __attribute__((always_inline)) void load_weights(const Stencil& s, int64_t block, int q, bool gradient, Weights& out) {
  const int per_corner = gradient ? 3 : 1;
  const int n = s.corners * per_corner;
  const AlignedVector& from = gradient ? s.G : s.N;
  if (gradient ? s.shared_gradients : s.shared_values) {
    const double* source = from.data() + static_cast<int64_t>(q) * n;
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < kLanes; ++l) out.w[k][l] = source[k];
  } else {
    std::memcpy(out.w, from.data() + (block * s.points + q) * n * kLanes, sizeof(double) * n * kLanes);
  }
}

}  // namespace

ASB_CLONES void gather_corners(const Stencil& s, int64_t block, const double* u, int c, double* corner) {
  const int32_t* nodes = s.nodes.data() + block * s.corners * kLanes;
  for (int a = 0; a < s.corners; ++a)
    for (int i = 0; i < c; ++i)
      for (int l = 0; l < kLanes; ++l)
        corner[(a * c + i) * kLanes + l] = u[static_cast<int64_t>(nodes[a * kLanes + l]) * c + i];
}

ASB_CLONES void gather_local(const Stencil& s, int64_t block, int q, const LocalShape& shape, const double* corner,
                             double* y) {
  Weights b;
  load_weights(s, block, q, shape.is_gradient, b);
  const int c = shape.components, d = shape.is_gradient ? 3 : 1;
  for (int i = 0; i < c; ++i)
    for (int J = 0; J < d; ++J) {
      alignas(64) double sum[kLanes] = {};
      for (int a = 0; a < s.corners; ++a)
        for (int l = 0; l < kLanes; ++l) sum[l] += corner[(a * c + i) * kLanes + l] * b.w[a * d + J][l];
      for (int l = 0; l < kLanes; ++l) y[(i * d + J) * kLanes + l] = sum[l];
    }
}

ASB_CLONES void scatter_local(const Stencil& s, int64_t block, int q, const LocalShape& shape, const double* w,
                              const double* p, double* force) {
  Weights b;
  load_weights(s, block, q, shape.is_gradient, b);
  const int c = shape.components, d = shape.is_gradient ? 3 : 1;
  for (int i = 0; i < c; ++i)
    for (int J = 0; J < d; ++J) {
      alignas(64) double wp[kLanes];
      for (int l = 0; l < kLanes; ++l) wp[l] = w[l] * p[(i * d + J) * kLanes + l];
      for (int a = 0; a < s.corners; ++a)
        for (int l = 0; l < kLanes; ++l) force[(a * c + i) * kLanes + l] += wp[l] * b.w[a * d + J][l];
    }
}

ASB_CLONES void scatter_hessian(const Stencil& s, int64_t block, int q, const LocalShape& row, int first_row,
                                const LocalShape& column, int first_column, int n_local, const double* w, const double* H,
                                double* K) {
  Weights br, bc;
  load_weights(s, block, q, row.is_gradient, br);
  load_weights(s, block, q, column.is_gradient, bc);
  const int c = row.components, dr = row.is_gradient ? 3 : 1, dc = column.is_gradient ? 3 : 1;
  const int m = s.corners * c;
  // T = w H B for one row of the row local at a time, then K += B'T.
  for (int i = 0; i < c; ++i)
    for (int j = 0; j < c; ++j) {
      alignas(64) double T[3][kMaxCorners][kLanes];
      for (int J = 0; J < dr; ++J) {
        for (int b = 0; b < s.corners; ++b)
          for (int l = 0; l < kLanes; ++l) T[J][b][l] = 0;
        for (int L = 0; L < dc; ++L) {
          const int r = first_row + i * dr + J, k = first_column + j * dc + L;
          const double* h = H + (r <= k ? packed(r, k, n_local) : packed(k, r, n_local)) * kLanes;
          alignas(64) double wh[kLanes];
          for (int l = 0; l < kLanes; ++l) wh[l] = w[l] * h[l];
          for (int b = 0; b < s.corners; ++b)
            for (int l = 0; l < kLanes; ++l) T[J][b][l] += wh[l] * bc.w[b * dc + L][l];
        }
      }
      for (int a = 0; a < s.corners; ++a)
        for (int b = 0; b < s.corners; ++b) {
          const int r = a * c + i, k = b * c + j;
          if (r > k) continue;
          double* to = K + packed(r, k, m) * kLanes;
          for (int J = 0; J < dr; ++J)
            for (int l = 0; l < kLanes; ++l) to[l] += br.w[a * dr + J][l] * T[J][b][l];
        }
    }
}

ASB_CLONES void scatter_scalar(const Stencil& s, int64_t block, int q, bool gradient, const double* w, const double* C,
                               double* K) {
  Weights b;
  load_weights(s, block, q, gradient, b);
  const int d = gradient ? 3 : 1;
  for (int a = 0; a < s.corners; ++a)
    for (int e = a; e < s.corners; ++e) {
      double* to = K + packed(a, e, s.corners) * kLanes;
      for (int J = 0; J < d; ++J)
        for (int L = 0; L < d; ++L)
          for (int l = 0; l < kLanes; ++l)
            to[l] += w[l] * b.w[a * d + J][l] * C[(J * d + L) * kLanes + l] * b.w[e * d + L][l];
    }
}

}  // namespace asb
