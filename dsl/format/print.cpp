// One line a declaration, but for its blocks.
#include "dsl/format/print.h"

#include <fmt/format.h>

#include "dsl/ast/walk.h"
#include "dsl/format/print_expr.h"

namespace asb::ast {
namespace {

std::string names(const std::vector<Ident>& idents, std::string_view separator) {
  std::string out;
  for (const Ident& ident : idents) {
    if (!out.empty()) out += separator;
    out += ident.text;
  }
  return out;
}

std::string doc_lines(const std::string& doc) {
  std::string out;
  for (size_t begin = 0; begin <= doc.size();) {
    const size_t end = std::min(doc.find('\n', begin), doc.size());
    out += end > begin ? "/// " + doc.substr(begin, end - begin) + "\n" : "///\n";
    begin = end + 1;
  }
  return out;
}

class DeclPrinter {
 public:
  explicit DeclPrinter(const SyntaxTree& tree) : exprs_(tree) {}

  std::string operator()(const UseDecl& d) {
    return "use " + names(d.path, ".") + (d.alias ? " as " + d.alias.text : "");
  }
  std::string operator()(const FunctionDecl& d) {
    std::string parameters;
    for (const Parameter& p : d.parameters) {
      if (!parameters.empty()) parameters += ", ";
      parameters += p.name.text + type(p.type) + optional(" = ", p.initial, kLoose);
    }
    return fmt::format("{} {}({}) -> {}{}", declaration_word(d), d.name.text, parameters,
                       exprs_.text(d.result), exprs_.body(d.body));
  }
  std::string operator()(const ParamDecl& d) {
    std::string out =
        start(d, d.name) + type(d.type) + optional(" on ", d.domain, kSet) + value(d.value);
    if (d.low) out += " in [" + exprs_.text(d.low) + ", " + exprs_.text(d.high) + "]";
    return out;
  }
  std::string operator()(const DomainDecl& d) {
    return start(d, d.name) + " = " + exprs_.text(d.value, kSet);
  }
  std::string operator()(const GroupDecl& d) {
    return start(d, d.name) + " = " + exprs_.text(d.set, kSet);
  }
  std::string operator()(const FramesDecl& d) { return start(d, d.name) + value(d.value); }
  std::string operator()(const DataDecl& d) {
    return start(d, d.name) + type(d.type) + optional(" on ", d.domain, kSet) +
           optional(" per ", d.per, kLoose) + value(d.value);
  }
  std::string operator()(const LatentDecl& d) {
    return start(d, d.name) + type(d.type) + optional(" per ", d.per, kLoose) + value(d.initial);
  }
  std::string operator()(const FieldDecl& d) {
    return start(d, d.name) + optional(" at ", d.at, kSet) + type(d.type) + value(d.value);
  }
  std::string operator()(const UnknownDecl& d) {
    return start(d, d.name) + type(d.type) + optional(" on ", d.domain, kSet) + value(d.initial);
  }
  std::string operator()(const LetDecl& d) {
    return start(d, d.name) + type(d.type) + optional(" on ", d.domain, kSet) + value(d.value);
  }
  std::string operator()(const FixDecl& d) {
    return start(d, d.unknown) + (d.components ? "." + d.components.text : "") +
           optional(" on ", d.set, kSet) + optional(" = ", d.value, kLoose) +
           (d.is_over ? " over" : "");
  }
  std::string operator()(const AttachDecl& d) {
    return "attach " + exprs_.before_word(d.points, kSet) + " to " + exprs_.text(d.target);
  }
  std::string operator()(const EnergyDecl& d) { return start(d, d.name) + value(d.value); }
  std::string operator()(const WorkDecl& d) { return start(d, d.name) + value(d.value); }
  std::string operator()(const SolveDecl& d) {
    const std::string unknowns = "solve " + names(d.unknowns, ", ");
    const std::string method = optional(" using ", d.method, kLoose);
    switch (d.kind) {
      case SolveKind::Minimizing:
        return unknowns + " minimizing " + exprs_.text(d.objective) + method;
      case SolveKind::Balancing:
        return unknowns + " balancing " + exprs_.text(d.objective) + method;
      case SolveKind::Stationary:
        break;
    }
    return unknowns + " making " + exprs_.before_word(d.objective, kLoose) + " stationary" + method;
  }
  std::string operator()(const TimeDecl& d) {
    return "time " + (d.step_size ? d.step_size.text + value(d.size) + " " : "") + "for " +
           exprs_.text(d.steps) + " steps";
  }
  std::string operator()(const StateDecl& d) {
    return start(d, d.name) + type(d.type) + optional(" on ", d.domain, kSet) + value(d.initial);
  }
  std::string operator()(const AdvanceDecl& d) { return start(d, d.state) + value(d.value); }
  std::string operator()(const StencilDecl& d) {
    std::string parts;
    for (const StencilPart& part : d.parts)
      parts += (parts.empty() ? "" : ", ") + part.name.text + ": " + exprs_.text(part.domain, kSet);
    return start(d, d.name) + " of (" + parts + ")" + value(d.value);
  }
  std::string operator()(const PairsDecl& d) {
    return start(d, d.name) + value(d.value) + " within " + exprs_.text(d.distance);
  }
  std::string operator()(const NeighboursDecl& d) {
    return start(d, d.name) + value(d.value) + " within " + exprs_.text(d.distance);
  }
  std::string operator()(const LossDecl& d) {
    return start(d, d.name) + value(d.value) + (d.at_last_step ? " at last step" : "");
  }
  std::string operator()(const LearnDecl& d) {
    return "learn " + (d.stage ? d.stage.text + ": " : "") + names(d.what, ", ") + " minimizing " +
           exprs_.text(d.objective) + (d.over ? " over " + d.over.text : "") +
           optional(" using ", d.method, kLoose);
  }
  std::string operator()(const OutputDecl& d) {
    return start(d, d.name) + value(d.value) + (d.at_last_step ? " at last step" : "");
  }
  std::string operator()(const ShowDecl& d) {
    return start(d, d.name) + optional(" on ", d.domain, kSet) + value(d.value);
  }
  std::string operator()(const BrokenDecl& d) { return "// could not be read: " + d.name.text; }

 private:
  static std::string start(const DeclKind& d, const Ident& name) {
    return fmt::format("{} {}", declaration_word(d), name.text);
  }
  std::string type(TypeId id) { return id ? ": " + exprs_.text(id) : std::string(); }
  std::string value(ExprId id) { return " = " + exprs_.text(id); }
  std::string optional(std::string_view before, ExprId id, int at_least) {
    return id ? std::string(before) + exprs_.text(id, at_least) : std::string();
  }

  ExprPrinter exprs_;
};

}  // namespace

std::string print(const SyntaxTree& tree, ModuleId module) {
  const Module& m = tree.modules[module];
  std::string out = m.doc.empty() ? std::string() : doc_lines(m.doc) + "\n";
  for (DeclId id : m.declarations) out += print(tree, id) + "\n";
  return out;
}

std::string print(const SyntaxTree& tree, DeclId declaration) {
  const Declaration& d = tree.declarations[declaration];
  return (d.doc.empty() ? std::string() : doc_lines(d.doc)) + std::visit(DeclPrinter(tree), d.kind);
}

std::string print(const SyntaxTree& tree, ExprId expr) {
  return ExprPrinter(tree).text(expr, kSet);
}
std::string print(const SyntaxTree& tree, TypeId type) { return ExprPrinter(tree).text(type); }

}  // namespace asb::ast
