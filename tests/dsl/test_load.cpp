// Modules: where they are found, their order, cycles, the prelude.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/dsl/front_end.h"

namespace asb {
namespace {

class Loading : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::temp_directory_path() / fmt::format("asb_loading_{}", ::getpid());
    std::filesystem::create_directories(root_);
  }
  void TearDown() override { std::filesystem::remove_all(root_); }
  std::string write(const std::string& path, const std::string& text) {
    const std::filesystem::path full = root_ / path;
    std::filesystem::create_directories(full.parent_path());
    std::ofstream(full) << text;
    return full.string();
  }
  std::vector<std::string> order(const LoadedProgram& p) {
    std::vector<std::string> out;
    for (ast::ModuleId m : p.tree.order) out.push_back(p.tree.modules[m].name);
    return out;
  }
  std::filesystem::path root_;
};

TEST_F(Loading, ModulesComeFromTheProgramsFolderFirstAndBeforeThoseThatUseThem) {
  write("lib/prelude.asb", "let zero_g = 0");
  write("lib/a/b.asb", "let from = 1");
  write("lib/c.asb", "use a.b\nlet c = 1");
  write("home/a/b.asb", "let from = 2");
  const std::string main = write("home/main.asb", "use c\nuse a.b as other\nlet x = 1");
  const LoadedProgram p = load_program(main, {(root_ / "lib").string()});
  EXPECT_EQ(test::reports(p), "");
  EXPECT_EQ(order(p), (std::vector<std::string>{"prelude", "a.b", "c", "main"}));
  ASSERT_TRUE(p.tree.prelude);
  for (ast::ModuleId m : p.tree.order)
    if (p.tree.modules[m].name == "a.b") {
      EXPECT_EQ(p.tree.files[p.tree.modules[m].file].text, "let from = 2");
    }
  const auto& use =
      std::get<ast::UseDecl>(p.tree.declarations[p.tree.modules[p.tree.main].declarations[1]].kind);
  EXPECT_EQ(use.alias.text, "other");
  EXPECT_EQ(p.tree.modules[use.module].name, "a.b");
}

TEST_F(Loading, CycleIsNamedOnceAndTheRestIsLoaded) {
  write("a.asb", "use b\nlet x = 1");
  write("b.asb", "use c\nlet y = 1");
  write("c.asb", "use a\nlet z = 1");
  const LoadedProgram p = load_program(write("main.asb", "use a\nuse b"), {});
  ASSERT_EQ(p.diagnostics.diagnostics().size(), 1u);
  EXPECT_EQ(p.diagnostics.diagnostics()[0].message,
            "modules use each other in a cycle: `a` → `b` → `c` → `a`");
  EXPECT_EQ(order(p), (std::vector<std::string>{"c", "b", "a", "main"}));
}

TEST_F(Loading, ProgramThatUsesItselfIsACycle) {
  const LoadedProgram p = load_program(write("main.asb", "use main"), {});
  EXPECT_EQ(test::reports(p), "1:1 use-cycle");
}

TEST_F(Loading, LongChainsOfModulesAreFine) {
  for (int i = 0; i < 2000; ++i) write(fmt::format("m{}.asb", i), fmt::format("use m{}", i + 1));
  write("m2000.asb", "let a = 1");
  const LoadedProgram p = load_program((root_ / "m0.asb").string(), {});
  EXPECT_EQ(test::reports(p), "");
  EXPECT_EQ(order(p).front(), "m2000");
  EXPECT_EQ(order(p).back(), "m0");
}

TEST_F(Loading, MissingMainFileIsADiagnostic) {
  const LoadedProgram p = load_program((root_ / "none.asb").string(), {});
  ASSERT_EQ(p.diagnostics.diagnostics().size(), 1u);
  EXPECT_EQ(p.diagnostics.diagnostics()[0].name(), "file-not-readable");
  EXPECT_EQ(render(p.diagnostics, p.tree.files).substr(0, 13), "error: can't ");
}

TEST_F(Loading, PreludeDoesNotNeedItself) {
  const LoadedProgram p = load_program(write("prelude.asb", "let a = 1"), {root_.string()});
  EXPECT_EQ(test::reports(p), "");
  EXPECT_EQ(p.tree.modules.size(), 1u);
  EXPECT_EQ(p.tree.prelude, p.tree.main);
}

}  // namespace
}  // namespace asb
