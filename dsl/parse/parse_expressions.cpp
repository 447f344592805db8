// Operators by precedence, what may follow a value, sets, and arguments.
//   or  <  and  <  not  <  == != < <= > >=  <  + -  <  * /  <  unary -  <  ^ (right)  <  ' . [ ] (
//   )
#include "dsl/parse/parser.h"

namespace asb::ast {
namespace {

constexpr int kNotPrecedence = 3;
constexpr int kComparison = 4;

struct Operator {
  BinaryOp op;
  int precedence;  // 0: not a binary operator that is read here
};

Operator operator_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::Or:
      return {BinaryOp::Or, 1};
    case TokenKind::And:
      return {BinaryOp::And, 2};
    case TokenKind::EqualEqual:
      return {BinaryOp::Equal, kComparison};
    case TokenKind::NotEqual:
      return {BinaryOp::NotEqual, kComparison};
    case TokenKind::Less:
      return {BinaryOp::Less, kComparison};
    case TokenKind::LessEqual:
      return {BinaryOp::LessEqual, kComparison};
    case TokenKind::Greater:
      return {BinaryOp::Greater, kComparison};
    case TokenKind::GreaterEqual:
      return {BinaryOp::GreaterEqual, kComparison};
    case TokenKind::Plus:
      return {BinaryOp::Add, 5};
    case TokenKind::Minus:
      return {BinaryOp::Subtract, 5};
    case TokenKind::Star:
      return {BinaryOp::Multiply, 6};
    case TokenKind::Slash:
      return {BinaryOp::Divide, 6};
    default:
      return {BinaryOp::Add, 0};
  }
}

}  // namespace

ExprId Parser::expression() {
  const Nesting nesting(*this);
  return binary(1);
}

ExprId Parser::binary(int min_precedence) {
  const uint32_t begin = peek().begin;
  ExprId lhs = at(TokenKind::Not) ? logical_not(min_precedence) : unary();
  bool was_comparison = false;
  while (true) {
    const Token token = peek();
    const Operator op = operator_of(token.kind);
    if (op.precedence == 0 || op.precedence < min_precedence) return lhs;
    if (was_comparison && op.precedence == kComparison) {
      fail(Kind::ChainedComparison, span_of(token));
      return lhs;
    }
    was_comparison = op.precedence == kComparison;
    advance();
    const ExprId rhs = binary(op.precedence + 1);
    lhs = make(Binary{op.op, lhs, rhs, span_of(token)}, begin);
  }
}

ExprId Parser::logical_not(int min_precedence) {
  const Token token = peek();
  if (min_precedence > kNotPrecedence) {
    fail(Kind::ExpectedExpression, span_of(token), describe(token))
        .with_hint("put the `not …` in parentheses");
    return missing();
  }
  const Nesting nesting(*this);
  advance();
  const ExprId operand = binary(kNotPrecedence);
  return make(Unary{UnaryOp::Not, operand}, token.begin);
}

ExprId Parser::unary() {
  if (!at(TokenKind::Minus)) return power();
  const Nesting nesting(*this);
  const Token token = advance();
  const ExprId operand = unary();
  return make(Unary{UnaryOp::Negate, operand}, token.begin);
}

ExprId Parser::power() {
  const uint32_t begin = peek().begin;
  const ExprId base = postfix();
  if (!at(TokenKind::Caret)) return base;
  const Nesting nesting(*this);
  const Token token = advance();
  const ExprId exponent = unary();
  return make(Binary{BinaryOp::Power, base, exponent, span_of(token)}, begin);
}

ExprId Parser::postfix() {
  const uint32_t begin = peek().begin;
  ExprId value = primary();
  while (true) {
    const Token token = peek();
    if (token.kind == TokenKind::Prime) {
      if (!is_adjacent(0)) {
        fail(Kind::TransposeBlank, span_of(token));
        return value;
      }
      advance();
      value = make(Transpose{value}, begin);
    } else if (token.kind == TokenKind::Dot) {
      value = member(value);
    } else if (token.kind == TokenKind::LeftBracket) {
      value = index(value);
    } else if (token.kind == TokenKind::LeftParen) {
      fail(Kind::NotCallable, span_of(token));
      return value;
    } else {
      return value;
    }
  }
}

ExprId Parser::member(ExprId base) {
  const uint32_t begin = span(base).begin;
  advance();  // `.`
  Ident name = expect_name("a component or a member after `.`");
  if (!at(TokenKind::LeftParen)) return make(Member{base, std::move(name)}, begin);
  std::vector<Argument> parsed = plain_arguments(arguments());
  return make(MemberCall{base, std::move(name), std::move(parsed)}, begin);
}

ExprId Parser::index(ExprId base) {
  const uint32_t begin = span(base).begin;
  const Scoped head(in_head_, false);
  advance();  // `[`
  std::vector<ExprId> items;
  do {
    const uint32_t item_begin = peek().begin;
    ExprId item = expression();
    if (accept(TokenKind::Dots)) {
      const ExprId end = expression();
      item = make(Range{item, end}, item_begin);
    }
    items.push_back(item);
  } while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket));
  expect(TokenKind::RightBracket, "`v[i]`, `M[i, j]` or `v[0..3]`");
  return make(Index{base, std::move(items)}, begin);
}

/// An expression, narrowed by any number of `where`, `within`, `tag` and `at`.
ExprId Parser::set_expression() {
  const uint32_t begin = peek().begin;
  ExprId set = expression();
  while (true) {
    if (accept(TokenKind::Where)) {
      const ExprId condition = expression();
      set = make(Where{set, condition}, begin);
    } else if (accept(TokenKind::Within)) {
      const ExprId surface = expression();
      set = make(Within{set, surface}, begin);
    } else if (at(TokenKind::Tag)) {
      advance();
      const Token tag = peek();
      if (tag.kind != TokenKind::Text) {
        fail_token("a text", "`S tag \"name\"`");
        return set;
      }
      const ExprId value = text();
      set = make(Tagged{set, std::get<Text>(tree_.exprs[value].kind).value, span_of(tag)}, begin);
    } else if (at(TokenKind::At) && !(at_word("last", 1) && at_word("step", 2))) {
      advance();
      const ExprId position = expression();
      set = make(At{set, position}, begin);
    } else {
      return set;
    }
  }
}

/// `( argument, … )`, the parentheses included. Labels come last.
std::vector<Parser::ParsedArgument> Parser::arguments() {
  const Scoped head(in_head_, false);
  advance();  // `(`
  std::vector<ParsedArgument> out;
  bool has_labels = false;
  while (!at(TokenKind::RightParen) && !panicking_) {
    const uint32_t begin = peek().begin;
    out.push_back(argument());
    const bool is_labelled = static_cast<bool>(out.back().argument.label);
    if (has_labels && !is_labelled) report(Kind::PositionalAfterLabel, span_from(begin));
    has_labels = has_labels || is_labelled;
    if (!accept(TokenKind::Comma)) break;
  }
  if (at(TokenKind::RightParen))
    advance();
  else
    fail_token("`,` or `)`", "`f(a, b, label: c)`");
  return out;
}

/// `label: value`, `value`, `s => expr`, `"text"`, `set as (a, b) into i`, or `i in 0..n`.
Parser::ParsedArgument Parser::argument() {
  ParsedArgument parsed;
  const Token first = peek();
  const bool is_label_word =
      first.kind == TokenKind::Name || traits_of(first.kind) == TokenTraits::Clause;
  if (is_label_word && at(TokenKind::Colon, 1)) {
    advance();
    advance();
    parsed.argument.label = {std::string(text_of(first)), span_of(first)};
  }
  const Token token = peek();
  if (token.kind == TokenKind::Text) {
    parsed.argument.value = text();
  } else if (token.kind == TokenKind::Name && at(TokenKind::FatArrow, 1)) {
    Ident parameter = expect_name("a parameter");
    advance();  // `=>`
    const ExprId body = expression();
    parsed.argument.value = make(Lambda{std::move(parameter), body}, token.begin);
  } else if (token.kind == TokenKind::Name && at(TokenKind::In, 1)) {
    parsed.binder = expect_name("an index");
    advance();  // `in`
    ExprId begin, end;
    range(begin, end, "`sum(i in 0..n) { … }`");
    parsed.span = span_from(token.begin);
    parsed.argument.value = make(Range{begin, end}, token.begin);
  } else {
    parsed.argument.value = set_expression();
    corners_and_into(parsed);
  }
  return parsed;
}

void Parser::corners_and_into(ParsedArgument& parsed) {
  const uint32_t begin = peek().begin;
  if (accept(TokenKind::As)) {
    CornerNames& corners = parsed.corners;
    corners.is_tuple = accept(TokenKind::LeftParen);
    do {
      corners.names.push_back(expect_name("a name after `as`"));
    } while (corners.is_tuple && accept(TokenKind::Comma));
    if (corners.is_tuple) expect(TokenKind::RightParen, "`S as (a, b)` or `S as c`");
    parsed.span = span_from(begin);
  }
  if (accept(TokenKind::Into)) {
    parsed.into = expect_name("a name after `into`");
    parsed.span = span_from(begin);
  }
}

/// Arguments of an ordinary call, where `as`, `into` and binders mean nothing.
std::vector<Argument> Parser::plain_arguments(std::vector<ParsedArgument> parsed) {
  std::vector<Argument> out;
  for (ParsedArgument& p : parsed) {
    if (p.span) {
      const std::string_view word = p.binder ? "in" : p.into ? "into" : "as";
      const std::string_view form = p.binder ? "i in 0..n"
                                    : p.into ? "S as (i, j) into i"
                                             : "S as (a, b)";
      report(Kind::BinderOutsideReduction, p.span, word, form);
    }
    out.push_back(std::move(p.argument));
  }
  return out;
}

/// `begin..end`.
bool Parser::range(ExprId& begin, ExprId& end, std::string_view form) {
  begin = expression();
  const bool has_dots = expect(TokenKind::Dots, form);
  end = has_dots ? expression() : missing();
  return has_dots;
}

}  // namespace asb::ast
