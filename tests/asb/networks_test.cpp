// programs/networks and the layers of the prelude: paths of weights, first weights, values against formulas written out
// here, what initialisation does to activations, slopes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "asb/interpreter_networks.h"
#include "compiler/ad/derivative.h"
#include "tests/asb/network_testing.h"
#include "tests/runtime/networks/torch_engine.h"
#include "tests/support/random.h"
#include "tests/support/taylor.h"

namespace asb::test {
namespace {

using Vector = std::vector<double>;
using Paths = std::vector<std::string>;

constexpr uint64_t kSeed = 20261201;

TestNetwork siren(int width, int depth, uint64_t seed = kSeed) {
  return network_of("use networks.siren",
                    fmt::format("network act(X: vec3) -> real[6] = siren(X, width: {}, depth: {}, out: 6)", width, depth),
                    "act(X)", seed);
}

TestNetwork modulated_siren(int width, int depth, uint64_t seed = kSeed) {
  return network_of("use networks.modulated_siren",
                    fmt::format("network act(X: vec3, z: real[4]) -> real[6] = modulated_siren(X, z, width: {}, depth: {}, out: 6)",
                                width, depth),
                    "act(X, z)", seed);
}

TestNetwork fourier_mlp(int width, int depth, uint64_t seed = kSeed) {
  return network_of("use networks.fourier_mlp",
                    fmt::format("network warp(X: vec3, z: real[4]) -> vec3 = fourier_mlp(X, z, width: {}, depth: {}, out: 3)",
                                width, depth),
                    "warp(X, z)", seed);
}

TestNetwork auto_decoder(int width, int depth) {
  return network_of("use networks.auto_decoder",
                    fmt::format("network sdf(X: vec3, s: real[4]) -> real = auto_decoder(X, s, width: {}, depth: {})", width, depth),
                    "sdf(X, z)", kSeed);
}

/// A network of one layer in the prelude, of a vector with 5 entries.
TestNetwork layer(const std::string& body, int out) {
  return network_of("", fmt::format("network f(h: real[5], z: real[4]) -> real[{}] = {}", out, body), "f(concat(X, X.xy), z)", kSeed);
}

// ---------------------------------------------------------------------------------- formulas, written out

Vector affine(const TestNetwork& net, const std::string& path, const Vector& h) {
  const Vector &W = net.weight(path + ".weight"), &b = net.weight(path + ".bias");
  Vector y = b;
  for (size_t o = 0; o < y.size(); ++o)
    for (size_t i = 0; i < h.size(); ++i) y[o] += W[o * h.size() + i] * h[i];
  return y;
}

Vector modulated(const TestNetwork& net, const std::string& path, const Vector& h, const Vector& z, double gain) {
  const Vector &W = net.weight(path + ".weight"), &M = net.weight(path + ".modulation");
  Vector s(h.size(), 1.0), y = net.weight(path + ".bias");
  for (size_t i = 0; i < h.size(); ++i)
    for (size_t j = 0; j < z.size(); ++j) s[i] += M[i * z.size() + j] * z[j];
  for (size_t o = 0; o < y.size(); ++o) {
    double squares = 1e-8, sum = 0;
    for (size_t i = 0; i < h.size(); ++i) {
      const double w = s[i] * W[o * h.size() + i];
      squares += w * w;
      sum += w * h[i];
    }
    y[o] += gain * sum / std::sqrt(squares);
  }
  return y;
}

Vector each(Vector h, double (*f)(double)) {
  for (double& x : h) x = f(x);
  return h;
}

Vector sines(Vector h, double omega) {
  for (double& x : h) x = std::sin(omega * x);
  return h;
}

Vector joined(std::vector<Vector> parts) {
  Vector all;
  for (const Vector& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}

double gelu(double x) { return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x))); }

Vector fourier(const Vector& X, int features, double deviation) {
  const int n = static_cast<int>(X.size());
  const auto fraction = [&](int k, int i) {
    const double a = k * std::pow(2.0, static_cast<double>(i) / (2 * n + 1));
    return a - std::floor(a);
  };
  Vector result(static_cast<size_t>(2 * features));
  for (int k = 0; k < features; ++k) {
    double t = 0;
    for (int j = 0; j < n; ++j)
      t += std::sqrt(-2 * std::log(fraction(k + 1, 2 * j + 1))) * std::cos(2 * std::numbers::pi * fraction(k + 1, 2 * j + 2)) * X[j];
    t *= 2 * std::numbers::pi * deviation;
    result[k] = std::cos(t);
    result[features + k] = std::sin(t);
  }
  return result;
}

/// Compares with `formula(X, z)` at points, entry by entry; the network's values must not be near 0 alone.
void expect_values(const TestNetwork& net, const std::function<Vector(const Vector&, const Vector&)>& formula, int n_first = 3) {
  const auto evaluator = make_interpreter_networks();
  Random random(kSeed);
  constexpr int n = 7;
  const Vector X = random.uniforms(n_first * n), z = random.uniforms(4);
  std::vector<Vector> arguments = {X, z};
  arguments.resize(net.parameters.size());
  const Vector values = values_of(*evaluator, net, arguments, n);
  double scale = 0;
  for (const double v : values) scale = std::max(scale, std::abs(v));
  EXPECT_GT(scale, 1e-4);
  for (int p = 0; p < n; ++p) {
    const Vector expected = formula(Vector(X.begin() + p * n_first, X.begin() + (p + 1) * n_first), z);
    ASSERT_EQ(expected.size(), static_cast<size_t>(net.entries()));
    for (size_t k = 0; k < expected.size(); ++k)
      EXPECT_NEAR(values[static_cast<size_t>(p) * expected.size() + k], expected[k], 1e-12 * scale) << "point " << p << ", entry " << k;
  }
}

double mean_square(const Vector& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum / static_cast<double>(v.size());
}

/// Functions over the inputs of the network that give the argument (or the value) of each of its sines.
std::vector<ir::Function> sines_of(const TestNetwork& net, bool arguments) {
  std::vector<ir::Function> result;
  for (uint32_t i = 0; i < net.function.insts.size(); ++i) {
    if (net.function.insts[i].op != ir::Op::Sin) continue;
    ir::Function f = net.function;
    ir::Builder b(f);
    f.outputs.clear();
    b.add_output("sine", arguments ? f.insts[i].args[0] : ir::ValueId(i));
    result.push_back(std::move(f));
  }
  return result;
}

/// Mean over seeds of the mean squares of arguments and values of all sines, by layer.
struct Squares { Vector arguments, values; double out = 0; };
Squares squares(const std::function<TestNetwork(uint64_t)>& make, int seeds, double code) {
  const auto evaluator = make_interpreter_networks();
  Squares total;
  for (int seed = 0; seed < seeds; ++seed) {
    const TestNetwork net = make(static_cast<uint64_t>(seed));
    Random random(static_cast<uint64_t>(seed) + 100);
    constexpr int n = 24;
    std::vector<Vector> inputs = {random.uniforms(3 * n), random.uniforms(4, -code, code)};
    inputs.resize(net.parameters.size());
    const auto arguments = sines_of(net, true), values = sines_of(net, false);
    total.arguments.resize(arguments.size());
    total.values.resize(values.size());
    for (size_t k = 0; k < values.size(); ++k) {
      total.arguments[k] += mean_square(values_of(*evaluator, net, arguments[k], inputs, n)) / seeds;
      total.values[k] += mean_square(values_of(*evaluator, net, values[k], inputs, n)) / seeds;
    }
    total.out += mean_square(values_of(*evaluator, net, inputs, n)) / seeds;
  }
  return total;
}

// ---------------------------------------------------------------------------------- paths

TEST(Networks, NameTheWeightsOfASirenByLetAndLayer) {
  EXPECT_EQ(siren(8, 3).declared, (Paths{"act.h0.linear.weight", "act.h0.linear.bias", "act.h[1].linear.weight", "act.h[1].linear.bias",
                                      "act.h[2].linear.weight", "act.h[2].linear.bias", "act.out.linear.weight", "act.out.linear.bias"}));
}

TEST(Networks, NameTheWeightsOfAModulatedSirenByLetAndLayer) {
  const TestNetwork net = modulated_siren(8, 2);
  EXPECT_EQ(net.declared, (Paths{"act.h0.linear.weight", "act.h0.linear.bias", "act.h[1].modulated_linear.weight",
                                 "act.h[1].modulated_linear.bias", "act.h[1].modulated_linear.modulation",
                                 "act.out.linear.weight", "act.out.linear.bias"}));
  EXPECT_EQ(net.shape("act.h[1].modulated_linear.modulation"), (std::vector<int32_t>{8, 4}));
  EXPECT_EQ(net.shape("act.out.linear.weight"), (std::vector<int32_t>{6, 8}));
}

TEST(Networks, NameTheWeightsOfAFourierMlpAndAnAutoDecoderByLetAndLayer) {
  EXPECT_EQ(fourier_mlp(8, 2).declared, (Paths{"warp.h[0].linear.weight", "warp.h[0].linear.bias", "warp.h[1].linear.weight",
                                            "warp.h[1].linear.bias", "warp.out.linear.weight", "warp.out.linear.bias"}));
  const TestNetwork sdf = auto_decoder(8, 4);
  EXPECT_EQ(sdf.declared, (Paths{"sdf.h[1].linear.weight", "sdf.h[1].linear.bias", "sdf.h[2].linear.weight", "sdf.h[2].linear.bias",
                              "sdf.h[3].linear.weight", "sdf.h[3].linear.bias", "sdf.out.linear.weight", "sdf.out.linear.bias"}));
  EXPECT_EQ(sdf.shape("sdf.h[2].linear.weight"), (std::vector<int32_t>{8, 15})) << "the input is joined again half way";
}

TEST(Networks, CountLayersOfOneKindWithinALetAndTakeGivenNames) {
  const TestNetwork net = network_of("",
                                     "network f(X: vec3) -> real[2] {\n"
                                     "  let a = linear(linear(X, 4), 4)\n"
                                     "  let b = concat(linear(a, 3, name: \"fc1\"), linear(a, 3), layer_norm(a))\n"
                                     "  tanh(linear(tanh(linear(b, 4)), 2))\n}",
                                     "f(X)", kSeed);
  Paths weights;
  for (const std::string& p : net.declared)
    if (p.ends_with(".weight")) weights.push_back(p);
  EXPECT_EQ(weights, (Paths{"f.a.linear.weight", "f.a.linear[1].weight", "f.b.fc1.weight", "f.b.linear.weight", "f.b.layer_norm.weight",
                            "f.out.linear.weight", "f.out.linear[1].weight"}));
}

// ---------------------------------------------------------------------------------- values

TEST(Networks, EvaluateASirenAsItsFormulaSays) {
  const TestNetwork net = siren(7, 3);
  expect_values(net, [&](const Vector& X, const Vector&) {
    Vector h = sines(affine(net, "act.h0.linear", X), 30);
    for (const char* path : {"act.h[1].linear", "act.h[2].linear"}) h = sines(affine(net, path, h), 30);
    return affine(net, "act.out.linear", h);
  });
}

TEST(Networks, EvaluateAModulatedSirenAsItsFormulaSays) {
  const TestNetwork net = modulated_siren(7, 3);
  expect_values(net, [&](const Vector& X, const Vector& z) {
    Vector h = sines(affine(net, "act.h0.linear", X), 10);
    for (const char* path : {"act.h[1].modulated_linear", "act.h[2].modulated_linear"})
      h = sines(modulated(net, path, h, z, std::sqrt(2.0) / 30), 30);
    return affine(net, "act.out.linear", h);
  });
}

TEST(Networks, EvaluateAFourierMlpAsItsFormulaSays) {
  const TestNetwork net = fourier_mlp(7, 2);
  expect_values(net, [&](const Vector& X, const Vector& z) {
    Vector h = joined({X, fourier(X, 32, 0.5), z});
    for (const char* path : {"warp.h[0].linear", "warp.h[1].linear"}) h = each(affine(net, path, h), gelu);
    return affine(net, "warp.out.linear", h);
  });
}

TEST(Networks, EvaluateAnAutoDecoderAsItsFormulaSays) {
  const TestNetwork net = auto_decoder(7, 4);
  expect_values(net, [&](const Vector& X, const Vector& s) {
    const Vector input = joined({X, s});
    const auto relu = [](double x) { return std::max(x, 0.0); };
    Vector h = each(affine(net, "sdf.h[1].linear", input), relu);
    h = each(affine(net, "sdf.h[2].linear", joined({h, input})), relu);
    h = each(affine(net, "sdf.h[3].linear", h), relu);
    return each(affine(net, "sdf.out.linear", h), [](double x) { return std::tanh(x); });
  });
}

TEST(Layers, NormaliseAndBoundAsTheirFormulasSay) {
  expect_values(layer("layer_norm(h)", 5), [](const Vector& h, const Vector&) {
    double mean = 0, variance = 0;
    for (const double x : h) mean += x / 5;
    for (const double x : h) variance += (x - mean) * (x - mean) / 5;
    Vector y = h;
    for (double& x : y) x = (x - mean) / std::sqrt(variance + 1e-5);
    return y;
  }, 5);
  TestNetwork net = layer("lipschitz_linear(h, 3)", 3);
  for (const double c : {std::sqrt(5.0), -0.7}) {  // the first one scales no row, the second all
    net.weights["f.c"] = {c};
    const double bound = std::log1p(std::exp(c));
    expect_values(net, [&](const Vector& h, const Vector&) {
      const Vector& W = net.weight("f.weight");
      Vector y = net.weight("f.bias");
      for (size_t o = 0; o < 3; ++o) {
        double row = 0, sum = 0;
        for (size_t i = 0; i < 5; ++i) {
          row += std::abs(W[o * 5 + i]);
          sum += W[o * 5 + i] * h[i];
        }
        EXPECT_EQ(row > bound, c < 0);
        y[o] += sum * std::min(1.0, bound / row);
      }
      return y;
    }, 5);
  }
}

TEST(Layers, ActivateAsTheirFormulasSay) {
  const auto expect = [](const std::string& call, const std::function<double(double)>& f) {
    expect_values(layer(call, 5), [&](const Vector& h, const Vector&) {
      Vector y;
      for (const double x : h) y.push_back(f(x));
      return y;
    }, 5);
  };
  expect("relu(h)", [](double x) { return x > 0 ? x : 0; });
  expect("leaky_relu(h, 0.2)", [](double x) { return x > 0 ? x : 0.2 * x; });
  expect("sine(h, 30)", [](double x) { return std::sin(30 * x); });
  expect("tanh(h)", [](double x) { return std::tanh(x); });
  expect("sigmoid(h)", [](double x) { return 1 / (1 + std::exp(-x)); });
  expect("softplus(h)", [](double x) { return std::log1p(std::exp(x)); });
  expect("gelu(h)", gelu);
}

TEST(Layers, SpreadFourierFrequenciesLikeANormalDistribution) {
  const TestNetwork net = network_of("", "network f(h: real[3]) -> real[512] = fourier(h, 256, 0.5)", "f(X)", kSeed);
  EXPECT_TRUE(net.paths.empty()) << "frequencies are no weights";
  const auto evaluator = make_interpreter_networks();
  for (int axis = 0; axis < 3; ++axis) {
    Vector X(3, 0.0);
    X[axis] = 1e-4;
    const Vector y = values_of(*evaluator, net, {X}, 1);
    double mean = 0, square = 0, fourth = 0;
    for (int k = 0; k < 256; ++k) {
      const double b = std::asin(y[256 + k]) / (2 * std::numbers::pi * 1e-4) / 0.5;
      mean += b / 256;
      square += b * b / 256;
      fourth += b * b * b * b / 256;
    }
    EXPECT_NEAR(mean, 0, 0.05);
    EXPECT_NEAR(square, 1, 0.1);
    EXPECT_NEAR(fourth, 3, 0.6);
  }
}

// ---------------------------------------------------------------------------------- first weights

TEST(Networks, KeepTheVarianceThroughTheLayersOfASirenAtFirst) {
  const Squares s = squares([](uint64_t seed) { return siren(64, 5, seed); }, 12, 1);
  ASSERT_EQ(s.values.size(), 5u);
  for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(s.values[k], 0.5, 0.03) << "layer " << k;
  // Arguments of hidden sines: variance 1 of omega W h, and (omega/sqrt(n))²/3 of omega b.
  for (size_t k = 1; k < 5; ++k) EXPECT_NEAR(s.arguments[k], 1 + 900.0 / 64 / 3, 0.35) << "layer " << k;
  EXPECT_NEAR(std::sqrt(s.out), 1.0 / 30, 0.006);
}

TEST(Networks, KeepTheVarianceThroughTheLayersOfAModulatedSirenForEveryCode) {
  for (const double code : {0.01, 3.0}) {
    const Squares s = squares([](uint64_t seed) { return modulated_siren(64, 5, seed); }, 12, code);
    ASSERT_EQ(s.values.size(), 5u);
    for (size_t k = 0; k < 5; ++k) EXPECT_NEAR(s.values[k], 0.5, 0.03) << "layer " << k << ", code " << code;
    for (size_t k = 1; k < 5; ++k) EXPECT_NEAR(s.arguments[k], 1 + 900.0 / 64 / 3, 0.35) << "layer " << k << ", code " << code;
    EXPECT_LT(std::sqrt(s.out), 0.006) << "the body starts passive";
  }
}

TEST(Networks, StartNearZeroAndVaryWithThePointInAFourierMlp) {
  const auto evaluator = make_interpreter_networks();
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const TestNetwork net = fourier_mlp(64, 9, seed);
    Random random(seed);
    constexpr int n = 16;
    const Vector y = values_of(*evaluator, net, {random.uniforms(3 * n), random.uniforms(4)}, n);
    double mean = 0;
    for (int p = 0; p < n; ++p) mean += y[3 * p] / n;
    double variance = 0;
    for (int p = 0; p < n; ++p) variance += (y[3 * p] - mean) * (y[3 * p] - mean) / n;
    EXPECT_LT(std::sqrt(mean_square(y)), 0.03);
    EXPECT_GT(std::sqrt(variance), 3e-4) << "nine layers must not make a constant of it";
  }
}

// ---------------------------------------------------------------------------------- slopes

TEST(Networks, HaveTheSlopesByPointsCodesAndWeightsThatTaylorAsksFor) {
  const auto evaluator = make_interpreter_networks();
  for (const TestNetwork& net : {siren(6, 2), modulated_siren(6, 3), fourier_mlp(6, 2)}) {
    Random random(kSeed);
    std::vector<Vector> arguments = {random.uniforms(3), random.uniforms(4)};
    arguments.resize(net.parameters.size());
    for (size_t input = 0; input < net.function.inputs.size(); ++input) {
      const ir::Input& by = net.function.inputs[input];
      ir::Function f = net.function;
      ir::Builder b(f);
      const ir::ValueId slope = ad::derivative(b, f.outputs[0].values[0], b.input(static_cast<int32_t>(input)), {});
      f.outputs.clear();
      b.add_output("slope", slope);
      const Vector J = values_of(*evaluator, net, f, arguments, 1);
      const Vector way = random.uniforms(by.type.entries());
      const size_t k = input % static_cast<size_t>(net.entries());
      double along = 0;
      for (size_t j = 0; j < way.size(); ++j) along += J[k * way.size() + j] * way[j];
      const double at = values_of(*evaluator, net, arguments, 1)[k];
      const auto line = [&](double h) {
        TestNetwork moved = net;
        std::vector<Vector> there = arguments;
        Vector& v = input < there.size() ? there[input] : moved.weights.at(by.name);
        for (size_t j = 0; j < way.size(); ++j) v[j] += 0.1 * h * way[j];
        return values_of(*evaluator, moved, there, 1)[k];
      };
      EXPECT_TRUE(falls_as_promised(taylor(line, {at, 0.1 * along}))) << by.name;
      EXPECT_NE(along, 0) << by.name;
    }
  }
}

TEST(Networks, AreTheSameInLibTorch) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  const auto oracle = make_interpreter_networks();
  for (const TestNetwork& net : {siren(16, 3), modulated_siren(16, 3), fourier_mlp(16, 3), auto_decoder(16, 4),
                                 layer("lipschitz_linear(h, 3)", 3), layer("layer_norm(h)", 5)}) {
    Random random(kSeed);
    constexpr int n = 33;
    std::vector<Vector> arguments;
    for (size_t i = 0; i < net.parameters.size(); ++i)
      arguments.push_back(random.uniforms(net.function.inputs[i].type.entries() * (i == 0 ? n : 1)));
    const Vector expected = values_of(*oracle, net, arguments, n), other = values_of(*engine->evaluator, net, arguments, n);
    double scale = 0;
    for (const double v : expected) scale = std::max(scale, std::abs(v));
    for (size_t k = 0; k < expected.size(); ++k) ASSERT_NEAR(expected[k], other[k], 1e-11 * scale) << net.function.name << " " << k;
  }
}

/// A modulated layer forms its weights from the code alone: per point it costs what a plain one costs.
TEST(Networks, ModulateWeightsOncePerCode) {
  const TestNetwork net = modulated_siren(8, 3);
  std::vector<bool> varies(net.function.insts.size(), false);
  int matrices = 0;
  for (size_t i = 0; i < varies.size(); ++i) {
    const ir::Inst& inst = net.function.insts[i];
    varies[i] = inst.op == ir::Op::Input && inst.index == 0;
    for (const ir::ValueId arg : inst.args) varies[i] = varies[i] || varies[arg.index];
    if (!varies[i]) continue;
    EXPECT_LE(inst.type.rank, 1) << "a matrix is made at every point";
    matrices += inst.op == ir::Op::MatMul;
  }
  EXPECT_EQ(matrices, 4) << "one product a layer";
}

}  // namespace
}  // namespace asb::test
