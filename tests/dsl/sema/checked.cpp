// See checked.h.
#include "tests/dsl/sema/checked.h"

#include <gtest/gtest.h>

#include "dsl/sema/units.h"

namespace asb::test {
namespace {

Checked check_loaded(LoadedProgram program, const std::vector<std::string>& settings) {
  Checked result{std::move(program), {}, {}, {}};
  sema::CheckOptions options;
  for (const std::string& text : settings)
    if (const auto setting = sema::parse_setting(result.program.tree, text, result.program.diagnostics))
      options.settings.push_back(*setting);
  result.model = sema::check(result.program.tree, result.program.diagnostics, options).model;
  for (const Diagnostic& d : result.program.diagnostics.diagnostics())
    result.names += (result.names.empty() ? "" : " ") + std::string(d.name());
  result.shown = render(result.program.diagnostics, result.program.tree.files);
  EXPECT_EQ(result.model.has_value(), !result.program.diagnostics.has_errors()) << result.shown;
  return result;
}

}  // namespace

Checked checked(const std::string& text, const std::vector<std::string>& settings) {
  return check_loaded(load_text("test.asb", text, {ASB_PROGRAMS_DIR}), settings);
}

Checked checked_file(const std::string& path) { return check_loaded(load_program(path, {ASB_PROGRAMS_DIR}), {}); }

std::string reports(const std::string& text) { return checked(text).names; }

std::string with_body(const std::string& text) {
  return "mesh m = box(size: [1, 1, 1] m, cells: [2, 2, 2])\n"
         "unknown x: vec3 on m.nodes = X\n"
         "solve x minimizing integral(m) { sqnorm(grad(x)) }\n" +
         text;
}

const model::Expr& Checked::output(const std::string& name) const {
  static const model::Expr none;
  if (!model) {
    ADD_FAILURE() << shown;
    return none;
  }
  for (const model::Output& o : model->outputs)
    if (o.name == name) return model->exprs[o.body];
  ADD_FAILURE() << "no output " << name;
  return none;
}

std::string type_of(const std::string& declarations, const std::string& expr) {
  const Checked c = checked(declarations + "\noutput a = " + expr + "\n");
  return c.model ? sema::spell(c.output("a").type) : c.shown;
}

}  // namespace asb::test
