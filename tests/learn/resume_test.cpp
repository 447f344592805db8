// Killed and resumed, interrupted and resumed: the end is that of an uninterrupted training, bit for bit. Checkpoints of
// another program, seed or data, damaged ones, and a full disk.
#include <gtest/gtest.h>

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>

#include "runtime/io/weights.h"
#include "runtime/networks/learner.h"
#include "tests/learn/programs.h"
#include "tests/support/random.h"
#include "tests/tools/process.h"

namespace asb::test {
namespace {

class Resume : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const auto torch = open_torch(NetworkPrecision::F32); !torch) GTEST_SKIP() << torch.error().message;
    place.write("bar.asb", learning_bar());
  }

  Ended train(const std::string& out, std::vector<std::string> more = {}, const HowToRun& how = {}) {
    std::vector<std::string> words = {"train", "bar.asb", "--out", out, "--checkpoint-every", "0"};
    words.insert(words.end(), more.begin(), more.end());
    return place.asb(words, how);
  }

  /// Rows of the log without the header.
  int64_t rows(const std::string& out) {
    const std::string text = place.read(out + "/training.csv");
    return std::count(text.begin(), text.end(), '\n') - 1;
  }

  /// Starts a training and kills it once its log has so many rows; false if it ended before.
  bool train_and_kill(const std::string& out, int64_t at, std::vector<std::string> more) {
    std::vector<std::string> words = {ASB_BINARY, "train", place.path("bar.asb"), "--out", place.path(out), "--checkpoint-every", "0", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    if (::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0) return false;
    int status = 0;
    while (rows(out) < at) {
      if (::waitpid(child, &status, WNOHANG) == child) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status);
  }

  /// Everything that the last checkpoint holds, but for the seconds that passed.
  std::vector<NamedArray> checkpoint(const std::string& out) {
    auto arrays = read_weights(place.path(out + "/checkpoint.safetensors"));
    if (!arrays) {
      ADD_FAILURE() << arrays.error().message;
      return {};
    }
    std::erase_if(*arrays, [](const NamedArray& a) { return a.name == "checkpoint.seconds" || a.name == "checkpoint.checksum"; });
    return *arrays;
  }

  std::string log_without_seconds(const std::string& out) {
    std::istringstream lines(place.read(out + "/training.csv"));
    std::string text;
    for (std::string line; std::getline(lines, line);) text += line.substr(0, line.rfind(',')) + '\n';
    return text;
  }

  void expect_same(const std::string& a, const std::string& b) {
    const auto left = checkpoint(a), right = checkpoint(b);
    ASSERT_EQ(left.size(), right.size());
    ASSERT_GT(left.size(), 20u);
    for (size_t i = 0; i < left.size(); ++i) {
      EXPECT_EQ(left[i].name, right[i].name);
      EXPECT_EQ(left[i].values, right[i].values) << left[i].name;
    }
    EXPECT_EQ(log_without_seconds(a), log_without_seconds(b));
  }

  Workplace place;
};

TEST_F(Resume, KilledAtThreeStepsTheEndIsTheSameBitForBitWithOneThreadAndTwo) {
  ASSERT_EQ(train("whole", {"--threads", "1"}).code, 0);
  EXPECT_EQ(rows("whole"), 40);
  Random random(11);
  for (const char* threads : {"1", "2"}) {
    const std::string out = std::string("killed") + threads;
    int64_t at = 0;
    std::string go_on = "--quiet";
    for (int kill = 0; kill < 3; ++kill) {
      at += 1 + static_cast<int64_t>(random.uniform(0, 6));
      ASSERT_TRUE(train_and_kill(out, at, {"--threads", threads, go_on})) << "it ended before row " << at;
      at = std::max(at, rows(out));
      go_on = "--resume";
    }
    const Ended ended = train(out, {"--threads", threads, "--resume"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(contains(ended.err, "resuming at stage 1, step")) << ended.err;
    expect_same("whole", out);
  }
}

TEST_F(Resume, InterruptedTheEndIsTheSameAndTheExitCodeIs130) {
  ASSERT_EQ(train("whole").code, 0);
  const Ended first = train("stopped", {}, {.interrupt_at = "learn     1/40"});
  ASSERT_EQ(first.code, 130) << first.err;
  EXPECT_TRUE(contains(first.err, "--resume` goes on")) << first.err;
  EXPECT_LT(rows("stopped"), 40);
  ASSERT_EQ(train("stopped", {"--resume"}).code, 0);
  expect_same("whole", "stopped");
}

TEST_F(Resume, ASecondStageBeginsWhereTheFirstEnded) {
  place.write("bar.asb", learning_bar("learn first: act, side minimizing fit over pose using adam(rate: 1e-2, steps: 6, batch: 2)\n"
                                      "learn second: z, act minimizing fit + calm over pose using adam(rate: 3e-3, steps: 6)"));
  ASSERT_EQ(train("whole").code, 0);
  ASSERT_TRUE(train_and_kill("killed", 5, {}));
  ASSERT_TRUE(train_and_kill("killed", std::max<int64_t>(9, rows("killed")), {"--resume"}));
  ASSERT_EQ(train("killed", {"--resume"}).code, 0);
  expect_same("whole", "killed");
}

TEST_F(Resume, IsRefusedForAnotherProgramAnotherSeedAndWithoutACheckpoint) {
  const Ended none = train("none", {"--resume"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "[checkpoint-missing]")) << none.err;
  ASSERT_EQ(train("out", {"--steps", "2"}).code, 0);
  const Ended seed = train("out", {"--steps", "2", "--resume", "--seed", "3"});
  EXPECT_EQ(seed.code, 1);
  EXPECT_TRUE(contains(seed.err, "[checkpoint-other-program]") && contains(seed.err, "another seed")) << seed.err;
  const Ended setting = train("out", {"--steps", "2", "--resume", "--set", "gain=0.4"});
  EXPECT_EQ(setting.code, 1);
  EXPECT_TRUE(contains(setting.err, "[checkpoint-other-program]")) << setting.err;
  std::string other = learning_bar();
  other.replace(other.find("1e-3 * mean"), 4, "2e-3");
  place.write("bar.asb", other);
  const Ended program = train("out", {"--steps", "2", "--resume"});
  EXPECT_EQ(program.code, 1);
  EXPECT_TRUE(contains(program.err, "[checkpoint-other-program]")) << program.err;
}

TEST_F(Resume, FromADamagedCheckpointGoesOnFromTheOneBefore) {
  ASSERT_EQ(train("whole").code, 0);
  ASSERT_TRUE(train_and_kill("out", 6, {}));
  const std::string newest = place.read("out/checkpoint.safetensors"), before = place.read("out/checkpoint.before.safetensors");
  ASSERT_FALSE(before.empty());
  std::string flipped = newest;
  flipped[flipped.size() / 2] ^= 1;  // one bit of the numbers
  for (const std::string& damaged : {newest.substr(0, newest.size() / 2), flipped}) {
    for (const char* name : {"out/checkpoint.safetensors", "out/checkpoint.before.safetensors"})
      std::filesystem::remove(place.path(name));  // a kill may leave two names of one file
    place.write("out/checkpoint.safetensors", damaged);
    place.write("out/checkpoint.before.safetensors", before);
    const Ended ended = train("out", {"--resume"});
    ASSERT_EQ(ended.code, 0) << ended.err;
    EXPECT_TRUE(contains(ended.err, "going on from the one before")) << ended.err;
    expect_same("whole", "out");
  }
  place.write("out/checkpoint.safetensors", flipped);
  place.write("out/checkpoint.before.safetensors", "");
  const Ended both = train("out", {"--resume"});
  EXPECT_EQ(both.code, 1);
  EXPECT_TRUE(contains(both.err, "[checkpoint-damaged]")) << both.err;
  // Weights alone are no checkpoint.
  const NamedArray weight{.name = "act.h.linear.weight", .shape = {1}, .values = {1.0}, .is_f32 = false};
  ASSERT_TRUE(write_weights(place.path("out/checkpoint.safetensors"), std::span(&weight, 1)));
  const Ended weights = train("out", {"--resume"});
  EXPECT_EQ(weights.code, 1);
  EXPECT_TRUE(contains(weights.err, "[checkpoint-incomplete]")) << weights.err;
}

TEST_F(Resume, AFullDiskLeavesTheLastCheckpointAsItWas) {
  ASSERT_TRUE(train_and_kill("out", 5, {}));
  const std::string checkpoint = place.read("out/checkpoint.safetensors");
  const Ended full = train("out", {"--resume"}, {.largest_file = 4096});
  EXPECT_EQ(full.code, 1);
  EXPECT_TRUE(contains(full.err, "[file-write]")) << full.err;
  EXPECT_EQ(place.read("out/checkpoint.safetensors"), checkpoint);
  ASSERT_EQ(train("whole").code, 0);
  ASSERT_EQ(train("out", {"--resume"}).code, 0);
  expect_same("whole", "out");
}

}  // namespace
}  // namespace asb::test
