// See program_testing.h.
#include "tests/programs/program_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace asb::test {

namespace fs = std::filesystem;

std::string tests_folder() { return ASB_TEST_FOLDER; }
std::string source_folder() { return ASB_SOURCE_FOLDER; }

std::string read_program(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw std::runtime_error("can't read " + path);
  return text.str();
}

std::vector<std::string> all_programs() {
  std::vector<std::string> paths;
  for (const std::string& folder : {source_folder() + "/examples", tests_folder()})
    for (const auto& entry : fs::recursive_directory_iterator(folder))
      if (entry.path().extension() == ".asb" && read_program(entry.path()).find("\nsolve ") != std::string::npos)
        paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

std::string stand_in_data() {
  static const std::string folder = [] {
    const fs::path made = fs::path(::testing::TempDir()) / "asb_stand_in_data";
    fs::create_directories(made / "poses");
    for (const char* name : {"starfish.obj", "poses/a.obj", "poses/b.obj"})
      fs::copy_file(source_folder() + "/examples/starfish/rest.obj", made / name, fs::copy_options::overwrite_existing);
    return made.string();
  }();
  return folder;
}

Program load_for_test(const std::string& path, const ProgramOptions& options) {
  const std::string full = path.starts_with("/") ? path : tests_folder() + "/" + path;
  std::string text = read_program(full);
  for (const auto& [from, to] : options.edits) {
    size_t at = text.find(from);
    if (at == std::string::npos) throw std::runtime_error(fmt::format("`{}` is not in {}", from, path));
    for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  }
  const std::string folder = fs::path(full).parent_path();
  Program program = load_source(fs::path(full).filename(), text, {.settings = options.settings, .module_folders = {folder}});
  program.folder = folder;
  if (!program) throw std::runtime_error(program.diagnostics());
  return program;
}

const std::vector<double>& Ran::output(const std::string& name) const {
  for (const OutputResult& output : run.result.outputs)
    if (output.name == name) return output.values;
  throw std::runtime_error("no output " + name);
}

const SolveResult& Ran::solve(const std::string& name) const {
  for (const SolveResult& solve : run.result.solves)
    if (solve.name == name) return solve;
  throw std::runtime_error("no solve " + name);
}

Ran prepare_for_test(const std::string& path, const ProgramOptions& options) {
  Program program = load_for_test(path, options);
  auto run = prepare_run(program, options.run);
  if (!run) throw std::runtime_error(program.render_error(run.error()));
  return {std::move(program), std::move(*run)};
}

Ran run_for_test(const std::string& path, const ProgramOptions& options, bool must_converge) {
  Ran ran = prepare_for_test(path, options);
  auto result = ran.session().run();
  if (!result) throw std::runtime_error(ran.program.render_error(result.error()));
  ran.run.result = std::move(*result);
  for (const SolveResult& solve : ran.run.result.solves)
    EXPECT_TRUE(solve.converged || !must_converge) << path << ", solve " << solve.name << ": " << solve.sentence;
  return ran;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const double difference = std::abs(a[i] - b[i]);
    largest = std::isnan(difference) ? HUGE_VAL : std::max(largest, difference);
  }
  return largest;
}

}  // namespace asb::test
