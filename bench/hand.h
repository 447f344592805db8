// Hand-written kernels to measure against (reference/hand_kernels of the shared folder): one thread or several, eight
// elements a vector. Where that folder or AVX-512 is absent, hand_absent.cpp stands in and says so.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace asb::bench::hand {

bool present();

enum class Material : int { NeoHookean = 0, ShapeTargeting = 1 };

/// The kernels at quadrature points, in blocks of eight lanes as in abi/kernel.h: level 0 psi, 1 and P, 2 and the upper
/// triangle of the Hessian in F. A: six numbers a point, read by shape targeting. mu = 1, lambda = 2.
void points(Material material, int level, const double* F, const double* A, int64_t blocks, double* psi, double* P, double* H);

/// What is done with each tetrahedron of a box of 6 nx ny nz of them.
enum class Mode : int { Energy = 0, Gradient = 1, StoredHessian = 3, AssembledHessian = 4 };

class Box {
 public:
  Box(std::array<int, 3> cells, std::array<double, 3> size, int threads);
  ~Box();
  double run(Material material, Mode mode, bool projected);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace asb::bench::hand
