// Small questions about nodes that several passes ask.
#pragma once

#include "base/overloaded.h"
#include "dsl/ast/ast.h"

namespace asb::ast {

/// Calls f(ExprId) for every expression directly under `expr`, in the order written; sizes of the
/// types of local declarations included, absent ones left out.
template <class F>
void for_each_child(const SyntaxTree& tree, const ExprKind& kind, F&& f) {
  const auto visit = [&](ExprId id) {
    if (id) f(id);
  };
  const auto visit_all = [&](const std::vector<ExprId>& ids) {
    for (ExprId id : ids) visit(id);
  };
  const auto visit_type = [&](TypeId id) {
    if (id) visit_all(tree.types[id].sizes);
  };
  const auto visit_arguments = [&](const std::vector<Argument>& arguments) {
    for (const Argument& argument : arguments) visit(argument.value);
  };
  std::visit(
      Overloaded{
          [](const Missing&) {},
          [](const Number&) {},
          [](const Text&) {},
          [](const Bool&) {},
          [](const Name&) {},
          [&](const List& e) { visit_all(e.items); },
          [&](const Comprehension& e) { visit(e.body), visit(e.begin), visit(e.end); },
          [&](const Range& e) { visit(e.begin), visit(e.end); },
          [&](const Unary& e) { visit(e.operand); },
          [&](const Binary& e) { visit(e.lhs), visit(e.rhs); },
          [&](const Transpose& e) { visit(e.operand); },
          [&](const Member& e) { visit(e.base); },
          [&](const Index& e) { visit(e.base), visit_all(e.items); },
          [&](const Call& e) { visit_arguments(e.arguments); },
          [&](const MemberCall& e) { visit(e.base), visit_arguments(e.arguments); },
          [&](const Lambda& e) { visit(e.body); },
          [&](const Where& e) { visit(e.set), visit(e.condition); },
          [&](const Within& e) { visit(e.set), visit(e.surface); },
          [&](const Tagged& e) { visit(e.set); },
          [&](const At& e) { visit(e.set), visit(e.position); },
          [&](const Reduction& e) { visit(e.domain), visit_arguments(e.options), visit(e.body); },
          [&](const IndexedReduction& e) { visit(e.begin), visit(e.end), visit(e.body); },
          [&](const If& e) { visit(e.condition), visit(e.then), visit(e.otherwise); },
          [&](const Repeat& e) { visit(e.begin), visit(e.end), visit(e.initial), visit(e.body); },
          [&](const Minimal& e) { visit(e.value), visit(e.body); },
          [&](const Symmetric& e) { visit(e.value), visit(e.body); },
          [&](const Block& e) {
            for (const Statement& s : e.statements)
              std::visit(
                  Overloaded{[&](const LocalLet& l) { visit_type(l.type), visit(l.value); },
                             [&](const LocalWeight& w) { visit_type(w.type), visit(w.initial); }},
                  s.kind);
            visit(e.value);
          }},
      kind);
}

/// The name that a declaration brings into scope; nullptr for `use`, `fix`, `attach`, `solve`,
/// `advance`, a `time` without a step size, an unnamed `learn` and a broken declaration without a
/// name.
const Ident* declared_name(const DeclKind& kind);
/// The word that starts the declaration: "mesh"; "" for a broken one.
std::string_view declaration_word(const DeclKind& kind);
std::string_view spelling(BinaryOp op);
std::string_view spelling(UnaryOp op);
std::string_view spelling(ReductionKind kind);

}  // namespace asb::ast
