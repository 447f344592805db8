// Tokens to syntax tree, by recursive descent; private to dsl/parse (load.h is the way in).
// An error stops the statement it is in: until the parser has found that statement's end it is
// `panicking`, and sees nothing but the end of the file, so that every rule returns and no further
// error is reported. Depth of recursion is bounded by kMaxNesting, height of trees by
// kMaxTreeHeight.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/ast/ast.h"
#include "dsl/diag/diagnostics.h"
#include "dsl/lex/lex.h"

namespace asb::ast {

class Parser {
 public:
  Parser(SyntaxTree& tree, uint32_t file, DiagnosticSink& sink);
  /// The whole file, as declarations of `module`.
  void parse_module(ModuleId module);
  /// The whole file, as one expression (or set); absent after an error.
  ExprId parse_expression();

 private:
  using Kind = DiagnosticKind;

  // -- parser.cpp: tokens, errors, recovery
  const Token& peek(size_t ahead = 0) const;
  Token advance();
  bool at(TokenKind kind, size_t ahead = 0) const { return peek(ahead).kind == kind; }
  bool at_word(std::string_view word, size_t ahead = 0) const;
  /// `let a`, `mesh m`: two names in a row stand nowhere but at the start of a statement.
  bool at_declaration() const;
  bool accept(TokenKind kind);
  /// Steps over `kind` or fails; `form` shows the whole form for the hint.
  bool expect(TokenKind kind, std::string_view form);
  bool expect_word(std::string_view word, std::string_view form);
  Ident expect_name(std::string_view what);
  std::string_view text_of(const Token& token) const;
  std::string describe(const Token& token) const;
  Span span_of(const Token& token) const { return {file_, token.begin, token.end}; }
  Span span_from(uint32_t begin) const;
  bool is_adjacent(size_t ahead) const;  ///< no blank between token `ahead` and the one before it
  template <class... Args>
  Diagnostic& fail(Kind kind, Span span, const Args&... args) {
    if (!may_report(span)) return silenced_;
    panicking_ = true;
    return sink_.error(kind, span, args...);
  }
  /// An error after which parsing can go on.
  template <class... Args>
  Diagnostic& report(Kind kind, Span span, const Args&... args) {
    return may_report(span) ? sink_.error(kind, span, args...) : silenced_;
  }
  bool may_report(Span span);
  void fail_expression();
  void fail_token(std::string_view expected, std::string_view form);
  void skip_statement(uint32_t depth, bool stops_at_brace);
  void expect_statement_end();

  // -- nodes
  ExprId make(ExprKind kind, uint32_t begin);
  ExprId missing() { return make(Missing{}, stream_.tokens[next_].begin); }
  const Span& span(ExprId id) const { return tree_.exprs[id].span; }

  // -- parse_declarations.cpp
  void parse_declaration();
  void skip_continuation();
  DeclKind declaration(std::string_view word);
  DeclKind use();
  DeclKind function(FunctionKind kind);
  std::vector<Parameter> parameters();
  DeclKind param();
  DeclKind domain(DomainKind kind);
  DeclKind data();
  DeclKind latent();
  DeclKind field();
  DeclKind unknown();
  DeclKind let();
  DeclKind fix();
  DeclKind attach();
  DeclKind solve();
  DeclKind time();
  DeclKind state();
  DeclKind advance_state();
  DeclKind stencil();
  DeclKind loss();
  DeclKind learn();
  DeclKind output();
  DeclKind show();
  Ident declare(std::string_view what);
  TypeId typed(std::string_view form);
  ExprId valued(std::string_view form);
  ExprId optional_set(TokenKind clause);
  bool optional_last_step();
  std::vector<Ident> name_list(std::string_view what);
  std::string doc_before(uint32_t token);

  // -- parse_types.cpp
  TypeId type();
  Unit unit_after(uint32_t end, std::string_view of);
  Unit unit();
  int unit_exponent();

  // -- parse_expressions.cpp
  ExprId expression();
  ExprId binary(int min_precedence);
  ExprId logical_not(int min_precedence);
  ExprId unary();
  ExprId power();
  ExprId postfix();
  ExprId index(ExprId base);
  ExprId member(ExprId base);
  ExprId set_expression();
  struct ParsedArgument {
    Argument argument;
    CornerNames corners;
    Ident into;
    Ident binder;  ///< of `i in begin..end`, with the range in argument.value
    Span span;     ///< of the `as`, `into` or binder
  };
  ParsedArgument argument();
  std::vector<ParsedArgument> arguments();
  std::vector<Argument> plain_arguments(std::vector<ParsedArgument> parsed);
  void corners_and_into(ParsedArgument& parsed);
  bool range(ExprId& begin, ExprId& end, std::string_view form);

  // -- parse_primaries.cpp
  ExprId primary();
  ExprId number();
  ExprId text();
  ExprId list();
  ExprId parenthesised();
  ExprId name_or_call();
  ExprId reduction(const Token& name, ReductionKind kind, std::vector<ParsedArgument> parsed);
  ExprId conditional();
  ExprId repeat();
  ExprId minimal();
  ExprId symmetric();
  ExprId block(std::string_view form);
  bool block_statement(Block& block);

  /// Counts one level of nesting for its lifetime.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };
  /// Sets a variable for its lifetime.
  template <class T>
  class Scoped {
   public:
    Scoped(T& variable, T value) : variable_(variable), saved_(variable) { variable = value; }
    ~Scoped() { variable_ = saved_; }
    Scoped(const Scoped&) = delete;
    Scoped& operator=(const Scoped&) = delete;

   private:
    T& variable_;
    T saved_;
  };

  SyntaxTree& tree_;
  ModuleId module_;
  uint32_t file_;
  DiagnosticSink& sink_;
  TokenStream stream_;
  size_t next_ = 0;               // index of the next token
  size_t next_doc_ = 0;           // index of the first doc comment not yet passed
  uint32_t depth_ = 0;            // open brackets before the next token
  uint32_t statement_begin_ = 0;  // offset; for asking whether the lexer reported something in it
  int nesting_ = 0;
  bool panicking_ = false;
  bool in_head_ = false;   // of `if`, `repeat`, `minimal`: a `{` starts the block
  bool in_layer_ = false;  // weights may be declared
  Ident declared_;         // the name of the declaration being parsed, once known
  size_t first_expr_;      // tree height is counted for the expressions of this module
  std::vector<uint16_t> heights_;
  Diagnostic silenced_;  // what chained calls write to when nothing is reported
  Token end_token_;      // what a panicking parser sees
};

}  // namespace asb::ast
