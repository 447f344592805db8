// Networks as lowering makes them, with seeded weights: the shapes that programs/networks has.
#pragma once

#include <string>
#include <vector>

#include "compiler/ir/builder.h"
#include "runtime/networks/network_evaluator.h"
#include "tests/support/random.h"

namespace asb::test {

/// A network at n points with numbers for all inputs.
struct NetworkCase {
  std::string name;
  ir::Function function;
  int64_t n = 0;
  std::vector<std::vector<double>> numbers;  ///< by input

  std::vector<NetworkInput> inputs() const;
  int64_t output_entries() const { return function.outputs[0].type.entries(); }
};

/// Points as input 0, latent or weights as the others. Each layer is sin(30 (W h + b)).
NetworkCase siren(Random& random, int width, int depth, int64_t n);
/// Weights modulated by a latent and demodulated: W'_oi = W_oi (M z + 1)_i, W'' = g W' / |row of W'|.
NetworkCase modulated_siren(Random& random, int width, int depth, int latent, int64_t n);
/// (sin, cos)(2 pi B x), then layers with softplus.
NetworkCase fourier_mlp(Random& random, int features, int width, int64_t n);
/// Every other way to compute: concat with a latent, leaky relu, tanh, norms, products, choices, small matrices.
std::vector<NetworkCase> odd_networks(Random& random, int64_t n);

}  // namespace asb::test
