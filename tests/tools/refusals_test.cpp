// What a run refuses, and how it says so: code 1, the name of the error, the place in the program, and a way out.
// Mistakes that the front end finds have their own tests (tests/dsl/diagnostics).
#include <gtest/gtest.h>

#include "tests/tools/process.h"

namespace asb::test {
namespace {

struct Parts {
  std::string energy = "integral(bar) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) }";
  std::string fix = "fix x on bar.nodes where X.x < 1 mm";
  std::string more = {};
  std::string method = {};
  std::string element = "hex8";
};

std::string bar(const Parts& p) {
  return "use materials.neo_hookean\nuse materials.shape_targeting\n"
         "mesh bar = box(size: [0.4, 0.1, 0.1] m, cells: [4, 2, 2], element: " + p.element + ")\n"
         "unknown x: vec3 on bar.nodes = X\n" + p.fix + "\nsolve x minimizing " + p.energy + " " + p.method + "\n" + p.more +
         "\noutput highest = max(bar.nodes) { x.z }\n";
}

/// A body made from the surface of a file.
std::string solid(const std::string& source, const std::string& more = {}) {
  return "use materials.neo_hookean\nsurface s = " + source + "\nmesh body = voxels(s, cells: 6)\n" + more + "\n"
         "unknown x: vec3 on body.nodes = X\nfix x on body.nodes where X.x < 10 mm\n"
         "solve x minimizing integral(body) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) }\n"
         "output highest = max(body.nodes) { x.z }\n";
}

const char* const kCube =
    "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n"
    "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

struct Refusal {
  std::string test, program, name;
  std::vector<std::string> says;
  std::vector<std::string> arguments = {};
};

void PrintTo(const Refusal& r, std::ostream* out) { *out << r.name; }

class Refusals : public ::testing::TestWithParam<Refusal> {};

TEST_P(Refusals, NameTheMistakeItsPlaceAndAWayOut) {
  const Refusal& given = GetParam();
  const Workplace here;
  here.write("p.asb", given.program);
  here.write("cube.obj", kCube);
  here.write("flat.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 1 3 2\n");
  here.write("bad.obj", "v 0 0 zero\n");
  here.write("big.obj", "v 0 0 0\nv 100 0 0\nv 0 100 0\nf 1 2 3\n");
  here.write("note.txt", "hello\n");
  std::vector<std::string> arguments = {"run", "p.asb", "--no-files"};
  arguments.insert(arguments.end(), given.arguments.begin(), given.arguments.end());
  const Ended ended = here.asb(arguments);
  EXPECT_EQ(ended.code, 1) << ended.out << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_TRUE(contains(ended.err, "[" + given.name + "]")) << ended.err;
  for (const std::string& part : given.says) EXPECT_TRUE(contains(ended.err, part)) << part << " is missing in\n" << ended.err;
}

INSTANTIATE_TEST_SUITE_P(
    Of, Refusals,
    ::testing::Values(
        Refusal{"EmptySet", bar({.fix = "fix x on bar.nodes where X.x > 2 m"}), "empty-set",
                {"p.asb:5:10", "`bar.nodes where X.x > 2 m` is empty: no entity meets the condition",
                 "`bar` has 45 points with X from [0, 0, 0] m to [0.4, 0.1, 0.1] m"}},
        Refusal{"MissingTag", bar({.fix = "fix x on bar.nodes tag \"foot\""}), "empty-set", {"there is no tag `foot`", "it has no tags"}},
        Refusal{"NothingWithin", bar({.fix = "surface s = file(\"flat.obj\")\nfix x on bar.nodes within s"}), "empty-set", {"nothing lies within `s`"}},
        Refusal{"DoubleFix", bar({.fix = "fix x on bar.nodes where X.x < 1 mm\nfix x.y on bar.nodes where X.y < 1 mm"}), "fix-twice",
                {"p.asb:6:1", "`x.y` of node 0", "write `over`"}},
        Refusal{"FloatingBody", bar({.fix = ""}), "floating-body", {"nothing holds `x`", "fix x on bar.nodes where"}},
        Refusal{"FloatingAlongAnAxis",
                bar({.energy = "integral(bar) { shape_targeting(grad(x), sym(I + 0.1 * outer([1, 0, 0], [1, 0, 0]))) * 1 }",
                     .fix = "fix x.x on bar.nodes where X.x < 1 mm"}),
                "solve-floating-part", {"held by nothing along `y`", "fix some of its nodes"}},
        Refusal{"FixNotFinite", bar({.fix = "fix x on bar.nodes where X.x < 1 mm = X / (X.x / 1 m)"}), "fix-not-finite",
                {"p.asb:5:1", "`x.x` of node 0 is held at a value that is not finite"}},
        Refusal{"FactorNotFinite", bar({.energy = "integral(bar) { neo_hookean(grad(x), mu: 1 Pa, lambda: 1 Pa) } / nought", .more = "param nought: real = 0"}),
                "coefficient-not-finite", {"is not finite"}},
        Refusal{"ElementOfABox", "mesh bar = box(size: [1, 1, 1] m, cells: [1, 1, 1], element: tet10)\noutput volume = integral(bar) { 1 }\n", "element-unknown", {"`tet10`", "`hex8`, `tet4`"}},
        Refusal{"TooManyCells", solid("file(\"cube.obj\")", "mesh m = box(size: [1, 1, 1] m, cells: [90000, 90000, 90000], element: hex8)"),
                "box-too-large", {"p.asb:4:"}},
        Refusal{"Method", bar({.method = "using lbfgs"}), "not-yet", {"`lbfgs` is not executed yet", "use `newton`"}},
        Refusal{"SolveOption", bar({.method = "using newton(inversion: refuse)"}), "solve-option", {"`inversion`", "options are `tol`"}},
        Refusal{"NotProjective", bar({.method = "using projective"}), "not-projective", {"second derivative at fixed rotation", "use `newton`"}},
        Refusal{"NonlinearInASum", bar({.energy = "1 J * (sum(bar.nodes) { sqnorm(x) / 1 m^2 })^2"}), "not-yet", {"p.asb:6:", "a nonlinear function of a sum"}},
        Refusal{"StepsOfTime", bar({.more = "time dt = 1 s / 60 for 10 steps"}), "not-yet", {"p.asb:7:1", "`time` can't be compiled yet"}},
        Refusal{"SoftlyHeldPoints", bar({.more = "attach bar.nodes where X.x > 399 mm to X"}), "not-yet", {"p.asb:7:1", "`attach` can't be compiled yet"}},
        Refusal{"ExponentialOfAMatrix", bar({.more = "output growth = exp(sym3([1, 0, 0, 2, 0, 3]))"}), "not-yet",
                {"p.asb:7:17", "of a symmetric matrix can't be compiled yet"}},
        Refusal{"MissingFile", solid("file(\"none.obj\")"), "file-not-found", {"p.asb:2:1", "there is no file `none.obj`", "--data FOLDER"}},
        Refusal{"AFolderForAFile", solid("file(\".\")"), "file-read", {"not a regular file"}},
        Refusal{"PathThatLeaves", solid("file(\"../none.obj\")"), "path-leaves-folder", {"p.asb:2:1", "`../none.obj` leaves the folder", "--data"}},
        Refusal{"AbsolutePath", solid("file(\"/etc/passwd\")"), "path-absolute", {"`/etc/passwd` is an absolute path"}},
        Refusal{"DataFolder", solid("file(\"cube.obj\")"), "path-root", {"`nowhere` can't be opened"}, {"--data", "nowhere"}},
        Refusal{"Format", solid("file(\"note.txt\")"), "surface-format", {"p.asb:2:1", "doesn't end in .obj, .off, .stl or .ply"}},
        Refusal{"NumberInAFile", solid("file(\"bad.obj\")"), "surface-file", {"line 1: coordinate `zero` is not a finite number"}},
        Refusal{"UnitOfAFile", solid("file(\"big.obj\", unit: 1e308 m)"), "surface-unit", {"too large in a unit of 1e+308 m"}},
        Refusal{"FlatSurface", solid("file(\"flat.obj\")"), "surface-flat", {"p.asb:3:1", "`s` encloses a volume of 0 m^3"}},
        Refusal{"OutsideOfTheMesh",
                solid("file(\"cube.obj\")", "mesh m = box(size: [0.2, 0.2, 0.2] m, cells: [2, 2, 2], element: hex8)\nsurface e = embed(s, in: m)"),
                "embed-outside", {"7 of 8 points of `s`", "more than half a cell outside the mesh"}},
        Refusal{"Backend", bar({}), "backend-unknown", {"`gpu` is not a backend", "backends are `llvm`"}, {"--backend", "gpu"}},
        Refusal{"SettingUnit", bar({.more = "param E: Pa = 1 MPa in [0.1 MPa, 10 MPa]"}), "wrong-unit", {"--set E:1:", "`m`", "`Pa`"}, {"--set", "E=3 m"}},
        Refusal{"SettingBounds", bar({.more = "param E: Pa = 1 MPa in [0.1 MPa, 10 MPa]"}), "out-of-bounds", {"outside the bounds of `E`", "p.asb:7:"}, {"--set", "E=1e9"}},
        Refusal{"SettingName", bar({.more = "param E: Pa = 1 MPa"}), "unknown-setting", {"there is no `Q` to set", "there are `E`"}, {"--set", "Q=1"}},
        Refusal{"SettingForm", bar({}), "setting-form", {"isn't of the form NAME=EXPR"}, {"--set", "E"}}),
    [](const auto& info) { return info.param.test; });

TEST(Refusals, AProgramThatIsNotThere) {
  const Workplace here;
  const Ended ended = here.asb({"run", "none.asb"});
  EXPECT_EQ(ended.code, 1);
  EXPECT_TRUE(contains(ended.err, "can't open `none.asb`")) << ended.err;
}

TEST(Data, IsLookedForInTheGivenFolderFirstAndThenBesideTheProgram) {
  const Workplace here;
  std::filesystem::create_directory(here.path("given"));
  std::filesystem::create_directory(here.path("empty"));
  here.write("p.asb", solid("file(\"cube.obj\")"));
  here.write("cube.obj", kCube);
  std::string tall = kCube;
  for (size_t at; (at = tall.find(" 1\nv")) != std::string::npos;) tall.replace(at, 3, " 3\n");
  tall.replace(tall.find("v 0 1 1\n"), 8, "v 0 1 3\n");
  here.write("given/cube.obj", tall);
  EXPECT_EQ(here.asb({"run", "p.asb", "--no-files", "--quiet"}).out, "highest = 1\n");
  EXPECT_EQ(here.asb({"run", "p.asb", "--no-files", "--quiet", "--data", "given"}).out, "highest = 3\n");
  EXPECT_EQ(here.asb({"run", "p.asb", "--no-files", "--quiet", "--data", "empty"}).out, "highest = 1\n");
}

}  // namespace
}  // namespace asb::test
