// Arguments that are not values: texts, words (`hex8`), and what follows `using`.
#include <algorithm>

#include "dsl/sema/checker.h"

namespace asb::sema {

std::string closest(std::string_view name, const std::vector<std::string>& candidates);

std::optional<std::string> Checker::text_argument(ast::ExprId expr, std::string_view what) {
  const ast::Expr& e = tree_[expr];
  if (const auto* t = std::get_if<ast::Text>(&e.kind)) return t->value;
  if (!std::holds_alternative<ast::Missing>(e.kind)) error(Kind::NeedsText, e.span, what);
  return std::nullopt;
}

std::optional<std::string> Checker::word_argument(ast::ExprId expr, std::string_view what) {
  const ast::Expr& e = tree_[expr];
  if (const auto* name = std::get_if<ast::Name>(&e.kind)) return name->name;
  if (!std::holds_alternative<ast::Missing>(e.kind)) error(Kind::NeedsWord, e.span, what);
  return std::nullopt;
}

// newton(tol: 1e-8), adam(rate: cosine(1e-3, 1e-5), steps: 600): a name and labelled options. A value that is a call of
// a schedule keeps the name in `word` and its numbers as a list.
std::vector<model::Option> Checker::method(ast::ExprId expr, std::string& name,
                                           std::initializer_list<std::string_view> known) {
  std::vector<model::Option> options;
  const ast::Expr& e = tree_[expr];
  if (std::holds_alternative<ast::Missing>(e.kind)) return options;
  const auto* call = std::get_if<ast::Call>(&e.kind);
  if (const auto* bare = std::get_if<ast::Name>(&e.kind)) name = bare->name;
  else if (call) name = call->function.text;
  if (std::ranges::find(known, name) == known.end()) {
    Diagnostic& report = error(Kind::UnknownMethod, call ? call->function.span : e.span, text(call ? call->function.span : e.span));
    report.with_hint(fmt::format("there are `{}`", fmt::join(known, "`, `")));
    return options;
  }
  if (!call) return options;
  for (const ast::Argument& argument : call->arguments) {
    if (!argument.label) {
      error(Kind::NeedsLabel, tree_[argument.value].span, name);
      continue;
    }
    model::Option option{.name = argument.label.text, .value = {}, .word = {}};
    const ast::Expr& value = tree_[argument.value];
    const auto* schedule = std::get_if<ast::Call>(&value.kind);
    if (const auto* word = std::get_if<ast::Name>(&value.kind);
        word && !find(word->name, value.span, false).local && !find(word->name, value.span, false).decl) {
      option.word = word->name;
    } else if (schedule && (schedule->function.text == "cosine" || schedule->function.text == "linear")) {
      option.word = schedule->function.text;
      std::vector<Value> numbers;
      for (const ast::Argument& a : schedule->arguments) numbers.push_back(number(a.value));
      const Value list = stack(std::move(numbers), {}, value.span);
      if (list.is_error()) continue;
      option.value = expr_of(list);
    } else {
      const Value v = number(argument.value);
      if (v.is_error()) continue;
      if (!v.is_number() || !v.constant) {
        error(Kind::NotCompileTime, v.span, fmt::format("`{}` of `{}`", option.name, name));
        continue;
      }
      option.value = number_node(*v.constant, v.type, v.span);
    }
    options.push_back(std::move(option));
  }
  return options;
}

}  // namespace asb::sema
