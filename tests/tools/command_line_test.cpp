// Command lines, right and wrong: help, what stands on stdout, machine-readable output, borders of the compiler.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/tools/process.h"

namespace asb::test {
namespace {

const std::string kBeam = source_file("examples/beam/beam.asb");

TEST(Help, OfEveryCommandShowsAnExample) {
  const Workplace here;
  const Ended top = here.asb({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_TRUE(contains(top.out, "  asb run examples/beam/beam.asb"));
  for (const std::string command : {"run", "check", "build", "grad", "train", "doctor"}) {
    EXPECT_TRUE(contains(top.out, "\n  " + command)) << command << " is not listed";
    const Ended help = here.asb({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_TRUE(contains(help.out, "\n  asb " + command)) << help.out;
    EXPECT_EQ(help.err, "");
  }
  EXPECT_TRUE(contains(here.asb({"--version"}).out, "asb 0."));
}

TEST(CommandLine, MistakesEndWithCodeTwoAndSayWhereToReadOn) {
  const Workplace here;
  struct Row {
    std::vector<std::string> arguments;
    std::string says;
  };
  for (const Row& row : {Row{{}, "a command is missing"}, Row{{"frob"}, "there is no command `frob`"}, Row{{"run"}, "FILE is required"},
                         Row{{"run", kBeam, "--frob"}, "--frob"}, Row{{"run", kBeam, "--tol", "nan"}, "`nan` is not a number from"},
                         Row{{"run", kBeam, "--threads", "0"}, "--threads"}, Row{{"run", kBeam, "--iterations", "0"}, "--iterations"},
                         Row{{"check", kBeam, "--format", "xml"}, "xml"}, Row{{"build", kBeam, "--emit=foo"}, "nothing is emitted as `foo`"},
                         Row{{"build", kBeam, "--emit=ssa-after:foo"}, "`foo` is not a pass"}}) {
    const Ended ended = here.asb(row.arguments);
    EXPECT_EQ(ended.code, 2) << row.says;
    EXPECT_EQ(ended.out, "");
    EXPECT_TRUE(contains(ended.err, row.says)) << ended.err;
    EXPECT_TRUE(contains(ended.err, "[command-line]\n  hint: ")) << ended.err;
  }
}

TEST(Run, PutsResultsAndNothingElseOnStdout) {
  const Workplace here;
  const Ended ended = here.asb({"run", kBeam});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "tip_drop = 0.7327698 m\n");
  EXPECT_TRUE(contains(ended.err, "beam: 640 hex8"));
  EXPECT_TRUE(contains(ended.err, "converged in "));
  EXPECT_EQ(here.list("beam.out"), (std::vector<std::string>{"beam.npz", "beam.png", "beam.vtu", "report.html", "result.json"}));
}

TEST(Run, QuietSaysNothingAndNoFilesLeavesNothing) {
  const Workplace here;
  const Ended ended = here.asb({"run", kBeam, "--quiet", "--no-files"});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.err, "");
  EXPECT_TRUE(here.list(".").empty());
}

TEST(Run, TakesSettingsAsExpressionsOrAsBareNumbersInTheDeclaredUnit) {
  const Workplace here;
  const Ended expression = here.asb({"run", kBeam, "--set", "E=2 * 1 MPa", "--set", "nu=0.3", "--quiet", "--no-files"});
  const Ended number = here.asb({"run", kBeam, "--set", "E=2e6", "--set", "nu=0.3", "--quiet", "--no-files"});
  EXPECT_EQ(expression.code, 0) << expression.err;
  EXPECT_EQ(expression.out, number.out);
  EXPECT_NE(expression.out, "tip_drop = 0.7327698 m\n");
}

/// result.json without what a clock says.
nlohmann::json without_times(const std::string& text) {
  nlohmann::json result = nlohmann::json::parse(text);
  const auto strip = [](auto&& self, nlohmann::json& at) -> void {
    if (at.is_object()) at.erase("seconds");
    for (auto& entry : at)
      if (entry.is_structured()) self(self, entry);
  };
  strip(strip, result);
  return result;
}

TEST(Run, GivesTheSameResultTwiceButForTimes) {
  const Workplace here;
  const std::string starfish = source_file("examples/starfish/forward.asb");
  ASSERT_EQ(here.asb({"run", starfish, "--out", "a", "--threads", "1"}).code, 0);
  ASSERT_EQ(here.asb({"run", starfish, "--out", "b", "--threads", "2"}).code, 0);
  const nlohmann::json a = without_times(here.read("a/result.json")), b = without_times(here.read("b/result.json"));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a["solves"][0]["converged"], true) << a.dump(1).substr(0, 2000);
  for (const std::string name : {"body.vtu", "skin.obj"}) EXPECT_EQ(here.read("a/" + name), here.read("b/" + name)) << name;
}

TEST(Check, ReportsInJsonForEditors) {
  const Workplace here;
  EXPECT_EQ(nlohmann::json::parse(here.asb({"check", kBeam, "--format", "json"}).out), nlohmann::json::array());
  here.write("wrong.asb", "output a = 1 m + 1 s\n");
  const Ended ended = here.asb({"check", "wrong.asb", "--format", "json"});
  EXPECT_EQ(ended.code, 1);
  const nlohmann::json found = nlohmann::json::parse(ended.out);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0]["line"], 1);
  EXPECT_EQ(found[0]["severity"], "error");
  const Ended text = here.asb({"check", "wrong.asb"});
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.out, "");
  EXPECT_TRUE(contains(text.err, "wrong.asb:1:"));
  EXPECT_TRUE(contains(here.asb({"check", kBeam}).out, "no mistakes found"));
}

TEST(Build, PrintsTheProgramAtEveryBorder) {
  const Workplace here;
  struct Row {
    std::string emit, holds;
  };
  std::vector<Row> rows = {{"ast", "neo_hookean"}, {"model", "tip_drop"}, {"graph", "gather"}, {"ssa", "det"}, {"ssa-after:expand", "_gradient"},
                           {"ssa-after:order", "_gradient"}, {"llvm", "define"}, {"asm", "ret"}};
#ifdef ASB_HAS_VULKAN
  rows.push_back({"spirv", "OpEntryPoint"});
#endif
  for (const Row& row : rows) {
    const Ended ended = here.asb({"build", kBeam, "--emit=" + row.emit});
    EXPECT_EQ(ended.code, 0) << row.emit << ": " << ended.err;
    EXPECT_TRUE(contains(ended.out, row.holds)) << row.emit << ": " << ended.out.substr(0, 500);
    EXPECT_GT(std::ranges::count(ended.out, '\n'), 20) << row.emit;
  }
  EXPECT_TRUE(contains(here.asb({"build", kBeam}).out, "kernels, "));
  const Ended none = here.asb({"build", kBeam, "--emit=ssa", "--kernel=zzz"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(contains(none.err, "no kernel has `zzz` in its name")) << none.err;
}

TEST(Doctor, NamesTheMachine) {
  const Workplace here;
  const Ended ended = here.asb({"doctor"});
  EXPECT_EQ(ended.code, 0);
  for (const char* part : {"cpu ", "llvm ", "blas ", "vulkan ", "programs "}) EXPECT_TRUE(contains(ended.out, part)) << part;
}

}  // namespace
}  // namespace asb::test
