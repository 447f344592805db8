// Types as declared, sizes, and how a value takes a declared type: units, open sizes, sym to mat.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {
namespace {

/// "vec3" → 3 for prefix "vec"; 0 if the name isn't of that form, or its number is out of range.
int32_t suffix_number(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || name.size() == prefix.size() || name.size() > prefix.size() + 4) return 0;
  int32_t n = 0;
  for (const char c : name.substr(prefix.size())) {
    if (c < '0' || c > '9') return 0;
    n = n * 10 + (c - '0');
  }
  return n;
}

}  // namespace

std::string closest(std::string_view name, const std::vector<std::string>& candidates);

bool Checker::literal_unit(const ast::Unit& unit, UnitEntry& out) {
  out.dimension = no_unit();
  out.times = out.over = 1;
  for (const ast::UnitFactor& factor : unit.factors) {
    const UnitEntry* entry = find_unit(factor.name);
    if (!entry) {
      Diagnostic& report = error(Kind::UnknownUnit, factor.span, factor.name);
      const auto names = unit_names();
      const std::string best = closest(factor.name, {names.begin(), names.end()});
      if (!best.empty()) report.with_hint(fmt::format("did you mean `{}`?", best));
      return false;
    }
    const auto powered = power(entry->dimension, factor.exponent);
    const auto whole = powered ? product(out.dimension, *powered) : std::nullopt;
    const double times = std::pow(factor.exponent < 0 ? entry->over : entry->times, std::abs(factor.exponent));
    const double over = std::pow(factor.exponent < 0 ? entry->times : entry->over, std::abs(factor.exponent));
    out.times *= times;
    out.over *= over;
    if (!whole || !std::isfinite(out.times) || !std::isfinite(out.over)) {
      error(Kind::UnitPower, factor.span, factor.name);
      return false;
    }
    out.dimension = *whole;
  }
  return true;
}

std::optional<int32_t> Checker::size(ast::ExprId expr) {
  const auto n = compile_time_int(expr, "a size");
  if (!n) return std::nullopt;
  if (*n < 1 || *n > kMaxEntries) {
    error(Kind::BadSize, tree_[expr].span, *n);
    return std::nullopt;
  }
  return static_cast<int32_t>(*n);
}

// With `infer_from`, a size that is a bare name not bound yet takes the value's, and is bound to it.
DeclaredType Checker::declared_type(ast::TypeId id, const Value* infer_from) {
  DeclaredType result;
  if (!id) return result;
  const ast::Type& type = tree_[id];
  result.span = type.span;
  if (type.name.empty()) {
    UnitEntry unit;
    const bool is_word = type.unit.factors.size() == 1 && !find_unit(type.unit.factors[0].name);
    const std::string word = is_word ? type.unit.factors[0].name : "";
    if (is_word) {
      auto names = unit_names();
      std::vector<std::string> known(names.begin(), names.end());
      for (const char* t : {"real", "int", "bool", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4", "sym2", "sym3"})
        known.push_back(t);
      Diagnostic& report = error(Kind::UnknownType, type.span, word);
      if (const std::string best = closest(word, known); !best.empty())
        report.with_hint(fmt::format("did you mean `{}`?", best));
      return result;
    }
    if (!literal_unit(type.unit, unit)) return result;
    result.type.unit = unit.dimension;
    result.has_unit = true;
  } else if (type.name == "int" || type.name == "bool") {
    result.type.kind = type.name == "int" ? TypeKind::Int : TypeKind::Bool;
    if (!type.sizes.empty()) {
      error(Kind::UnknownType, type.span, text(type.span)).with_hint(fmt::format("`{}` has no sizes", type.name));
      return result;
    }
    result.ok = true;
    return result;
  } else if (const int32_t v = suffix_number(type.name, "vec")) {
    result.type.dims = {v};
  } else if (const int32_t m = suffix_number(type.name, "mat")) {
    result.type.dims = {m, m};
  } else if (const int32_t s = suffix_number(type.name, "sym")) {
    result.type.kind = TypeKind::Sym;
    result.type.dims = {s, s};
  } else if (type.name != "real") {
    Diagnostic& report = error(Kind::UnknownType, type.span, type.name);
    const std::string best = closest(type.name, {"real", "int", "bool", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4",
                                                 "sym2", "sym3"});
    if (!best.empty()) report.with_hint(fmt::format("did you mean `{}`?", best));
    return result;
  }
  if (!type.sizes.empty() && !result.type.dims.empty()) {
    error(Kind::UnknownType, type.span, text(type.span)).with_hint(fmt::format("`{}` has its size already", type.name));
    return result;
  }
  const bool infer = infer_from && infer_from->is_number() && infer_from->type.dims.size() == type.sizes.size();
  int64_t entries = 1;
  for (size_t k = 0; k < type.sizes.size(); ++k) {
    const auto* name = std::get_if<ast::Name>(&tree_[type.sizes[k]].kind);
    if (infer && name) {
      const Found found = find(name->name, tree_[type.sizes[k]].span, false);
      if (!found.local) {
        const int32_t n = infer_from->type.dims[k];
        Value bound = constant(n, {.kind = TypeKind::Int}, true, tree_[type.sizes[k]].span);
        bind({name->name, tree_[type.sizes[k]].span}, std::move(bound));
        result.type.dims.push_back(n);
        continue;
      }
    }
    const auto n = size(type.sizes[k]);
    if (!n) return result;
    result.type.dims.push_back(*n);
  }
  for (const int32_t n : result.type.dims) {
    entries *= n;
    if (entries > kMaxEntries) {
      error(Kind::TooLarge, type.span, fmt::format("{} numbers in one value", kMaxEntries));
      return result;
    }
  }
  result.ok = true;
  return result;
}

Value Checker::to_matrix(const Value& value) {
  if (!value.is_number() || value.type.kind != TypeKind::Sym) return value;
  Type type = value.type;
  type.kind = TypeKind::Real;
  Value matrix = call_node(Builtin::ToMatrix, {value}, std::move(type), value.span);
  matrix.declared = value.declared;
  return matrix;
}

// `I` and `zero` in the type of the other operand; the unit is their own.
Value Checker::resolve(const Value& open, const Type& type) {
  Type own = type;
  if (own.kind == TypeKind::Int) own.kind = TypeKind::Real;
  if (open.kind == ValueKind::Zero) {
    Value zero = type.dims.empty() ? constant(0, own, true, open.span)
                                   : of_node(number_node(0, own, open.span), own, open.span);
    zero.bare = true;
    return zero;
  }
  own.unit = open.type.unit;
  const bool square = type.dims.size() == 2 && type.dims[0] == type.dims[1] && type.kind != TypeKind::Bool;
  if (!square) {
    error(Kind::ShapeMismatch, open.span, "`I`", "a square matrix", fmt::format("`{}`", spell_shape(type)));
    return {};
  }
  Type plain = own;
  plain.unit = no_unit();
  Value identity =
      of_node(add({.kind = ExprKind::Identity, .type = plain, .span = open.span, .args = {}}), plain, open.span);
  if (open.expr) {
    Type scalar;
    scalar.unit = open.type.unit;
    identity = call_node(Builtin::Multiply, {of_node(open.expr, scalar, open.span), identity}, own, open.span);
  }
  identity.bare = open.bare;
  return identity;
}

std::string Checker::origin(const Value& value) {
  if (!value.declared) return "";
  return fmt::format(", declared at {}", tree_.files.place(value.declared));
}

// The unit of a sum, comparison or choice of a and b: both sides one unit; free + known is known; bare numbers fit.
std::optional<Unit> Checker::sum_unit(std::string_view what, const Value& a, const Value& b, Span span, bool checked) {
  const Unit &ua = a.type.unit, &ub = b.type.unit;
  if (a.bare && b.bare) return is_dimensionless(ua) ? ub : ua;
  if (a.bare) return ub;
  if (b.bare) return ua;
  if (ua.free) return ub;
  if (ub.free || ua == ub) return ua;
  if (!checked) return free_unit();
  error(Kind::UnitMismatch, span, what, quoted(ua), quoted(ub))
      .label(a.span, quoted(ua) + origin(a))
      .label(b.span, quoted(ub) + origin(b));
  return std::nullopt;
}

// `value` as the declared type; `spread`: a scalar may fill a tensor (`= 0`).
Value Checker::coerce(const Value& value, const DeclaredType& declared, std::string_view what, bool spread_scalar) {
  if (value.is_error() || !declared.ok) return {};
  const Type& type = declared.type;
  Value v = value;
  if (v.is_open()) v = resolve(v, type);
  if (v.is_error()) return {};
  const auto mismatch = [&](std::string hint) {
    Diagnostic& report = error(Kind::TypeMismatch, value.span, what, spell_shape(v.type), spell_shape(type));
    report.label(declared.span, fmt::format("`{}` is declared here", spell_shape(type)));
    if (!hint.empty()) report.with_hint(std::move(hint));
    return Value{};
  };
  if (!v.is_number()) {
    error(Kind::NotAValue, value.span, what);
    return {};
  }
  if (type.kind == TypeKind::Bool || v.type.kind == TypeKind::Bool) {
    if (type.kind != v.type.kind) return mismatch("a condition is made by `<`, `<=`, `==`, `and`, `or`, `not`");
    return v;
  }
  if (type.kind == TypeKind::Int) {
    if (v.type.kind != TypeKind::Int) return mismatch("`floor` makes a whole number of a real, but not an `int`");
    return v;
  }
  if (spread_scalar && v.is_scalar() && !type.dims.empty()) v = spread(v, type);
  if (type.kind == TypeKind::Real && v.type.kind == TypeKind::Sym && type.dims == v.type.dims) v = to_matrix(v);
  if (type.kind == TypeKind::Sym && v.type.kind == TypeKind::Real && v.type.dims == type.dims)
    return mismatch("`sym(M)` takes the symmetric part of a matrix");
  if (v.type.dims != type.dims) {
    std::string hint;
    if (v.is_scalar() && type.dims.size() == 2) hint = "`I` is the identity matrix, `2 * I` a multiple of it";
    else if (v.is_scalar()) hint = fmt::format("a `{}` is written `[…]`", spell_shape(type));
    return mismatch(std::move(hint));
  }
  if (v.type.kind == TypeKind::Int) v.type.kind = TypeKind::Real;
  if (declared.has_unit) {
    if (!v.bare && !v.type.unit.free && v.type.unit != type.unit) {
      error(Kind::WrongUnit, value.span, what, quoted(v.type.unit), quoted(type.unit))
          .caret_text(quoted(v.type.unit) + origin(value))
          .label(declared.span, quoted(type.unit) + ", declared here");
      return {};
    }
    v.type.unit = type.unit;
    v.bare = false;
  }
  return v;
}

}  // namespace asb::sema
