// d(network(X, z), X) in programs: its values against Taylor polynomials along a param that moves the argument, what is
// refused, and losses over such derivatives learned.
#include <gtest/gtest.h>

#include "asb/run.h"
#include "tests/asb/network_testing.h"
#include "tests/runtime/networks/torch_engine.h"
#include "tests/support/random.h"
#include "tests/support/taylor.h"

namespace asb::test {
namespace {

const std::string kBegin = R"(
use networks.modulated_siren
use networks.fourier_mlp
mesh m = box(size: [1, 0.5, 0.5] m, cells: [2, 1, 1], element: hex8)
frames pose = 2
latent z: real[3] per pose = gaussian(deviation: 0.5)
param t: m = 0 m
let e = [0.3, -0.5, 0.4]
network warp(X: vec3, z: real[3]) -> vec3 { let u = fourier_mlp(X, z, width: 6, depth: 2, out: 3); X + 20 * u }
network act(X: vec3, z: real[3]) -> real[6] = modulated_siren(X, z, width: 6, depth: 2, out: 6, first: 3)
network joint(z: real[3]) -> real[2] { tanh(linear(z, 2)) }
)";

RunOptions by_interpreter() {
  RunOptions options;
  options.backend = "interpreter";
  options.torch = false;
  return options;
}

struct Prepared {
  Program program;
  Run run;
  double number(graph::NodeId node) {
    const auto values = run.session->evaluate(node);
    EXPECT_TRUE(values) << program.render_error(values.error());
    return values ? (*values)->data[0] : std::nan("");
  }
  double output(const std::string& name) {
    for (const plan::Output& o : run.plan->outputs)
      if (o.name == name) return number(o.node);
    ADD_FAILURE() << "no output " << name;
    return 0;
  }
};

Prepared prepared(const std::string& text, const RunOptions& options) {
  Prepared p{load_source("test", kBegin + text), {}};
  if (!p.program) ADD_FAILURE() << p.program.diagnostics();
  if (!p.program) return p;
  auto run = prepare_run(p.program, options);
  if (!run) ADD_FAILURE() << p.program.render_error(run.error());
  if (run) p.run = std::move(*run);
  if (run) p.run.session->set_frame(1);
  return p;
}

/// `line` depends on the param t; `slope` must be its derivative at t = 0.
void expect_slope(const std::string& fields, const std::string& line, const std::string& slope) {
  SCOPED_TRACE(slope);
  Prepared p = prepared(fields + "\noutput line = " + line + "\noutput slope = " + slope + "\n", by_interpreter());
  if (!p.run.session) return;
  const double at = p.output("line"), along = p.output("slope");
  EXPECT_GT(std::abs(along), 1e-4);
  const auto f = [&](double h) {
    p.run.tables->params.resize(1);
    p.run.tables->params[0] = {h};
    p.run.session->set_tables(p.run.tables.get());
    return p.output("line");
  };
  const TaylorResult result = taylor(f, {at, along});
  EXPECT_TRUE(falls_as_promised(result));
  EXPECT_FALSE(result.is_rounding);
}

TEST(NetworkDerivatives, AreSlopesByThePoint) {
  expect_slope("", "mean(m) { dot(e, warp(X + t * e, z)) }", "mean(m) { dot(e, d(warp(X, z), X) * e) }");
  expect_slope("", "mean(m.nodes) { 50 * norm(act(X + t * e, z)) }", "mean(m.nodes) { dot(50 * d(norm(act(X, z)), X), e) }");
}

TEST(NetworkDerivatives, AreSlopesByTheCodeAndByAParam) {
  expect_slope("", "mean(m) { dot(e, warp(X, z + t * e)) }", "mean(m) { dot(e, d(warp(X, z), z) * e) }");
  expect_slope("", "10 * sqnorm(joint(z + t * e))", "dot(d(10 * sqnorm(joint(z)), z), e)");
  expect_slope("", "mean(m) { sqnorm(warp((1 + t / (1 m)) * X, t * e)) }", "mean(m) { d(sqnorm(warp((1 + t / (1 m)) * X, t * e)), t) }");
}

TEST(NetworkDerivatives, AddToWhatIsDirectAndStopAtALet) {
  expect_slope("", "mean(m) { let Y = 2 * X + t * e; Y.x * sqnorm(warp(3 * Y, z)) }",
               "mean(m) { let Y = 2 * X; dot(d(Y.x * sqnorm(warp(3 * Y, z)), Y), e) }");
  // What the variable was made from is held: the second network reads X beside Y.
  expect_slope("", "mean(m) { let Y = warp(X, z) + t * e; dot(warp(Y, z), warp(X, z)) }",
               "mean(m) { let Y = warp(X, z); dot(d(dot(warp(Y, z), warp(X, z)), Y), e) }");
}

TEST(NetworkDerivatives, GoThroughNetworksOfNetworksAndFields) {
  expect_slope("", "mean(m) { 50 * sqnorm(act(warp(X + t * e, z), z)) }", "mean(m) { dot(d(50 * sqnorm(act(warp(X, z), z)), X), e) }");
  expect_slope("field A: sym3 = I + 20 * sym3(act(X + t * e, z))\nfield J: mat3 = d(warp(X, z), X)",
               "mean(m) { det(A) }", "mean(m) { dot(d(det(A), X), e) }");
  expect_slope("field J: mat3 = d(warp(X, z), X)", "mean(m) { dot(e, warp(X + t * e, z)) }", "mean(m) { dot(e, J * e) }");
}

TEST(NetworkDerivatives, BySymmetricMatricesAreSymmetric) {
  expect_slope("let D = sym(outer(e, [1, 2, 3]))", "mean(m) { let S: sym3 = sym(outer(X, e)) + t * D; sqnorm(warp(S * e, z)) }",
               "mean(m) { let S: sym3 = sym(outer(X, e)); inner(d(sqnorm(warp(S * e, z)), S), D) }");
}

/// The error of a program that can't be compiled.
std::string refusal(const std::string& text) {
  const auto plan = plan_of(kBegin + text);
  return plan ? "accepted" : plan.error().name + ": " + plan.error().message;
}

TEST(NetworkDerivatives, AreRefusedWhereATermWouldBeMissing) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string message = refusal(text);
    EXPECT_TRUE(message.starts_with("not-yet") && message.find(part) != std::string::npos) << text << "\n" << message;
  };
  expect("output o = mean(m) { sqnorm(d(sqnorm(d(warp(X, z), X)), X)) }", "a second derivative of the network `warp`");
  expect("output o = sqnorm(d(mean(m.nodes) { sqnorm(warp(X, z)) }, z))", "a derivative through a sum");
  expect("field A: vec3 at m.nodes = warp(X, z)\noutput o = mean(m) { norm(d(A, X)) }", "a value at nodes");
  // `X` of a sum is another X, and a held value needs no derivative.
  EXPECT_EQ(refusal("output o = mean(m) { norm(d(warp(X, z) * mean(m) { X.x }, X)) }"), "accepted");
  EXPECT_EQ(refusal("output o = mean(m) { let Y = d(warp(X, z), X) * e; norm(d(sqnorm(Y), Y)) }"), "accepted");
}

const std::string kLearn = R"(
loss soft = mean(m) { let J = d(warp(X, z), X); norm(J - rotation(J)) }
loss fit = 0.1 * mean(m.nodes) { sqnorm(warp(X, z) - 1.2 * X) }
learn warp, z minimizing soft + fit over pose using adam(rate: 1e-3, steps: 2)
)";

TEST(NetworkDerivatives, AreLearnedThrough) {
  RunOptions options = by_interpreter();
  options.learning = true;
  Prepared p = prepared(kLearn, options);
  ASSERT_TRUE(p.run.session);
  const plan::Learn& learn = p.run.plan->learns[0];
  Random random(5);
  const Tables first = *p.run.tables;
  Tables way = first;
  double along = 0;
  int arrays = 0;
  for (const plan::Learned& what : learn.learned) {
    std::vector<double>& direction = what.kind == plan::LearnedKind::Latent ? way.latents[what.ref] : way.weights[what.ref];
    direction = random.uniforms(static_cast<int>(direction.size()));
    if (!what.gradient) continue;  // the last bias moves nothing but `fit`, and has one
    const auto gradient = p.run.session->evaluate(what.gradient);
    ASSERT_TRUE(gradient) << p.program.render_error(gradient.error());
    const auto n = static_cast<size_t>((*gradient)->type.entries());
    const size_t row = what.kind == plan::LearnedKind::Latent ? n : 0;  // of frame 1
    double part = 0;
    for (size_t i = 0; i < n; ++i) part += (*gradient)->data[i] * direction[row + i];
    EXPECT_NE(part, 0);
    along += part;
    ++arrays;
  }
  EXPECT_EQ(arrays, 7) << "three layers' weights and biases, and the code";
  const double at = p.number(learn.objective);
  Tables moved = first;
  const auto f = [&](double h) {
    for (const plan::Learned& what : learn.learned) {
      const bool latent = what.kind == plan::LearnedKind::Latent;
      const auto &from = latent ? first.latents[what.ref] : first.weights[what.ref], &by = latent ? way.latents[what.ref] : way.weights[what.ref];
      auto& to = latent ? moved.latents[what.ref] : moved.weights[what.ref];
      for (size_t i = 0; i < to.size(); ++i) to[i] = from[i] + 0.1 * h * by[i];
    }
    p.run.session->set_tables(&moved);
    return p.number(learn.objective);
  };
  EXPECT_TRUE(falls_as_promised(taylor(f, {at, 0.1 * along})));
}

TEST(NetworkDerivatives, AreTheSameInLibTorch) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  RunOptions options = by_interpreter();
  options.learning = true;
  Prepared oracle = prepared(kLearn, options);
  options.torch = true;
  options.precision = NetworkPrecision::F64;
  Prepared other = prepared(kLearn, options);
  ASSERT_TRUE(oracle.run.session && other.run.session);
  const plan::Learn& learn = oracle.run.plan->learns[0];
  EXPECT_NEAR(other.number(learn.objective), oracle.number(learn.objective), 1e-12);
  for (const plan::Learned& what : learn.learned) {
    if (!what.gradient) continue;
    const auto a = oracle.run.session->evaluate(what.gradient), b = other.run.session->evaluate(what.gradient);
    ASSERT_TRUE(a && b);
    for (size_t i = 0; i < (*a)->data.size(); ++i) EXPECT_NEAR((*b)->data[i], (*a)->data[i], 1e-11);
  }
}

}  // namespace
}  // namespace asb::test
