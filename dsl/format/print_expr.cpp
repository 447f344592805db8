// Whatever is printed here is read back by dsl/parse to the same nodes; tests hold it to that.
#include "dsl/format/print_expr.h"

#include <fmt/format.h>

#include <utility>

#include "dsl/ast/dump.h"
#include "dsl/ast/walk.h"

namespace asb::ast {
namespace {

int precedence_of(BinaryOp op) {
  switch (op) {
    case BinaryOp::Or:
      return kOr;
    case BinaryOp::And:
      return kAnd;
    case BinaryOp::Equal:
    case BinaryOp::NotEqual:
    case BinaryOp::Less:
    case BinaryOp::LessEqual:
    case BinaryOp::Greater:
    case BinaryOp::GreaterEqual:
      return kCompare;
    case BinaryOp::Add:
    case BinaryOp::Subtract:
      return kSum;
    case BinaryOp::Multiply:
    case BinaryOp::Divide:
      return kProduct;
    case BinaryOp::Power:
      return kPower;
  }
  return kLoose;
}

std::string unit_suffix(const Unit& unit) { return unit ? " " + to_string(unit) : std::string(); }

bool starts_block(const ExprKind& kind) {
  return std::holds_alternative<Reduction>(kind) ||
         std::holds_alternative<IndexedReduction>(kind) || std::holds_alternative<If>(kind) ||
         std::holds_alternative<Repeat>(kind) || std::holds_alternative<Minimal>(kind) ||
         std::holds_alternative<Symmetric>(kind) || std::holds_alternative<Block>(kind);
}

bool is_word_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '.';
}

}  // namespace

std::string ExprPrinter::text(ExprId id, int at_least) {
  if (!id) return {};
  const ExprKind& kind = tree_.exprs[id].kind;
  const bool is_hidden = in_head_ && starts_block(kind);
  const bool saved = in_head_;
  if (is_hidden) in_head_ = false;
  Out out = std::visit([&](const auto& e) { return node(e); }, kind);
  in_head_ = saved;
  return is_hidden || out.precedence < at_least ? "(" + out.text + ")" : std::move(out.text);
}

std::string ExprPrinter::inside(ExprId id, int at_least) {
  const bool saved = std::exchange(in_head_, false);
  std::string out = text(id, at_least);
  in_head_ = saved;
  return out;
}

std::string ExprPrinter::head(ExprId id) {
  const bool saved = std::exchange(in_head_, true);
  std::string out = text(id);
  in_head_ = saved;
  return out;
}

std::string ExprPrinter::base(ExprId id) {
  const ExprKind& kind = tree_.exprs[id].kind;
  const auto* list = std::get_if<List>(&kind);
  const auto* comprehension = std::get_if<Comprehension>(&kind);
  const bool ends_with_unit = (list && list->unit) || (comprehension && comprehension->unit);
  if (std::holds_alternative<Number>(kind) || ends_with_unit) return "(" + inside(id) + ")";
  return text(id, kPostfix);
}

std::string ExprPrinter::before_word(ExprId id, int at_least) {
  std::string out = text(id, at_least);
  size_t begin = out.size();
  while (begin > 0 && is_word_character(out[begin - 1])) --begin;
  const bool ends_with_number = begin < out.size() && out[begin] >= '0' && out[begin] <= '9';
  return ends_with_number ? "(" + out + ")" : out;
}

std::string ExprPrinter::text(TypeId id) {
  if (!id) return {};
  const Type& type = tree_.types[id];
  std::string out = type.name.empty() ? to_string(type.unit) : type.name;
  if (!type.sizes.empty()) out += "[" + items(type.sizes) + "]";
  return out;
}

std::string ExprPrinter::body(ExprId id) {
  if (std::holds_alternative<Block>(tree_.exprs[id].kind)) return " " + inside(id);
  return " { " + inside(id) + " }";
}

std::string ExprPrinter::items(const std::vector<ExprId>& ids) {
  std::string out;
  for (ExprId id : ids) out += (out.empty() ? "" : ", ") + inside(id);
  return out;
}

std::string ExprPrinter::arguments(const std::vector<Argument>& arguments) {
  std::string out;
  for (const Argument& a : arguments) {
    if (!out.empty()) out += ", ";
    if (a.label) out += a.label.text + ": ";
    out += inside(a.value, kSet);
  }
  return out;
}

ExprPrinter::Out ExprPrinter::node(const Missing&) { return {"missing()"}; }
ExprPrinter::Out ExprPrinter::node(const Number& e) {
  return {to_string(e) + unit_suffix(e.unit), e.value < 0 ? kNegate : kPrimary};
}
ExprPrinter::Out ExprPrinter::node(const Text& e) { return {quoted_text(e.value)}; }
ExprPrinter::Out ExprPrinter::node(const Bool& e) { return {e.value ? "true" : "false"}; }
ExprPrinter::Out ExprPrinter::node(const Name& e) { return {e.name}; }
ExprPrinter::Out ExprPrinter::node(const List& e) {
  return {"[" + items(e.items) + "]" + unit_suffix(e.unit)};
}
ExprPrinter::Out ExprPrinter::node(const Comprehension& e) {
  return {fmt::format("[{} for {} in {}..{}]{}", inside(e.body), e.index.text, inside(e.begin),
                      inside(e.end), unit_suffix(e.unit))};
}
ExprPrinter::Out ExprPrinter::node(const Range& e) {
  return {text(e.begin) + ".." + text(e.end), kSet};
}
ExprPrinter::Out ExprPrinter::node(const Unary& e) {
  if (e.op == UnaryOp::Not) return {"not " + text(e.operand, kNot), kNot};
  return {"-" + text(e.operand, kNegate), kNegate};
}
ExprPrinter::Out ExprPrinter::node(const Binary& e) {
  const int level = precedence_of(e.op);
  if (e.op == BinaryOp::Power) {
    const auto* number = std::get_if<Number>(&tree_.exprs[e.lhs].kind);
    const bool is_plain = number && !number->unit && number->value >= 0;
    return {(is_plain ? text(e.lhs) : base(e.lhs)) + "^" + text(e.rhs, kNegate), level};
  }
  const int lhs_level = level == kCompare ? level + 1 : level;  // comparisons don't chain
  return {fmt::format("{} {} {}", text(e.lhs, lhs_level), spelling(e.op), text(e.rhs, level + 1)),
          level};
}
ExprPrinter::Out ExprPrinter::node(const Transpose& e) { return {base(e.operand) + "'", kPostfix}; }
ExprPrinter::Out ExprPrinter::node(const Member& e) {
  return {base(e.base) + "." + e.member.text, kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const Index& e) {
  std::string list;
  for (ExprId id : e.items) list += (list.empty() ? "" : ", ") + inside(id, kSet);
  return {base(e.base) + "[" + list + "]", kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const Call& e) {
  return {e.function.text + "(" + arguments(e.arguments) + ")", kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const MemberCall& e) {
  return {base(e.base) + "." + e.member.text + "(" + arguments(e.arguments) + ")", kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const Lambda& e) {
  return {e.parameter.text + " => " + inside(e.body), kSet};
}
ExprPrinter::Out ExprPrinter::node(const Where& e) {
  return {text(e.set, kSet) + " where " + text(e.condition), kSet};
}
ExprPrinter::Out ExprPrinter::node(const Within& e) {
  return {text(e.set, kSet) + " within " + text(e.surface), kSet};
}
ExprPrinter::Out ExprPrinter::node(const Tagged& e) {
  return {text(e.set, kSet) + " tag " + quoted_text(e.tag), kSet};
}
ExprPrinter::Out ExprPrinter::node(const At& e) {
  return {text(e.set, kSet) + " at " + text(e.position), kSet};
}

ExprPrinter::Out ExprPrinter::node(const Reduction& e) {
  std::string out = std::string(spelling(e.kind)) + "(" + inside(e.domain, kSet);
  std::string names;
  for (const Ident& name : e.corners.names) names += (names.empty() ? "" : ", ") + name.text;
  if (e.corners) out += e.corners.is_tuple ? " as (" + names + ")" : " as " + names;
  if (e.into) out += " into " + e.into.text;
  if (!e.options.empty()) out += ", " + arguments(e.options);
  return {out + ")" + body(e.body), kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const IndexedReduction& e) {
  return {fmt::format("{}({} in {}..{}){}", spelling(e.kind), e.index.text, inside(e.begin),
                      inside(e.end), body(e.body)),
          kPostfix};
}
ExprPrinter::Out ExprPrinter::node(const If& e) {
  const bool is_chain = std::holds_alternative<If>(tree_.exprs[e.otherwise].kind);
  const std::string condition = head(e.condition);
  return {"if " + condition + body(e.then) + " else" +
              (is_chain ? " " + inside(e.otherwise) : body(e.otherwise)),
          kLoose};
}
ExprPrinter::Out ExprPrinter::node(const Repeat& e) {
  const std::string begin = head(e.begin), end = head(e.end), initial = head(e.initial);
  return {fmt::format("repeat {} in {}..{} with {} = {}{}", e.index.text, begin, end,
                      e.carried.text, initial, body(e.body)),
          kLoose};
}
ExprPrinter::Out ExprPrinter::node(const Minimal& e) {
  const std::string value = head(e.value);
  return {"minimal " + e.binder.text + " = " + value + body(e.body), kLoose};
}
ExprPrinter::Out ExprPrinter::node(const Symmetric& e) {
  return {"symmetric(" + e.binder.text + " = " + inside(e.value) + ")" + body(e.body), kLoose};
}

ExprPrinter::Out ExprPrinter::node(const Block& e) {
  ++depth_;
  std::string out = "{\n";
  for (const Statement& s : e.statements) out += indent() + statement(s) + "\n";
  out += indent() + inside(e.value) + "\n";
  --depth_;
  return {out + indent() + "}", kLoose};
}

std::string ExprPrinter::statement(const Statement& statement) {
  return std::visit(
      Overloaded{[&](const LocalLet& l) {
                   const std::string type = l.type ? ": " + text(l.type) : std::string();
                   return "let " + l.name.text + type + " = " + inside(l.value);
                 },
                 [&](const LocalWeight& w) {
                   return "weight " + w.name.text + ": " + text(w.type) + " = " + inside(w.initial);
                 }},
      statement.kind);
}

}  // namespace asb::ast
