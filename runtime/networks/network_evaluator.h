// Networks at many points: the border between the runtime and whatever evaluates them. A network is a tensor-stage SSA
// function; some inputs come per entity (a batch), others once (weights, latents). Pure: nothing is kept between calls, so
// frames may be evaluated side by side. Implemented by runtime/torch (a plug-in) and by interpreter_networks.h (the oracle).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "compiler/ir/function.h"

namespace asb {

/// One input of a network: n × entries numbers, entity after entity, or `entries` numbers for all.
struct NetworkInput {
  std::span<const double> values;
  bool per_entity = false;
};

class NetworkEvaluator {
 public:
  virtual ~NetworkEvaluator() = default;
  virtual std::string description() const = 0;  ///< "LibTorch 1.13, f32, 1 thread"

  /// output: n × entries of function.outputs[0], entity after entity.
  [[nodiscard]] virtual Result<void> forward(const ir::Function& function, std::span<const NetworkInput> inputs, int64_t n,
                                             std::span<double> output) = 0;
  /// cotangents[i], where not empty, receives Σ bar · ∂output/∂input_i: n × entries for a per-entity input, its sum over
  /// entities for the others.
  [[nodiscard]] virtual Result<void> pull_back(const ir::Function& function, std::span<const NetworkInput> inputs, int64_t n,
                                               std::span<const double> bar, std::span<const std::span<double>> cotangents) = 0;
};

enum class NetworkPrecision : uint8_t { F32, F64 };

}  // namespace asb
