// Functions of builtins.def: what they take, what comes out, in which unit. The compiler gets no mixture of sym and mat
// here: a sym operand becomes a matrix first, and `inv`, `dev`, `cof` of one become symmetric again.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {
namespace {

enum class ShapeRule : uint8_t { Elementwise, Numeric, Scalar, Same, Square, Compare, Logic, Own };
enum class UnitRule : uint8_t { Same, Product, Quotient, Power, None, Drop, Root, Own };
constexpr int kVariadic = model::kVariadic;

struct Row {
  Builtin builtin;
  std::string_view name;
  int arity;
  ShapeRule shape;
  UnitRule unit;
};
const Row kRows[] = {
#define ASB_BUILTIN(name, surface, arity, shape, unit, doc) \
  {Builtin::name, surface, arity, ShapeRule::shape, UnitRule::unit},
#include "dsl/sema/builtins.def"
#undef ASB_BUILTIN
};

const Row* find_row(std::string_view name) {
  if (name.empty()) return nullptr;
  for (const Row& row : kRows)
    if (row.name == name) return &row;
  return nullptr;
}

const Row& row_of(Builtin builtin) { return kRows[static_cast<size_t>(builtin)]; }

double fold_one(Builtin builtin, double a, double b) {
  switch (builtin) {
    case Builtin::Exp: return std::exp(a);
    case Builtin::Log: return std::log(a);
    case Builtin::Sqrt: return std::sqrt(a);
    case Builtin::Sin: return std::sin(a);
    case Builtin::Cos: return std::cos(a);
    case Builtin::Tan: return std::tan(a);
    case Builtin::Tanh: return std::tanh(a);
    case Builtin::Atan2: return std::atan2(a, b);
    case Builtin::Abs: return std::abs(a);
    case Builtin::Sign: return a >= 0 ? 1 : -1;
    case Builtin::Floor: return std::floor(a);
    case Builtin::Min: return a <= b ? a : b;
    case Builtin::Max: return a >= b ? a : b;
    default: return std::nan("");
  }
}

bool is_square(const Value& v) { return v.is_matrix() && v.type.dims[0] == v.type.dims[1]; }

}  // namespace

/// All that can be called without a declaration, for proposals.
std::vector<std::string> builtin_names() {
  std::vector<std::string> names = {"grad", "normal", "virtual", "previous", "d", "cell_mean", "spectral",
                                    "to_unit_box", "gap", "sym3", "sym2", "clamp", "mix"};
  for (const Row& row : kRows)
    if (!row.name.empty()) names.emplace_back(row.name);
  return names;
}

Value Checker::wrong_operand(std::string_view name, std::string_view takes, const Value& value) {
  const std::string found = value.kind == ValueKind::Identity ? "I"
                            : value.kind == ValueKind::Zero   ? "zero"
                                                              : spell_shape(value.type);
  const std::string shown = name.starts_with('`') ? std::string(name) : fmt::format("`{}`", name);
  error(Kind::WrongOperand, value.span, shown, takes, found);
  return {};
}

// Functions of any shape, made of others: a `fn` is generic in sizes, not in the number of axes.
//   clamp(a, lo, hi) = min(max(a, lo), hi)      mix(a, b, t) = a + t (b - a)
std::optional<Value> Checker::derived_call(const ast::Call& call, Span span) {
  const std::string& name = call.function.text;
  if (name != "clamp" && name != "mix") return std::nullopt;
  if (!argument_count(call, 3, 3, span)) return Value{};
  const Value a = operand(call.arguments[0].value), b = operand(call.arguments[1].value), c = operand(call.arguments[2].value);
  if (a.is_error() || b.is_error() || c.is_error()) return Value{};
  if (name == "clamp") {
    const Value raised = builtin(Builtin::Max, name, {a, b}, span);
    return raised.is_error() ? raised : builtin(Builtin::Min, name, {raised, c}, span);
  }
  if (!c.is_scalar()) return wrong_operand(name, "a scalar as its third argument", c);
  Value way = add_values(true, b, a, span, span);
  if (!way.is_error()) way = multiply(c, way, span, span);
  return way.is_error() ? way : add_values(false, a, way, span, span);
}

std::optional<Value> Checker::builtin_call(const ast::Call& call, Span span) {
  if (auto derived = derived_call(call, span)) return derived;
  const std::string& name = call.function.text;
  const bool from_entries = name.starts_with("sym") && name.size() == 4 && name[3] >= '1' && name[3] <= '9';
  const Row* row = find_row(name);
  if (!row && !from_entries) return std::nullopt;
  std::vector<Value> args;
  for (const ast::Argument& argument : call.arguments) {
    if (argument.label) {
      error(Kind::UnknownArgument, argument.label.span, name, argument.label.text)
          .with_hint(fmt::format("`{}` takes its arguments by position", name));
      return Value{};
    }
    args.push_back(operand(argument.value));
    if (args.back().is_error()) return Value{};
  }
  const int arity = from_entries ? 1 : row->arity;
  if (arity == kVariadic ? args.empty() : args.size() != static_cast<size_t>(arity)) {
    error(Kind::ArgumentCount, span, name, arity == kVariadic ? "at least 1" : fmt::format("{}", arity), args.size());
    return Value{};
  }
  if (from_entries) return sym_from_entries(name[3] - '0', args[0], span);
  return builtin(row->builtin, name, std::move(args), span);
}

Value Checker::sym_from_entries(int n, const Value& entries, Span span) {
  Value v = entries;
  if (v.kind == ValueKind::Zero) v = resolve(v, Type{.dims = {n * (n + 1) / 2}});
  if (!v.is_vector() || v.type.dims[0] != n * (n + 1) / 2)
    return wrong_operand(fmt::format("sym{}", n),
                         fmt::format("the {} entries of an upper triangle by rows (`sym(M)` takes a matrix)",
                                     n * (n + 1) / 2),
                         v);
  Type type{.kind = TypeKind::Sym, .dims = {n, n}, .unit = v.type.unit};
  Value value = call_node(Builtin::SymFromEntries, {v}, type, span);
  value.bare = v.bare;
  return value;
}

Value Checker::concat(std::vector<Value> args, Span span) {
  Value total;
  int64_t n = 0;
  for (size_t i = 0; i < args.size(); ++i) {
    if (args[i].is_scalar()) args[i] = stack({args[i]}, {}, args[i].span);
    if (args[i].is_error()) return {};
    if (!args[i].is_vector()) return wrong_operand("concat", "vectors and scalars", args[i]);
    n += args[i].type.dims[0];
    if (i == 0) {
      total = args[0];
      continue;
    }
    const auto unit = sum_unit("joined with", total, args[i], span, false);
    total.type.unit = *unit;
    total.bare = total.bare && args[i].bare;
  }
  if (n > kMaxEntries) {
    error(Kind::TooLarge, span, fmt::format("{} numbers in one value", kMaxEntries));
    return {};
  }
  return call_node(Builtin::Concat, std::move(args), {.dims = {static_cast<int32_t>(n)}, .unit = total.type.unit}, span);
}

// Scalars entry by entry; two operands are brought to one shape.
Value Checker::elementwise(Builtin which, std::string_view name, std::vector<Value> args, Span span) {
  const Row& row = row_of(which);
  const bool of_matrix = which == Builtin::Exp || which == Builtin::Log || which == Builtin::Sqrt;
  for (const Value& arg : args)
    if (!arg.is_number() || arg.is_bool()) return wrong_operand(name, "numbers", arg);
  if (args.size() == 2 && !same_shape(args[0], args[1], fmt::format("`{}`", name), span)) return {};
  const Value& a = args[0];
  if (is_square(a) && (a.type.kind == TypeKind::Sym ? !of_matrix && which != Builtin::Abs : of_matrix)) {
    wrong_operand(name, of_matrix ? "a scalar, a vector or a symmetric matrix" : "a scalar or a vector", a);
    return {};
  }
  Type type = a.type;
  if (args.size() == 2 && args[1].type.kind == TypeKind::Real && type.kind == TypeKind::Int) type.kind = TypeKind::Real;
  const bool keeps_int = which == Builtin::Abs || which == Builtin::Min || which == Builtin::Max;
  if (type.kind == TypeKind::Int && !keeps_int) type.kind = TypeKind::Real;
  bool bare = a.bare && (args.size() == 1 || args[1].bare);
  switch (row.unit) {
    case UnitRule::None:
      if (!a.type.unit.free && !is_dimensionless(a.type.unit)) {
        error(Kind::NotDimensionless, a.span, fmt::format("`{}`", name), quoted(a.type.unit))
            .label(a.span, fmt::format("`{}`{}", spell(a.type.unit), origin(a)));
        return {};
      }
      if (!a.type.unit.free) type.unit = no_unit();
      break;
    case UnitRule::Root: {
      const auto root = power(a.type.unit, 0.5);
      if (!root) {
        error(Kind::UnitPower, span, name);
        return {};
      }
      type.unit = *root;
      break;
    }
    case UnitRule::Same:
    case UnitRule::Drop:
      if (args.size() == 2) {
        const auto unit = sum_unit(fmt::format("in `{}` with", name), a, args[1], span, !context_.sums_unchecked);
        if (!unit) return {};
        type.unit = *unit;
      }
      if (row.unit == UnitRule::Drop) type.unit = no_unit();
      break;
    default: break;
  }
  const bool known = a.constant && (args.size() == 1 || args[1].constant);
  const double folded = known ? fold_one(which, *a.constant, args.size() == 2 ? *args[1].constant : 0) : 0;
  const bool literals = known && !a.expr && (args.size() == 1 || !args[1].expr);
  if (literals && std::isfinite(folded)) return constant(folded, type, bare, span);
  Value value = call_node(which, std::move(args), std::move(type), span);
  value.bare = bare;
  if (known && std::isfinite(folded)) value.constant = folded;
  return value;
}

Value Checker::builtin(Builtin which, std::string_view name, std::vector<Value> args, Span span) {
  const Row& row = row_of(which);
  // `I` and `zero` beside a number take its shape: inner(A, I), min(v, zero).
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i].is_open()) continue;
    const Value* other = nullptr;
    for (const Value& arg : args)
      if (arg.is_number()) other = &arg;
    if (!other || which == Builtin::Concat) {
      error(Kind::UnknownSize, args[i].span, args[i].kind == ValueKind::Identity ? "I" : "zero");
      return {};
    }
    args[i] = resolve(args[i], other->type);
    if (args[i].is_error()) return {};
  }
  for (const Value& arg : args)
    if (arg.is_error()) return {};
  if (row.shape == ShapeRule::Elementwise) return elementwise(which, name, std::move(args), span);
  if (which == Builtin::Concat) return concat(std::move(args), span);

  const bool symmetric = args[0].type.kind == TypeKind::Sym;
  for (Value& arg : args) {
    if (arg.is_bool()) return wrong_operand(name, "numbers", arg);
    arg = to_matrix(arg);
  }
  const Value& a = args[0];
  const bool bare = a.bare && (args.size() == 1 || args[1].bare);
  const Unit unit = a.type.unit;
  const auto made = [&](std::vector<int32_t> dims, std::optional<Unit> u, TypeKind kind = TypeKind::Real) {
    if (!u) {
      error(Kind::UnitPower, span, name);
      return Value{};
    }
    Value value = call_node(which, args, {.kind = kind, .dims = std::move(dims), .unit = *u}, span);
    value.bare = bare;
    return value;
  };
  const auto square = [&](std::optional<Unit> u) {
    if (!is_square(a)) return wrong_operand(name, "a square matrix", a);
    Value value = made(a.type.dims, u);
    if (!symmetric || value.is_error()) return value;
    return call_node(Builtin::Sym, {value}, {.kind = TypeKind::Sym, .dims = a.type.dims, .unit = value.type.unit}, span);
  };
  const auto two_vectors = [&](int32_t n) {
    for (const Value& arg : args)
      if (!arg.is_vector() || (n && arg.type.dims[0] != n)) {
        wrong_operand(name, n ? "two `vec3`" : "two vectors", arg);
        return false;
      }
    if (which == Builtin::Outer || args[0].type.dims == args[1].type.dims) return true;
    error(Kind::ShapeMismatch, span, fmt::format("`{}`", name), fmt::format("`{}`", spell_shape(args[0].type)),
          fmt::format("`{}`", spell_shape(args[1].type)));
    return false;
  };
  const int32_t n = a.type.dims.empty() ? 1 : a.type.dims[0];
  switch (which) {
    case Builtin::Dot:
      return two_vectors(0) ? made({}, product(unit, args[1].type.unit)) : Value{};
    case Builtin::Outer:
      return two_vectors(0) ? made({n, args[1].type.dims[0]}, product(unit, args[1].type.unit)) : Value{};
    case Builtin::Cross:
      return two_vectors(3) ? made({3}, product(unit, args[1].type.unit)) : Value{};
    case Builtin::Hadamard:
    case Builtin::Inner:
      if (!same_shape(args[0], args[1], fmt::format("`{}`", name), span)) return {};
      return made(which == Builtin::Inner ? std::vector<int32_t>{} : args[0].type.dims, product(unit, args[1].type.unit));
    case Builtin::Trace:
    case Builtin::Det:
      if (!is_square(a)) return wrong_operand(name, "a square matrix", a);
      return made({}, which == Builtin::Trace ? unit : power(unit, n));
    case Builtin::Inverse: return square(power(unit, -1));
    case Builtin::Cofactor: return square(power(unit, n - 1));
    case Builtin::Deviator: return square(unit);
    case Builtin::Skew:
      if (!is_square(a)) return wrong_operand(name, "a square matrix", a);
      return made(a.type.dims, unit);
    case Builtin::Rotation:
      if (!is_square(a)) return wrong_operand(name, "a square matrix", a);
      return made(a.type.dims, no_unit());
    case Builtin::Sym:
    case Builtin::Stretch:
      if (!is_square(a)) return wrong_operand(name, "a square matrix", a);
      return made(a.type.dims, unit, TypeKind::Sym);
    case Builtin::CrossMatrix:
      if (!a.is_vector() || n != 3) return wrong_operand(name, "a `vec3`", a);
      return made({3, 3}, unit);
    case Builtin::Diag:
      if (!a.is_vector()) return wrong_operand(name, "a vector", a);
      return made({n, n}, unit);
    case Builtin::Norm:
    case Builtin::Total: return made({}, unit);
    case Builtin::SquaredNorm: return made({}, power(unit, 2));
    default: break;
  }
  error(Kind::UnknownFunction, span, name);
  return {};
}

}  // namespace asb::sema
