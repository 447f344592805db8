// Expressions and types as text, with the parentheses that precedence asks for; private to
// dsl/format.
#pragma once

#include <string>
#include <string_view>

#include "dsl/ast/ast.h"

namespace asb::ast {

/// How tightly a form binds; the parser's levels, see parse_expressions.cpp.
enum Precedence : int {
  kSet = 0,  ///< `S where c`: only where a set is expected, or in parentheses
  kLoose = 1,
  kOr = 1,
  kAnd = 2,
  kNot = 3,
  kCompare = 4,
  kSum = 5,
  kProduct = 6,
  kNegate = 7,
  kPower = 8,
  kPostfix = 9,
  kPrimary = 10,
};

class ExprPrinter {
 public:
  explicit ExprPrinter(const SyntaxTree& tree) : tree_(tree) {}

  /// In parentheses if it binds less tightly than `at_least`.
  std::string text(ExprId id, int at_least = kLoose);
  std::string text(TypeId id);
  /// A body in braces: ` { … }`.
  std::string body(ExprId id);
  /// In parentheses if it ends with a number, after which a word would be read as its unit.
  std::string before_word(ExprId id, int at_least);

 private:
  struct Out {
    std::string text;
    int precedence = kPrimary;
  };
  Out node(const Missing&);
  Out node(const Number&);
  Out node(const Text&);
  Out node(const Bool&);
  Out node(const Name&);
  Out node(const List&);
  Out node(const Comprehension&);
  Out node(const Range&);
  Out node(const Unary&);
  Out node(const Binary&);
  Out node(const Transpose&);
  Out node(const Member&);
  Out node(const Index&);
  Out node(const Call&);
  Out node(const MemberCall&);
  Out node(const Lambda&);
  Out node(const Where&);
  Out node(const Within&);
  Out node(const Tagged&);
  Out node(const At&);
  Out node(const Reduction&);
  Out node(const IndexedReduction&);
  Out node(const If&);
  Out node(const Repeat&);
  Out node(const Minimal&);
  Out node(const Symmetric&);
  Out node(const Block&);

  /// What `.`, `[`, `'` and `^` are applied to: a number or a unit would run into them.
  std::string base(ExprId id);
  /// Inside brackets, where a `{` is no longer read as the block of a head.
  std::string inside(ExprId id, int at_least = kLoose);
  std::string head(ExprId id);
  std::string items(const std::vector<ExprId>& ids);
  std::string arguments(const std::vector<Argument>& arguments);
  std::string statement(const Statement& statement);
  std::string indent() const { return std::string(2 * static_cast<size_t>(depth_), ' '); }

  const SyntaxTree& tree_;
  int depth_ = 0;
  bool in_head_ = false;
};

}  // namespace asb::ast
