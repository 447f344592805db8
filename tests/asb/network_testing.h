// Networks of programs in tests: their function, first weights by path, values at points.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "asb/program.h"
#include "runtime/networks/network_evaluator.h"

namespace asb::test {

/// A network as the compiler made it. Inputs of its function: the parameters of the declaration, then its weights.
struct TestNetwork {
  ir::Function function;
  std::vector<std::string> parameters;                  ///< names
  std::vector<std::string> paths;                       ///< of the weights, in the order of the inputs
  std::vector<std::string> declared;                    ///< the same in the order of their declarations
  std::map<std::string, std::vector<double>> weights;   ///< first values by path

  int32_t entries() const { return function.outputs[0].type.entries(); }
  const std::vector<double>& weight(const std::string& path) const { return weights.at(path); }
  std::vector<int32_t> shape(const std::string& path) const;
};

/// The plan of a program in memory; a mistake fails the test with its diagnostics.
Result<plan::Plan> plan_of(const std::string& text, const CompileOptions& options = {});

/// `network` declared after `use` lines, called once; first weights from this seed. Layers come from programs/.
TestNetwork network_of(const std::string& uses, const std::string& network, const std::string& call, uint64_t seed);

/// Values at n points: arguments[i] is n × entries if it has as many numbers, else the same at all points.
std::vector<double> values_of(NetworkEvaluator& evaluator, const TestNetwork& network,
                              const std::vector<std::vector<double>>& arguments, int64_t n);

/// The same of another function over the same inputs (an inner value, a derivative).
std::vector<double> values_of(NetworkEvaluator& evaluator, const TestNetwork& network, const ir::Function& function,
                              const std::vector<std::vector<double>>& arguments, int64_t n);

}  // namespace asb::test
