// Names: the declarations of each module, where a name is looked for, and what to propose for one that isn't there.
// Order of search: binders and parameters, the module's own declarations, those of the modules that it uses, the prelude.
#include <algorithm>

#include "base/overloaded.h"
#include "dsl/sema/checker.h"

namespace asb::sema {
namespace {

/// Levenshtein distance, up to a limit.
size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string closest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.size() > 100) return "";
  const size_t limit = name.size() <= 2 ? 1 : 1 + name.size() / 3;
  std::string best;
  size_t best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > 100 || candidate == name) continue;
    const size_t d = distance(name, candidate);
    if (d < best_distance && d < std::max(name.size(), candidate.size())) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

const ast::Ident* Checker::name_of(const ast::DeclKind& kind) const {
  const auto named = [](const auto& d) { return &d.name; };
  return std::visit(
      Overloaded{[](const ast::UseDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::FixDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::AttachDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::SolveDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::AdvanceDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::LearnDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::OutputDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::ShowDecl&) -> const ast::Ident* { return nullptr; },
                 [](const ast::TimeDecl& d) -> const ast::Ident* { return d.step_size ? &d.step_size : nullptr; },
                 [&](const ast::FunctionDecl& d) { return named(d); }, [&](const ast::ParamDecl& d) { return named(d); },
                 [&](const ast::DomainDecl& d) { return named(d); }, [&](const ast::GroupDecl& d) { return named(d); },
                 [&](const ast::FramesDecl& d) { return named(d); }, [&](const ast::DataDecl& d) { return named(d); },
                 [&](const ast::LatentDecl& d) { return named(d); }, [&](const ast::FieldDecl& d) { return named(d); },
                 [&](const ast::UnknownDecl& d) { return named(d); }, [&](const ast::LetDecl& d) { return named(d); },
                 [&](const ast::EnergyDecl& d) { return named(d); }, [&](const ast::WorkDecl& d) { return named(d); },
                 [&](const ast::StateDecl& d) { return named(d); }, [&](const ast::StencilDecl& d) { return named(d); },
                 [&](const ast::PairsDecl& d) { return named(d); },
                 [&](const ast::NeighboursDecl& d) { return named(d); },
                 [&](const ast::LossDecl& d) { return named(d); }, [&](const ast::BrokenDecl& d) { return named(d); }},
      kind);
}

std::string Checker::describe(const ast::DeclKind& kind) const {
  return std::visit(
      Overloaded{[](const ast::UseDecl&) { return "module"; },
                 [](const ast::FunctionDecl& d) {
                   return d.kind == ast::FunctionKind::Function ? "function"
                          : d.kind == ast::FunctionKind::Layer  ? "layer"
                                                                : "network";
                 },
                 [](const ast::ParamDecl&) { return "param"; },
                 [](const ast::DomainDecl& d) {
                   switch (d.kind) {
                     case ast::DomainKind::Mesh: return "mesh";
                     case ast::DomainKind::Surface: return "surface";
                     case ast::DomainKind::Curve: return "curve";
                     case ast::DomainKind::Points: return "set of points";
                     case ast::DomainKind::Particles: return "set of particles";
                     case ast::DomainKind::Grid: return "grid";
                   }
                   return "set";
                 },
                 [](const ast::GroupDecl&) { return "group"; }, [](const ast::FramesDecl&) { return "set of frames"; },
                 [](const ast::DataDecl&) { return "data"; }, [](const ast::LatentDecl&) { return "latent"; },
                 [](const ast::FieldDecl&) { return "field"; }, [](const ast::UnknownDecl&) { return "unknown"; },
                 [](const ast::LetDecl&) { return "let"; }, [](const ast::FixDecl&) { return "fix"; },
                 [](const ast::AttachDecl&) { return "attach"; }, [](const ast::EnergyDecl&) { return "energy"; },
                 [](const ast::WorkDecl&) { return "work"; }, [](const ast::SolveDecl&) { return "solve"; },
                 [](const ast::TimeDecl&) { return "time step"; }, [](const ast::StateDecl&) { return "state"; },
                 [](const ast::AdvanceDecl&) { return "advance"; }, [](const ast::StencilDecl&) { return "stencil"; },
                 [](const ast::PairsDecl&) { return "set of pairs"; },
                 [](const ast::NeighboursDecl&) { return "set of neighbours"; },
                 [](const ast::LossDecl&) { return "loss"; }, [](const ast::LearnDecl&) { return "learn"; },
                 [](const ast::OutputDecl&) { return "output"; }, [](const ast::ShowDecl&) { return "show"; },
                 [](const ast::BrokenDecl&) { return "declaration"; }},
      kind);
}

void Checker::collect_names() {
  for (const ast::ModuleId module : tree_.order) {
    ModuleNames& names = names_[module.index];
    for (const ast::DeclId decl : tree_[module].declarations) {
      const ast::Declaration& declaration = tree_[decl];
      if (const auto* use = std::get_if<ast::UseDecl>(&declaration.kind)) {
        if (!use->module) continue;
        if (use->alias) names.aliases.emplace(use->alias.text, use->module);
        else names.used.push_back(use->module);
        continue;
      }
      const ast::Ident* name = name_of(declaration.kind);
      if (!name || !*name) continue;
      const auto* broken = std::get_if<ast::BrokenDecl>(&declaration.kind);
      const bool callable =
          std::holds_alternative<ast::FunctionDecl>(declaration.kind) || (broken && broken->is_callable);
      const auto [at, fresh] = (callable ? names.callables : names.values).emplace(name->text, decl);
      if (!fresh && !broken) {
        const ast::Ident* first = name_of(tree_[at->second].kind);
        error(Kind::DuplicateName, name->span, name->text).label(first->span, "first declared here");
      }
    }
  }
}

Checker::Found Checker::find_in(ast::ModuleId module, std::string_view name, Span span, bool callable) {
  Found found;
  const std::string key(name);
  const auto lookup = [&](ast::ModuleId m) -> ast::DeclId {
    const auto names = names_.find(m.index);
    if (names == names_.end()) return {};
    const auto& table = callable ? names->second.callables : names->second.values;
    const auto at = table.find(key);
    return at == table.end() ? ast::DeclId{} : at->second;
  };
  found.decl = lookup(module);
  const auto used_from = [&](ast::ModuleId m) {
    if (m == module) return;
    const ast::DeclId decl = lookup(m);
    if (!decl || decl == found.decl || found.reported) return;
    if (!found.decl) {
      found.decl = decl;
      return;
    }
    error(Kind::AmbiguousName, span, name)
        .label(name_of(tree_[found.decl].kind)->span, "one is this")
        .label(name_of(tree_[decl].kind)->span, "another is this");
    found.reported = true;
  };
  if (const auto names = names_.find(module.index); names != names_.end())
    for (const ast::ModuleId used : names->second.used) used_from(used);
  if (!found.decl && tree_.prelude) found.decl = lookup(tree_.prelude);
  return found;
}

Checker::Found Checker::find(std::string_view name, Span span, bool callable) {
  if (!callable) {
    for (size_t i = locals_.size(); i > scope_base_; --i)
      if (locals_[i - 1].name == name) return {.local = &locals_[i - 1], .decl = {}};
  }
  return find_in(module_, name, span, callable);
}

ast::ModuleId Checker::find_alias(ast::ExprId base) const {
  const auto* name = std::get_if<ast::Name>(&tree_[base].kind);
  if (!name) return {};
  const auto names = names_.find(module_.index);
  if (names == names_.end()) return {};
  const auto at = names->second.aliases.find(name->name);
  return at == names->second.aliases.end() ? ast::ModuleId{} : at->second;
}

namespace {
template <class Table>
void keys(const Table& table, std::vector<std::string>& into) {
  for (const auto& [name, decl] : table) into.push_back(name);
}
}  // namespace

std::string Checker::suggest_value(std::string_view name) {
  std::vector<std::string> all = {"X", "N", "I", "zero"};
  for (size_t i = scope_base_; i < locals_.size(); ++i) all.push_back(locals_[i].name);
  for (const auto& [module, names] : names_)
    if (module == module_.index || (tree_.prelude && module == tree_.prelude.index)) keys(names.values, all);
  std::ranges::sort(all);
  return closest(name, all);
}

std::vector<std::string> builtin_names();

std::string Checker::suggest_callable(std::string_view name) {
  std::vector<std::string> all = builtin_names();
  keys(names_[module_.index].callables, all);
  for (const ast::ModuleId used : names_[module_.index].used) keys(names_[used.index].callables, all);
  if (tree_.prelude) keys(names_[tree_.prelude.index].callables, all);
  std::ranges::sort(all);
  return closest(name, all);
}

Diagnostic& Checker::unknown_name(Kind kind, const ast::Ident& name, const std::string& suggestion) {
  Diagnostic& report = error(kind, name.span, name.text);
  if (!suggestion.empty()) report.with_hint(fmt::format("did you mean `{}`?", suggestion));
  return report;
}

bool Checker::bind(const ast::Ident& name, Value value) {
  if (!name) return true;
  for (size_t i = scope_base_; i < locals_.size(); ++i) {
    if (locals_[i].name != name.text) continue;
    error(Kind::ShadowedBinder, name.span, name.text).label(locals_[i].span, "already bound here");
    return false;
  }
  value.declared = name.span;
  locals_.push_back({name.text, std::move(value), name.span});
  return true;
}

}  // namespace asb::sema
