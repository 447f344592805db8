// Programs run from tests: a file of this folder or of examples/, its text varied if asked, compiled and solved.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "asb/run.h"

namespace asb::test {

/// Text to find, and what to put in its place. Every one must be there.
using Edits = std::vector<std::pair<std::string, std::string>>;

struct ProgramOptions {
  Edits edits;
  std::vector<std::string> settings;  ///< as of --set
  RunOptions run;
};

std::string tests_folder();     ///< tests/programs
std::string source_folder();    ///< the repository
std::string read_program(const std::string& path);
/// All programs with a solve: examples/ and tests/programs/, sorted. Paths are absolute.
std::vector<std::string> all_programs();

/// A folder for `--data` that stands in for data which is not part of the repository: the starfish of examples/ under
/// the names that programs ask for, and as two poses of itself.
std::string stand_in_data();

/// Loads and checks `path` (relative to tests/programs, or absolute); a mistake fails the test with its diagnostics.
Program load_for_test(const std::string& path, const ProgramOptions& options = {});

/// A run and the program that it borrows from.
struct Ran {
  Program program;
  Run run;
  Session& session() { return *run.session; }
  const RunResult& result() const { return run.result; }
  const std::vector<double>& output(const std::string& name) const;
  double number(const std::string& name) const { return output(name).at(0); }
  const SolveResult& solve(const std::string& name) const;
  int iterations(const std::string& name) const { return static_cast<int>(solve(name).history.size()) - 1; }
};
/// Compiled and prepared; a failure throws (GoogleTest reports it), as do the others.
Ran prepare_for_test(const std::string& path, const ProgramOptions& options = {});
/// Solved; every solve must have converged unless said otherwise.
Ran run_for_test(const std::string& path, const ProgramOptions& options = {}, bool must_converge = true);

double largest_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace asb::test
