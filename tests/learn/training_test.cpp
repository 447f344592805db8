// Training as users meet it: losses fall, frames that fail are skipped within the budget, `asb run` shows what was learned,
// and the starfish of examples/ begins to learn.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/atomic_file.h"
#include "runtime/io/weights.h"
#include "tests/learn/programs.h"
#include "tests/tools/process.h"

namespace asb::test {
namespace {

class Training : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto torch = open_torch(NetworkPrecision::F32); !torch) GTEST_SKIP() << torch.error().message;
  }

  /// A column of the log.
  std::vector<double> column(const std::string& out, const std::string& name) {
    std::istringstream lines(place.read(out + "/training.csv"));
    std::vector<double> values;
    int at = -1;
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      std::string field;
      for (int i = 0; std::getline(fields, field, ','); ++i)
        if (values.empty() && at < 0 && field == name) at = i;
        else if (i == at) values.push_back(std::strtod(field.c_str(), nullptr));
    }
    return values;
  }

  /// NAME = VALUE lines.
  std::map<std::string, double> outputs(const std::string& text) {
    std::istringstream lines(text);
    std::map<std::string, double> values;
    for (std::string line; std::getline(lines, line);)
      if (const size_t equals = line.find(" = "); equals != std::string::npos)
        values[line.substr(0, equals)] = std::strtod(line.c_str() + equals + 3, nullptr);
    return values;
  }

  Workplace place;
};

TEST_F(Training, OfABarOfThreePosesLowersTheLossTenfoldIn40Steps) {
  place.write("bar.asb", learning_bar("learn act, z, side, gain minimizing fit + calm over pose using adam(rate: cosine(3e-2, 3e-3), steps: 40)"));
  const Ended ended = place.asb({"train", "bar.asb"});
  ASSERT_EQ(ended.code, 0) << ended.err;
  const std::vector<double> loss = column("bar.out", "loss"), rate = column("bar.out", "rate");
  ASSERT_EQ(loss.size(), 40u);
  EXPECT_LT(loss.back(), 0.1 * loss.front());
  EXPECT_NEAR(rate.front(), 3e-2, 1e-9);
  EXPECT_NEAR(rate.back(), 3e-3, 1e-9);
  EXPECT_LT(outputs(ended.out)["fit"], 0.1 * loss.front()) << "from rest, of all frames";
}

TEST_F(Training, IsWhatARunShowsAndInBetweenShapesNeedNoFrames) {
  place.write("bar.asb", learning_bar());
  const Ended untrained = place.asb({"run", "bar.asb", "--no-files"});
  ASSERT_EQ(untrained.code, 0) << untrained.err;
  EXPECT_TRUE(contains(untrained.err, "nothing has been learned yet")) << untrained.err;
  ASSERT_EQ(place.asb({"train", "bar.asb", "--weights", "learned.pt"}).code, 0);
  const Ended trained = place.asb({"run", "bar.asb", "--no-files"});
  ASSERT_EQ(trained.code, 0) << trained.err;
  EXPECT_TRUE(contains(trained.err, "learned values from")) << trained.err;
  EXPECT_LT(outputs(trained.out)["fit [1]"], 0.5 * outputs(untrained.out)["fit [1]"]);

  // The log as JSON has a row a step, like the CSV.
  const auto csv = read_file(place.path("bar.out/training.csv")), json = read_file(place.path("bar.out/training.json"));
  ASSERT_TRUE(csv && json);
  size_t rows = 0;
  for (size_t at = json->find("\"loss\""); at != std::string::npos; at = json->find("\"loss\"", at + 1)) ++rows;
  EXPECT_EQ(rows + 1, static_cast<size_t>(std::ranges::count(*csv, '\n')));

  // The same from a file named, as .safetensors and as .pt.
  std::filesystem::rename(place.path("bar.out/checkpoint.safetensors"), place.path("kept.safetensors"));
  auto arrays = read_weights(place.path("kept.safetensors"));
  ASSERT_TRUE(arrays);
  std::erase_if(*arrays, [](const NamedArray& a) { return a.name.starts_with("checkpoint.") || a.name.starts_with("optimiser."); });
  ASSERT_TRUE(write_weights(place.path("kept.pt"), *arrays));
  for (const char* file : {"kept.safetensors", "kept.pt", "learned.pt"}) {
    const Ended from = place.asb({"run", "bar.asb", "--no-files", "--from", file});
    EXPECT_EQ(from.code, 0) << from.err;
    EXPECT_EQ(from.out, trained.out) << file;
  }
  // A param that is set stands above what was learned.
  const Ended set = place.asb({"run", "bar.asb", "--no-files", "--from", "kept.pt", "--set", "side=[0, 0, 0]"});
  EXPECT_NE(outputs(set.out)["fit [1]"], outputs(trained.out)["fit [1]"]);
  EXPECT_EQ(outputs(set.out)["lift [1]"], outputs(trained.out)["lift [1]"]);

  const Ended first = place.asb({"run", "bar.asb", "--no-files", "--from", "kept.pt", "--set", "z=z[1]"});
  ASSERT_EQ(first.code, 0) << first.err;
  EXPECT_NEAR(outputs(first.out)["lift"], outputs(trained.out)["lift [1]"], 1e-6);
  const Ended between = place.asb({"run", "bar.asb", "--from", "kept.pt", "--set", "z=mix(z[0], z[2], 0.5)", "--out", "between"});
  ASSERT_EQ(between.code, 0) << between.err;
  EXPECT_TRUE(outputs(between.out).contains("lift")) << between.out;
  EXPECT_TRUE(place.exists("between/m.vtu"));
  const double low = outputs(trained.out)["lift [0]"], high = outputs(trained.out)["lift [2]"];
  EXPECT_GE(outputs(between.out)["lift"], std::min(low, high) - 0.1);
  EXPECT_LE(outputs(between.out)["lift"], std::max(low, high) + 0.1);

  // A file of another program.
  std::string wider = learning_bar();
  wider.replace(wider.find("concat(X, z), 8"), 15, "concat(X, z), 9");
  place.write("wider.asb", wider);
  const Ended shape = place.asb({"run", "wider.asb", "--no-files", "--from", "kept.pt"});
  EXPECT_EQ(shape.code, 1);
  EXPECT_TRUE(contains(shape.err, "[weights-shape]")) << shape.err;
  wider.replace(wider.find("let h = tanh(linear(concat(X, z), 9"), 5, "let k");
  wider.replace(wider.find("linear(h, 6)"), 9, "linear(k,");
  place.write("wider.asb", wider);
  const Ended missing = place.asb({"run", "wider.asb", "--no-files", "--from", "kept.pt"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_TRUE(contains(missing.err, "[weights-missing]")) << missing.err;
}

TEST_F(Training, SkipsFramesThatFailWithinTheBudgetThenEndsWithTheCheckpointKept) {
  place.write("bar.asb", learning_bar("learn act, z minimizing fit over pose using adam(rate: 1e8, steps: 40)"));
  const Ended ended = place.asb({"train", "bar.asb", "--checkpoint-every", "0"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_TRUE(contains(ended.err, "is skipped: ")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "[frame-not-solved]") || contains(ended.err, "[adjoint-unstable]")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "the budget is 5 %")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "a smaller rate may help")) << ended.err;
  EXPECT_TRUE(place.exists("bar.out/checkpoint.safetensors"));
}

TEST_F(Training, RefusesStatesThatAreNotStationary) {
  place.write("bar.asb", learning_bar("learn act, z minimizing fit over pose using adam(rate: 1e-2, steps: 10)", " using newton_cg(tol: 0.2)"));
  const Ended ended = place.asb({"train", "bar.asb"});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_TRUE(contains(ended.err, "[frame-not-stationary]")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "a smaller one")) << ended.err;
}

TEST_F(Training, EndsWhereALossOrItsGradientIsNotFinite) {
  for (const auto& [loss, name] : {std::pair{"sqrt(side.x - 1)", "[loss-not-finite]"}, {"exp(709 * (1 + side.x))", "[gradient-not-finite]"}}) {
    place.write("bar.asb", learning_bar("learn side minimizing " + std::string(loss) + " using adam(rate: 1e-2, steps: 10)"));
    const Ended ended = place.asb({"train", "bar.asb"});
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_TRUE(contains(ended.err, name)) << ended.err;
    EXPECT_TRUE(contains(ended.err, "step 1: it is skipped")) << ended.err;
  }
}

TEST_F(Training, RefusesToLearnNothing) {
  for (const char* learn : {"", "learn gain minimizing sqnorm(side) using adam(steps: 3)"}) {
    place.write("bar.asb", learning_bar(learn));
    const Ended ended = place.asb({"train", "bar.asb"});
    EXPECT_EQ(ended.code, 1) << ended.err;
    EXPECT_TRUE(contains(ended.err, "[nothing-to-learn]")) << ended.err;
  }
}

TEST_F(Training, OfTheStarfishLowersItsLossIn30Steps) {
  const std::string make = "ASB=" + std::string(ASB_BINARY) + " " + source_file("examples/starfish/make_poses.sh") + " " +
                           place.path("poses") + " >" + place.path("log") + " 2>&1";
  ASSERT_EQ(std::system(make.c_str()), 0) << place.read("log");
  ASSERT_EQ(place.list("poses").size(), 8u);
  const Ended ended = place.asb({"train", source_file("examples/starfish/learn.asb"), "--data", place.path(""), "--steps", "30"}, {.seconds = 120});
  ASSERT_EQ(ended.code, 0) << ended.err;
  auto learned = outputs(ended.out);
  EXPECT_LT(learned["skin_rms"], 0.98 * learned["untrained_rms"]) << ended.out;
  // In-between shapes leave out what needs a pose.
  const Ended between = place.asb({"run", source_file("examples/starfish/learn.asb"), "--data", place.path(""), "--set", "z=mix(z[1], z[5], 0.5)"});
  ASSERT_EQ(between.code, 0) << between.err;
  EXPECT_TRUE(contains(between.err, "`skin_rms`, `skin_max`, `untrained_rms`, `fit`, `distance` left out")) << between.err;
  EXPECT_TRUE(outputs(between.out).contains("calm"));
  EXPECT_TRUE(place.exists("learn.out/body.vtu"));
}

}  // namespace
}  // namespace asb::test
