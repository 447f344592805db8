// Declarations that nothing refers to: fix, attach, advance, output, show.
#include <algorithm>

#include "dsl/sema/checker.h"

namespace asb::sema {

std::optional<ast::DeclId> Checker::named(const ast::Ident& name) {
  if (!name) return std::nullopt;
  const Found found = find(name.text, name.span, false);
  if (found.reported) return std::nullopt;
  if (found.decl) return found.decl;
  unknown_name(Kind::UnknownName, name, suggest_value(name.text));
  return std::nullopt;
}

void Checker::check_fix(const ast::FixDecl& decl, Span span) {
  const auto found = named(decl.unknown);
  if (!found) return;
  if (!std::holds_alternative<ast::UnknownDecl>(tree_[*found].kind)) {
    if (!std::holds_alternative<ast::BrokenDecl>(tree_[*found].kind))
      error(Kind::NotAnUnknown, decl.unknown.span, decl.unknown.text);
    return;
  }
  if (!ensure(*found)) return;
  const model::UnknownId id(info_[found->index].ref);
  const model::Unknown unknown = model_.unknowns[id];
  model::Fix fix{.unknown = id, .components = {}, .domain = {}, .value = {}, .over = decl.is_over, .span = span};
  Type held = unknown.type;
  if (decl.components) {
    const bool vector = held.kind == TypeKind::Real && held.dims.size() == 1;
    for (const char c : decl.components.text) {
      const int32_t i = c == 'x' ? 0 : c == 'y' ? 1 : c == 'z' ? 2 : c == 'w' ? 3 : -1;
      const bool twice = std::ranges::find(fix.components, i) != fix.components.end();
      if (!vector || i < 0 || i >= held.dims[0] || twice) {
        error(Kind::NoSuchMember, decl.components.span, fmt::format("a `{}`", spell_shape(unknown.type)),
              decl.components.text)
            .with_hint("components are `.x .y .z`, each once: `fix u.xz on …`");
        return;
      }
      fix.components.push_back(i);
    }
    if (fix.components.size() == 1) held.dims.clear();
    else held.dims = {static_cast<int32_t>(fix.components.size())};
  }
  const Value set = set_of(decl.set);
  if (set.is_error()) return;
  if (!unknown.domain) {
    error(Kind::WrongSet, set.span, fmt::format("`fix {}`", unknown.name), "an unknown with values on a set");
    return;
  }
  const model::Domain &on = model_.domains[set.domain], &home = model_.domains[unknown.domain];
  if (set.by_measure || on.of != home.of || on.kind != home.kind) {
    Diagnostic& report = error(Kind::WrongSet, set.span, fmt::format("`fix {}`", unknown.name), fmt::format("a part of `{}`", home.text));
    if (on.of == home.of && on.kind != home.kind) report.with_hint(fmt::format("`({}).nodes` are the nodes of this set", text(set.span)));
    else report.with_hint(fmt::format("narrow it: `{} where …`, `{} within surface`", home.text, home.text));
    return;
  }
  if (on.order != home.order) {  // `m.nodes` of another order: the unknown's own nodes there
    model::Domain same = on;
    same.order = home.order;
    fix.domain = model_.domains.add(std::move(same));
  } else {
    fix.domain = set.domain;
  }
  if (decl.value) {
    Frame frame(*this);
    context_ = at_set(set);
    DeclaredType type{.type = held, .has_unit = !held.unit.free, .ok = true, .span = unknown.span};
    const Value value = coerce(operand(decl.value), type, fmt::format("the value that `{}` is fixed to", unknown.name), true);
    if (value.is_error()) return;
    fix.value = expr_of(value);
  }
  model_.fixes.push_back(std::move(fix));
}

void Checker::check_attach(const ast::AttachDecl& decl, Span span) {
  const Value points = set_of(decl.points);
  if (points.is_error()) return;
  model::Attach attach{.points = points.domain, .to = {}, .stiffness = {}, .span = span};
  Frame frame(*this);
  Value entities = points;
  if (entities.by_measure) {
    error(Kind::WrongSet, points.span, "`attach`", "points: `S.vertices`, `m.nodes where …`");
    return;
  }
  context_ = at_set(entities);
  const Value to = number(decl.target);
  if (to.is_error()) return;
  if (!to.is_vector() || to.type.dims[0] != 3) {
    wrong_operand("attach", "positions, a `vec3`", to);
    return;
  }
  attach.to = expr_of(to);
  model_.attaches.push_back(std::move(attach));
}

void Checker::check_advance(const ast::AdvanceDecl& decl, Span span) {
  const auto found = named(decl.state);
  if (!found) return;
  if (!std::holds_alternative<ast::StateDecl>(tree_[*found].kind)) {
    if (!std::holds_alternative<ast::BrokenDecl>(tree_[*found].kind)) error(Kind::NotAState, decl.state.span, decl.state.text);
    return;
  }
  if (!ensure(*found)) return;
  const model::StateId id(info_[found->index].ref);
  for (const model::Advance& other : model_.advances) {
    if (other.state != id) continue;
    error(Kind::AdvancedTwice, decl.state.span, decl.state.text).label(other.span, "advanced here too");
    return;
  }
  bool has_time = false;
  for (const ast::DeclId d : tree_[tree_.main].declarations)
    has_time = has_time || std::holds_alternative<ast::TimeDecl>(tree_[d].kind);
  if (!has_time) {
    error(Kind::NoTime, span, "advance");
    return;
  }
  const model::State state = model_.states[id];
  Frame frame(*this);
  if (state.domain) {
    Value set;
    set.kind = ValueKind::Set;
    set.domain = state.domain;
    context_ = at_set(set);
  }
  const DeclaredType type{.type = state.type, .has_unit = !state.type.unit.free, .ok = true, .span = state.span};
  const Value value = coerce(operand(decl.value), type, fmt::format("the new value of `{}`", state.name), true);
  if (value.is_error()) return;
  model_.advances.push_back({.state = id, .value = expr_of(value), .span = span});
}

void Checker::check_output(const ast::OutputDecl& decl, Span span) {
  for (const model::Output& other : model_.outputs) {
    if (other.name != decl.name.text) continue;
    error(Kind::DuplicateName, decl.name.span, decl.name.text).label(other.span, "first declared here");
    return;
  }
  const Value value = number(decl.value);
  if (value.is_error()) return;
  model_.outputs.push_back({.name = decl.name.text, .body = expr_of(value), .at_last_step = decl.at_last_step, .span = span});
}

void Checker::check_show(const ast::ShowDecl& decl, Span span) {
  for (const model::Show& other : model_.shows) {
    if (other.name != decl.name.text) continue;
    error(Kind::DuplicateName, decl.name.span, decl.name.text).label(other.span, "first declared here");
    return;
  }
  const Value set = set_of(decl.domain);
  if (set.is_error()) return;
  Frame frame(*this);
  context_ = at_set(set);
  const Value value = number(decl.value);
  if (value.is_error()) return;
  model_.shows.push_back({.name = decl.name.text, .domain = set.domain, .body = expr_of(value), .span = span});
}

}  // namespace asb::sema
