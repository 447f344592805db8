// What the derivative tests share: the slopes of a density along a line, from every road that computes them.
#pragma once

#include <gtest/gtest.h>

#include <iostream>
#include <string>

#include "compiler/ad/form.h"
#include "tests/support/random.h"
#include "tests/support/run.h"
#include "tests/support/taylor.h"

namespace asb::test {

/// Inputs of a function that derivatives can be taken in.
inline std::vector<int32_t> real_inputs(const ir::Function& function) {
  std::vector<int32_t> result;
  for (size_t i = 0; i < function.inputs.size(); ++i)
    if (function.inputs[i].type.kind == ir::Kind::Real) result.push_back(static_cast<int32_t>(i));
  return result;
}

/// Value, first and second derivative of a density at `at` along a direction (one entry per input; those of inputs
/// that aren't local must be 0).
struct Line {
  interpreter::Number value;
  double first = 0;           ///< gradient·d, reverse
  interpreter::Number first_forward;  ///< pushed forward
  double second = 0;          ///< d·(H d), product kernel
  double second_dense = 0;    ///< d·(H d), Hessian kernel
  double asymmetry = 0;       ///< |H_ij - H_ji| can't show in a triangle: d·(H e) - e·(H d) for another direction e
  std::vector<double> gradient, product;
};

inline Line along(const ad::Density& density, const Arguments& at, const Arguments& d, const Arguments& e) {
  const ir::Function all =
      ad::form_function(density, ad::kEnergy | ad::kGradient | ad::kProduct | ad::kHessian);
  const auto with_direction = [&](const Arguments& direction) {
    Arguments a = at;
    for (int32_t i : density.locals) a.push_back(direction[i]);
    return run(all, a);
  };
  const std::vector<interpreter::Tensor> out = with_direction(d), other = with_direction(e);
  Line line;
  const size_t n = density.locals.size();
  line.value = out[0].entries[0];
  std::vector<double> flat_d, flat_e, product_e;
  for (size_t k = 0; k < n; ++k) {
    const auto append = [](std::vector<double>& to, const std::vector<double>& x) { to.insert(to.end(), x.begin(), x.end()); };
    append(flat_d, d[density.locals[k]]);
    append(flat_e, e[density.locals[k]]);
    append(line.gradient, out[1 + k].values());
    append(line.product, out[2 + n + k].values());
    append(product_e, other[2 + n + k].values());
  }
  line.first = dot(line.gradient, flat_d);
  line.second = dot(line.product, flat_d);
  line.asymmetry = dot(line.product, flat_e) - dot(product_e, flat_d);
  const std::vector<double> H = out[1 + n].values();
  const size_t m = flat_d.size();
  for (size_t i = 0, k = 0; i < m; ++i)
    for (size_t j = i; j < m; ++j, ++k) line.second_dense += (i == j ? 1 : 2) * flat_d[i] * H[k] * flat_d[j];

  ir::Function pushed = density.function;
  ir::Builder b(pushed);
  std::vector<ad::Seed> seeds;
  for (int32_t i : density.locals)
    seeds.push_back({b.input(i), b.add_input("d", pushed.inputs[i].type, ir::kAxisMesh)});
  const ir::ValueId psi = pushed.outputs[0].values[0];
  pushed.outputs.clear();
  b.add_output("slope", ad::push_forward(b, seeds, {&psi, 1})[0]);
  Arguments a = at;
  for (int32_t i : density.locals) a.push_back(d[i]);
  line.first_forward = run(pushed, a)[0].entries[0];
  return line;
}

/// A random direction that is zero in the inputs that aren't local.
inline Arguments random_direction(Random& random, const ad::Density& density, double size = 1) {
  Arguments d;
  for (const ir::Input& input : density.function.inputs) d.emplace_back(input.type.entries(), 0.0);
  for (int32_t i : density.locals) d[i] = random.uniforms(static_cast<int>(d[i].size()), -size, size);
  return d;
}

/// First and second derivatives by Taylor slopes; forward, reverse, product and dense Hessian against each other.
/// Says on `log` which kind of agreement was found.
inline void expect_derivatives(const ad::Density& density, const Arguments& at, Random& random, const std::string& name,
                               double size = 1, std::ostream* log = nullptr) {
  const Arguments d = random_direction(random, density, size), e = random_direction(random, density, size);
  const Line line = along(density, at, d, e);
  const auto psi = [&](double h) { return run(density.function, moved(at, d, h))[0].entries[0].value; };
  // rounding errors are a fraction of eps times the magnitude: thirty times below the threshold
  const double noise = 1.5e-3 * line.value.magnitude;
  const TaylorResult first = taylor(psi, {line.value.value, line.first}, noise);
  const TaylorResult second = taylor(psi, {line.value.value, line.first, line.second}, noise);
  EXPECT_TRUE(falls_as_promised(first)) << name << ", first derivative";
  EXPECT_TRUE(falls_as_promised(second)) << name << ", second derivative";
  if (log) *log << "  " << name << ": first " << first.text << "; second " << second.text << "\n";

  constexpr double kRoads = 1e-12;  // numerics.md: two orders of evaluation differ by rounding only
  EXPECT_TRUE(interpreter::agrees(line.first_forward, line.first)) << name << ": forward " << line.first_forward.value
                                                                   << ", reverse " << line.first;
  const double scale = 1 + std::fabs(line.second) + largest(line.product) * 9;
  EXPECT_NEAR(line.second, line.second_dense, 10 * kRoads * scale) << name << ": product against dense Hessian";
  EXPECT_NEAR(line.asymmetry, 0, 10 * kRoads * scale) << name << ": the Hessian isn't symmetric";
}

}  // namespace asb::test
