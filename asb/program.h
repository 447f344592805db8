// A program from its text to its plan. The first half of the public library; run.h is the second.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/plan/compile.h"
#include "dsl/diag/diagnostics.h"
#include "dsl/model/model.h"
#include "dsl/parse/load.h"

namespace asb {

struct LoadOptions {
  std::vector<std::string> settings;        ///< `NAME=EXPR` each, as of --set
  std::vector<std::string> module_folders;  ///< searched after the program's own folder and before the standard programs
};

/// A loaded and checked program. `model` is absent if diagnostics hold an error.
struct Program {
  LoadedProgram loaded;
  std::optional<model::Model> model;
  std::vector<std::string> set;  ///< names that --set gave values
  std::string folder;            ///< of the program's file: its data paths are relative to it
  double load_seconds = 0, check_seconds = 0;

  explicit operator bool() const { return model.has_value(); }
  /// All diagnostics as text, with places and carets.
  std::string diagnostics() const { return render(loaded.diagnostics, loaded.tree.files); }
  /// An error of a later stage the same way: its place in the program, if it has one.
  std::string render_error(const Error& error) const;
};

Program load(const std::string& path, const LoadOptions& options = {});
/// A program in memory; modules come from options.module_folders and the standard programs.
Program load_source(const std::string& name, std::string text, const LoadOptions& options = {});

/// The folder of the standard programs (materials, networks, the prelude).
std::string standard_programs_folder();

}  // namespace asb
