// Declarations become entries of the Model when they are first read, in any order; a declaration that needs itself is
// reported with the whole circle. Also the statements without a name: fix, attach, output, show, advance.
#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "dsl/sema/checker.h"

namespace asb::sema {

bool Checker::ensure(ast::DeclId id) {
  if (info_[id.index].state == State::Done) return true;
  if (info_[id.index].state == State::Failed) return false;
  const ast::Declaration& declaration = tree_[id];
  if (info_[id.index].state == State::Active) {
    std::string circle;
    bool in = false;
    for (const ast::DeclId a : active_) {
      in = in || a == id;
      const ast::Ident* name = name_of(tree_[a].kind);
      if (in && name) circle += fmt::format("`{}` → ", name->text);
    }
    const ast::Ident* name = name_of(declaration.kind);
    if (name) error(Kind::CircularDefinition, name->span, name->text, circle + fmt::format("`{}`", name->text));
    return false;
  }
  if (!spend(declaration.span)) return false;
  ++depth_;
  info_[id.index].state = State::Active;
  active_.push_back(id);
  std::vector<CallSite> calls;
  std::swap(calls, calls_);
  {
    Frame frame(*this);
    scope_base_ = locals_.size();
    module_ = declaration.module;
    context_ = Context{.place = Place::Nowhere, .number = ++contexts_};
    owner_ = nullptr;
    declare(id, declaration);
  }
  std::swap(calls, calls_);
  active_.pop_back();
  --depth_;
  if (info_[id.index].state == State::Active) info_[id.index].state = State::Failed;
  return info_[id.index].state == State::Done;
}

void Checker::declare(ast::DeclId id, const ast::Declaration& declaration) {
  const Span span = declaration.span;
  const auto done = [&] { info_[id.index].state = State::Done; };
  std::visit(
      Overloaded{
          [&](const ast::UseDecl&) {}, [&](const ast::BrokenDecl&) {},
          [&](const ast::FunctionDecl& d) {
            if (d.kind == ast::FunctionKind::Network) declare_network(id);
            else done();
          },
          [&](const ast::ParamDecl& d) { declare_param(id, d, span); },
          [&](const ast::DomainDecl& d) { declare_geometry(id, d, span); },
          [&](const ast::GroupDecl& d) {
            Value set = set_of(d.set);
            if (set.is_error()) return;
            info_[id.index].value = set;
            done();
          },
          [&](const ast::FramesDecl& d) { declare_frames(id, d, span); },
          [&](const ast::DataDecl& d) { declare_data(id, d, span); },
          [&](const ast::LatentDecl& d) { declare_latent(id, d, span); },
          [&](const ast::FieldDecl& d) { declare_field(id, d, span); },
          [&](const ast::UnknownDecl& d) { declare_unknown(id, d, span); },
          [&](const ast::LetDecl& d) { declare_let(id, d, span); },
          [&](const ast::EnergyDecl& d) { declare_functional(id, d.name, d.value, model_.energies, false); },
          [&](const ast::WorkDecl& d) {
            context_.in_work = true;
            declare_functional(id, d.name, d.value, model_.works, false);
          },
          [&](const ast::LossDecl& d) {
            context_.sums_unchecked = true;
            declare_functional(id, d.name, d.value, model_.losses, d.at_last_step);
          },
          [&](const ast::TimeDecl& d) { declare_time(id, d, span); },
          [&](const ast::StateDecl& d) { declare_state(id, d, span); },
          [&](const ast::StencilDecl& d) { declare_stencil(id, d, span); },
          [&](const ast::PairsDecl& d) { declare_pairs(id, d.name, d.value, d.distance, false, span); },
          [&](const ast::NeighboursDecl& d) { declare_pairs(id, d.name, d.value, d.distance, true, span); },
          [&](const ast::FixDecl& d) { check_fix(d, span), done(); },
          [&](const ast::AttachDecl& d) { check_attach(d, span), done(); },
          [&](const ast::SolveDecl& d) { check_solve(d, span), done(); },
          [&](const ast::AdvanceDecl& d) { check_advance(d, span), done(); },
          [&](const ast::LearnDecl& d) { check_learn(d, span), done(); },
          [&](const ast::OutputDecl& d) { check_output(d, span), done(); },
          [&](const ast::ShowDecl& d) { check_show(d, span), done(); },
      },
      declaration.kind);
}

std::optional<Quantity> Checker::quantity(ast::DeclId id) {
  if (!ensure(id)) return std::nullopt;
  const uint32_t ref = info_[id.index].ref;
  const ast::DeclKind& kind = tree_[id].kind;
  Quantity q;
  q.ref = ref;
  if (std::holds_alternative<ast::ParamDecl>(kind)) {
    const model::Param& p = model_.params[model::ParamId(ref)];
    q = {p.name, ExprKind::Param, ref, p.type, p.domain, false, 0, {}};
  } else if (std::holds_alternative<ast::UnknownDecl>(kind)) {
    const model::Unknown& u = model_.unknowns[model::UnknownId(ref)];
    q = {u.name, ExprKind::Unknown, ref, u.type, u.domain, false, 0, {}};
  } else if (std::holds_alternative<ast::DataDecl>(kind)) {
    const model::Data& d = model_.data[model::DataId(ref)];
    q = {d.name, ExprKind::Data, ref, d.type, d.domain, bool(d.per), 0, {}};
  } else if (std::holds_alternative<ast::LatentDecl>(kind)) {
    const model::Latent& l = model_.latents[model::LatentId(ref)];
    q = {l.name, ExprKind::Latent, ref, l.type, {}, bool(l.per), l.count, {}};
  } else if (std::holds_alternative<ast::StateDecl>(kind)) {
    const model::State& s = model_.states[model::StateId(ref)];
    q = {s.name, ExprKind::State, ref, s.type, s.domain, false, 0, {}};
  } else if (const auto* let = std::get_if<ast::LetDecl>(&kind); let && let->domain) {
    const model::Nodal& n = model_.nodals[model::NodalId(ref)];
    q = {n.name, ExprKind::Nodal, ref, n.type, n.domain, false, 0, {}};
  } else {
    return std::nullopt;
  }
  q.declared = name_of(kind)->span;
  return q;
}

// What a declared name is worth as a value, here.
Value Checker::read(ast::DeclId id, Span span) {
  const ast::DeclKind& kind = tree_[id].kind;
  const ast::Ident* name = name_of(kind);
  Value value;
  value.span = span;
  value.declared = name ? name->span : Span{};
  if (!ensure(id)) return {};
  if (std::holds_alternative<ast::FieldDecl>(kind)) return read_field(id, span);
  if (const auto q = quantity(id)) {
    const Value& set_to = info_[id.index].value;  // a latent that --set gave a value
    if (q->kind == ExprKind::Latent && set_to.is_number()) return set_to;
    return read_quantity(*q, span);
  }
  const DeclInfo& info = info_[id.index];
  if (std::holds_alternative<ast::DomainDecl>(kind)) {
    value.kind = ValueKind::Geometry;
    value.geometry = GeometryId(info.ref);
    return value;
  }
  if (std::holds_alternative<ast::StencilDecl>(kind) || std::holds_alternative<ast::PairsDecl>(kind) ||
      std::holds_alternative<ast::NeighboursDecl>(kind))
    return geometry_set(GeometryId(info.ref), span);
  if (std::holds_alternative<ast::FramesDecl>(kind)) {
    value.kind = ValueKind::Frames;
    value.ref = info.ref;
    return value;
  }
  const bool valued = std::holds_alternative<ast::LetDecl>(kind) || std::holds_alternative<ast::EnergyDecl>(kind) ||
                      std::holds_alternative<ast::WorkDecl>(kind) || std::holds_alternative<ast::LossDecl>(kind) ||
                      std::holds_alternative<ast::GroupDecl>(kind) || std::holds_alternative<ast::TimeDecl>(kind);
  if (valued) {
    value = info.value;
    value.span = span;
    value.declared = name->span;
    return value;
  }
  error(Kind::NotAValue, span, fmt::format("`{}` ({})", text(span), describe(kind)));
  return {};
}

Value Checker::read_field(ast::DeclId id, Span span) {
  const model::Field& field = model_.fields[model::FieldId(info_[id.index].ref)];
  const std::string name = field.name;
  const Type type = field.type;
  if (context_.place == Place::Nowhere) {
    error(Kind::NoEntity, span, name, "every point of matter")
        .with_hint(fmt::format("reduce it over a mesh: `mean(m) {{ {} }}`", name));
    return {};
  }
  if (field.at_nodes) {
    if (!check_seen({field.at_nodes, false, name, span}, span, "")) return {};
  } else {
    const std::vector<Requirement> requirements = info_[id.index].requirements;
    if (context_.place == Place::Function && !check_seen({{}, false, name, span}, span, "")) return {};
    for (const Requirement& r : requirements)
      if (!check_seen(r, span, name)) return {};
  }
  Value value = of_node(
      add({.kind = ExprKind::Field, .type = type, .span = span, .args = {}, .ref = info_[id.index].ref, .name = name}), type,
      span);
  value.declared = name_of(tree_[id].kind)->span;
  return value;
}

// An initial value, evaluated at each entity of the set (or once). Without a unit in the declared type it keeps its own;
// a number without a unit leaves it open.
Value Checker::initial_value(ast::ExprId expr, const DeclaredType& type, const Value& set, std::string_view what) {
  Frame frame(*this);
  if (set.kind == ValueKind::Set) context_ = at_set(set);
  Value value = coerce(operand(expr), type, what, true);
  if (value.is_error() || type.has_unit) return value;
  if (value.bare) value.type.unit = free_unit();
  return value;
}

bool Checker::whole_set(const Value& set, std::string_view what) {
  const model::Domain& domain = model_.domains[set.domain];
  if (set.by_measure) {
    error(Kind::WrongSet, set.span, what, "a set of entities")
        .with_hint(fmt::format("`{0}.nodes`, `{0}.cells`, `{0}.facets`", model_.geometries[set.geometry].name));
    return false;
  }
  if (domain.narrowings.empty() && !domain.nodes_of) return true;
  error(Kind::NarrowedDomain, set.span, what)
      .with_hint("declare it on the whole set; `fix` and `where` say which part matters");
  return false;
}

void Checker::declare_param(ast::DeclId id, const ast::ParamDecl& decl, Span span) {
  DeclaredType type = declared_type(decl.type);
  Value set;
  if (decl.domain) {
    set = set_of(decl.domain);
    if (set.is_error() || !whole_set(set, "a param")) return;
  }
  const Setting* given = setting(decl.name.text);
  const bool ours = given && declared_here(id);
  const ast::ExprId written = ours ? given->value : decl.value;
  if (type.ok && type.type.dims.empty() && type.type.kind == TypeKind::Real) type.has_unit = true;
  const std::string what = fmt::format("the value of `{}`", decl.name.text);
  Value initial = initial_value(decl.value, type, set, what);
  if (initial.is_error()) return;
  if (!type.has_unit) {
    type.type.unit = initial.type.unit.free ? no_unit() : initial.type.unit;
    type.has_unit = true;
  }
  if (ours) initial = initial_value(written, type, set, what);
  if (initial.is_error()) return;
  model::Param param{.name = decl.name.text, .type = type.type, .domain = set.domain, .initial = expr_of(initial), .lo = {}, .hi = {}, .span = span};
  if (decl.low && decl.high) {
    const Value lo = coerce(operand(decl.low), type, fmt::format("the lower bound of `{}`", decl.name.text), true);
    const Value hi = coerce(operand(decl.high), type, fmt::format("the upper bound of `{}`", decl.name.text), true);
    if (lo.is_error() || hi.is_error()) return;
    param.lo = expr_of(lo);
    param.hi = expr_of(hi);
    const auto number = [&](ExprId e) -> std::optional<double> {
      if (model_.exprs[e].kind != ExprKind::Number) return std::nullopt;
      return model_.exprs[e].number;
    };
    const auto a = number(param.lo), b = number(param.hi), v = number(param.initial);
    const std::string unit = is_dimensionless(type.type.unit) ? "" : " " + spell(type.type.unit);
    if (a && b && *a > *b) {
      error(Kind::EmptyBounds, tree_[decl.low].span, decl.name.text, fmt::format("{}{}", *a, unit), fmt::format("{}{}", *b, unit));
      return;
    }
    if (v && ((a && *v < *a) || (b && *v > *b))) {
      error(Kind::OutOfBounds, tree_[written].span, fmt::format("{}{}", *v, unit), decl.name.text,
            fmt::format("{}{}", a.value_or(-HUGE_VAL), unit), fmt::format("{}{}", b.value_or(HUGE_VAL), unit))
          .label(tree_[decl.low].span, "the bounds are declared here");
      return;
    }
  }
  info_[id.index].ref = model_.params.add(std::move(param)).index;
  info_[id.index].state = State::Done;
}

void Checker::declare_unknown(ast::DeclId id, const ast::UnknownDecl& decl, Span span) {
  const DeclaredType type = declared_type(decl.type);
  Value set;
  if (decl.domain) {
    set = set_of(decl.domain);
    if (set.is_error() || !whole_set(set, "an unknown")) return;
  }
  if (!type.ok) return;
  if (type.type.kind == TypeKind::Int || type.type.kind == TypeKind::Bool) {
    error(Kind::WrongOperand, type.span, fmt::format("the unknown `{}`", decl.name.text), "a real type", spell_shape(type.type));
    return;
  }
  const Value initial = initial_value(decl.initial, type, set, fmt::format("the initial value of `{}`", decl.name.text));
  if (initial.is_error()) return;
  Type full = type.type;
  full.unit = initial.type.unit;
  info_[id.index].ref =
      model_.unknowns
          .add({.name = decl.name.text, .type = full, .domain = set.domain, .initial = expr_of(initial), .span = span})
          .index;
  info_[id.index].state = State::Done;
}

void Checker::declare_state(ast::DeclId id, const ast::StateDecl& decl, Span span) {
  const DeclaredType type = declared_type(decl.type);
  Value set;
  if (decl.domain) {
    set = set_of(decl.domain);
    if (set.is_error() || !whole_set(set, "a state")) return;
  }
  const Value initial = initial_value(decl.initial, type, set, fmt::format("the initial value of `{}`", decl.name.text));
  if (initial.is_error()) return;
  Type full = type.type;
  full.unit = initial.type.unit;
  info_[id.index].ref =
      model_.states
          .add({.name = decl.name.text, .type = full, .domain = set.domain, .initial = expr_of(initial), .span = span})
          .index;
  info_[id.index].state = State::Done;
}

void Checker::declare_field(ast::DeclId id, const ast::FieldDecl& decl, Span span) {
  const DeclaredType type = declared_type(decl.type);
  model::Field field{.name = decl.name.text, .type = {}, .body = {}, .at_nodes = {}, .span = span};
  std::vector<Requirement> requirements;
  if (decl.at) {
    const Value set = set_of(decl.at);
    if (set.is_error()) return;
    const auto kind = model_.domains[set.domain].kind;
    if (kind != model::DomainKind::Nodes && kind != model::DomainKind::Vertices) {
      error(Kind::WrongSet, set.span, "`field … at`", "the nodes of a mesh or the vertices of a surface");
      return;
    }
    if (!whole_set(set, "a field at nodes")) return;
    field.at_nodes = set.domain;
    context_ = at_set(set);
  } else {
    context_.place = Place::Material;
    context_.requirements = &requirements;
  }
  const Value body = coerce(operand(decl.value), type, fmt::format("the value of `{}`", decl.name.text), true);
  if (body.is_error()) return;
  field.type = type.type;
  field.type.unit = body.type.unit;
  field.body = expr_of(body);
  DeclInfo& info = info_[id.index];
  info.ref = model_.fields.add(std::move(field)).index;
  info.requirements = std::move(requirements);
  info.state = State::Done;
}

void Checker::declare_let(ast::DeclId id, const ast::LetDecl& decl, Span span) {
  WeightOwner owner;
  owner.path = decl.name.text;
  if (std::holds_alternative<ast::Call>(tree_[decl.value].kind)) owner.direct = tree_[decl.value].span;
  owner_ = &owner;
  const std::string what = fmt::format("the value of `{}`", decl.name.text);
  if (!decl.domain) {
    Value value = operand(decl.value);
    if (decl.type) value = coerce(value, declared_type(decl.type), what, true);
    if (value.is_error()) return;
    value = let_node(decl.name.text, value, span);
    if (value.is_number() && value.expr && declared_here(id)) model_.lets.push_back({.name = decl.name.text, .body = value.expr, .span = span});
    info_[id.index].value = value;
  } else {
    const Value set = set_of(decl.domain);
    if (set.is_error() || !whole_set(set, "a `let`")) return;
    context_ = at_set(set);
    Value value = operand(decl.value);
    if (decl.type) value = coerce(value, declared_type(decl.type), what, true);
    if (value.is_open()) {
      error(Kind::UnknownSize, value.span, value.kind == ValueKind::Identity ? "I" : "zero");
      return;
    }
    if (value.is_error()) return;
    info_[id.index].ref =
        model_.nodals
            .add({.name = decl.name.text, .type = value.type, .domain = set.domain, .body = expr_of(value), .span = span})
            .index;
  }
  info_[id.index].weights = owner.weights;
  info_[id.index].state = State::Done;
}

Value Checker::scalar_functional(ast::ExprId expr, std::string_view what) {
  Value value = operand(expr);
  if (value.kind == ValueKind::Zero) value = resolve(value, {});
  if (value.is_error()) return {};
  if (!value.is_scalar()) {
    error(Kind::NotScalar, value.span, what, value.is_number() ? spell_shape(value.type) : "I");
    return {};
  }
  return value;
}

void Checker::declare_functional(ast::DeclId id, const ast::Ident& name, ast::ExprId expr,
                                 std::vector<model::Named>& into, bool at_last_step) {
  Value value = scalar_functional(expr, fmt::format("`{}`", name.text));
  if (value.is_error()) return;
  value = let_node(name.text, value, name.span);
  value.expr = expr_of(value);
  into.push_back({.name = name.text, .body = value.expr, .span = tree_[id].span, .at_last_step = at_last_step});
  info_[id.index].value = value;
  info_[id.index].state = State::Done;
}

void Checker::declare_time(ast::DeclId id, const ast::TimeDecl& decl, Span span) {
  if (model_.time) {
    error(Kind::DuplicateName, span, "time").label(model_.time->span, "first declared here").with_hint("a program has one `time`");
    return;
  }
  model::Time time;
  time.span = span;
  const auto steps = compile_time_int(decl.steps, "the number of steps");
  if (!steps) return;
  if (*steps < 1 || *steps > 100'000'000) {
    error(Kind::BadSize, tree_[decl.steps].span, *steps);
    return;
  }
  time.steps = static_cast<int32_t>(*steps);
  if (decl.size) {
    const Value dt = number(decl.size);
    if (dt.is_error()) return;
    const Unit second = find_unit("s")->dimension;
    if (!dt.is_scalar()) {
      wrong_operand("time", "a scalar step", dt);
      return;
    }
    if (!dt.bare && !dt.type.unit.free && dt.type.unit != second) {
      error(Kind::WrongUnit, dt.span, "the time step", quoted(dt.type.unit), "`s`");
      return;
    }
    time.dt = expr_of(dt);
    const Type type{.kind = TypeKind::Real, .dims = {}, .unit = second};
    info_[id.index].value = of_node(add({.kind = ExprKind::TimeStep, .type = type, .span = span, .args = {}}), type, span);
  }
  model_.time = time;
  info_[id.index].state = State::Done;
}

}  // namespace asb::sema
