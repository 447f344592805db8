// The checker: a loaded syntax tree becomes a Model (dsl/model/model.h), or diagnostics. Names, types, units, domains,
// axes; functions and layers inlined at their calls; compile-time numbers evaluated. Meaning: docs/language.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast/ast.h"
#include "dsl/diag/diagnostics.h"
#include "dsl/model/model.h"

namespace asb::sema {

/// `--set NAME=EXPR`: the expression replaces what the program gives `name`.
struct Setting {
  std::string name;
  ast::ExprId value;  ///< in the tree that is checked
  Span span;          ///< of the name
};

/// Adds the text `NAME=EXPR` to the files of `tree` and parses it; none after a report.
std::optional<Setting> parse_setting(ast::SyntaxTree& tree, std::string_view text, DiagnosticSink& sink);

struct CheckOptions {
  std::vector<Setting> settings;
};

struct CheckResult {
  std::optional<model::Model> model;  ///< none if anything was reported as an error
  explicit operator bool() const { return model.has_value(); }
};

/// Never fails otherwise than by diagnostics: any tree that the parser made is fine as input.
[[nodiscard]] CheckResult check(const ast::SyntaxTree& tree, DiagnosticSink& sink, const CheckOptions& options = {});

/// The Model as text for people, one declaration a line: `asb build --emit=model`.
std::string dump_model(const model::Model& model);

}  // namespace asb::sema
