// How a run can end without an equilibrium, and what is kept: code 3 or 130, a sentence, and files all the same.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/tools/process.h"

namespace asb::test {
namespace {

const std::string kBeam = source_file("examples/beam/beam.asb");

/// A small bar and a solve of one energy.
std::string bar(const std::string& energy, const std::string& initial = "X", const std::string& fix = "fix x on bar.nodes where X.x < 1 mm") {
  return "use materials.neo_hookean\n"
         "mesh bar = box(size: [0.4, 0.1, 0.1] m, cells: [4, 2, 2], element: hex8)\n"
         "unknown x: vec3 on bar.nodes = " + initial + "\n" + fix + "\nsolve x minimizing " + energy + "\n"
         "output highest = max(bar.nodes) { x.z }\n";
}

struct Ending {
  std::string name, program, status, sentence;
  std::vector<std::string> arguments = {};
};

void PrintTo(const Ending& e, std::ostream* out) { *out << e.status; }

class Endings : public ::testing::TestWithParam<Ending> {};

TEST_P(Endings, EndWithCodeThreeASentenceAndFiles) {
  const Ending& given = GetParam();
  const Workplace here;
  here.write("p.asb", given.program);
  std::vector<std::string> arguments = {"run", "p.asb"};
  arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  const Ended ended = here.asb(arguments);
  EXPECT_EQ(ended.code, 3) << ended.err;
  EXPECT_TRUE(contains(ended.err, "solve x: " + given.status)) << ended.err;
  EXPECT_TRUE(contains(ended.err, given.sentence)) << ended.err;
  EXPECT_TRUE(contains(ended.err, "warning: solve x ended without an equilibrium")) << ended.err;
  EXPECT_TRUE(contains(ended.out, "highest = ")) << ended.out;
  EXPECT_EQ(here.list("p.out"), (std::vector<std::string>{"bar.vtu", "p.npz", "p.png", "report.html", "result.json"}));
  const nlohmann::json result = nlohmann::json::parse(here.read("p.out/result.json"));
  EXPECT_EQ(result["solves"][0]["converged"], false);
  EXPECT_EQ(result["solves"][0]["status"], given.status);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Endings,
    ::testing::Values(
        Ending{"Unbounded", bar("integral(bar) { 10 N/m^3 * x.z }"), "unbounded", "the values run away"},
        Ending{"Falling", bar("integral(bar) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) + 1 N/m^3 * x.z }", "X", "fix x.x on bar.nodes where X.x < 1 mm"),
               "unbounded", "is every part of the body held"},
        Ending{"IterationLimit", bar("integral(bar) { neo_hookean(grad(x), mu: 1 kPa, lambda: 2 kPa) + 1 kN/m^3 * x.z }"), "iteration limit",
               "not converged after 2 iterations", {"--iterations", "2"}},
        // A kink: Newton's direction has no curvature to go by, and the minimum is not a stationary point.
        Ending{"Stalled", bar("sum(bar.nodes) { 1 N * abs(x.x - X.x - 13.7 mm) + 1 N * abs(x.z - X.z - 11.3 mm) }"), "stalled",
               "no step lowers the energy"},
        // The second derivative says that the energy falls, and it rises on both sides.
        Ending{"Unstable", bar("sum(bar.nodes) { let q = sqnorm(x - X) / 1 m^2; 1 J * q * (if q < 1e-20 { -1 } else { 1 }) }"), "unstable",
               "unstable equilibrium (buckling)"},
        Ending{"NotFinite", bar("integral(bar) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) }", "[X.x, X.y, -X.z]"), "not finite at the start",
               "a cell may be inverted there"}),
    [](const auto& info) { return info.param.name; });

TEST(Output, ThatIsNotFiniteEndsWithCodeThree) {
  const Workplace here;
  here.write("p.asb", bar("integral(bar) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) }") + "output broken = 1 / (0 * bar.cell_size)\n");
  const Ended ended = here.asb({"run", "p.asb", "--quiet"});
  EXPECT_EQ(ended.code, 3);
  EXPECT_TRUE(contains(ended.err, "warning: output `broken` is not finite")) << ended.err;
  EXPECT_EQ(nlohmann::json::parse(here.read("p.out/result.json"))["outputs"][1]["values"][0], "inf");
}

TEST(Interrupt, EndsWithCode130AndKeepsTheStateUntilThen) {
  const Workplace here;
  std::string beam = source_text("tests/programs/cantilever.asb");
  beam.replace(beam.find("[16, 4, 4]"), 10, "[48, 12, 12]");
  here.write("long.asb", beam);
  const Ended ended = here.asb({"run", "long.asb"}, {.interrupt_at = "x   1:"});
  EXPECT_EQ(ended.code, 130) << ended.err;
  EXPECT_TRUE(contains(ended.err, "interrupted after ")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "interrupted: what is shown is the state until then")) << ended.err;
  EXPECT_TRUE(contains(ended.out, "tip_moves = [")) << ended.out;
  const nlohmann::json result = nlohmann::json::parse(here.read("long.out/result.json"));
  EXPECT_EQ(result["solves"][0]["status"], "interrupted");
  const auto& steps = result["solves"][0]["history"];
  EXPECT_GE(steps.size(), 2u);
  EXPECT_LT(result["outputs"][0]["values"][2].get<double>(), -1e-4) << "the state has moved";
}

TEST(FullDisk, LeavesTheOldFilesWholeAndSaysSo) {
  const Workplace here;
  ASSERT_EQ(here.asb({"run", kBeam, "--quiet"}).code, 0);
  const std::vector<std::string> names = here.list("beam.out");
  std::vector<std::string> before;
  for (const std::string& name : names) before.push_back(here.read("beam.out/" + name));
  const Ended ended = here.asb({"run", kBeam, "--quiet", "--set", "E=2e6"}, {.largest_file = 1000});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(contains(ended.err, "can't write `./beam.out/result.json`")) << ended.err;
  EXPECT_TRUE(contains(ended.err, "[file-write]")) << ended.err;
  EXPECT_EQ(here.list("beam.out"), names) << "no temporary file is left";
  for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(here.read("beam.out/" + names[i]), before[i]) << names[i];
}

TEST(Output, ThatStdoutDoesNotTakeIsAnErrorAndFilesAreWritten) {
  const Workplace here;
  const Ended ended = here.asb({"run", kBeam, "--quiet"}, {.stdout_to = "/dev/full"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(contains(ended.err, "can't write the outputs")) << ended.err;
  EXPECT_TRUE(here.exists("beam.out/result.json"));
}

TEST(Output, AFolderThatCantBeMadeIsRefusedBeforeSolving) {
  const Workplace here;
  here.write("taken", "a file\n");
  const Ended ended = here.asb({"run", kBeam, "--out", "taken/inside"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(contains(ended.err, "can't write into `taken/inside`")) << ended.err;
  EXPECT_FALSE(contains(ended.err, "solve x")) << "nothing is solved first";
  EXPECT_EQ(here.read("taken"), "a file\n");
}

}  // namespace
}  // namespace asb::test
