// What these tests share: where their programs are, and the whole front end as one call.
#pragma once

#include <string>
#include <vector>

#include "dsl/parse/load.h"

namespace asb::test {

/// The `.asb` files of a folder of tests/dsl, sorted, with their paths.
std::vector<std::string> programs_in(const std::string& folder);
/// The folder from which the tests' programs use modules.
std::string module_folder();
std::string text_of_file(const std::string& path);

/// Runs the checker on a loaded program with `--set` texts; its reports go to the program's.
/// False if it isn't built in.
bool check(LoadedProgram& program, const std::vector<std::string>& settings = {});

/// Parses a text without modules.
LoadedProgram parse(const std::string& text);
/// The tree of a text as dump_ast() shows it, without the line of the module.
std::string tree_of(const std::string& text);
/// The same for one expression.
std::string expr_tree(const std::string& text);
/// "2:5 expected-type" for each report, joined by "; ".
std::string reports(const std::string& text);
std::string reports(const LoadedProgram& program);

}  // namespace asb::test
