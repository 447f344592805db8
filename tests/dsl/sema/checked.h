// A program text through the whole front end, with the product's own modules, and what came of it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/parse/load.h"
#include "dsl/sema/check.h"

namespace asb::test {

struct Checked {
  LoadedProgram program;
  std::optional<model::Model> model;
  std::string names;  ///< "unit-mismatch unknown-name": the reports, in order; "" if there are none
  std::string shown;  ///< as the user sees them

  /// The body of the output `name`.
  const model::Expr& output(const std::string& name) const;
  const model::Expr& operator[](model::ExprId id) const { return model->exprs[id]; }
};

/// `settings` are texts of `--set`.
Checked checked(const std::string& text, const std::vector<std::string>& settings = {});
Checked checked_file(const std::string& path);
/// Only the names of its reports.
std::string reports(const std::string& text);
/// A declaration of a mesh `m`, an unknown `x` with a solve, and then `text`.
std::string with_body(const std::string& text);
/// The spelled type of `output a = expr` after `declarations`.
std::string type_of(const std::string& declarations, const std::string& expr);

}  // namespace asb::test
