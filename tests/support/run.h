// Short ways to run a function in the interpreter from plain numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "backends/interpreter/evaluate.h"

namespace asb::test {

using Arguments = std::vector<std::vector<double>>;  ///< one per input, row major

inline std::vector<interpreter::Tensor> tensors(const ir::Function& function, const Arguments& arguments) {
  std::vector<interpreter::Tensor> result;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    result.push_back(interpreter::Tensor::of(function.inputs[i].type, arguments.at(i)));
  return result;
}

/// All outputs with magnitudes.
inline std::vector<interpreter::Tensor> run(const ir::Function& function, const Arguments& arguments) {
  return interpreter::evaluate(function, tensors(function, arguments)).outputs;
}

inline int output_index(const ir::Function& function, const std::string& name) {
  for (size_t i = 0; i < function.outputs.size(); ++i)
    if (function.outputs[i].name == name) return static_cast<int>(i);
  return -1;
}

/// One output by name.
inline std::vector<double> run(const ir::Function& function, const Arguments& arguments, const std::string& output) {
  return run(function, arguments).at(static_cast<size_t>(output_index(function, output))).values();
}

/// a + h d, argument by argument.
inline Arguments moved(Arguments a, const Arguments& d, double h) {
  for (size_t i = 0; i < a.size(); ++i)
    for (size_t k = 0; k < a[i].size(); ++k) a[i][k] += h * d[i][k];
  return a;
}

inline double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline double largest(const std::vector<double>& a) {
  double result = 0;
  for (double x : a) result = std::isnan(x) ? x : std::max(result, std::fabs(x));
  return result;
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double result = a.size() == b.size() ? 0 : std::nan("");
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) result = std::fmax(result, std::isnan(a[i] - b[i]) ? HUGE_VAL : std::fabs(a[i] - b[i]));
  return result;
}

}  // namespace asb::test
