// See network_testing.h.
#include "tests/asb/network_testing.h"

#include <gtest/gtest.h>

#include "runtime/learn/initial.h"

namespace asb::test {

std::vector<int32_t> TestNetwork::shape(const std::string& path) const {
  for (const ir::Input& input : function.inputs)
    if (input.name == path) return {input.type.dims.begin(), input.type.dims.begin() + input.type.rank};
  return {};
}

Result<plan::Plan> plan_of(const std::string& text, const CompileOptions& options) {
  const Program program = load_source("test", text);
  if (!program) {
    ADD_FAILURE() << program.diagnostics();
    return fail("broken", "the program of the test is broken");
  }
  auto plan = compile(*program.model, options);
  if (!plan) plan.error().message = program.render_error(plan.error());
  return plan;
}

TestNetwork network_of(const std::string& uses, const std::string& network, const std::string& call, uint64_t seed) {
  const auto plan = plan_of(uses + "\nmesh m = box(size: [1, 1, 1] m, cells: [1, 1, 1], element: hex8)\nframes pose = 2\n" +
                            "latent z: real[4] per pose = gaussian(deviation: 1)\n" + network +
                            "\noutput size = mean(m.nodes) { sqnorm(" + call + ") }\n");
  TestNetwork result;
  if (!plan) {
    ADD_FAILURE() << plan.error().message;
    return result;
  }
  for (uint32_t i = 0; i < plan->graph.nodes.size(); ++i)
    if (const auto* node = std::get_if<graph::Network>(&plan->graph.nodes[graph::NodeId(i)].kind))
      result.function = plan->graph.functions[node->function];
  const size_t n_parameters = result.function.inputs.size() - plan->weights.size();
  for (size_t i = 0; i < result.function.inputs.size(); ++i)
    (i < n_parameters ? result.parameters : result.paths).push_back(result.function.inputs[i].name);
  for (const plan::Weight& w : plan->weights) {
    result.declared.push_back(w.path);
    result.weights[w.path] = initial_values(w.initial, static_cast<size_t>(w.type.entries()), w.path, seed);
  }
  return result;
}

std::vector<double> values_of(NetworkEvaluator& evaluator, const TestNetwork& network, const ir::Function& function,
                              const std::vector<std::vector<double>>& arguments, int64_t n) {
  std::vector<NetworkInput> inputs;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const auto entries = static_cast<size_t>(function.inputs[i].type.entries());
    inputs.push_back({arguments[i], arguments[i].size() == entries * static_cast<size_t>(n) && n > 1});
  }
  for (const std::string& path : network.paths) inputs.push_back({network.weights.at(path), false});
  std::vector<double> values(static_cast<size_t>(n * function.outputs[0].type.entries()));
  const auto done = evaluator.forward(function, inputs, n, values);
  EXPECT_TRUE(done) << done.error().message;
  return values;
}

std::vector<double> values_of(NetworkEvaluator& evaluator, const TestNetwork& network,
                              const std::vector<std::vector<double>>& arguments, int64_t n) {
  return values_of(evaluator, network, network.function, arguments, n);
}

}  // namespace asb::test
