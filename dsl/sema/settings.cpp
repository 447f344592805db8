// `--set NAME=EXPR`: parsed by the language's own parser, checked where its declaration is (declarations.cpp, learning.cpp).
#include <algorithm>

#include "dsl/parse/load.h"
#include "dsl/sema/checker.h"

namespace asb::sema {

std::string closest(std::string_view name, const std::vector<std::string>& candidates);

std::optional<Setting> parse_setting(ast::SyntaxTree& tree, std::string_view text, DiagnosticSink& sink) {
  const size_t equals = text.find('=');
  std::string_view name = text.substr(0, std::min(equals, text.size()));
  while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
  while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
  if (equals == std::string_view::npos || name.empty()) {
    const uint32_t file = tree.files.add("--set", std::string(text));
    sink.error(Kind::SettingForm, Span{file, 0, static_cast<uint32_t>(text.size())}, text);
    return std::nullopt;
  }
  const ast::ExprId value =
      parse_expression(tree, fmt::format("--set {}", name), std::string(text.substr(equals + 1)), sink);
  if (!value) return std::nullopt;
  return Setting{.name = std::string(name), .value = value, .span = tree[value].span};
}

const Setting* Checker::setting(const std::string& name) const {
  const Setting* last = nullptr;
  for (const Setting& s : options_.settings)
    if (s.name == name) last = &s;
  return last;
}

void Checker::check_settings() {
  std::vector<std::string> settable;
  for (const ast::DeclId decl : tree_[tree_.main].declarations) {
    const ast::DeclKind& kind = tree_[decl].kind;
    if (std::holds_alternative<ast::ParamDecl>(kind) || std::holds_alternative<ast::LatentDecl>(kind) ||
        std::holds_alternative<ast::DataDecl>(kind))
      settable.push_back(name_of(kind)->text);
  }
  for (const Setting& s : options_.settings) {
    if (std::ranges::find(settable, s.name) != settable.end()) continue;
    Diagnostic& report = error(Kind::UnknownSetting, s.span, s.name);
    const std::string best = closest(s.name, settable);
    if (!best.empty()) report.with_hint(fmt::format("did you mean `{}`?", best));
    else if (settable.empty()) report.with_hint("this program has no `param`, `latent` or `data`");
    else report.with_hint(fmt::format("there are `{}`", fmt::join(settable, "`, `")));
  }
}

}  // namespace asb::sema
