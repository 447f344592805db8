// Tokens: twelve bytes each, so that a long line costs little; their text stays in the source.
#pragma once

#include <cstdint>
#include <string_view>

namespace asb {

enum class TokenKind : uint8_t {
#define ASB_TOKEN(kind, text, traits) kind,
#include "dsl/lex/tokens.def"
#undef ASB_TOKEN
};

enum class TokenTraits : uint8_t { Plain, Open, Continues, Operator, Clause, Reserved };

struct Token {
  TokenKind kind = TokenKind::EndOfFile;
  bool is_synthetic = false;  ///< put in by the lexer to balance brackets; already reported
  uint32_t begin = 0;
  uint32_t end = 0;
};

TokenTraits traits_of(TokenKind kind);
/// The spelling, or for open kinds a description: "a name".
std::string_view spelling_of(TokenKind kind);
/// The keyword of this spelling, or Name.
TokenKind word_kind(std::string_view word);
/// Whether the kind is a word and not a sign.
bool is_word(TokenKind kind);
/// `use`, `fn`, `mesh`, …: reserved at the start of a statement only.
bool is_declaration_word(std::string_view word);

}  // namespace asb
