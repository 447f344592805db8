// Networks, layers, weights, latents, frames, learn.
#include <gtest/gtest.h>

#include "dsl/sema/units.h"
#include "tests/dsl/sema/checked.h"

namespace asb {
namespace {

using model::ExprKind;
using test::checked;
using test::reports;

std::vector<std::string> paths(const test::Checked& c) {
  std::vector<std::string> all;
  if (c.model)
    for (const model::Weight& w : c.model->weights) all.push_back(w.path);
  return all;
}
using Paths = std::vector<std::string>;

TEST(Learning, ANetworkIsOneInstanceOfItsWeights) {
  const auto c = checked("network f(v: vec3) -> real[2] = linear(v, 2)\nparam a: vec3 = [1, 2, 3]\noutput o = f(a) + f(2 * a)");
  EXPECT_EQ(paths(c), (Paths{"f.weight", "f.bias"}));
  const model::Network& f = c.model->networks[model::NetworkId(0)];
  EXPECT_EQ(f.parameters, Paths{"v"});
  EXPECT_EQ(f.weights.size(), 2u);
  EXPECT_EQ(c[c.output("o").args[0]].kind, ExprKind::NetworkCall);
  EXPECT_TRUE(c.output("o").type.unit.free);
}

TEST(Learning, EachCallOfALayerHasItsOwnWeightsNamedByWhereItStands) {
  EXPECT_EQ(paths(checked("network f(v: vec3) -> real[2] { let h = tanh(linear(v, 4)); linear(h, 2) }")),
            (Paths{"f.h.linear.weight", "f.h.linear.bias", "f.out.linear.weight", "f.out.linear.bias"}));
  EXPECT_EQ(paths(checked("network f(v: vec3) -> vec3 { let h = linear(v, 3) + linear(v, 3); h }")),
            (Paths{"f.h.linear.weight", "f.h.linear.bias", "f.h.linear[1].weight", "f.h.linear[1].bias"}));
  EXPECT_EQ(paths(checked("network f(v: vec3) -> vec3 { let h = repeat k in 0..2 with h0 = v { linear(h0, 3) }; h }")),
            (Paths{"f.h[0].linear.weight", "f.h[0].linear.bias", "f.h[1].linear.weight", "f.h[1].linear.bias"}));
  EXPECT_EQ(paths(checked("network f(v: vec3) -> vec3 { let h = linear(v, 3, name: \"fc1\"); h }")),
            (Paths{"f.h.fc1.weight", "f.h.fc1.bias"}));
}

TEST(Learning, WeightsStartAsDeclared) {
  const auto c = checked("network f(v: real[4]) -> real[2] = linear(v, 2)\nnetwork g(v: real[4]) -> real[2] = linear(v, 2, init: zero)");
  ASSERT_TRUE(c.model) << c.shown;
  const model::Weight& w = c.model->weights[model::WeightId(0)];
  EXPECT_EQ(w.initial.kind, "uniform");
  EXPECT_EQ(w.initial.a, -0.5);
  EXPECT_EQ(w.initial.b, 0.5);
  EXPECT_EQ(w.type.dims, (std::vector<int32_t>{2, 4}));
  EXPECT_EQ(c.model->weights[model::WeightId(2)].initial.b, 0);
}

TEST(Learning, ALayerOutsideANetworkBelongsToItsLetAndElsewhereToNothing) {
  const std::string d = "param a: vec3 = [1, 2, 3]\n";
  EXPECT_EQ(paths(checked(d + "let h = tanh(linear(a, 2))\nlearn h minimizing sqnorm(h) using adam(steps: 3)")),
            (Paths{"h.linear.weight", "h.linear.bias"}));
  EXPECT_EQ(reports(d + "output o = linear(a, 2)"), "layer-misplaced");
}

TEST(Learning, TheSizesOfANetworkAreFixed) {
  EXPECT_EQ(reports("network f(v: real[n]) -> real[2] = linear(v, 2)"), "unknown-name");
  EXPECT_EQ(reports("network f(v: vec3) -> real[2] = linear(v, 3)"), "type-mismatch");
  EXPECT_EQ(reports("network f(v: vec3) -> real[2] = linear(v, 2)\noutput o = f([1, 2])"), "type-mismatch");
}

TEST(Learning, ALatentIsReadPerFrameOrByIndex) {
  const std::string d = "frames f = 5\nlatent z: real[3] per f = gaussian(deviation: 0.1)\nlatent s: real[3] per 9 = zero\n";
  EXPECT_EQ(reports(d + "output o = z"), "");
  EXPECT_EQ(reports(d + "output o = mix(z[0], z[4], 0.5)"), "");
  EXPECT_EQ(reports(d + "output o = s"), "index-needed");
  EXPECT_EQ(reports(d + "output o = s[9]"), "index-out-of-range");
  EXPECT_EQ(reports(d + "data who: int per f = file(\"who.csv\")\noutput o = s[who]"), "");
  EXPECT_EQ(reports(d + "output o = s[0.5]"), "wrong-operand");
}

TEST(Learning, ALatentThatIsSetIsOneValueForAllFrames) {
  const std::string d = "frames f = 9\nlatent z: real[3] per f = zero\noutput o = sqnorm(z)\n";
  const auto before = checked(d);
  EXPECT_EQ(before[before.output("o").args[0]].kind, ExprKind::Latent);
  const auto after = checked(d, {"z=mix(z[3], z[7], 0.5)"});
  ASSERT_TRUE(after.model) << after.shown;
  EXPECT_EQ(after[after.output("o").args[0]].kind, ExprKind::Let);
  EXPECT_EQ(checked(d, {"z=[1, 2]"}).names, "type-mismatch");
}

TEST(Learning, OneExpressionHasOneFramesAxis) {
  const std::string d = "frames f = 5\nframes g = 4\nlatent a: real per f = zero\nlatent b: real per g = zero\n";
  EXPECT_EQ(reports(d + "output o = a * b"), "two-frame-axes");
  EXPECT_EQ(reports(d + "output o = a * b[2]"), "");
  EXPECT_EQ(reports(d + "unknown w: real = 0\nsolve w minimizing (w - a)^2\noutput o = w * b"), "two-frame-axes")
      << "through a solve";
}

TEST(Learning, LearnRunsOverTheFramesThatItsObjectiveVariesAlong) {
  const std::string d = "frames f = 5\nframes g = 4\nlatent a: real per f = zero\nparam p: real = 1\n";
  EXPECT_EQ(reports(d + "learn a, p minimizing (a - p)^2 over f using adam(rate: 1e-3, steps: 10, batch: 2)"), "");
  EXPECT_EQ(reports(d + "learn a minimizing a^2 using adam(steps: 10)"), "learn-without-over");
  EXPECT_EQ(reports(d + "learn a minimizing a^2 over g using adam(steps: 10)"), "learn-over-nothing");
  EXPECT_EQ(reports(d + "learn a minimizing a^2 over p using adam(steps: 10)"), "needs-frames");
  EXPECT_EQ(reports(d + "learn q minimizing a^2 over f using adam(steps: 10)"), "unknown-name");
  EXPECT_EQ(reports(d + "let l = 3\nlearn l minimizing a^2 over f using adam(steps: 10)"), "not-learnable");
}

TEST(Learning, ASchedulesNumbersAreKept) {
  const auto c = checked("param p: real = 1\nlearn one: p minimizing p^2 using adam(rate: cosine(1e-3, 1e-5), steps: 10)");
  ASSERT_TRUE(c.model) << c.shown;
  const model::Learn& l = c.model->learns[0];
  EXPECT_EQ(l.name, "one");
  EXPECT_EQ(l.options[0].word, "cosine");
  EXPECT_EQ(c[c[l.options[0].value].args[1]].number, 1e-5);
}

TEST(Learning, SetsAndParamsAreTheSameInEveryFrame) {
  const std::string d = test::with_body("frames f = 5\ndata a: m per f = file(\"a.csv\")\n");
  EXPECT_EQ(reports(d + "output o = mean(m.nodes where X.x < a) { X.x }"), "frame-varying");
  EXPECT_EQ(reports(d + "param p: m = a"), "frame-varying");
  EXPECT_EQ(reports(d + "output o = mean(m.nodes where x.x < 1 m) { X.x }"), "frame-varying") << "or with a solve";
}

}  // namespace
}  // namespace asb
