// See curvature.h.
#include "runtime/minimise/curvature.h"

namespace asb {

/// splitmix64 ([Steele2014]) of the index.
std::vector<double> fixed_noise(size_t n) {
  std::vector<double> noise(n);
  for (size_t i = 0; i < n; ++i) {
    uint64_t z = (i + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    z ^= z >> 31;
    noise[i] = static_cast<double>(z >> 11) * 0x1p-52 - 1.0;
  }
  return noise;
}

CgReport probe_curvature(const ApplyMatrix& H, Preconditioner* M, size_t n, int max_products,
                         const std::atomic<bool>* stop) {
  const std::vector<double> noise = fixed_noise(n);
  std::vector<double> w(n);
  const CgOptions options = {
      .relative = 1e-10, .max_iterations = max_products, .curvature_floor = 1e-10, .stop = stop};
  CgReport first = conjugate_gradients(H, M, noise, w, options);
  if (first.status != CgStatus::NoCurvature) return first;
  std::vector<double> in_range(n);
  H(noise, in_range);
  CgReport second = conjugate_gradients(H, M, in_range, w, options);
  second.products += first.products + 1;
  second.applications += first.applications;
  second.product_seconds += first.product_seconds;
  second.apply_seconds += first.apply_seconds;
  return second;
}

}  // namespace asb
