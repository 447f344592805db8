// The hand-written element kernels over a box of tetrahedra, as they are.
#include "bench/hand.h"

#include "simd.h"

namespace asb::bench::hand {

bool present() { return true; }

struct Box::State {
  ::Mesh mesh;
  ::Fast fast;
  State(std::array<int, 3> n, std::array<double, 3> l, int threads)
      : mesh(::box(n[0], n[1], n[2], l[0], l[1], l[2])), fast(mesh, threads) {
    Eigen::VectorXd x;
    deform(mesh, x);
    fast.setx(x);
  }
};

Box::Box(std::array<int, 3> cells, std::array<double, 3> size, int threads)
    : state_(std::make_unique<State>(cells, size, threads)) {}
Box::~Box() = default;

namespace {

template <int K>
double run_material(::Fast& fast, Mode mode, bool projected) {
  switch (mode) {
    case Mode::Energy: return fast.eval<K, 0, false>();
    case Mode::Gradient: return fast.eval<K, 1, false>();
    case Mode::StoredHessian: return projected ? fast.eval<K, 3, true>() : fast.eval<K, 3, false>();
    case Mode::AssembledHessian: return projected ? fast.eval<K, 4, true>() : fast.eval<K, 4, false>();
  }
  return 0;
}

}  // namespace

double Box::run(Material material, Mode mode, bool projected) {
  return material == Material::NeoHookean ? run_material<NH>(state_->fast, mode, projected)
                                          : run_material<ST>(state_->fast, mode, projected);
}

}  // namespace asb::bench::hand
