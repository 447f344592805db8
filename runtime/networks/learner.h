// What learns: named arrays, their optimiser, and its state. Implemented by runtime/torch with LibTorch's Adam.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/networks/network_evaluator.h"

namespace asb {

struct AdamOptions {
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
};

/// A named array of numbers, for checkpoints and weight files.
struct NamedArray {
  std::string name;
  std::vector<int64_t> shape;
  std::vector<double> values;
  bool is_f32 = false;
};

class Learner {
 public:
  virtual ~Learner() = default;
  /// Declares an array that may be learned (a weight, a latent table, a param), with its first values.
  virtual void add(const NamedArray& initial) = 0;
  virtual std::vector<double> values(const std::string& name) const = 0;
  virtual void set(const std::string& name, std::span<const double> values) = 0;
  /// Starts a stage: Adam over these arrays with fresh moments.
  virtual void begin(std::span<const std::string> names, const AdamOptions& options) = 0;
  /// One step at this rate; gradients[i] is that of names[i] of begin().
  virtual void step(double rate, std::span<const std::vector<double>> gradients) = 0;
  /// Everything that a resumed run needs: moments, step counts. Names start with "optimiser.".
  virtual std::vector<NamedArray> state() const = 0;
  [[nodiscard]] virtual Result<void> restore(std::span<const NamedArray> state) = 0;
};

/// What the plug-in offers; made by asb_open_networks() of libasb_torch.so.
struct NetworkEngine {
  std::unique_ptr<NetworkEvaluator> evaluator;
  std::unique_ptr<Learner> learner;
};

/// Opens the LibTorch plug-in beside the executable (or in its lib folder). Slow (0.6 s): only for programs with networks
/// or something to learn. An Error says what is missing and how to install it.
[[nodiscard]] Result<NetworkEngine> open_torch(NetworkPrecision precision);

}  // namespace asb
