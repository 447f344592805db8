// See front_end.h.
#include "tests/dsl/front_end.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "dsl/ast/dump.h"
#ifdef ASB_HAS_CHECKER
#include "dsl/sema/check.h"
#endif

namespace asb::test {

std::vector<std::string> programs_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ASB_TEST_DIR "/") + folder))
    if (entry.is_regular_file() && entry.path().extension() == ".asb")
      out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string module_folder() { return ASB_TEST_DIR "/modules"; }

std::string text_of_file(const std::string& path) {
  Result<std::string> text = read_file(path);
  EXPECT_TRUE(text) << path;
  return text ? *text : std::string();
}

bool check(LoadedProgram& program, const std::vector<std::string>& settings) {
#ifdef ASB_HAS_CHECKER
  sema::CheckOptions options;
  for (const std::string& text : settings)
    if (auto setting = sema::parse_setting(program.tree, text, program.diagnostics))
      options.settings.push_back(*setting);
  (void)sema::check(program.tree, program.diagnostics, options);
  return true;
#else
  (void)program, (void)settings;
  return false;
#endif
}

LoadedProgram parse(const std::string& text) { return load_text("test.asb", text, {}); }

std::string tree_of(const std::string& text) {
  const LoadedProgram program = parse(text);
  EXPECT_EQ(render(program.diagnostics, program.tree.files), "");
  const std::string dump = ast::dump_ast(program.tree, program.tree.main);
  return dump.substr(dump.find('\n') + 1);
}

std::string expr_tree(const std::string& text) {
  ast::SyntaxTree tree;
  DiagnosticSink sink;
  const ast::ExprId expr = parse_expression(tree, "test", text, sink);
  EXPECT_EQ(render(sink, tree.files), "");
  return expr ? ast::dump_ast(tree, expr) : std::string();
}

std::string reports(const LoadedProgram& program) {
  std::string out;
  for (const Diagnostic& d : program.diagnostics.diagnostics()) {
    if (!out.empty()) out += "; ";
    const Position at =
        d.primary ? program.tree.files.position(d.primary.file, d.primary.begin) : Position{};
    out += fmt::format("{}:{} {}", at.line, at.column, d.name());
  }
  return out;
}

std::string reports(const std::string& text) { return reports(parse(text)); }

}  // namespace asb::test
