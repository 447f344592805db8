// See program.h.
#include "asb/program.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "dsl/sema/check.h"

namespace asb {
namespace {

namespace fs = std::filesystem;

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> search_folders(const LoadOptions& options) {
  std::vector<std::string> folders = options.module_folders;
  folders.push_back(standard_programs_folder());
  return folders;
}

void check(Program& program, const LoadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  sema::CheckOptions check_options;
  for (const std::string& text : options.settings)
    if (auto setting = sema::parse_setting(program.loaded.tree, text, program.loaded.diagnostics)) {
      program.set.push_back(setting->name);
      check_options.settings.push_back(std::move(*setting));
    }
  if (!program.loaded.diagnostics.has_errors())
    program.model = sema::check(program.loaded.tree, program.loaded.diagnostics, check_options).model;
  program.check_seconds = seconds_since(start);
}

}  // namespace

std::string standard_programs_folder() {
  if (const char* folder = std::getenv("ASB_PROGRAMS")) return folder;
  std::error_code ignored;
  const fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path installed = executable.parent_path().parent_path() / "share" / "asb" / "programs";
  if (fs::is_directory(installed, ignored)) return installed.string();
  return ASB_PROGRAMS_FOLDER;
}

Program load(const std::string& path, const LoadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Program program{.loaded = load_program(path, search_folders(options)), .model = {}, .set = {}, .folder = {}};
  const std::string parent = fs::path(path).parent_path().string();
  program.folder = parent.empty() ? "." : parent;
  program.load_seconds = seconds_since(start);
  check(program, options);
  return program;
}

Program load_source(const std::string& name, std::string text, const LoadOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  Program program{.loaded = load_text(name, std::move(text), search_folders(options)), .model = {}, .set = {}, .folder = "."};
  program.load_seconds = seconds_since(start);
  check(program, options);
  return program;
}

std::string Program::render_error(const Error& error) const {
  return render(error, loaded.tree.files);
}

}  // namespace asb
