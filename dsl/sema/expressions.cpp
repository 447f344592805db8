// Expressions, kind by kind: literals, names, members, indices, choices and blocks. Loops are in loops.cpp.
#include <cmath>

#include "base/overloaded.h"
#include "dsl/sema/checker.h"

namespace asb::sema {

Value Checker::expression(ast::ExprId id) {
  if (!id) return {};
  const ast::Expr& expr = tree_[id];
  if (!spend(expr.span)) return {};
  ++depth_;
  Value value = expression_of(expr, id);
  --depth_;
  value.span = expr.span;
  return value;
}

Value Checker::expression_of(const ast::Expr& expr, ast::ExprId id) {
  const Span span = expr.span;
  const auto misplaced = [&](const char* what) {
    error(Kind::Misplaced, span, what);
    return Value{};
  };
  return std::visit(
      Overloaded{
          [](const ast::Missing&) { return Value{}; },
          [&](const ast::Number& number) {
            if (!number.unit)
              return constant(number.value, {.kind = number.is_integer ? TypeKind::Int : TypeKind::Real}, true, span);
            UnitEntry unit;
            if (!literal_unit(number.unit, unit)) return Value{};
            Type type;
            type.unit = unit.dimension;
            return constant(number.value * unit.times / unit.over, type, false, span);
          },
          [&](const ast::Text& t) {
            Value value;
            value.kind = ValueKind::Text;
            value.text = t.value;
            return value;
          },
          [&](const ast::Bool& b) { return constant(b.value, {.kind = TypeKind::Bool}, true, span); },
          [&](const ast::Name& name) { return name_value(name.name, span); },
          [&](const ast::List& l) { return list(l, span); },
          [&](const ast::Comprehension& c) { return comprehension(c, span); },
          [&](const ast::Range&) { return misplaced("a range `a..b` is an index: `v[0..3]`"); },
          [&](const ast::Unary& u) { return unary(u.op, operand(u.operand), span); },
          [&](const ast::Binary& b) {
            const Value lhs = operand(b.lhs);
            // `false and …`, `true or …` at compile time: the other side isn't looked at.
            if (lhs.is_bool() && lhs.constant && !lhs.expr &&
                ((b.op == ast::BinaryOp::And && *lhs.constant == 0) ||
                 (b.op == ast::BinaryOp::Or && *lhs.constant != 0)))
              return lhs;
            return binary(b.op, lhs, operand(b.rhs), span, b.op_span);
          },
          [&](const ast::Transpose& t) { return transpose(operand(t.operand), span); },
          [&](const ast::Member& m) { return member(m, span); },
          [&](const ast::Index& i) { return index(i, span); },
          [&](const ast::Call& c) { return call(c, span); },
          [&](const ast::MemberCall& c) {
            if (const ast::ModuleId module = find_alias(c.base)) {
              const Found found = find_in(module, c.member.text, c.member.span, true);
              if (found.decl) return call_declaration(found.decl, c.arguments, span);
              if (!found.reported) unknown_name(Kind::UnknownFunction, c.member, "");
              return Value{};
            }
            return set_member(expression(c.base), c.member, c.arguments, span);
          },
          [&](const ast::Lambda&) { return misplaced("`s => expr` is an argument of `spectral`"); },
          [&](const ast::Where& w) { return where(w, span); },
          [&](const ast::Within& w) { return within(w, span); },
          [&](const ast::Tagged& t) {
            model::Narrowing narrowing;
            narrowing.tag = t.tag;
            return narrow(set_of(t.set), std::move(narrowing), span);
          },
          [&](const ast::At&) { return misplaced("`set at position` is an argument of `between`, `of` and `embed`"); },
          [&](const ast::Reduction& r) { return reduction(r, span); },
          [&](const ast::IndexedReduction& r) { return indexed_reduction(r, span); },
          [&](const ast::If& i) { return choose(i, span); },
          [&](const ast::Repeat& r) { return repeat(r, span); },
          [&](const ast::Minimal& m) { return minimal(m, span); },
          [&](const ast::Symmetric& s) { return symmetric(s, span); },
          [&](const ast::Block& b) { return block(b); },
      },
      tree_[id].kind);
}

Value Checker::as_operand(Value value) {
  switch (value.kind) {
    case ValueKind::Error:
    case ValueKind::Number:
    case ValueKind::Identity:
    case ValueKind::Zero: return value;
    case ValueKind::Text: error(Kind::NotAValue, value.span, "a text"); break;
    case ValueKind::Word: error(Kind::NotAValue, value.span, "a word"); break;
    case ValueKind::Set:
    case ValueKind::Geometry:
      error(Kind::NotAValue, value.span, fmt::format("`{}`, a set,", text(value.span)))
          .with_hint(fmt::format("reduce over it: `sum({}) {{ … }}`", text(value.span)));
      break;
    case ValueKind::Frames: error(Kind::NotAValue, value.span, "a set of frames"); break;
    case ValueKind::Corner:
      error(Kind::NotAValue, value.span, fmt::format("`{}`, a corner,", text(value.span)))
          .with_hint(fmt::format("`X[{0}]` is its position, `u[{0}]` the value of `u` there", text(value.span)));
      break;
    case ValueKind::Entity: error(Kind::NotAValue, value.span, fmt::format("`{}`, an entity,", text(value.span))); break;
  }
  return {};
}

Value Checker::operand(ast::ExprId expr) { return as_operand(expression(expr)); }

Value Checker::number(ast::ExprId expr) {
  Value value = operand(expr);
  if (!value.is_open()) return value;
  error(Kind::UnknownSize, value.span, value.kind == ValueKind::Identity ? "I" : "zero");
  return {};
}

Value Checker::name_value(const std::string& name, Span span) {
  const Found found = find(name, span, false);
  if (found.reported) return {};
  if (found.local) {
    Value value = found.local->value;
    return value;
  }
  if (found.decl) return read(found.decl, span);
  Value value;
  value.span = span;
  if (name == "X") return rest_position(span);
  if (name == "N") return rest_normal(span);
  if (name == "I" || name == "zero") {
    value.kind = name == "I" ? ValueKind::Identity : ValueKind::Zero;
    value.bare = name == "zero";
    return value;
  }
  if (name == "step" || name == "steps" || name == "dt") {
    bool has_time = false;
    for (const ast::DeclId decl : tree_[tree_.main].declarations) {
      if (!std::holds_alternative<ast::TimeDecl>(tree_[decl].kind)) continue;
      has_time = ensure(decl);
    }
    if (has_time && name != "dt") {
      const Type type{.kind = TypeKind::Int};
      const ExprKind kind = name == "step" ? ExprKind::Step : ExprKind::Steps;
      return of_node(add({.kind = kind, .type = type, .span = span, .args = {}}), type, span);
    }
    error(Kind::NoTime, span, name);
    return {};
  }
  const Found callable = find(name, span, true);
  if (callable.decl) {
    error(Kind::NotAValue, span, fmt::format("`{}` ({})", name, describe(tree_[callable.decl].kind)))
        .with_hint(fmt::format("call it: `{}(…)`", name));
    return {};
  }
  unknown_name(Kind::UnknownName, {name, span}, suggest_value(name));
  return {};
}

// [a, b, …] with the unit of the literal: n values of one shape.
Value Checker::stack(std::vector<Value> items, const ast::Unit& unit, Span span) {
  UnitEntry scale;
  scale.dimension = no_unit();
  if (unit && !literal_unit(unit, scale)) return {};
  for (const Value& item : items)
    if (item.is_error()) return {};
  if (items.empty()) {
    error(Kind::BadSize, span, 0);
    return {};
  }
  const Value* shape = nullptr;
  for (const Value& item : items)
    if (item.is_number()) { shape = &item; break; }
  if (!shape) {
    error(Kind::UnknownSize, span, "I");
    return {};
  }
  const Type first = shape->type;
  bool bare = true;
  for (Value& item : items) {
    if (item.is_open()) item = resolve(item, first);
    if (item.is_error()) return {};
    item = to_matrix(item);
    if (item.is_bool()) {
      error(Kind::WrongOperand, item.span, "a list", "numbers", "bool");
      return {};
    }
    if (item.type.dims != first.dims) {
      error(Kind::ShapeMismatch, item.span, "a list", fmt::format("`{}`", spell_shape(first)),
            fmt::format("`{}`", spell_shape(item.type)));
      return {};
    }
    bare = bare && item.bare;
  }
  Value total = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    const auto u = sum_unit("in one list with", total, items[i], span, !context_.sums_unchecked);
    if (!u) return {};
    total.type.unit = *u;
    total.bare = total.bare && items[i].bare;
  }
  Type type = first;
  type.kind = TypeKind::Real;
  type.unit = total.type.unit;
  if (unit) {
    if (!type.unit.free && !is_dimensionless(type.unit)) {
      error(Kind::UnitMismatch, span, "in a list in", quoted(type.unit), quoted(scale.dimension));
      return {};
    }
    type.unit = scale.dimension;
    for (Value& item : items) {
      if (item.constant && !item.expr) {
        item = constant(*item.constant * scale.times / scale.over, item.type, false, item.span);
      } else {
        Type one;
        one.unit = scale.dimension;
        Type scaled = item.type;
        scaled.unit = scale.dimension;
        item = call_node(Builtin::Multiply, {constant(scale.times / scale.over, one, false, item.span), item}, scaled,
                         item.span);
      }
      item.type.unit = scale.dimension;
    }
    bare = false;
  }
  model::Expr expr{.kind = ExprKind::Stack, .type = type, .span = span};
  for (Value& item : items) {
    if (item.constant && !item.expr) item.type.unit = type.unit, item.type.kind = TypeKind::Real;
    expr.args.push_back(expr_of(item));
  }
  type.dims.insert(type.dims.begin(), static_cast<int32_t>(items.size()));
  expr.type = type;
  Value value = of_node(add(std::move(expr)), type, span);
  value.bare = bare;
  return value;
}

Value Checker::list(const ast::List& list, Span span) {
  std::vector<Value> items;
  for (const ast::ExprId item : list.items) items.push_back(operand(item));
  return stack(std::move(items), list.unit, span);
}

Value Checker::member(const ast::Member& member, Span span) {
  if (const ast::ModuleId module = find_alias(member.base)) {
    const Found found = find_in(module, member.member.text, member.member.span, false);
    if (found.decl) return read(found.decl, span);
    if (!found.reported) unknown_name(Kind::UnknownName, member.member, "");
    return {};
  }
  const Value base = expression(member.base);
  if (base.is_error()) return {};
  if (base.kind == ValueKind::Geometry || base.kind == ValueKind::Set) return set_member(base, member.member, {}, span);
  const Value v = as_operand(base);
  if (v.is_error()) return {};
  const std::string& letters = member.member.text;
  if (v.is_vector() && letters.size() <= 4 && letters.find_first_not_of("xyzw") == std::string::npos) {
    std::vector<int32_t> indices;
    for (const char c : letters) indices.push_back(c == 'w' ? 3 : c - 'x');
    for (const int32_t i : indices) {
      if (i < v.type.dims[0]) continue;
      error(Kind::IndexOutOfRange, member.member.span, "xyzw"[i], v.type.dims[0]);
      return {};
    }
    return pick(v, indices, letters.size() == 1, span);
  }
  const std::string what = v.is_number() ? spell_shape(v.type) : v.kind == ValueKind::Identity ? "I" : "zero";
  Diagnostic& report = error(Kind::NoSuchMember, member.member.span, fmt::format("a `{}`", what), letters);
  if (v.is_vector()) report.with_hint("components are `.x .y .z .w` and swizzles such as `.xz`");
  else if (v.is_number()) report.with_hint("entries are read by index: `M[i, j]`");
  return {};
}

Value Checker::index(const ast::Index& index, Span span) {
  if (index.items.empty()) return {};
  // u[a]: at a corner of the entity.
  if (const auto* name = std::get_if<ast::Name>(&tree_[index.items[0]].kind); name && index.items.size() == 1) {
    const Found found = find(name->name, tree_[index.items[0]].span, false);
    if (found.local && found.local->value.kind == ValueKind::Corner) {
      Value corner = found.local->value;
      corner.span = tree_[index.items[0]].span;
      bool handled = false;
      return read_at_corner(index.base, corner, span, handled);
    }
  }
  // q[i]: another frame's, or a row of a table.
  if (const auto* name = std::get_if<ast::Name>(&tree_[index.base].kind)) {
    const Found found = find(name->name, tree_[index.base].span, false);
    if (found.reported) return {};
    if (!found.local && found.decl) {
      const auto q = quantity(found.decl);
      if (q && (q->per_frame || q->rows > 0)) {
        const Value row = number(index.items[0]);
        if (row.is_error()) return {};
        if (!row.is_int()) {
          error(Kind::WrongOperand, row.span, fmt::format("the index of `{}`", q->name), "an `int`",
                spell_shape(row.type));
          return {};
        }
        if (row.constant && (*row.constant < 0 || (q->rows > 0 && *row.constant >= q->rows))) {
          error(Kind::IndexOutOfRange, row.span, *row.constant, q->rows);
          return {};
        }
        if (q->domain && !check_seen({q->domain, false, q->name, span}, span, "")) return {};
        Value value = of_node(
            add({.kind = q->kind, .type = q->type, .span = span, .args = {expr_of(row)}, .ref = q->ref}), q->type, span);
        return index_number(std::move(value), index.items, 1, span);
      }
    }
  }
  return index_number(number(index.base), index.items, 0, span);
}

Value Checker::index_number(Value base, const std::vector<ast::ExprId>& items, size_t first, Span span) {
  if (base.is_error() || first == items.size()) return base;
  base = to_matrix(base);
  if (base.type.dims.size() < items.size() - first) {
    error(Kind::WrongOperand, span, "an index", fmt::format("a value with {} axes", items.size() - first),
          spell_shape(base.type));
    return {};
  }
  const int32_t n = base.type.dims[0];
  const auto outside = [&](ast::ExprId item, int64_t i) {
    error(Kind::IndexOutOfRange, tree_[item].span, i, n);
    return Value{};
  };
  const ast::ExprId item = items[first];
  if (const auto* r = std::get_if<ast::Range>(&tree_[item].kind)) {
    int64_t from = 0, to = 0;
    if (!range(r->begin, r->end, from, to)) return {};
    if (from < 0 || from >= n) return outside(item, from);
    if (to > n || to <= from) return outside(item, to);
    std::vector<int32_t> indices;
    for (int64_t i = from; i < to; ++i) indices.push_back(static_cast<int32_t>(i));
    if (first + 1 == items.size()) return pick(base, std::move(indices), false, span);
    std::vector<Value> rows;
    for (const int32_t i : indices) {
      rows.push_back(index_number(pick(base, {i}, true, span), items, first + 1, span));
      if (rows.back().is_error()) return {};
    }
    return stack(std::move(rows), {}, span);
  }
  const auto i = compile_time_int(item, "an index");
  if (!i) return {};
  if (*i < 0 || *i >= n) return outside(item, *i);
  return index_number(pick(base, {static_cast<int32_t>(*i)}, true, span), items, first + 1, span);
}

Value Checker::choose(const ast::If& expr, Span span) {
  const Value condition = number(expr.condition);
  if (condition.is_error()) return {};
  if (!condition.is_bool()) {
    error(Kind::WrongOperand, condition.span, "`if`", "a condition", spell_shape(condition.type));
    return {};
  }
  // Known at compile time: only the branch taken is looked at, so that loops may choose by their index.
  if (condition.constant) return operand(*condition.constant != 0 ? expr.then : expr.otherwise);
  Value a = operand(expr.then), b = operand(expr.otherwise);
  if (a.is_error() || b.is_error()) return {};
  if (a.is_open() && b.is_open()) {
    error(Kind::UnknownSize, span, "zero");
    return {};
  }
  if (a.is_open()) a = resolve(a, b.type);
  if (b.is_open()) b = resolve(b, a.type);
  if (a.is_error() || b.is_error()) return {};
  if (a.is_bool() != b.is_bool() || !same_shape(a, b, "`if … else`", span)) return {};
  const auto unit = sum_unit("or else", a, b, span, !context_.sums_unchecked);
  if (!unit) return {};
  Type type = a.type;
  if (b.type.kind == TypeKind::Real && type.kind == TypeKind::Int) type.kind = TypeKind::Real;
  type.unit = *unit;
  Value value = of_node(add({.kind = ExprKind::Select,
                             .type = type,
                             .span = span,
                             .args = {expr_of(condition), expr_of(a), expr_of(b)}}),
                        type, span);
  value.bare = a.bare && b.bare;
  return value;
}

Value Checker::block(const ast::Block& block) {
  Frame frame(*this);
  const std::string path = owner_ ? owner_->path : "";
  for (const ast::Statement& statement : block.statements) {
    if (stopped_) return {};
    std::visit(Overloaded{[&](const ast::LocalLet& let) {
                            if (owner_) owner_->path = path + "." + let.name.text;
                            bind(let.name, local_let(let));
                          },
                          [&](const ast::LocalWeight& weight) {
                            bind(weight.name, local_weight(weight, statement.span));
                          }},
               statement.kind);
    if (owner_) owner_->path = path;
  }
  if (owner_ && !block.statements.empty()) owner_->path = path + ".out";
  Value value = operand(block.value);
  if (owner_) owner_->path = path;
  return value;
}

Value Checker::local_let(const ast::LocalLet& let) {
  Value value = operand(let.value);
  if (let.type) value = coerce(value, declared_type(let.type), fmt::format("`{}`", let.name.text), true);
  return let_node(let.name.text, value, let.name.span);
}

}  // namespace asb::sema
