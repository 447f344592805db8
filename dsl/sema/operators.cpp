// Operators: shapes, units, numbers folded at compile time.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {
namespace {

Type scalar_in(Unit unit, TypeKind kind = TypeKind::Real) {
  Type type;
  type.kind = kind;
  type.unit = unit;
  return type;
}

bool both_constant(const Value& a, const Value& b) { return a.constant && b.constant; }

/// A node is needed where a name has a part in it: d() may cut there.
bool literal(const Value& a) { return a.constant && !a.expr; }

}  // namespace

// A scalar in every entry of a shape.
Value Checker::spread(const Value& scalar, const Type& shape) {
  Type type = shape;
  type.unit = scalar.type.unit;
  if (type.kind == TypeKind::Int) type.kind = TypeKind::Real;
  if (literal(scalar)) {
    Value value = of_node(number_node(*scalar.constant, type, scalar.span), type, scalar.span);
    value.bare = scalar.bare;
    return value;
  }
  Type plain = type;
  plain.unit = no_unit();
  const Value ones = of_node(number_node(1, plain, scalar.span), plain, scalar.span);
  Value value = call_node(Builtin::Multiply, {scalar, ones}, type, scalar.span);
  value.bare = scalar.bare;
  return value;
}

// Brings a and b to one shape: sym beside mat becomes mat, a scalar is spread over a vector or table.
bool Checker::same_shape(Value& a, Value& b, std::string_view what, Span span) {
  if (a.is_bool() || b.is_bool()) {
    if (a.is_bool() == b.is_bool()) return true;
    wrong_operand(what, "numbers", a.is_bool() ? a : b);
    return false;
  }
  if (a.type.kind == TypeKind::Sym && b.type.kind == TypeKind::Real && !b.is_scalar()) a = to_matrix(a);
  if (b.type.kind == TypeKind::Sym && a.type.kind == TypeKind::Real && !a.is_scalar()) b = to_matrix(b);
  if (a.type.dims == b.type.dims) return true;
  const bool square = (a.is_matrix() && a.type.dims[0] == a.type.dims[1]) ||
                      (b.is_matrix() && b.type.dims[0] == b.type.dims[1]);
  if (a.is_scalar() != b.is_scalar() && !square) {
    if (a.is_scalar()) a = spread(a, b.type);
    else b = spread(b, a.type);
    return true;
  }
  Diagnostic& report = error(Kind::ShapeMismatch, span, what, fmt::format("`{}`", spell_shape(a.type)),
                             fmt::format("`{}`", spell_shape(b.type)));
  report.label(a.span, fmt::format("`{}`{}", spell_shape(a.type), origin(a)))
      .label(b.span, fmt::format("`{}`{}", spell_shape(b.type), origin(b)));
  if (square && (a.is_scalar() || b.is_scalar())) report.with_hint("`I` is the identity matrix, `2 * I` a multiple of it");
  return false;
}

// The compile-time value beside the node that was built, if there is one.
Value Checker::fold(Value built, double value, bool bare, const Value& a, const Value& b) {
  built.bare = bare;
  if (both_constant(a, b)) built.constant = value;
  return built;
}

Value Checker::unary(ast::UnaryOp op, const Value& a, Span span) {
  if (a.is_error()) return {};
  if (op == ast::UnaryOp::Not) {
    if (!a.is_bool()) return wrong_operand("not", "a condition", a);
    if (literal(a)) return constant(*a.constant == 0, a.type, true, span);
    Value value = call_node(Builtin::Not, {a}, a.type, span);
    if (a.constant) value.constant = *a.constant == 0;
    return value;
  }
  if (a.kind == ValueKind::Zero) return a;
  if (a.kind == ValueKind::Identity) return multiply(constant(-1, {.kind = TypeKind::Int}, true, span), a, span, span);
  if (a.is_bool()) return wrong_operand("-", "a number", a);
  if (literal(a)) return constant(-*a.constant, a.type, a.bare, span);
  Value value = call_node(Builtin::Negate, {a}, a.type, span);
  value.bare = a.bare;
  if (a.constant) value.constant = -*a.constant;
  return value;
}

Value Checker::binary(ast::BinaryOp op, const Value& a, const Value& b, Span span, Span op_span) {
  if (a.is_error() || b.is_error()) return {};
  switch (op) {
    case ast::BinaryOp::Add: return add_values(false, a, b, span, op_span);
    case ast::BinaryOp::Subtract: return add_values(true, a, b, span, op_span);
    case ast::BinaryOp::Multiply: return multiply(a, b, span, op_span);
    case ast::BinaryOp::Divide: return divide(a, b, span, op_span);
    case ast::BinaryOp::Power: return raise(a, b, span, op_span);
    case ast::BinaryOp::Equal:
    case ast::BinaryOp::NotEqual:
    case ast::BinaryOp::Less:
    case ast::BinaryOp::LessEqual:
    case ast::BinaryOp::Greater:
    case ast::BinaryOp::GreaterEqual: return compare(op, a, b, span, op_span);
    case ast::BinaryOp::And:
    case ast::BinaryOp::Or: break;
  }
  const bool both = op == ast::BinaryOp::And;
  for (const Value* side : {&a, &b})
    if (!side->is_bool()) return wrong_operand(both ? "and" : "or", "conditions", *side);
  const Type type{.kind = TypeKind::Bool};
  if (literal(a)) return b;  // `true and b`, `false or b`: the other cases ended before b was looked at
  if (literal(b)) return (*b.constant != 0) == both ? a : b;
  return call_node(both ? Builtin::And : Builtin::Or, {a, b}, type, span);
}

Value Checker::add_values(bool subtract, const Value& a, const Value& b, Span span, Span op_span) {
  const char* name = subtract ? "-" : "+";
  if (a.is_error() || b.is_error()) return {};
  if (b.kind == ValueKind::Zero) return a;
  if (a.kind == ValueKind::Zero) return subtract ? unary(ast::UnaryOp::Negate, b, span) : b;
  if (a.is_open() && b.is_open()) {  // c1 I + c2 I
    const auto coefficient = [&](const Value& v) {
      if (!v.expr) return constant(1, scalar_in(v.type.unit), v.bare, v.span);
      return of_node(v.expr, scalar_in(v.type.unit), v.span);
    };
    const Value c = add_values(subtract, coefficient(a), coefficient(b), span, op_span);
    if (c.is_error()) return {};
    Value identity = a;
    identity.expr = expr_of(c);
    identity.type.unit = c.type.unit;
    return identity;
  }
  Value x = a.is_open() ? resolve(a, b.type) : a;
  Value y = b.is_open() ? resolve(b, a.type) : b;
  if (x.is_error() || y.is_error()) return {};
  if (x.is_bool() || y.is_bool()) return wrong_operand(name, "numbers", x.is_bool() ? x : y);
  x.span = a.span;
  y.span = b.span;
  if (!same_shape(x, y, fmt::format("`{}`", name), op_span)) return {};
  x.span = a.span;
  y.span = b.span;
  const auto unit = sum_unit(name, x, y, op_span, !context_.sums_unchecked);
  if (!unit) return {};
  Type type = x.type;
  type.unit = *unit;
  if (x.type.kind != y.type.kind) type.kind = TypeKind::Real;
  const bool bare = x.bare && y.bare;
  const double folded = both_constant(x, y) ? (subtract ? *x.constant - *y.constant : *x.constant + *y.constant) : 0;
  if (literal(x) && literal(y)) return constant(folded, type, bare, span);
  return fold(call_node(subtract ? Builtin::Subtract : Builtin::Add, {x, y}, type, span), folded, bare, x, y);
}

Value Checker::multiply(const Value& a, const Value& b, Span span, Span op_span) {
  if (a.is_error() || b.is_error()) return {};
  const auto too_far = [&] {
    error(Kind::UnitPower, op_span, "*");
    return Value{};
  };
  if (a.is_open() || b.is_open()) {
    const Value& open = a.is_open() ? a : b;
    const Value& other = a.is_open() ? b : a;
    if (open.kind == ValueKind::Zero) {
      if (other.is_open() || other.is_scalar()) return open;
      error(Kind::UnknownSize, open.span, "zero");
      return {};
    }
    if (other.kind == ValueKind::Zero) return other;
    if (other.is_number() && !other.is_scalar()) {  // I M = M
      if (other.is_bool()) return wrong_operand("*", "numbers", other);
      if (!open.expr) return other;
      return multiply(of_node(open.expr, scalar_in(open.type.unit), open.span), other, span, op_span);
    }
    Value identity = open;
    Value factor = other;
    if (other.kind == ValueKind::Identity) {
      if (!other.expr) return open;
      factor = of_node(other.expr, scalar_in(other.type.unit), other.span);
    }
    if (open.expr) factor = multiply(factor, of_node(open.expr, scalar_in(open.type.unit), open.span), span, op_span);
    if (factor.is_error()) return {};
    identity.expr = expr_of(factor);
    identity.type.unit = factor.type.unit;
    return identity;
  }
  if (a.is_bool() || b.is_bool()) return wrong_operand("*", "numbers", a.is_bool() ? a : b);
  const auto unit = product(a.type.unit, b.type.unit);
  if (!unit) return too_far();
  const bool bare = a.bare && b.bare;
  if (a.is_scalar() || b.is_scalar()) {
    Type type = a.is_scalar() ? b.type : a.type;
    if (a.type.kind == TypeKind::Real && b.type.kind == TypeKind::Int && b.is_scalar()) type = a.type;
    type.unit = *unit;
    const double folded = both_constant(a, b) ? *a.constant * *b.constant : 0;
    if (literal(a) && literal(b)) return constant(folded, type, bare, span);
    return fold(call_node(Builtin::Multiply, {a, b}, type, span), folded, bare, a, b);
  }
  const Value x = to_matrix(a), y = to_matrix(b);
  const auto &d = x.type.dims, &e = y.type.dims;
  if (d.size() != 2 || e.size() > 2 || d[1] != e[0]) {
    Diagnostic& report = error(Kind::ShapeMismatch, op_span, "`*`", fmt::format("`{}`", spell_shape(a.type)),
                               fmt::format("`{}`", spell_shape(b.type)));
    report.label(a.span, fmt::format("`{}`{}", spell_shape(a.type), origin(a)))
        .label(b.span, fmt::format("`{}`{}", spell_shape(b.type), origin(b)));
    if (d.size() == 1 && e.size() == 1) report.with_hint("`dot(a, b)`, `hadamard(a, b)`, `outer(a, b)`, `cross(a, b)`");
    else if (d.size() == 1 && e.size() == 2) report.with_hint("a vector stands on the right: `M' * v`");
    else report.with_hint("`*` is scalar·any, matrix·matrix, matrix·vector; the inner sizes must agree");
    return {};
  }
  Type type;
  type.unit = *unit;
  type.dims = {d[0]};
  if (e.size() == 2) type.dims.push_back(e[1]);
  return fold(call_node(Builtin::Multiply, {x, y}, type, span), 0, bare, x, y);
}

Value Checker::divide(const Value& a, const Value& b, Span span, Span op_span) {
  if (a.is_error() || b.is_error()) return {};
  if (b.is_open() || !b.is_scalar()) {
    Diagnostic& report = error(Kind::WrongOperand, b.span, "the right of `/`", "a scalar",
                               b.is_open() ? "I" : spell_shape(b.type));
    if (b.is_open() || b.is_matrix()) report.with_hint("`inv(M)` is the inverse of a matrix");
    return {};
  }
  if (a.is_bool()) return wrong_operand("/", "numbers", a);
  const auto unit = quotient(a.type.unit, b.type.unit);
  if (!unit) {
    error(Kind::UnitPower, op_span, "/");
    return {};
  }
  if (a.kind == ValueKind::Zero) return a;
  if (a.kind == ValueKind::Identity) {
    const Value one = a.expr ? of_node(a.expr, scalar_in(a.type.unit), a.span) : constant(1, {}, true, a.span);
    Value identity = a;
    const Value c = divide(one, b, span, op_span);
    if (c.is_error()) return {};
    identity.expr = expr_of(c);
    identity.type.unit = *unit;
    return identity;
  }
  Type type = a.type;
  if (type.kind == TypeKind::Int) type.kind = TypeKind::Real;  // `/` of ints is real
  type.unit = *unit;
  const bool bare = a.bare && b.bare;
  if (b.constant && *b.constant == 0) {
    error(Kind::DivisionByZero, op_span);
    return {};
  }
  const double folded = both_constant(a, b) ? *a.constant / *b.constant : 0;
  if (literal(a) && literal(b)) return constant(folded, type, bare, span);
  return fold(call_node(Builtin::Divide, {a, b}, type, span), folded, bare, a, b);
}

Value Checker::raise(const Value& a, const Value& b, Span span, Span op_span) {
  if (a.is_open() || !a.is_scalar()) {
    Diagnostic& report = error(Kind::WrongOperand, a.span, "`^`", "a scalar", a.is_open() ? "I" : spell_shape(a.type));
    if (a.is_open() || a.is_matrix()) report.with_hint("write `M * M`; `spectral(S, s => s^p)` is a power of a symmetric matrix");
    return {};
  }
  if (b.is_open() || !b.is_scalar()) {
    error(Kind::WrongOperand, b.span, "the exponent of `^`", "a scalar", b.is_open() ? "I" : spell_shape(b.type));
    return {};
  }
  if (!b.bare && !b.type.unit.free && !is_dimensionless(b.type.unit)) {
    error(Kind::NotDimensionless, b.span, "the exponent of `^`", quoted(b.type.unit));
    return {};
  }
  Type type = a.type;
  if (!(b.constant && b.is_int() && *b.constant >= 0)) type.kind = TypeKind::Real;
  if (!a.type.unit.free && !is_dimensionless(a.type.unit)) {
    const auto unit = b.constant ? power(a.type.unit, *b.constant) : std::nullopt;
    if (!unit) {
      error(Kind::UnitPower, op_span, "^")
          .label(a.span, fmt::format("`{}`{}", spell(a.type.unit), origin(a)))
          .with_hint(fmt::format("divide by a reference first: `(a / (1 {}))^p`", spell(a.type.unit)));
      return {};
    }
    type.unit = *unit;
  }
  const bool bare = a.bare && b.bare;
  const double folded = both_constant(a, b) ? std::pow(*a.constant, *b.constant) : 0;
  if (literal(a) && literal(b) && std::isfinite(folded)) return constant(folded, type, bare, span);
  return fold(call_node(Builtin::Power, {a, b}, type, span), folded, bare, a, b);
}

Value Checker::compare(ast::BinaryOp op, const Value& a, const Value& b, Span span, Span op_span) {
  using Op = ast::BinaryOp;
  const bool equality = op == Op::Equal || op == Op::NotEqual;
  const std::string name = text(op_span);
  Value x = a.kind == ValueKind::Zero ? resolve(a, b.is_number() ? b.type : Type{}) : a;
  Value y = b.kind == ValueKind::Zero ? resolve(b, x.is_number() ? x.type : Type{}) : b;
  for (const Value* side : {&x, &y}) {
    if (side->is_error()) return {};
    if (side->is_scalar() || (equality && side->is_bool())) continue;
    return wrong_operand(name, "scalars", *side);
  }
  if (x.is_bool() != y.is_bool()) return wrong_operand(name, "numbers", x.is_bool() ? x : y);
  if (!x.is_bool() && !sum_unit(name, x, y, op_span, !context_.sums_unchecked)) return {};
  const Type type{.kind = TypeKind::Bool};
  bool folded = false;
  if (both_constant(x, y)) {
    const double p = *x.constant, q = *y.constant;
    folded = op == Op::Equal ? p == q : op == Op::NotEqual ? p != q : op == Op::Less ? p < q
             : op == Op::LessEqual ? p <= q : op == Op::Greater ? p > q : p >= q;
    if (literal(x) && literal(y)) return constant(folded, type, true, span);
  }
  if (op == Op::Greater || op == Op::GreaterEqual) std::swap(x, y);
  const Builtin which = equality ? Builtin::Equal
                        : op == Op::Less || op == Op::Greater ? Builtin::Less
                                                              : Builtin::LessEqual;
  Value value = call_node(which, {x, y}, type, span);
  if (op == Op::NotEqual) value = call_node(Builtin::Not, {value}, type, span);
  if (both_constant(x, y)) value.constant = folded;
  return value;
}

Value Checker::transpose(const Value& a, Span span) {
  if (a.is_error() || a.is_open()) return a;
  if (a.type.kind == TypeKind::Sym) return a;
  if (!a.is_matrix()) {
    wrong_operand("'", "a matrix", a);
    return {};
  }
  Type type = a.type;
  std::swap(type.dims[0], type.dims[1]);
  Value value = call_node(Builtin::Transpose, {a}, type, span);
  value.bare = a.bare;
  return value;
}

}  // namespace asb::sema
