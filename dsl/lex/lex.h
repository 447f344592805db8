// Text to tokens. Settles the newline rules (a statement's end is a token), pairs brackets so that
// the parser only ever sees balanced ones, and keeps `///` documentation beside the tokens.
// Linear in the text, without recursion.
#pragma once

#include <string>
#include <vector>

#include "dsl/diag/diagnostics.h"
#include "dsl/lex/token.h"
#include "dsl/source/source_files.h"

namespace asb {

/// Consecutive `///` lines.
struct DocComment {
  std::string text;         ///< without slashes, joined by newlines
  uint32_t next_token = 0;  ///< the token that follows it
  bool is_attached = true;  ///< that token stands on the next line, without an empty one between
};

struct TokenStream {
  std::vector<Token> tokens;     ///< ends with EndOfFile
  std::vector<DocComment> docs;  ///< in the order of the text
  std::vector<uint32_t> errors;  ///< sorted offsets of what was reported here
};

TokenStream lex(const SourceFiles& files, uint32_t file, DiagnosticSink& sink);

}  // namespace asb
