// See chain.h. Picks the version of the arithmetic that this machine runs.
#include "runtime/assembly/chain.h"

#include "runtime/assembly/chain_kernels.h"
#include "runtime/assembly/projection.h"

namespace asb {
namespace {

const ChainKernels& kernels() {
  // x86-64-v3 has AVX2 and FMA, x86-64-v4 the parts of AVX-512 that GCC uses for it.
  static const ChainKernels& chosen = __builtin_cpu_supports("x86-64-v4")   ? kChainForAvx512
                                      : __builtin_cpu_supports("x86-64-v3") ? kChainForAvx2
                                                                            : kChainForAny;
  return chosen;
}

ChainWeights weights(const Stencil& s, int64_t block, int q, bool gradient) {
  const int64_t n = s.corners * (gradient ? 3 : 1);
  const bool shared = gradient ? s.shared_gradients : s.shared_values;
  const double* from = gradient ? s.G.data() : s.N.data();
  return {from + (shared ? q : (block * s.points + q) * kLanes) * n, shared, gradient};
}

}  // namespace

void gather_corners(const Stencil& s, int64_t block, const double* u, int c, double* corner) {
  kernels().corners(s.nodes.data() + block * s.corners * kLanes, s.corners, c, u, corner);
}

void gather_local(const Stencil& s, int64_t block, int q, const LocalShape& shape, const double* corner, double* y) {
  kernels().gather(s.corners, shape.components, weights(s, block, q, shape.is_gradient), corner, y);
}

void scatter_local(const Stencil& s, int64_t block, int q, const LocalShape& shape, const double* w, const double* p,
                   double* force) {
  kernels().scatter(s.corners, shape.components, weights(s, block, q, shape.is_gradient), w, p, force);
}

void scatter_hessian(const Stencil& s, int64_t block, int q, const LocalShape& row, int first_row, const LocalShape& column,
                     int first_column, int n_local, const double* w, const double* H, double* K) {
  kernels().hessian(s.corners, row.components, weights(s, block, q, row.is_gradient), first_row,
                    weights(s, block, q, column.is_gradient), first_column, n_local, w, H, K);
}

void lanes_to_rows(int64_t numbers, int64_t stride, const double* from, double* rows) {
  kernels().to_rows(numbers, stride, from, rows);
}

void clamp_eigenvalues_in_lanes(double* H, int n) { kernels().clamp(H, n); }

void scatter_scalar(const Stencil& s, int64_t block, int q, bool gradient, const double* w, const double* C, double* K) {
  kernels().scalar(s.corners, weights(s, block, q, gradient), w, C, K);
}

}  // namespace asb
