// Entity by entity; derivatives are those of the compiler (compiler/ad). What is uniform is computed once: split_by_rate
// cuts it off.
#include "asb/interpreter_networks.h"

#include <algorithm>

#include "backends/interpreter/evaluate.h"
#include "base/check.h"
#include "compiler/ad/derivative.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/split_by_rate.h"

namespace asb {
namespace {

using interpreter::Tensor;
using ir::Function;

/// A function at n entities. Its inputs are per entity or not as `inputs` says, whatever rate they have.
class Batch {
 public:
  Batch(Function function, std::span<const NetworkInput> inputs) : inputs_(inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) function.inputs[i].rate = inputs[i].per_entity ? ir::kAxisMesh : ir::kAxisParams;
    split_ = ir::split_by_rate(function, ir::kAxisMesh);
    held_ = interpreter::evaluate(split_.outer, arguments(split_.outer, 0)).outputs;
  }

  /// Outputs at one entity.
  std::vector<Tensor> operator()(int64_t entity) const {
    return interpreter::evaluate(split_.inner, arguments(split_.inner, entity)).outputs;
  }

 private:
  std::vector<Tensor> arguments(const Function& function, int64_t entity) const {
    std::vector<Tensor> result;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const ir::Type& type = function.inputs[i].type;
      const auto entries = static_cast<size_t>(type.entries());
      const size_t first = inputs_[i].per_entity ? static_cast<size_t>(entity) * entries : 0;
      result.push_back(inputs_[i].values.empty() ? Tensor::of(type, std::vector<double>(entries)) : Tensor::of(type, inputs_[i].values.subspan(first, entries)));
    }
    for (size_t i = inputs_.size(); i < function.inputs.size(); ++i) result.push_back(held_[i - inputs_.size()]);
    return result;
  }

  std::span<const NetworkInput> inputs_;
  ir::Split split_;
  std::vector<Tensor> held_;
};

/// Adds the input `bar` and, in place of the outputs, the cotangents of the wanted inputs.
Function pulled_back(Function function, std::span<const std::span<double>> cotangents) {
  ir::Builder b(function);
  const ir::Output output = function.outputs[0];
  function.outputs.clear();
  std::vector<ir::ValueId> wanted;
  const auto n_inputs = static_cast<int32_t>(function.inputs.size());
  for (int32_t i = 0; i < n_inputs; ++i)
    if (!cotangents[static_cast<size_t>(i)].empty()) wanted.push_back(b.input(i));
  const ir::ValueId bar = b.add_input("bar", output.type, ir::kAxisMesh);
  const ad::Seed seed{output.values[0], bar};
  const std::vector<ir::ValueId> found = ad::pull_back(b, std::span(&seed, 1), wanted);
  for (size_t k = 0; k < found.size(); ++k) b.add_output("cotangent" + std::to_string(k), found[k]);
  return function;
}

class InterpreterNetworks final : public NetworkEvaluator {
 public:
  std::string description() const override { return "interpreter, f64, 1 thread"; }

  Result<void> forward(const Function& function, std::span<const NetworkInput> inputs, int64_t n, std::span<double> output) override {
    ASB_CHECK(inputs.size() == function.inputs.size(), "number of inputs differs from the network");
    const Batch batch(function, inputs);
    for (int64_t e = 0; e < n; ++e) {
      const std::vector<double> value = batch(e)[0].values();
      std::ranges::copy(value, output.begin() + e * static_cast<int64_t>(value.size()));
    }
    return {};
  }

  Result<void> pull_back(const Function& function, std::span<const NetworkInput> inputs, int64_t n, std::span<const double> bar,
                         std::span<const std::span<double>> cotangents) override {
    ASB_CHECK(inputs.size() == function.inputs.size() && cotangents.size() == inputs.size(), "number of inputs differs from the network");
    std::vector<NetworkInput> all(inputs.begin(), inputs.end());
    all.push_back({bar, true});
    std::vector<size_t> wanted;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::ranges::fill(cotangents[i], 0.0);
      if (!cotangents[i].empty()) wanted.push_back(i);
    }
    const Batch batch(ir::remove_dead(ir::share_subexpressions(pulled_back(function, cotangents))), all);
    for (int64_t e = 0; e < n; ++e) {
      const std::vector<Tensor> found = batch(e);
      for (size_t k = 0; k < wanted.size(); ++k) {
        const size_t i = wanted[k], entries = found[k].entries.size();
        const size_t first = inputs[i].per_entity ? static_cast<size_t>(e) * entries : 0;
        for (size_t j = 0; j < entries; ++j) cotangents[i][first + j] += found[k].entries[j].value;
      }
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<NetworkEvaluator> make_interpreter_networks() { return std::make_unique<InterpreterNetworks>(); }

}  // namespace asb
