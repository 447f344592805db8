// The hand-written element kernels at a quadrature point: the element with unit shape gradients, whose corner forces are
// the columns of P and whose blocks are the Hessian in F.
#include "common.h"
#include "kernels.h"

#include "bench/hand.h"

namespace asb::bench::hand {
namespace {

template <int K, int LEVEL>
void run_points(const double* F, const double* A, int64_t blocks, double* psi, double* P, double* H) {
  for (int64_t b = 0; b < blocks; ++b) {
    El<v8> e;
    const v8 zero = {}, one = zero + 1.0;
    const v8* f = reinterpret_cast<const v8*>(F) + 9 * b;
    for (int i = 0; i < 3; ++i) {
      e.x[0][i] = zero;
      for (int a = 0; a < 3; ++a) {
        e.x[a + 1][i] = f[3 * i + a];
        e.B[a][i] = a == i ? one : zero;
      }
    }
    e.W = one;
    e.mu = one;
    e.la = one + 1.0;
    if constexpr (K == ST)
      for (int k = 0; k < 6; ++k) e.A[k] = reinterpret_cast<const v8*>(A)[6 * b + k];
    v8* p = reinterpret_cast<v8*>(P) + 9 * b;
    v8* h = reinterpret_cast<v8*>(H) + 45 * b;
    const auto force = [&](int a, int i, v8 v) {
      if (a > 0) p[3 * i + a - 1] = v;
    };
    const auto stiffness = [&](int block, int i, int j, v8 v) {
      static constexpr int kRow[10] = {0, 1, 1, 2, 2, 2, 3, 3, 3, 3}, kColumn[10] = {0, 0, 1, 0, 1, 2, 0, 1, 2, 3};
      const int a = kRow[block] - 1, c = kColumn[block] - 1;
      if (a < 0 || c < 0) return;
      const int r = 3 * i + a, k = 3 * j + c, lo = r < k ? r : k, hi = r < k ? k : r;
      if (a == c && r > k) return;
      h[lo * 9 - lo * (lo - 1) / 2 + hi - lo] = v;
    };
    reinterpret_cast<v8*>(psi)[b] = element<K, LEVEL, false>(e, force, stiffness);
  }
}

template <int K>
void run_level(int level, const double* F, const double* A, int64_t blocks, double* psi, double* P, double* H) {
  if (level == 0) run_points<K, 0>(F, A, blocks, psi, P, H);
  else if (level == 1) run_points<K, 1>(F, A, blocks, psi, P, H);
  else run_points<K, 2>(F, A, blocks, psi, P, H);
}

}  // namespace

void points(Material material, int level, const double* F, const double* A, int64_t blocks, double* psi, double* P,
            double* H) {
  if (material == Material::NeoHookean) run_level<NH>(level, F, A, blocks, psi, P, H);
  else run_level<ST>(level, F, A, blocks, psi, P, H);
}

}  // namespace asb::bench::hand
