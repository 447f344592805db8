// Programs of the repository, their text varied, ready to measure.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "asb/run.h"

namespace asb::bench {

/// Text to find, and what to put in its place. Every one must be there.
using Edits = std::vector<std::pair<std::string, std::string>>;

/// A program that is loaded and checked: `path` relative to the repository. Ends the process with the diagnostics where
/// it can't be: there is nothing to measure then.
Program load_for_bench(const std::string& path, const Edits& edits = {});

/// A program with its compiled plan and bodies.
struct Prepared {
  std::unique_ptr<Program> program;
  Run run;
  Session& session() { return *run.session; }
  const plan::Plan& plan() const { return *run.plan; }
};
Prepared prepare_for_bench(const std::string& path, const Edits& edits = {}, int threads = 0, bool gradients = false);

std::string source_folder();
[[noreturn]] void give_up(const std::string& why);

}  // namespace asb::bench
