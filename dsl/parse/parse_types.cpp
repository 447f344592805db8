// Types and units.
#include <charconv>

#include "dsl/parse/parser.h"

namespace asb::ast {
namespace {

/// `real int bool`, and `vec mat sym` with or without a size in the name; all else is a unit.
bool is_type_name(std::string_view name) {
  if (name == "real" || name == "int" || name == "bool") return true;
  const std::string_view stem = name.substr(0, 3);
  if (stem != "vec" && stem != "mat" && stem != "sym") return false;
  return name.find_first_not_of("0123456789", 3) == std::string_view::npos;
}

}  // namespace

TypeId Parser::type() {
  const uint32_t begin = peek().begin;
  Type type;
  if (at(TokenKind::Name) && is_type_name(text_of(peek()))) {
    type.name = text_of(advance());
  } else if (at(TokenKind::Name)) {
    type.unit = unit();
  } else if (at(TokenKind::Number) && text_of(peek()) == "1" && at(TokenKind::Slash, 1) &&
             at(TokenKind::Name, 2) && is_adjacent(1) && is_adjacent(2)) {  // `1/s`
    advance();
    type.unit = unit();
  } else {
    const Token token = peek();
    fail(Kind::ExpectedType, span_of(token), describe(token));
    return {};
  }
  if (at(TokenKind::LeftBracket)) {
    const Scoped head(in_head_, false);
    advance();
    do {
      type.sizes.push_back(expression());
    } while (accept(TokenKind::Comma) && !at(TokenKind::RightBracket));
    expect(TokenKind::RightBracket, "`real[n, m]`");
  }
  type.span = span_from(begin);
  return tree_.types.add(std::move(type));
}

/// The unit after a number or list that ends at `end`, if one stands there.
Unit Parser::unit_after(uint32_t end, std::string_view of) {
  const Token token = peek();
  if (token.kind != TokenKind::Name || text_of(token) == "steps" || at_declaration()) return {};
  const bool is_one_blank = token.begin == end + 1 && tree_.files[file_].text[end] == ' ';
  if (is_one_blank) return unit();
  fail(Kind::UnitSpacing, span_of(token), of, text_of(token));
  return {};
}

/// `kg/m^3`: no blanks inside. In a type it may begin with the slash of `1/s`.
Unit Parser::unit() {
  Unit unit;
  const uint32_t begin = peek().begin;
  int sign = 1;
  if (accept(TokenKind::Slash)) sign = -1;
  while (true) {
    const Token name = advance();
    UnitFactor factor{std::string(text_of(name)), sign, {}};
    if (at(TokenKind::Caret) && is_adjacent(0)) factor.exponent *= unit_exponent();
    factor.span = span_from(name.begin);
    unit.factors.push_back(std::move(factor));
    const bool goes_on = (at(TokenKind::Slash) || at(TokenKind::Star)) && is_adjacent(0) &&
                         at(TokenKind::Name, 1) && is_adjacent(1);
    if (!goes_on) break;
    sign = advance().kind == TokenKind::Slash ? -1 : 1;
  }
  unit.span = span_from(begin);
  return unit;
}

int Parser::unit_exponent() {
  advance();  // `^`
  const bool is_negative = accept(TokenKind::Minus);
  const Token token = peek();
  const std::string_view digits = text_of(token);
  int exponent = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
  if (token.kind != TokenKind::Number || read.ec != std::errc() ||
      read.ptr != digits.data() + digits.size() || exponent > 99) {
    fail(Kind::UnitExponent, span_of(token), describe(token));
    return 1;
  }
  advance();
  return is_negative ? -exponent : exponent;
}

}  // namespace asb::ast
