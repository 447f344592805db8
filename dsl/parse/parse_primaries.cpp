// What an operand can be: literals, names and calls, reductions, `if`, `repeat`, `minimal`,
// `symmetric`, and blocks.
#include <charconv>
#include <cmath>
#include <optional>

#include "dsl/ast/walk.h"
#include "dsl/parse/parser.h"

namespace asb::ast {
namespace {

constexpr double kLargestExactInteger = 9007199254740992.0;  // 2^53

std::optional<ReductionKind> reduction_kind(std::string_view name) {
  for (const auto kind : {ReductionKind::Integral, ReductionKind::Mean, ReductionKind::Sum,
                          ReductionKind::Min, ReductionKind::Max})
    if (spelling(kind) == name) return kind;
  return std::nullopt;
}

}  // namespace

ExprId Parser::primary() {
  const Token token = peek();
  switch (token.kind) {
    case TokenKind::Number:
      return number();
    case TokenKind::True:
    case TokenKind::False:
      advance();
      return make(Bool{token.kind == TokenKind::True}, token.begin);
    case TokenKind::LeftParen:
      return parenthesised();
    case TokenKind::LeftBracket:
      return list();
    case TokenKind::LeftBrace:
      if (in_head_) break;
      return block("`{ let a = …; value }`");
    case TokenKind::If:
      return conditional();
    case TokenKind::Name:
      return name_or_call();
    case TokenKind::Text:
      fail(Kind::TextOutsideArgument, span_of(token));
      return missing();
    default:
      break;
  }
  fail_expression();
  return missing();
}

ExprId Parser::number() {
  const Token token = advance();
  const std::string_view digits = text_of(token);
  Number number;
  number.is_integer = digits.find_first_of(".eE") == std::string_view::npos;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number.value);
  if (read.ec == std::errc::result_out_of_range)
    report(Kind::NumberOutOfRange, span_of(token), describe(token));
  else if (number.is_integer && number.value > kLargestExactInteger)
    report(Kind::IntegerTooLarge, span_of(token), describe(token));
  number.unit = unit_after(token.end, "number");
  return make(std::move(number), token.begin);
}

ExprId Parser::text() {
  const Token token = advance();
  std::string_view inside = text_of(token).substr(1);
  if (!inside.empty() && inside.back() == '"') inside.remove_suffix(1);
  Text text;
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] == '\\' && i + 1 < inside.size()) ++i;
    text.value += inside[i];
  }
  return make(std::move(text), token.begin);
}

/// `[a, b] m` or `[body for i in 0..n] m`.
ExprId Parser::list() {
  const Token open = advance();
  std::vector<ExprId> items;
  Comprehension comprehension;
  {
    const Scoped head(in_head_, false);
    while (!at(TokenKind::RightBracket) && !panicking_) {
      items.push_back(expression());
      if (items.size() == 1 && accept(TokenKind::For)) {
        comprehension.index = expect_name("an index after `for`");
        expect(TokenKind::In, "`[… for i in 0..n]`");
        range(comprehension.begin, comprehension.end, "`[… for i in 0..n]`");
        break;
      }
      if (!accept(TokenKind::Comma)) break;
    }
  }
  if (items.empty() && !panicking_) fail_expression();
  if (!accept(TokenKind::RightBracket)) fail_token("`,` or `]`", "`[a, b, c]`");
  Unit unit = panicking_ ? Unit{} : unit_after(span_from(open.begin).end, "list");
  if (!comprehension.index) return make(List{std::move(items), std::move(unit)}, open.begin);
  comprehension.body = items.front();
  comprehension.unit = std::move(unit);
  return make(std::move(comprehension), open.begin);
}

/// Parentheses leave no node: the tree says what belongs together.
ExprId Parser::parenthesised() {
  const Scoped head(in_head_, false);
  const Token open = advance();
  const ExprId inside = set_expression();
  expect(TokenKind::RightParen, "`(a + b) * c`");
  if (!panicking_) tree_.exprs[inside].span = span_from(open.begin);
  return inside;
}

ExprId Parser::name_or_call() {
  const Token token = peek();
  const std::string_view name = text_of(token);
  if (at(TokenKind::Name, 1)) {
    if (name == "repeat" && at(TokenKind::In, 2)) return repeat();
    if (name == "minimal" && at(TokenKind::Assign, 2)) return minimal();
  }
  if (name == "symmetric" && at(TokenKind::LeftParen, 1) && at(TokenKind::Name, 2) &&
      at(TokenKind::Assign, 3))
    return symmetric();
  if (at_declaration()) {
    fail_expression();
    return missing();
  }
  advance();
  if (!at(TokenKind::LeftParen)) return make(Name{std::string(name)}, token.begin);
  std::vector<ParsedArgument> parsed = arguments();
  const std::optional<ReductionKind> kind = reduction_kind(name);
  if (kind && at(TokenKind::LeftBrace) && !in_head_)
    return reduction(token, *kind, std::move(parsed));
  Ident function{std::string(name), span_of(token)};
  std::vector<Argument> plain = plain_arguments(std::move(parsed));
  return make(Call{std::move(function), std::move(plain)}, token.begin);
}

ExprId Parser::reduction(const Token& name, ReductionKind kind,
                         std::vector<ParsedArgument> parsed) {
  if (parsed.empty()) {
    fail(Kind::ExpectedExpression, span_of(peek()), describe(peek()))
        .with_hint(fmt::format("name the domain: `{}(body) {{ … }}`", text_of(name)));
    return missing();
  }
  if (parsed.front().argument.label)
    report(Kind::ExpectedExpression, parsed.front().argument.label.span, "a label")
        .with_hint("the domain comes first, without a label");
  ParsedArgument first = std::move(parsed.front());
  parsed.erase(parsed.begin());
  for (const ParsedArgument& p : parsed)
    if (!p.argument.label) report(Kind::OptionWithoutLabel, span(p.argument.value), text_of(name));
  std::vector<Argument> options = plain_arguments(std::move(parsed));
  const ExprId body = block("`sum(S) { … }`");
  if (!first.binder)
    return make(Reduction{kind, first.argument.value, std::move(first.corners),
                          std::move(first.into), std::move(options), body},
                name.begin);
  const auto* ends = std::get_if<Range>(&tree_.exprs[first.argument.value].kind);
  if (!ends) return missing();
  return make(IndexedReduction{kind, std::move(first.binder), ends->begin, ends->end, body},
              name.begin);
}

ExprId Parser::conditional() {
  const Nesting nesting(*this);
  constexpr std::string_view kForm = "`if c { a } else { b }`";
  const Token token = advance();
  If node;
  {
    const Scoped head(in_head_, true);
    node.condition = expression();
  }
  node.then = block(kForm);
  if (!accept(TokenKind::Else)) {
    Diagnostic& d = fail(Kind::MissingElse, span_of(peek()), describe(peek()));
    d.label(span_of(token), "this `if`");
    const auto* call = std::get_if<Call>(&tree_.exprs[node.condition].kind);
    if (call && reduction_kind(call->function.text))
      d.with_hint(fmt::format("the first `{{` starts the block: put `{} … {{ … }}` in parentheses",
                              call->function.text));
    return missing();
  }
  node.otherwise = at(TokenKind::If) ? conditional() : block(kForm);
  return make(node, token.begin);
}

/// `repeat k in 0..depth with h = h0 { … }`.
ExprId Parser::repeat() {
  constexpr std::string_view kForm = "`repeat k in 0..n with h = h0 { … }`";
  const Token token = advance();
  Repeat node;
  {
    const Scoped head(in_head_, true);
    node.index = expect_name("an index");
    advance();  // `in`
    range(node.begin, node.end, kForm);
    expect(TokenKind::With, kForm);
    node.carried = expect_name("the name of the carried value");
    expect(TokenKind::Assign, kForm);
    node.initial = expression();
  }
  node.body = block(kForm);
  return make(std::move(node), token.begin);
}

/// `minimal R = rotation(F * A) { … }`.
ExprId Parser::minimal() {
  const Token token = advance();
  Minimal node;
  {
    const Scoped head(in_head_, true);
    node.binder = expect_name("a name");
    advance();  // `=`
    node.value = expression();
  }
  node.body = block("`minimal R = rotation(F) { … }`");
  return make(std::move(node), token.begin);
}

/// `symmetric(s = principal(F)) { … }`.
ExprId Parser::symmetric() {
  constexpr std::string_view kForm = "`symmetric(s = principal(F)) { … }`";
  const Token token = advance();
  Symmetric node;
  {
    const Scoped head(in_head_, false);
    advance();  // `(`
    node.binder = expect_name("a name");
    advance();  // `=`
    node.value = expression();
    expect(TokenKind::RightParen, kForm);
  }
  node.body = block(kForm);
  return make(std::move(node), token.begin);
}

/// `{ let …; value }`. Every expression before the last is an error, and so is having none.
ExprId Parser::block(std::string_view form) {
  const Nesting nesting(*this);
  const uint32_t begin = peek().begin;
  if (!expect(TokenKind::LeftBrace, form)) return missing();
  const Scoped head(in_head_, false);
  const Scoped statement(statement_begin_, statement_begin_);
  const uint32_t depth = depth_;
  Block block;
  bool has_errors = false;
  while (true) {
    while (accept(TokenKind::End)) {
    }
    if (at(TokenKind::RightBrace) || at(TokenKind::EndOfFile)) break;
    statement_begin_ = peek().begin;
    if (block.value) {
      Diagnostic& d = report(Kind::BareExpression, span(block.value));
      if (at(TokenKind::Minus))
        d.with_hint("if the next line belongs to it, write the `-` at the end of this one");
      has_errors = true;
    }
    if (!block_statement(block)) block.value = expression();
    if (!at(TokenKind::RightBrace)) expect_statement_end();
    if (panicking_) {
      has_errors = true;
      skip_statement(depth, true);
    }
  }
  if (!block.value && !has_errors) report(Kind::BlockWithoutValue, span_of(peek()));
  if (!block.value) block.value = missing();
  advance();  // `}`, which the lexer sees to
  panicking_ = false;
  if (block.statements.empty()) return block.value;
  return make(std::move(block), begin);
}

/// A `let` or `weight`; false if an expression follows instead.
bool Parser::block_statement(Block& block) {
  const Token token = peek();
  // A reserved word after `let` is meant as a name.
  const bool is_let = at_word("let") && !at(TokenKind::End, 1) && is_word(peek(1).kind);
  if (!at_declaration() && !is_let) return false;
  block.value = {};
  const std::string_view word = text_of(token);
  if (word != "let" && word != "weight") {
    advance();
    fail(Kind::DeclarationInBlock, span_of(token), word);
    return true;
  }
  advance();
  Ident name = expect_name("a name");
  if (word == "let") {
    const TypeId declared_type = accept(TokenKind::Colon) ? type() : TypeId();
    const ExprId value = valued("`let name = value`");
    block.statements.push_back(
        {LocalLet{std::move(name), declared_type, value}, span_from(token.begin)});
    return true;
  }
  if (!in_layer_) report(Kind::WeightOutsideLayer, span_of(token));
  const TypeId declared_type = typed("`weight W: real[n, m] = initial`");
  const ExprId initial = valued("`weight W: real[n, m] = initial`");
  block.statements.push_back(
      {LocalWeight{std::move(name), declared_type, initial}, span_from(token.begin)});
  return true;
}

}  // namespace asb::ast
