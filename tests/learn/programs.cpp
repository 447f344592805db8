// See programs.h.
#include "tests/learn/programs.h"

namespace asb::test {

std::string learning_bar(const std::string& learn, const std::string& solve_options) {
  return R"(use materials.shape_targeting
mesh m = box(size: [4, 1, 1] m, cells: [6, 2, 2], element: hex8)
frames pose = 3
latent z: real[2] per pose = gaussian(deviation: 1)
layer small(X: real[3], z: real[2]) -> real[6] {
  let h = tanh(linear(concat(X, z), 8))
  linear(h, 6)
}
network act(X: vec3, z: real[2]) -> real[6] = small(X, z)
param gain: real = 0.3 in [0.1, 1]
param side: vec3 = [0, 0.3, 0]
field A: sym3 = I + gain * sym3(act(to_unit_box(X, m), z))
unknown x: vec3 on m.nodes = X
fix x on m.nodes where X.x < 1 mm
solve x minimizing integral(m) { shape_targeting(grad(x), A) })" +
         solve_options + R"(
let tip = mean(m.nodes where X.x > 3.9 m) { x / 1 m - [4, 0.5, 0.5] }
loss fit = sqnorm(tip - [0, 0.6 * tanh(z.x), 0.6 * tanh(z.y)] - side)
loss calm = 1e-3 * mean(m) { sqnorm(A - I) }
)" + learn +
         R"(
output lift = tip.z
show moved on m.nodes = norm(x - X)
)";
}

std::string learning_bar() {
  return learning_bar("learn act, z, gain, side minimizing fit + calm over pose using adam(rate: 1e-2, steps: 40, batch: 2)");
}

}  // namespace asb::test
