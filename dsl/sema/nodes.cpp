// Nodes of the Model: the only place that adds one, and where the limits on their number and depth are kept.
#include <algorithm>
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {

ExprId Checker::add(model::Expr expr) {
  uint32_t depth = 1;
  for (const ExprId arg : expr.args) depth = std::max(depth, depth_of_[arg.index] + 1);
  int64_t entries = 1;
  for (const int32_t n : expr.type.dims) entries = std::min(entries * n, kMaxEntries + 1);
  if (!stopped_) {
    if (model_.exprs.size() >= kMaxExpressions) {
      stopped_ = true;
      error(Kind::TooLarge, expr.span, fmt::format("{} expressions", kMaxExpressions));
    } else if (depth > kMaxModelDepth) {
      stopped_ = true;
      error(Kind::TooDeep, expr.span, kMaxModelDepth);
    } else if (entries > kMaxEntries) {
      stopped_ = true;
      error(Kind::TooLarge, expr.span, fmt::format("{} numbers in one value", kMaxEntries));
    }
  }
  if (stopped_ && !model_.exprs.empty()) return ExprId(0);  // nothing is made of it: an error was reported
  depth_of_.push_back(depth);
  return model_.exprs.add(std::move(expr));
}

ExprId Checker::number_node(double value, Type type, Span span) {
  return add({.kind = ExprKind::Number, .type = std::move(type), .span = span, .args = {}, .number = value});
}

ExprId Checker::expr_of(const Value& value) {
  if (value.expr) return value.expr;
  ASB_CHECK(value.constant.has_value(), "a number is a node, a constant or both");
  return number_node(*value.constant, value.type, value.span);
}

Value Checker::of_node(ExprId expr, Type type, Span span) {
  Value value;
  value.kind = ValueKind::Number;
  value.type = std::move(type);
  value.expr = expr;
  value.span = span;
  return value;
}

Value Checker::call_node(Builtin builtin, std::vector<Value> args, Type type, Span span) {
  model::Expr expr{.kind = ExprKind::Call, .type = type, .span = span};
  for (const Value& arg : args) expr.args.push_back(expr_of(arg));
  expr.builtin = builtin;
  return of_node(add(std::move(expr)), std::move(type), span);
}

Value Checker::constant(double number, Type type, bool bare, Span span) {
  Value value;
  value.kind = ValueKind::Number;
  value.type = std::move(type);
  value.constant = number;
  value.bare = bare;
  value.span = span;
  return value;
}

// A name for a value: a node of its own, so that d() can cut there. Compile-time ints stay numbers.
Value Checker::let_node(const std::string& name, const Value& value, Span span) {
  if (!value.is_number()) return value;
  if (value.is_int() && value.constant && !value.expr) return value;
  Value named = value;
  named.expr = add({.kind = ExprKind::Let, .type = value.type, .span = span, .args = {expr_of(value)}, .name = name});
  return named;
}

Value Checker::pick(const Value& from, std::vector<int32_t> indices, bool drop, Span span) {
  Type type = from.type;
  if (drop) type.dims.erase(type.dims.begin());
  else type.dims[0] = static_cast<int32_t>(indices.size());
  model::Expr expr{.kind = ExprKind::Pick, .type = type, .span = span, .args = {expr_of(from)}};
  expr.indices = std::move(indices);
  expr.drop = drop;
  Value value = of_node(add(std::move(expr)), std::move(type), span);
  value.declared = from.declared;
  return value;
}

}  // namespace asb::sema
