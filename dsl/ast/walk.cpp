// Names and words of nodes.
#include "dsl/ast/walk.h"

namespace asb::ast {

const Ident* declared_name(const DeclKind& kind) {
  return std::visit(
      Overloaded{
          [](const UseDecl&) -> const Ident* { return nullptr; },
          [](const FixDecl&) -> const Ident* { return nullptr; },
          [](const AttachDecl&) -> const Ident* { return nullptr; },
          [](const SolveDecl&) -> const Ident* { return nullptr; },
          [](const TimeDecl& d) -> const Ident* { return d.step_size ? &d.step_size : nullptr; },
          [](const AdvanceDecl&) -> const Ident* { return nullptr; },
          [](const LearnDecl& d) -> const Ident* { return d.stage ? &d.stage : nullptr; },
          [](const BrokenDecl& d) -> const Ident* { return d.name ? &d.name : nullptr; },
          [](const auto& d) -> const Ident* { return &d.name; }},
      kind);
}

std::string_view declaration_word(const DeclKind& kind) {
  using Word = std::string_view;
  return std::visit(Overloaded{[](const UseDecl&) -> Word { return "use"; },
                               [](const FunctionDecl& d) -> Word {
                                 constexpr Word kWords[] = {"fn", "layer", "network"};
                                 return kWords[static_cast<size_t>(d.kind)];
                               },
                               [](const ParamDecl&) -> Word { return "param"; },
                               [](const DomainDecl& d) -> Word {
                                 constexpr Word kWords[] = {"mesh",   "surface",   "curve",
                                                            "points", "particles", "grid"};
                                 return kWords[static_cast<size_t>(d.kind)];
                               },
                               [](const GroupDecl&) -> Word { return "group"; },
                               [](const FramesDecl&) -> Word { return "frames"; },
                               [](const DataDecl&) -> Word { return "data"; },
                               [](const LatentDecl&) -> Word { return "latent"; },
                               [](const FieldDecl&) -> Word { return "field"; },
                               [](const UnknownDecl&) -> Word { return "unknown"; },
                               [](const LetDecl&) -> Word { return "let"; },
                               [](const FixDecl&) -> Word { return "fix"; },
                               [](const AttachDecl&) -> Word { return "attach"; },
                               [](const EnergyDecl&) -> Word { return "energy"; },
                               [](const WorkDecl&) -> Word { return "work"; },
                               [](const SolveDecl&) -> Word { return "solve"; },
                               [](const TimeDecl&) -> Word { return "time"; },
                               [](const StateDecl&) -> Word { return "state"; },
                               [](const AdvanceDecl&) -> Word { return "advance"; },
                               [](const StencilDecl&) -> Word { return "stencil"; },
                               [](const PairsDecl&) -> Word { return "pairs"; },
                               [](const NeighboursDecl&) -> Word { return "neighbours"; },
                               [](const LossDecl&) -> Word { return "loss"; },
                               [](const LearnDecl&) -> Word { return "learn"; },
                               [](const OutputDecl&) -> Word { return "output"; },
                               [](const ShowDecl&) -> Word { return "show"; },
                               [](const BrokenDecl&) -> Word { return ""; }},
                    kind);
}

std::string_view spelling(BinaryOp op) {
  constexpr std::string_view kSpellings[] = {
      "+", "-", "*", "/", "^", "==", "!=", "<", "<=", ">", ">=", "and", "or"};
  return kSpellings[static_cast<size_t>(op)];
}
std::string_view spelling(UnaryOp op) { return op == UnaryOp::Negate ? "-" : "not"; }
std::string_view spelling(ReductionKind kind) {
  constexpr std::string_view kSpellings[] = {"integral", "mean", "sum", "min", "max"};
  return kSpellings[static_cast<size_t>(kind)];
}

}  // namespace asb::ast
