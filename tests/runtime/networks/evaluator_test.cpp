// LibTorch's networks against the interpreter's: values, cotangents, singular points, threads, repetition.
#include <cstring>
#include <thread>

#include "asb/interpreter_networks.h"
#include "tests/runtime/networks/networks.h"
#include "tests/runtime/networks/torch_engine.h"
#include "tests/support/run.h"

namespace asb::test {
namespace {

constexpr uint64_t kSeed = 20261201;

struct Answer {
  std::vector<double> value;
  std::vector<std::vector<double>> cotangents;
  bool operator==(const Answer&) const = default;
};

std::vector<double> bar_of(const NetworkCase& c) {
  Random random(7);
  return random.uniforms(static_cast<int>(c.n * c.output_entries()));
}

Answer answer(NetworkEvaluator& evaluator, const NetworkCase& c) {
  const std::vector<NetworkInput> inputs = c.inputs();
  Answer a{std::vector<double>(static_cast<size_t>(c.n * c.output_entries())), c.numbers};
  const auto value = evaluator.forward(c.function, inputs, c.n, a.value);
  EXPECT_TRUE(value) << value.error().message;
  std::vector<std::span<double>> cotangents(a.cotangents.begin(), a.cotangents.end());
  const auto pulled = evaluator.pull_back(c.function, inputs, c.n, bar_of(c), cotangents);
  EXPECT_TRUE(pulled) << pulled.error().message;
  return a;
}

/// Largest difference relative to the largest number of the array.
double difference(const std::vector<double>& expected, const std::vector<double>& other) {
  return distance(expected, other) / std::max(largest(expected), 1e-300);
}

std::vector<NetworkCase> cases(int64_t n) {
  Random random(kSeed);
  std::vector<NetworkCase> result = {siren(random, 16, 3, n), modulated_siren(random, 12, 3, 4, n), fourier_mlp(random, 6, 10, n)};
  for (NetworkCase& c : odd_networks(random, n)) result.push_back(std::move(c));
  return result;
}

void compare(NetworkEvaluator& torch, double tolerance) {
  const auto oracle = make_interpreter_networks();
  for (const NetworkCase& c : cases(37)) {
    const Answer expected = answer(*oracle, c), other = answer(torch, c);
    EXPECT_LE(difference(expected.value, other.value), tolerance) << c.name;
    for (size_t i = 0; i < c.numbers.size(); ++i) {
      if (largest(expected.cotangents[i]) == 0) EXPECT_EQ(largest(other.cotangents[i]), 0) << c.name << ", input " << c.function.inputs[i].name;
      else EXPECT_LE(difference(expected.cotangents[i], other.cotangents[i]), tolerance) << c.name << ", input " << c.function.inputs[i].name;
    }
  }
}

TEST(TorchNetworks, EqualTheInterpretersInDoublePrecision) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  compare(*engine->evaluator, 1e-12);
}

TEST(TorchNetworks, EqualTheInterpretersToSinglePrecision) {
  ASSERT_ENGINE(engine, NetworkPrecision::F32);
  compare(*engine->evaluator, 1e-5);
}

TEST(TorchNetworks, SumOverChunksAsOverEntities) {  // 70,000 entities are more than one chunk of any network here
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  Random random(kSeed);
  NetworkCase c = siren(random, 4, 2, 70000);
  const Answer whole = answer(*engine->evaluator, c);
  const std::vector<double> bar = bar_of(c);
  std::vector<std::vector<double>> sums(c.numbers.size());
  for (size_t i = 1; i < sums.size(); ++i) sums[i].assign(c.numbers[i].size(), 0.0);
  const int64_t part = 100;
  for (int64_t begin = 0; begin < c.n; begin += part) {
    std::vector<NetworkInput> inputs = c.inputs();
    inputs[0].values = inputs[0].values.subspan(static_cast<size_t>(3 * begin), 3 * part);
    std::vector<std::vector<double>> found = sums;
    found[0].assign(3 * part, 0.0);
    std::vector<std::span<double>> spans(found.begin(), found.end());
    ASSERT_TRUE(engine->evaluator->pull_back(c.function, inputs, part, std::span(bar).subspan(static_cast<size_t>(6 * begin), 6 * part), spans));
    EXPECT_LE(distance(found[0], {whole.cotangents[0].begin() + 3 * begin, whole.cotangents[0].begin() + 3 * (begin + part)}), 1e-10);
    for (size_t i = 1; i < sums.size(); ++i)
      for (size_t k = 0; k < sums[i].size(); ++k) sums[i][k] += found[i][k];
  }
  for (size_t i = 1; i < sums.size(); ++i) EXPECT_LE(difference(sums[i], whole.cotangents[i]), 1e-11) << i;
}

TEST(TorchNetworks, GiveTheSameBitsWhenRepeatedAndFromSeveralThreads) {
  for (const NetworkPrecision precision : {NetworkPrecision::F32, NetworkPrecision::F64}) {
    ASSERT_ENGINE(engine, precision);
    Random random(kSeed);
    const NetworkCase c = modulated_siren(random, 32, 4, 4, 10000);
    const Answer first = answer(*engine->evaluator, c);
    EXPECT_EQ(first, answer(*engine->evaluator, c));
    std::vector<Answer> others(2);
    std::vector<std::thread> threads;
    for (Answer& a : others) threads.emplace_back([&] { a = answer(*engine->evaluator, c); });
    for (std::thread& t : threads) t.join();
    for (const Answer& a : others) EXPECT_EQ(first, a);
  }
}

TEST(TorchNetworks, LeaveOutCotangentsThatNobodyAsksFor) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  Random random(kSeed);
  NetworkCase c = modulated_siren(random, 8, 2, 3, 50);
  const Answer all = answer(*engine->evaluator, c);
  std::vector<double> z(c.numbers[1].size());
  std::vector<std::span<double>> cotangents(c.numbers.size());
  cotangents[1] = z;
  ASSERT_TRUE(engine->evaluator->pull_back(c.function, c.inputs(), c.n, bar_of(c), cotangents));
  EXPECT_LE(difference(all.cotangents[1], z), 1e-13);
}

/// d/dx of a function of one number at the points.
std::vector<double> slopes(NetworkEvaluator& evaluator, const std::function<ir::ValueId(ir::Builder&, ir::ValueId)>& f, const std::vector<double>& at) {
  ir::Function function;
  ir::Builder b(function);
  b.add_output("value", f(b, b.add_input("x", ir::Type::scalar(), ir::kAxisMesh)));
  std::vector<double> found(at.size()), bar(at.size(), 1.0);
  const NetworkInput input{at, true};
  const std::span<double> cotangent = found;
  EXPECT_TRUE(evaluator.pull_back(function, std::span(&input, 1), static_cast<int64_t>(at.size()), bar, std::span(&cotangent, 1)));
  return found;
}

TEST(TorchNetworks, HaveTheSlopesOfTheLanguageAtSingularPoints) {
  using ir::Builder;
  using ir::ValueId;
  const auto oracle = make_interpreter_networks();
  const std::vector<std::pair<std::string, std::function<ValueId(Builder&, ValueId)>>> functions = {
      {"sqrt", [](Builder& b, ValueId x) { return b.sqrt(b.abs(x)); }},
      {"abs", [](Builder& b, ValueId x) { return b.abs(x); }},
      {"max", [](Builder& b, ValueId x) { return b.max(b.scale(2, x), b.scale(3, x)); }},
      {"min", [](Builder& b, ValueId x) { return b.min(b.scale(2, x), b.scale(3, x)); }},
      {"root", [](Builder& b, ValueId x) { return b.pow(b.abs(x), b.constant(0.3)); }},
      {"atan2", [](Builder& b, ValueId x) { return b.atan2(x, b.mul(x, x)); }},
      {"the side not taken", [](Builder& b, ValueId x) { return b.select(b.equal(x, b.constant(0)), b.constant(4), b.mul(x, b.log(b.abs(x)))); }},
      {"division in the side not taken", [](Builder& b, ValueId x) { return b.add(x, b.select(b.equal(x, b.constant(0)), b.constant(4), b.div(b.sin(x), x))); }},
  };
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  for (const auto& [name, f] : functions) {
    const std::vector<double> points = {0, 0.5, -0.7};
    const std::vector<double> expected = slopes(*oracle, f, points), found = slopes(*engine->evaluator, f, points);
    for (size_t i = 0; i < points.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-13) << name << " at " << points[i];
  }
}

TEST(TorchNetworks, RefuseAnOpThatTheyLackByName) {
  ASSERT_ENGINE(engine, NetworkPrecision::F64);
  ir::Function function;
  function.name = "turn";
  ir::Builder b(function);
  b.add_output("value", b.rotation(b.add_input("F", ir::Type::matrix(3, 3), ir::kAxisMesh)));
  const std::vector<double> F = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  const NetworkInput input{F, true};
  std::vector<double> R(9);
  const auto result = engine->evaluator->forward(function, std::span(&input, 1), 1, R);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "`rotation` in network `turn` can't be evaluated by LibTorch");
}

TEST(TorchNetworks, SayWhatTheyAre) {
  ASSERT_ENGINE(engine, NetworkPrecision::F32);
  EXPECT_NE(engine->evaluator->description().find("f32, 1 thread"), std::string::npos) << engine->evaluator->description();
}

}  // namespace
}  // namespace asb::test
