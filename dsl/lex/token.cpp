// The tables made from tokens.def.
#include "dsl/lex/token.h"

#include <algorithm>
#include <iterator>

namespace asb {
namespace {

struct Entry {
  TokenKind kind;
  std::string_view spelling;
  TokenTraits traits;
};
constexpr Entry kEntries[] = {
#define ASB_TOKEN(kind, text, traits) {TokenKind::kind, text, TokenTraits::traits},
#include "dsl/lex/tokens.def"
#undef ASB_TOKEN
};

// Sorted, for bisection.
constexpr std::string_view kDeclarationWords[] = {
    "advance", "attach",  "curve",  "data",    "energy",    "field",  "fix",  "fn",    "frames",
    "grid",    "group",   "latent", "layer",   "learn",     "let",    "loss", "mesh",  "neighbours",
    "network", "output",  "pairs",  "param",   "particles", "points", "show", "solve", "state",
    "stencil", "surface", "time",   "unknown", "use",       "weight", "work"};
static_assert(std::is_sorted(std::begin(kDeclarationWords), std::end(kDeclarationWords)));

}  // namespace

TokenTraits traits_of(TokenKind kind) { return kEntries[static_cast<size_t>(kind)].traits; }

std::string_view spelling_of(TokenKind kind) {
  return kEntries[static_cast<size_t>(kind)].spelling;
}

bool is_word(TokenKind kind) {
  const Entry& entry = kEntries[static_cast<size_t>(kind)];
  return entry.traits != TokenTraits::Open && entry.spelling[0] >= 'a' && entry.spelling[0] <= 'z';
}

TokenKind word_kind(std::string_view word) {
  constexpr size_t kLongestWord = 6;
  if (word.size() > kLongestWord) return TokenKind::Name;
  for (const Entry& entry : kEntries)
    if (entry.traits != TokenTraits::Open && entry.spelling == word) return entry.kind;
  return TokenKind::Name;
}

bool is_declaration_word(std::string_view word) {
  return std::binary_search(std::begin(kDeclarationWords), std::end(kDeclarationWords), word);
}

}  // namespace asb
