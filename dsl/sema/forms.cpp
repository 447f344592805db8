// Calls that take more than values: names (grad, previous, d, …), binders (spectral, minimal, symmetric), sets.
#include "dsl/sema/checker.h"

namespace asb::sema {

bool Checker::argument_count(const ast::Call& call, size_t least, size_t most, Span span) {
  for (const ast::Argument& argument : call.arguments) {
    if (!argument.label) continue;
    error(Kind::UnknownArgument, argument.label.span, call.function.text, argument.label.text)
        .with_hint(fmt::format("`{}` takes its arguments by position", call.function.text));
    return false;
  }
  if (call.arguments.size() >= least && call.arguments.size() <= most) return true;
  error(Kind::ArgumentCount, span, call.function.text,
        least == most ? fmt::format("{}", least) : fmt::format("{} or {}", least, most), call.arguments.size());
  return false;
}

/// Names that can't be declared as functions.
bool is_special_form(std::string_view name) {
  for (const std::string_view form : {"grad", "normal", "virtual", "previous", "d", "cell_mean", "spectral", "principal",
                                      "to_unit_box", "gap"})
    if (form == name) return true;
  return false;
}

std::optional<Value> Checker::special_form(const ast::Call& call, Span span) {
  const std::string& name = call.function.text;
  if (!is_special_form(name)) return std::nullopt;
  if (name == "grad") return gradient(call, span);
  if (name == "normal") return deformed_normal(call, span);
  if (name == "virtual") return virtual_of(call, span);
  if (name == "previous") return previous(call, span);
  if (name == "d") return derivative(call, span);
  if (name == "cell_mean") return cell_mean(call, span);
  if (name == "spectral") return spectral(call, span);
  if (name == "to_unit_box") return to_unit_box(call, span);
  if (name == "gap") return gap(call, span);
  error(Kind::Misplaced, span, "`principal(F)` is written `symmetric(s = principal(F)) { … }`");
  return Value{};
}

// The quantity that an argument names: grad(u), previous(u), normal(u), virtual(u).
std::optional<Quantity> Checker::named_quantity(ast::ExprId expr, std::string_view form) {
  if (std::holds_alternative<ast::Missing>(tree_[expr].kind)) return std::nullopt;
  const auto* name = std::get_if<ast::Name>(&tree_[expr].kind);
  if (name) {
    const Found found = find(name->name, tree_[expr].span, false);
    if (found.reported) return std::nullopt;
    if (!found.local && found.decl) {
      if (!ensure(found.decl)) return std::nullopt;
      if (auto q = quantity(found.decl)) return q;
    }
    if (!found.local && !found.decl && name->name != "X" && name->name != "N") {
      unknown_name(Kind::UnknownName, {name->name, tree_[expr].span}, suggest_value(name->name));
      return std::nullopt;
    }
  }
  error(Kind::NeedsName, tree_[expr].span, form);
  return std::nullopt;
}

Value Checker::gradient(const ast::Call& call, Span span) {
  if (!argument_count(call, 1, 1, span)) return {};
  const ast::ExprId arg = call.arguments[0].value;
  const auto q = named_quantity(arg, "grad");
  if (!q) return {};
  if (!q->domain) {
    error(Kind::NoGradient, tree_[arg].span, q->name, "is one value everywhere");
    return {};
  }
  const model::Domain& domain = model_.domains[q->domain];
  const bool nodal = domain.kind == model::DomainKind::Nodes || domain.kind == model::DomainKind::Vertices;
  if (!nodal || q->kind == ExprKind::Latent || q->type.kind == TypeKind::Int) {
    error(Kind::NoGradient, tree_[arg].span, q->name, fmt::format("has values on `{}`", domain.text));
    return {};
  }
  if (!check_seen({q->domain, true, q->name, span}, span, "")) return {};
  const GeometryInfo& info = geometry_info_[domain.of.index];
  Type shape = q->type;
  ExprId of = add({.kind = q->kind, .type = q->type, .span = tree_[arg].span, .args = {}, .ref = q->ref});
  if (shape.kind == TypeKind::Sym) {
    error(Kind::NoGradient, tree_[arg].span, q->name, "is a symmetric matrix");
    return {};
  }
  shape.dims.push_back(info.dimension);
  shape.unit = info.is_free ? free_unit() : quotient(q->type.unit, metres()).value_or(free_unit());
  Value value = of_node(add({.kind = ExprKind::Gradient, .type = shape, .span = span, .args = {of}}), shape, span);
  value.declared = q->declared;
  return value;
}

Value Checker::deformed_normal(const ast::Call& call, Span span) {
  if (!argument_count(call, 1, 1, span)) return {};
  const ast::ExprId arg = call.arguments[0].value;
  const auto q = named_quantity(arg, "normal");
  if (!q) return {};
  if (q->type.kind != TypeKind::Real || q->type.dims != std::vector<int32_t>{3} || !q->domain) {
    error(Kind::WrongOperand, tree_[arg].span, "`normal`", "a `vec3` with values at nodes or vertices",
          spell_shape(q->type));
    return {};
  }
  if (!at_facet()) {
    error(Kind::NoMeaningHere, span, text(span), place_text())
        .with_hint("a normal is that of a facet: reduce over `S.facets` or a surface");
    return {};
  }
  if (!check_seen({q->domain, false, q->name, span}, span, "")) return {};
  const ExprId of = add({.kind = q->kind, .type = q->type, .span = tree_[arg].span, .args = {}, .ref = q->ref});
  const Type type{.dims = {3}};
  return of_node(add({.kind = ExprKind::DeformedNormal, .type = type, .span = span, .args = {of}}), type, span);
}

Value Checker::virtual_of(const ast::Call& call, Span span) {
  if (!argument_count(call, 1, 1, span)) return {};
  const ast::ExprId arg = call.arguments[0].value;
  const auto q = named_quantity(arg, "virtual");
  if (!q) return {};
  if (q->kind != ExprKind::Unknown) {
    error(Kind::NotAnUnknown, tree_[arg].span, q->name);
    return {};
  }
  if (!context_.in_work) {
    error(Kind::Misplaced, span, "`virtual(u)` belongs to a `work`");
    return {};
  }
  if (q->domain && !check_seen({q->domain, false, q->name, span}, span, "")) return {};
  const ExprId of = add({.kind = q->kind, .type = q->type, .span = tree_[arg].span, .args = {}, .ref = q->ref});
  return of_node(add({.kind = ExprKind::Virtual, .type = q->type, .span = span, .args = {of}}), q->type, span);
}

Value Checker::previous(const ast::Call& call, Span span) {
  if (!argument_count(call, 1, 2, span)) return {};
  const ast::ExprId arg = call.arguments[0].value;
  const auto q = named_quantity(arg, "previous");
  if (!q) return {};
  if (q->kind != ExprKind::Unknown && q->kind != ExprKind::State && q->kind != ExprKind::Nodal) {
    error(Kind::NeedsName, tree_[arg].span, "previous");
    return {};
  }
  int64_t back = 1;
  if (call.arguments.size() == 2) {
    const auto k = compile_time_int(call.arguments[1].value, "the number of steps back");
    if (!k) return {};
    back = *k;
    if (back < 1 || back > 1000) {
      error(Kind::IndexOutOfRange, tree_[call.arguments[1].value].span, back, 1000);
      return {};
    }
  }
  bool has_time = false;
  for (const ast::DeclId decl : tree_[tree_.main].declarations)
    has_time = has_time || std::holds_alternative<ast::TimeDecl>(tree_[decl].kind);
  if (!has_time) {
    error(Kind::NoTime, span, "previous");
    return {};
  }
  if (q->domain && !check_seen({q->domain, false, q->name, span}, span, "")) return {};
  const ExprId of = add({.kind = q->kind, .type = q->type, .span = tree_[arg].span, .args = {}, .ref = q->ref});
  model::Expr expr{.kind = ExprKind::Previous, .type = q->type, .span = span, .args = {of}};
  expr.index = static_cast<int32_t>(back);
  return of_node(add(std::move(expr)), q->type, span);
}

// What d(e, v) differentiates by: a name.
Value Checker::variable(ast::ExprId expr) {
  const Span span = tree_[expr].span;
  if (std::holds_alternative<ast::Missing>(tree_[expr].kind)) return {};
  const auto* name = std::get_if<ast::Name>(&tree_[expr].kind);
  if (!name) {
    error(Kind::NeedsName, span, "d").with_hint("name it first: `let F = …`, then `d(e, F)`");
    return {};
  }
  const Found found = find(name->name, span, false);
  if (found.reported) return {};
  Value v;
  if (found.local || !found.decl) {
    v = name_value(name->name, span);
  } else {
    if (!ensure(found.decl)) return {};
    const auto q = quantity(found.decl);
    if (q && q->domain && q->kind == ExprKind::Unknown) {
      // The assembled nodal vector of a functional: only at the nodes that u lives on.
      const bool there = context_.place == Place::Entity && model_.domains[context_.domain].of == model_.domains[q->domain].of &&
                         model_.domains[context_.domain].kind == model_.domains[q->domain].kind;
      if (!there) {
        error(Kind::NoMeaningHere, span, fmt::format("d(…, {})", q->name), place_text())
            .with_hint(fmt::format("it has a value per node: `sum({0}) {{ d(E, {1}) }}`; for the value here: `let y = {1}`, "
                                   "then `d(e, y)`", model_.domains[q->domain].text, q->name));
        return {};
      }
    }
    v = read(found.decl, span);
  }
  v = as_operand(v);
  if (v.is_error()) return {};
  if (!v.is_number() || !v.expr || v.is_bool() || v.is_int()) {
    error(Kind::NeedsName, span, "d").with_hint("d() differentiates by real values with a name");
    return {};
  }
  return v;
}

Value Checker::derivative(const ast::Call& call, Span span) {
  if (!argument_count(call, 2, 2, span)) return {};
  const Value v = variable(call.arguments[1].value);
  const Value e = number(call.arguments[0].value);
  if (v.is_error() || e.is_error()) return {};
  if (e.is_bool()) return wrong_operand("d", "a number", e);
  Type type;
  type.unit = quotient(e.type.unit, v.type.unit).value_or(free_unit());
  type.dims = e.type.dims;
  type.dims.insert(type.dims.end(), v.type.dims.begin(), v.type.dims.end());
  if (e.type.dims.empty() && v.type.kind == TypeKind::Sym) type.kind = TypeKind::Sym;
  return of_node(add({.kind = ExprKind::Derivative, .type = type, .span = span, .args = {expr_of(e), v.expr}}), type, span);
}

Value Checker::cell_mean(const ast::Call& call, Span span) {
  if (!argument_count(call, 1, 1, span)) return {};
  const Value e = number(call.arguments[0].value);
  if (e.is_error()) return {};
  const bool in_cells = context_.place == Place::Material ||
                        ((context_.place == Place::Point || context_.place == Place::Entity) &&
                         model_.domains[context_.domain].kind == model::DomainKind::Cells);
  if (!in_cells) {
    error(Kind::NoMeaningHere, span, "cell_mean", place_text()).with_hint("it averages over the points of a mesh's cell");
    return {};
  }
  return of_node(add({.kind = ExprKind::CellMean, .type = e.type, .span = span, .args = {expr_of(e)}}), e.type, span);
}

// spectral(S, s => f(s)): f of a symmetric matrix.
Value Checker::spectral(const ast::Call& call, Span span) {
  if (!argument_count(call, 2, 2, span)) return {};
  const Value S = number(call.arguments[0].value);
  if (S.is_error()) return {};
  if (S.type.kind != TypeKind::Sym) return wrong_operand("spectral", "a symmetric matrix (`sym(M)` makes one)", S);
  const auto* lambda = std::get_if<ast::Lambda>(&tree_[call.arguments[1].value].kind);
  if (!lambda) {
    error(Kind::NeedsName, tree_[call.arguments[1].value].span, "spectral").with_hint("write `spectral(S, s => f(s))`");
    return {};
  }
  Frame frame(*this);
  const uint32_t hole = ++holes_;
  Type scalar;
  scalar.unit = S.type.unit;
  bind(lambda->parameter, of_node(add({.kind = ExprKind::Hole,
                                       .type = scalar,
                                       .span = lambda->parameter.span,
                                       .args = {},
                                       .ref = hole,
                                       .name = lambda->parameter.text}),
                                  scalar, lambda->parameter.span));
  const Value f = number(lambda->body);
  if (f.is_error()) return {};
  if (!f.is_scalar()) return wrong_operand("spectral", "a scalar function", f);
  Type type = S.type;
  type.unit = f.type.unit;
  return of_node(add({.kind = ExprKind::Spectral,
                      .type = type,
                      .span = span,
                      .args = {expr_of(S), expr_of(f)},
                      .ref = hole}),
                 type, span);
}

// symmetric(s = principal(F)) { f }: a scalar, symmetric in the signed singular values of F.
Value Checker::symmetric(const ast::Symmetric& expr, Span span) {
  const auto* of = std::get_if<ast::Call>(&tree_[expr.value].kind);
  if (!of || of->function.text != "principal" || of->arguments.size() != 1) {
    error(Kind::Misplaced, tree_[expr.value].span, "`symmetric` takes `s = principal(F)`");
    return {};
  }
  const Value F = number(of->arguments[0].value);
  if (F.is_error()) return {};
  if (!F.is_matrix() || F.type.dims[0] != F.type.dims[1]) return wrong_operand("principal", "a square matrix", F);
  Frame frame(*this);
  const uint32_t hole = ++holes_;
  const Type values{.dims = {F.type.dims[0]}, .unit = F.type.unit};
  bind(expr.binder, of_node(add({.kind = ExprKind::Hole,
                                 .type = values,
                                 .span = expr.binder.span,
                                 .args = {},
                                 .ref = hole,
                                 .name = expr.binder.text}),
                            values, expr.binder.span));
  const Value f = number(expr.body);
  if (f.is_error()) return {};
  if (!f.is_scalar()) return wrong_operand("symmetric", "a scalar", f);
  const Value matrix = to_matrix(F);
  return of_node(add({.kind = ExprKind::Principal,
                      .type = f.type,
                      .span = span,
                      .args = {expr_of(matrix), expr_of(f)},
                      .ref = hole}),
                 f.type, span);
}

// minimal R = value { body }: in the body, R is held by first derivatives.
Value Checker::minimal(const ast::Minimal& expr, Span span) {
  const Value minimiser = number(expr.value);
  if (minimiser.is_error()) return {};
  if (minimiser.is_bool()) return wrong_operand("minimal", "a number", minimiser);
  Frame frame(*this);
  const ExprId value = expr_of(minimiser);
  bind(expr.binder, of_node(add({.kind = ExprKind::Minimiser,
                                 .type = minimiser.type,
                                 .span = expr.binder.span,
                                 .args = {value},
                                 .name = expr.binder.text}),
                            minimiser.type, expr.binder.span));
  const Value body = number(expr.body);
  if (body.is_error()) return {};
  if (!body.is_scalar()) return wrong_operand("minimal", "a scalar block", body);
  return of_node(
      add({.kind = ExprKind::Minimal, .type = body.type, .span = span, .args = {value, expr_of(body)}, .name = expr.binder.text}),
      body.type, span);
}

// to_unit_box(X, s) = (X - centre) / half the longest side of the rest box of s.
Value Checker::to_unit_box(const ast::Call& call, Span span) {
  if (!argument_count(call, 2, 2, span)) return {};
  const Value X = number(call.arguments[0].value);
  const GeometryId of = geometry_argument(call.arguments[1].value, "the second argument of `to_unit_box`");
  if (X.is_error() || !of) return {};
  if (!X.is_vector() || X.type.dims[0] != 3) return wrong_operand("to_unit_box", "a `vec3`", X);
  const Unit unit = geometry_info_[of.index].is_free ? free_unit() : metres();
  const auto box = [&](int32_t index, std::vector<int32_t> dims) {
    Type type{.dims = std::move(dims), .unit = unit};
    model::Expr expr{.kind = ExprKind::RestBox, .type = type, .span = span};
    expr.ref = of.index;
    expr.index = index;
    return of_node(add(std::move(expr)), type, span);
  };
  return divide(add_values(true, X, box(0, {3}), span, span), box(1, {}), span, span);
}

// gap(c, x): signed distance of the two sides of the pair c at positions x.
Value Checker::gap(const ast::Call& call, Span span) {
  if (!argument_count(call, 2, 2, span)) return {};
  const Value c = expression(call.arguments[0].value);
  const auto q = named_quantity(call.arguments[1].value, "gap");
  if (c.is_error() || !q) return {};
  const bool of_pair = c.kind == ValueKind::Entity && c.ref == context_.number && context_.place == Place::Entity &&
                       model_.domains[context_.domain].kind == model::DomainKind::Pairs;
  if (!of_pair) {
    error(Kind::NoMeaningHere, span, "gap", place_text())
        .with_hint("its first argument is a pair: `sum(near as c) { gap(c, x) }`");
    return {};
  }
  if (!q->domain || q->type.dims != std::vector<int32_t>{3}) {
    error(Kind::WrongOperand, tree_[call.arguments[1].value].span, "`gap`", "a `vec3` with values at nodes",
          spell_shape(q->type));
    return {};
  }
  const ExprId of =
      add({.kind = q->kind, .type = q->type, .span = tree_[call.arguments[1].value].span, .args = {}, .ref = q->ref});
  Type type;
  type.unit = q->type.unit;
  return of_node(add({.kind = ExprKind::Gap, .type = type, .span = span, .args = {of}}), type, span);
}

}  // namespace asb::sema
