// See programs.h.
#include "bench/programs.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace asb::bench {

std::string source_folder() { return ASB_SOURCE_FOLDER; }

void give_up(const std::string& why) {
  fmt::print(stderr, "asb_bench_table: {}\n", why);
  std::exit(1);
}

Program load_for_bench(const std::string& path, const Edits& edits) {
  const std::filesystem::path file = std::filesystem::path(source_folder()) / path;
  std::ifstream in(file);
  if (!in) give_up(fmt::format("can't read {}", file.string()));
  std::stringstream text;
  text << in.rdbuf();
  std::string source = text.str();
  for (const auto& [find, replacement] : edits) {
    const size_t at = source.find(find);
    if (at == std::string::npos) give_up(fmt::format("`{}` is not in {}", find, path));
    source.replace(at, find.size(), replacement);
  }
  Program program = load_source(file.string(), std::move(source));
  if (!program) give_up(program.diagnostics());
  program.folder = file.parent_path().string();
  return program;
}

Prepared prepare_for_bench(const std::string& path, const Edits& edits, int threads, bool gradients) {
  Prepared out;
  out.program = std::make_unique<Program>(load_for_bench(path, edits));
  RunOptions options;
  options.session.threads = threads;
  options.gradients = gradients;
  options.session.adjoint_tolerance = 1e-6;
  auto run = prepare_run(*out.program, options);
  if (!run) give_up(out.program->render_error(run.error()));
  out.run = std::move(*run);
  return out;
}

}  // namespace asb::bench
