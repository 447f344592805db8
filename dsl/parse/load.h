// The way into the front end: a program's text, and all modules that it uses, as one syntax tree.
#pragma once

#include <string>
#include <vector>

#include "dsl/ast/ast.h"
#include "dsl/diag/diagnostics.h"

namespace asb {

struct LoadedProgram {
  ast::SyntaxTree tree;
  DiagnosticSink diagnostics;
};

/// Reads `path` and, for each `use a.b`, `a/b.asb` from the program's own folder or else from the
/// first of `search_folders` that has it. `prelude.asb` of the first folder that has one is always
/// in. The tree is whole even when there are errors: what could not be read is left out.
LoadedProgram load_program(const std::string& path, const std::vector<std::string>& search_folders);

/// The same for a text that is in no file. `name` is what diagnostics call it; modules are looked
/// for in `search_folders` only.
LoadedProgram load_text(const std::string& name, std::string text,
                        const std::vector<std::string>& search_folders);

/// Adds `text`, one expression, to the files of `tree` as `name` and parses it; what `--set` gives.
/// Absent after a report.
ast::ExprId parse_expression(ast::SyntaxTree& tree, const std::string& name, std::string text,
                             DiagnosticSink& sink);

}  // namespace asb
