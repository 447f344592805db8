// What is known at compile time: whole numbers, and the loops that are unrolled by them.
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {

std::optional<double> Checker::compile_time_number(ast::ExprId expr, std::string_view what) {
  const Value value = number(expr);
  if (value.is_error()) return std::nullopt;
  if (!value.constant) {
    error(Kind::NotCompileTime, value.span, what);
    return std::nullopt;
  }
  return value.constant;
}

std::optional<int64_t> Checker::compile_time_int(ast::ExprId expr, std::string_view what) {
  const auto value = compile_time_number(expr, what);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || std::abs(*value) > 1e15) {
    error(Kind::NotWhole, tree_[expr].span, what, *value);
    return std::nullopt;
  }
  return static_cast<int64_t>(*value);
}

bool Checker::range(ast::ExprId begin, ast::ExprId end, int64_t& from, int64_t& to) {
  const auto a = compile_time_int(begin, "the begin of a range"), b = compile_time_int(end, "the end of a range");
  if (!a || !b) return false;
  from = *a;
  to = *b;
  return true;
}

Value Checker::indexed_reduction(const ast::IndexedReduction& expr, Span span) {
  int64_t from = 0, to = 0;
  if (!range(expr.begin, expr.end, from, to)) return {};
  if (expr.kind == ast::ReductionKind::Integral) {
    error(Kind::WrongSet, span, "`integral`", "a mesh, surface or curve").with_hint("write `sum(i in a..b) { … }`");
    return {};
  }
  std::vector<Value> terms;
  for (int64_t i = from; i < to; ++i) {
    Frame frame(*this);
    bind(expr.index, constant(static_cast<double>(i), {.kind = TypeKind::Int}, true, expr.index.span));
    terms.push_back(operand(expr.body));
    if (terms.back().is_error() || stopped_) return {};
  }
  if (terms.empty()) {
    if (expr.kind != ast::ReductionKind::Sum) {
      error(Kind::EmptyRange, span, from, to);
      return {};
    }
    Value zero;
    zero.kind = ValueKind::Zero;
    zero.bare = true;
    zero.span = span;
    return zero;
  }
  const size_t n = terms.size();
  // Pairwise: the depth of the Model grows with the logarithm of n, and so does rounding.
  while (terms.size() > 1) {
    std::vector<Value> halves;
    for (size_t i = 0; i + 1 < terms.size(); i += 2) {
      Value both = expr.kind == ast::ReductionKind::Min   ? builtin(Builtin::Min, "min", {terms[i], terms[i + 1]}, span)
                   : expr.kind == ast::ReductionKind::Max ? builtin(Builtin::Max, "max", {terms[i], terms[i + 1]}, span)
                                                          : add_values(false, terms[i], terms[i + 1], span, span);
      if (both.is_error()) return {};
      both.span = span;
      halves.push_back(std::move(both));
    }
    if (terms.size() % 2) halves.push_back(terms.back());
    terms = std::move(halves);
  }
  if (expr.kind == ast::ReductionKind::Mean)
    return divide(terms[0], constant(static_cast<double>(n), {.kind = TypeKind::Int}, true, span), span, span);
  return terms[0];
}

Value Checker::comprehension(const ast::Comprehension& expr, Span span) {
  int64_t from = 0, to = 0;
  if (!range(expr.begin, expr.end, from, to)) return {};
  std::vector<Value> items;
  for (int64_t i = from; i < to; ++i) {
    Frame frame(*this);
    bind(expr.index, constant(static_cast<double>(i), {.kind = TypeKind::Int}, true, expr.index.span));
    items.push_back(operand(expr.body));
    if (items.back().is_error() || stopped_) return {};
  }
  if (items.empty()) {
    error(Kind::EmptyRange, span, from, to);
    return {};
  }
  return stack(std::move(items), expr.unit, span);
}

Value Checker::repeat(const ast::Repeat& expr, Span span) {
  int64_t from = 0, to = 0;
  if (!range(expr.begin, expr.end, from, to)) return {};
  Value carried = operand(expr.initial);
  const std::string path = owner_ ? owner_->path : "";
  for (int64_t i = from; i < to; ++i) {
    if (carried.is_error() || stopped_) return {};
    Frame frame(*this);
    bind(expr.index, constant(static_cast<double>(i), {.kind = TypeKind::Int}, true, expr.index.span));
    bind(expr.carried, let_node(expr.carried.text, carried, expr.carried.span));
    if (owner_) owner_->path = fmt::format("{}[{}]", path, i);
    carried = operand(expr.body);
    if (owner_) owner_->path = path;
  }
  carried.span = span;
  return carried;
}

}  // namespace asb::sema
