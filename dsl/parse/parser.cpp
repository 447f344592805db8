// The ground that the rules stand on: looking at tokens, failing once, finding the next statement.
#include "dsl/parse/parser.h"

#include <algorithm>

#include "dsl/ast/walk.h"

namespace asb::ast {

Parser::Parser(SyntaxTree& tree, uint32_t file, DiagnosticSink& sink)
    : tree_(tree),
      file_(file),
      sink_(sink),
      stream_(lex(tree.files, file_, sink)),
      first_expr_(tree.exprs.size()) {}

const Token& Parser::peek(size_t ahead) const {
  if (panicking_) return end_token_;
  return stream_.tokens[std::min(next_ + ahead, stream_.tokens.size() - 1)];
}

Token Parser::advance() {
  const Token token = stream_.tokens[next_];
  switch (token.kind) {
    case TokenKind::LeftParen:
    case TokenKind::LeftBracket:
    case TokenKind::LeftBrace:
      ++depth_;
      break;
    case TokenKind::RightParen:
    case TokenKind::RightBracket:
    case TokenKind::RightBrace:
      --depth_;
      break;
    default:
      break;
  }
  if (token.kind != TokenKind::EndOfFile) ++next_;
  return token;
}

bool Parser::at_word(std::string_view word, size_t ahead) const {
  const Token& token = peek(ahead);
  return token.kind == TokenKind::Name && text_of(token) == word;
}

bool Parser::at_declaration() const {
  return at(TokenKind::Name) && at(TokenKind::Name, 1) && is_declaration_word(text_of(peek()));
}

bool Parser::accept(TokenKind kind) {
  if (!at(kind)) return false;
  advance();
  return true;
}

bool Parser::expect(TokenKind kind, std::string_view form) {
  if (accept(kind)) return true;
  fail_token(fmt::format("`{}`", spelling_of(kind)), form);
  return false;
}

bool Parser::expect_word(std::string_view word, std::string_view form) {
  if (at_word(word)) return advance(), true;
  fail_token(fmt::format("`{}`", word), form);
  return false;
}

Ident Parser::expect_name(std::string_view what) {
  const Token& token = peek();
  if (token.kind == TokenKind::Name) {
    advance();
    return {std::string(text_of(token)), span_of(token)};
  }
  if (is_word(token.kind))
    fail(Kind::ReservedWord, span_of(token), text_of(token));
  else
    fail(Kind::ExpectedName, span_of(token), what, describe(token));
  return {};
}

std::string_view Parser::text_of(const Token& token) const {
  return std::string_view(tree_.files[file_].text).substr(token.begin, token.end - token.begin);
}

std::string Parser::describe(const Token& token) const {
  constexpr size_t kLongest = 24;
  if (token.kind == TokenKind::End && text_of(token) == ";") return "`;`";
  if (token.kind == TokenKind::End || token.kind == TokenKind::EndOfFile)
    return std::string(spelling_of(token.kind));
  const std::string_view text = text_of(token);
  if (text.size() <= kLongest) return fmt::format("`{}`", text);
  size_t cut = kLongest;
  while (cut > 0 && (text[cut] & 0xC0) == 0x80) --cut;  // between two code points
  return fmt::format("`{}…`", text.substr(0, cut));
}

Span Parser::span_from(uint32_t begin) const {
  const uint32_t end = next_ > 0 ? stream_.tokens[next_ - 1].end : begin;
  return {file_, begin, std::max(begin, end)};
}

bool Parser::is_adjacent(size_t ahead) const {
  return !panicking_ && next_ + ahead > 0 &&
         stream_.tokens[next_ + ahead - 1].end == peek(ahead).begin;
}

/// Silent while panicking, and where the lexer has reported something in the same statement.
bool Parser::may_report(Span span) {
  silenced_ = {};
  if (panicking_) return false;
  const auto first =
      std::lower_bound(stream_.errors.begin(), stream_.errors.end(), statement_begin_);
  const bool is_reported = first != stream_.errors.end() && *first <= span.end;
  if (is_reported || peek().is_synthetic) panicking_ = true;
  return !panicking_;
}

void Parser::fail_expression() {
  const Token token = peek();
  if (token.kind == TokenKind::Dots) {
    fail(Kind::RangeOutsideIndex, span_of(token));
    return;
  }
  fail(Kind::ExpectedExpression, span_of(token), describe(token));
}

void Parser::fail_token(std::string_view expected, std::string_view form) {
  const Token token = peek();
  if (token.kind == TokenKind::Dots)
    fail(Kind::RangeOutsideIndex, span_of(token));
  else if (token.kind == TokenKind::FatArrow)
    fail(Kind::LambdaOutsideArgument, span_of(token));
  else
    fail(Kind::ExpectedToken, span_of(token), expected, describe(token), form);
}

/// Ends the panic: steps to the next statement's end or start, or closing brace, `depth` brackets
/// deep.
void Parser::skip_statement(uint32_t depth, bool stops_at_brace) {
  panicking_ = false;
  while (!at(TokenKind::EndOfFile)) {
    const bool is_end =
        at(TokenKind::End) || at_declaration() || (stops_at_brace && at(TokenKind::RightBrace));
    if (depth_ == depth && is_end) return;
    advance();
  }
}

void Parser::expect_statement_end() {
  const Token token = peek();
  if (token.kind == TokenKind::End || token.kind == TokenKind::EndOfFile) return;
  if (token.kind == TokenKind::Dots || token.kind == TokenKind::FatArrow)
    return fail_token("the end of the statement", "");
  Diagnostic& d = fail(Kind::ExpectedEnd, span_of(token), describe(token));
  if (traits_of(token.kind) == TokenTraits::Clause)
    d.with_hint(fmt::format("`{}` has no meaning here; check the form of the declaration",
                            spelling_of(token.kind)));
}

ExprId Parser::make(ExprKind kind, uint32_t begin) {
  uint16_t height = 0;
  for_each_child(tree_, kind, [&](ExprId child) {
    height = std::max(height, heights_[child.index - first_expr_]);
  });
  const Span span = span_from(begin);
  if (height >= kMaxTreeHeight) {
    fail(Kind::ExpressionTooLong, span, kMaxTreeHeight - 1);
    kind = Missing{};
    height = 0;
  }
  heights_.push_back(static_cast<uint16_t>(height + 1));
  return tree_.exprs.add({std::move(kind), span});
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxNesting)
    parser_.fail(Kind::NestingTooDeep, parser_.span_of(parser_.peek()), kMaxNesting);
}

}  // namespace asb::ast
