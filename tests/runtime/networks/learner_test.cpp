// Adam against its formulas written out, and its state there and back.
#include <cmath>

#include "tests/runtime/networks/torch_engine.h"
#include "tests/support/random.h"
#include "tests/support/run.h"

namespace asb::test {
namespace {

const std::vector<std::string> kNames = {"act.h[1].W", "z"};

std::vector<NamedArray> arrays() {
  Random random(3);
  return {{"act.h[1].W", {4, 3}, random.uniforms(12), true}, {"z", {5}, random.uniforms(5)}, {"mu", {}, {2.5}}};
}

void add_all(Learner& learner) {
  for (const NamedArray& a : arrays()) learner.add(a);
}

/// Gradients of step k.
std::vector<std::vector<double>> gradients(int k) {
  Random random(static_cast<uint64_t>(100 + k));
  return {random.uniforms(12, -2, 2), random.uniforms(5, -1e-3, 1e-3)};
}

double rate(int k) { return 1e-2 / (1 + k); }

void run(Learner& learner, int first, int last) {
  for (int k = first; k < last; ++k) learner.step(rate(k), gradients(k));
}

TEST(TorchLearner, StepsAsAdamDoes) {  // [Kingma2015] Alg. 1
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  add_all(*engine->learner);
  const AdamOptions options{.beta1 = 0.8, .beta2 = 0.99, .epsilon = 1e-6};
  engine->learner->begin(kNames, options);
  run(*engine->learner, 0, 25);
  for (size_t i = 0; i < 2; ++i) {
    std::vector<double> x = arrays()[i].values, m(x.size()), v(x.size());
    for (int k = 0; k < 25; ++k)
      for (size_t j = 0; j < x.size(); ++j) {
        const double g = gradients(k)[i][j];
        m[j] = options.beta1 * m[j] + (1 - options.beta1) * g;
        v[j] = options.beta2 * v[j] + (1 - options.beta2) * g * g;
        const double mean = m[j] / (1 - std::pow(options.beta1, k + 1)), square = v[j] / (1 - std::pow(options.beta2, k + 1));
        x[j] -= rate(k) * mean / (std::sqrt(square) + options.epsilon);
      }
    EXPECT_LE(distance(engine->learner->values(kNames[i]), x), 1e-12) << kNames[i];
  }
  EXPECT_EQ(engine->learner->values("mu"), std::vector<double>{2.5});
}

TEST(TorchLearner, KeepsWeightsInSinglePrecisionOnlyWhereBothSaySo) {
  ASSERT_ENGINE(single, NetworkPrecision::F32);
  add_all(*single->learner);
  const std::vector<double> W = arrays()[0].values, kept = single->learner->values("act.h[1].W");
  for (size_t i = 0; i < W.size(); ++i) EXPECT_EQ(kept[i], static_cast<double>(static_cast<float>(W[i])));
  EXPECT_EQ(single->learner->values("z"), arrays()[1].values);
  ASSERT_ENGINE(full, NetworkPrecision::F64);
  add_all(*full->learner);
  EXPECT_EQ(full->learner->values("act.h[1].W"), W);
}

TEST(TorchLearner, GoesOnBitForBitFromItsState) {
  for (const NetworkPrecision precision : {NetworkPrecision::F32, NetworkPrecision::F64})
    for (const int cut : {0, 1, 7}) {
      ASSERT_ENGINE(whole, precision);
      add_all(*whole->learner);
      whole->learner->begin(kNames, {});
      run(*whole->learner, 0, cut);
      const std::vector<NamedArray> state = whole->learner->state();
      ASSERT_ENGINE(resumed, precision);
      for (NamedArray a : arrays()) {
        a.values = whole->learner->values(a.name);
        resumed->learner->add(a);
      }
      const auto restored = resumed->learner->restore(state);
      ASSERT_TRUE(restored) << restored.error().message;
      run(*whole->learner, cut, 20);
      run(*resumed->learner, cut, 20);
      for (const std::string& name : kNames) EXPECT_EQ(whole->learner->values(name), resumed->learner->values(name)) << name << ", cut at " << cut;
      const std::vector<NamedArray> a = whole->learner->state(), b = resumed->learner->state();
      ASSERT_EQ(a.size(), b.size());
      for (size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].name, b[i].name);
        EXPECT_EQ(a[i].values, b[i].values) << a[i].name;
      }
    }
}

TEST(TorchLearner, StartsAStageWithFreshMoments) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  add_all(*engine->learner);
  engine->learner->begin(kNames, {});
  run(*engine->learner, 0, 5);
  const std::vector<double> before = engine->learner->values("z");
  engine->learner->begin(std::span(kNames).subspan(1), {});
  const std::vector<std::vector<double>> g = {{1, 1, 1, 1, 1}};
  engine->learner->step(0.1, g);  // the first step of Adam has the size of the rate
  for (size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(engine->learner->values("z")[i], before[i] - 0.1, 1e-8);
}

TEST(TorchLearner, RefusesAStateThatIsNotItsOwn) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  add_all(*engine->learner);
  engine->learner->begin(kNames, {});
  run(*engine->learner, 0, 2);
  const std::vector<NamedArray> state = engine->learner->state();
  const std::vector<double> W = engine->learner->values(kNames[0]);
  for (size_t missing = 0; missing < state.size(); ++missing) {
    std::vector<NamedArray> part = state;
    part.erase(part.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_FALSE(engine->learner->restore(part)) << state[missing].name;
  }
  std::vector<NamedArray> longer = state;
  longer.back().values.push_back(0);
  EXPECT_FALSE(engine->learner->restore(longer));
  ASSERT_ENGINE(other, NetworkPrecision::F64);
  other->learner->add(arrays()[1]);
  const auto refused = other->learner->restore(state);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the optimiser's state has `act.h[1].W`, which isn't learned here");
}

}  // namespace
}  // namespace asb::test
