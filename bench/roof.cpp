// See roof.h. Eight doubles a vector; on machines with narrower ones the compiler splits them.
#include "bench/roof.h"

#include <immintrin.h>

#include <cstring>
#include <memory>

#include "bench/timing.h"
#include "runtime/assembly/lanes.h"

namespace asb::bench {
namespace {

typedef double V __attribute__((vector_size(64)));

constexpr int kRounds = 20000;

/// Operations per second of `step` on sixteen independent vectors, enough to cover the latency of one; each counts
/// `count`. The vectors are named one by one so that they stay in registers.
template <class Step>
double rate(double count, Step&& step) {
  const auto body = [&] {
    V a = V{} + 1.0, b = a, c = a, d = a, e = a, f = a, g = a, h = a, i = a, j = a, k = a, l = a, m = a, n = a, o = a, p = a;
    for (int r = 0; r < kRounds; ++r) {
      step(a), step(b), step(c), step(d), step(e), step(f), step(g), step(h);
      step(i), step(j), step(k), step(l), step(m), step(n), step(o), step(p);
      asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h));
      asm volatile("" : "+v"(i), "+v"(j), "+v"(k), "+v"(l), "+v"(m), "+v"(n), "+v"(o), "+v"(p));
    }
  };
  return count * 8 * 16 * kRounds / best_of({body}, 0.2, 5)[0];
}

double bandwidth(size_t doubles, int repeats) {
  AlignedVector a(doubles, 1.0), b(doubles, 2.0), c(doubles, 3.0);
  const auto triad = [&] {
    for (int r = 0; r < repeats; ++r) {
      double* to = a.data();
      const double *x = b.data(), *y = c.data();
      for (size_t i = 0; i < doubles; i += 8) *(V*)(to + i) = *(const V*)(x + i) + 3.0 * *(const V*)(y + i);
      asm volatile("" ::"r"(to) : "memory");
    }
  };
  return 24.0 * static_cast<double>(doubles) * repeats / best_of({triad}, 0.5, 3)[0];
}

}  // namespace

Roof measure_roof() {
  Roof roof;
  V one = V{} + 1.0, tiny = V{} + 1e-9;
  asm volatile("" : "+v"(one), "+v"(tiny));
  roof.operations = rate(1, [&](V& v) { v = v * one; });
  roof.fused = rate(2, [&](V& v) { v = v * one + tiny; });
  roof.divisions = rate(1, [&](V& v) { v = one / v; });
#ifdef __AVX512F__
  roof.square_roots = rate(1, [](V& v) { v = (V)_mm512_sqrt_pd((__m512d)v); });
#else
  roof.square_roots = roof.divisions;  // one unit does both, at about one speed
#endif
  roof.near_bytes = bandwidth(size_t{8} << 10, 200);
  roof.far_bytes = bandwidth(size_t{16} << 20, 1);
  return roof;
}

}  // namespace asb::bench
