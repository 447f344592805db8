// One visitor for expressions, one for declarations; children are labelled by their role.
#include "dsl/ast/dump.h"

#include <fmt/format.h>

#include <charconv>

#include "dsl/ast/walk.h"

namespace asb::ast {
namespace {

class Dumper {
 public:
  explicit Dumper(const SyntaxTree& tree) : tree_(tree) {}

  void expr(std::string_view role, ExprId id) {
    if (!id) return;
    role_ = role;
    std::visit([&](const auto& e) { node(e); }, tree_.exprs[id].kind);
  }

  void module(const Module& module) {
    head("module " + module.name);
    ++depth_;
    if (!module.doc.empty()) head("doc " + quoted_text(module.doc));
    for (DeclId id : module.declarations) {
      const Declaration& d = tree_.declarations[id];
      if (!d.doc.empty()) head("doc " + quoted_text(d.doc));
      std::visit([&](const auto& kind) { declaration(kind); }, d.kind);
    }
    --depth_;
  }

  std::string take() { return std::move(out_); }

 private:
  struct Role {
    std::string_view role;
    ExprId id;
  };

  void head(std::string_view text) {
    out_.append(2 * static_cast<size_t>(depth_), ' ');
    if (!role_.empty()) out_.append(role_).append(": ");
    out_.append(text).append("\n");
    role_ = {};
  }
  void node(std::string_view text, std::initializer_list<Role> children) {
    head(text);
    ++depth_;
    for (const Role& child : children) expr(child.role, child.id);
    --depth_;
  }
  void items(const std::vector<ExprId>& ids) {
    ++depth_;
    for (ExprId id : ids) expr("", id);
    --depth_;
  }
  void arguments(const std::vector<Argument>& arguments) {
    ++depth_;
    for (const Argument& a : arguments) expr(a.label.text, a.value);
    --depth_;
  }
  void type(std::string_view role, TypeId id) {
    if (!id) return;
    const Type& t = tree_.types[id];
    role_ = role;
    head("type " + (t.name.empty() ? to_string(t.unit) : t.name));
    items(t.sizes);
  }

  static std::string unit_suffix(const Unit& unit) {
    return unit ? " unit " + to_string(unit) : "";
  }
  static std::string list_of(const std::vector<Ident>& names) {
    std::string out;
    for (const Ident& name : names) out += (out.empty() ? "" : ", ") + name.text;
    return out;
  }

  void node(const Missing&) { head("missing"); }
  void node(const Number& e) { head("number " + to_string(e) + unit_suffix(e.unit)); }
  void node(const Text& e) { head("text " + quoted_text(e.value)); }
  void node(const Bool& e) { head(e.value ? "true" : "false"); }
  void node(const Name& e) { head("name " + e.name); }
  void node(const List& e) {
    head("list" + unit_suffix(e.unit));
    items(e.items);
  }
  void node(const Comprehension& e) {
    node("comprehension " + e.index.text + unit_suffix(e.unit),
         {{"begin", e.begin}, {"end", e.end}, {"body", e.body}});
  }
  void node(const Range& e) { node("range", {{"begin", e.begin}, {"end", e.end}}); }
  void node(const Unary& e) { node(fmt::format("unary {}", spelling(e.op)), {{"", e.operand}}); }
  void node(const Binary& e) {
    node(fmt::format("binary {}", spelling(e.op)), {{"", e.lhs}, {"", e.rhs}});
  }
  void node(const Transpose& e) { node("transpose", {{"", e.operand}}); }
  void node(const Member& e) { node("member " + e.member.text, {{"", e.base}}); }
  void node(const Index& e) {
    node("index", {{"base", e.base}});
    items(e.items);
  }
  void node(const Call& e) {
    head("call " + e.function.text);
    arguments(e.arguments);
  }
  void node(const MemberCall& e) {
    node("member-call " + e.member.text, {{"base", e.base}});
    arguments(e.arguments);
  }
  void node(const Lambda& e) { node("lambda " + e.parameter.text, {{"", e.body}}); }
  void node(const Where& e) { node("where", {{"set", e.set}, {"condition", e.condition}}); }
  void node(const Within& e) { node("within", {{"set", e.set}, {"surface", e.surface}}); }
  void node(const Tagged& e) { node("tag " + quoted_text(e.tag), {{"set", e.set}}); }
  void node(const At& e) { node("at", {{"set", e.set}, {"position", e.position}}); }
  void node(const Reduction& e) {
    std::string text(spelling(e.kind));
    if (e.corners) text += (e.corners.is_tuple ? " as (" : " as ") + list_of(e.corners.names);
    if (e.corners.is_tuple) text += ")";
    if (e.into) text += " into " + e.into.text;
    node(text, {{"domain", e.domain}});
    arguments(e.options);
    ++depth_;
    expr("body", e.body);
    --depth_;
  }
  void node(const IndexedReduction& e) {
    node(fmt::format("{} {}", spelling(e.kind), e.index.text),
         {{"begin", e.begin}, {"end", e.end}, {"body", e.body}});
  }
  void node(const If& e) {
    node("if", {{"condition", e.condition}, {"then", e.then}, {"else", e.otherwise}});
  }
  void node(const Repeat& e) {
    node(fmt::format("repeat {} with {}", e.index.text, e.carried.text),
         {{"begin", e.begin}, {"end", e.end}, {"initial", e.initial}, {"body", e.body}});
  }
  void node(const Minimal& e) {
    node("minimal " + e.binder.text, {{"value", e.value}, {"body", e.body}});
  }
  void node(const Symmetric& e) {
    node("symmetric " + e.binder.text, {{"value", e.value}, {"body", e.body}});
  }
  void node(const Block& e) {
    head("block");
    ++depth_;
    for (const Statement& s : e.statements)
      std::visit(
          Overloaded{[&](const LocalLet& l) { named("let", l.name, l.type, {{"value", l.value}}); },
                     [&](const LocalWeight& w) {
                       named("weight", w.name, w.type, {{"initial", w.initial}});
                     }},
          s.kind);
    expr("value", e.value);
    --depth_;
  }

  void named(std::string_view word, const Ident& name, TypeId t,
             std::initializer_list<Role> children) {
    head(fmt::format("{} {}", word, name.text));
    ++depth_;
    type("type", t);
    for (const Role& child : children) expr(child.role, child.id);
    --depth_;
  }

  void declaration(const UseDecl& d) {
    std::string path;
    for (const Ident& part : d.path) path += (path.empty() ? "" : ".") + part.text;
    head("use " + path + (d.alias ? " as " + d.alias.text : ""));
  }
  void declaration(const FunctionDecl& d) {
    head(fmt::format("{} {}", declaration_word(d), d.name.text));
    ++depth_;
    for (const Parameter& p : d.parameters)
      named("parameter", p.name, p.type, {{"default", p.initial}});
    type("result", d.result);
    expr("body", d.body);
    --depth_;
  }
  void declaration(const ParamDecl& d) {
    named("param", d.name, d.type,
          {{"domain", d.domain}, {"value", d.value}, {"low", d.low}, {"high", d.high}});
  }
  void declaration(const DomainDecl& d) {
    named(declaration_word(d), d.name, {}, {{"value", d.value}});
  }
  void declaration(const GroupDecl& d) { named("group", d.name, {}, {{"set", d.set}}); }
  void declaration(const FramesDecl& d) { named("frames", d.name, {}, {{"value", d.value}}); }
  void declaration(const DataDecl& d) {
    named("data", d.name, d.type, {{"domain", d.domain}, {"per", d.per}, {"value", d.value}});
  }
  void declaration(const LatentDecl& d) {
    named("latent", d.name, d.type, {{"per", d.per}, {"initial", d.initial}});
  }
  void declaration(const FieldDecl& d) {
    named("field", d.name, d.type, {{"at", d.at}, {"value", d.value}});
  }
  void declaration(const UnknownDecl& d) {
    named("unknown", d.name, d.type, {{"domain", d.domain}, {"initial", d.initial}});
  }
  void declaration(const LetDecl& d) {
    named("let", d.name, d.type, {{"domain", d.domain}, {"value", d.value}});
  }
  void declaration(const FixDecl& d) {
    node("fix " + d.unknown.text + (d.components ? " components " + d.components.text : "") +
             (d.is_over ? " over" : ""),
         {{"set", d.set}, {"value", d.value}});
  }
  void declaration(const AttachDecl& d) {
    node("attach", {{"points", d.points}, {"target", d.target}});
  }
  void declaration(const EnergyDecl& d) { named("energy", d.name, {}, {{"value", d.value}}); }
  void declaration(const WorkDecl& d) { named("work", d.name, {}, {{"value", d.value}}); }
  void declaration(const SolveDecl& d) {
    constexpr std::string_view kKinds[] = {"minimizing", "balancing", "stationary"};
    node(fmt::format("solve {} {}", list_of(d.unknowns), kKinds[static_cast<size_t>(d.kind)]),
         {{"objective", d.objective}, {"using", d.method}});
  }
  void declaration(const TimeDecl& d) {
    node("time" + (d.step_size ? " " + d.step_size.text : ""),
         {{"size", d.size}, {"steps", d.steps}});
  }
  void declaration(const StateDecl& d) {
    named("state", d.name, d.type, {{"domain", d.domain}, {"initial", d.initial}});
  }
  void declaration(const AdvanceDecl& d) { named("advance", d.state, {}, {{"value", d.value}}); }
  void declaration(const StencilDecl& d) {
    head("stencil " + d.name.text);
    ++depth_;
    for (const StencilPart& part : d.parts) expr(part.name.text, part.domain);
    expr("value", d.value);
    --depth_;
  }
  void declaration(const PairsDecl& d) {
    named("pairs", d.name, {}, {{"value", d.value}, {"within", d.distance}});
  }
  void declaration(const NeighboursDecl& d) {
    named("neighbours", d.name, {}, {{"value", d.value}, {"within", d.distance}});
  }
  void declaration(const LossDecl& d) {
    node("loss " + d.name.text + (d.at_last_step ? " at last step" : ""), {{"value", d.value}});
  }
  void declaration(const LearnDecl& d) {
    node("learn " + (d.stage ? d.stage.text + ": " : "") + list_of(d.what) +
             (d.over ? " over " + d.over.text : ""),
         {{"objective", d.objective}, {"using", d.method}});
  }
  void declaration(const OutputDecl& d) {
    node("output " + d.name.text + (d.at_last_step ? " at last step" : ""), {{"value", d.value}});
  }
  void declaration(const ShowDecl& d) {
    named("show", d.name, {}, {{"domain", d.domain}, {"value", d.value}});
  }
  void declaration(const BrokenDecl& d) { head("broken " + d.name.text); }

  const SyntaxTree& tree_;
  std::string out_;
  std::string_view role_;
  int depth_ = 0;
};

}  // namespace

std::string dump_ast(const SyntaxTree& tree, ModuleId module) {
  Dumper dumper(tree);
  dumper.module(tree.modules[module]);
  return dumper.take();
}

std::string dump_ast(const SyntaxTree& tree, ExprId expr) {
  Dumper dumper(tree);
  dumper.expr("", expr);
  return dumper.take();
}

std::string to_string(const Unit& unit) {
  std::string out;
  for (const UnitFactor& factor : unit.factors) {
    const bool divides = factor.exponent < 0 && !out.empty();
    if (!out.empty()) out += divides ? "/" : "*";
    out += factor.name;
    const int exponent = divides ? -factor.exponent : factor.exponent;
    if (exponent != 1) out += "^" + std::to_string(exponent);
  }
  return out;
}

std::string to_string(const Number& number) {
  char buffer[400];
  const auto end = number.is_integer ? std::to_chars(buffer, buffer + sizeof buffer, number.value,
                                                     std::chars_format::fixed)
                                     : std::to_chars(buffer, buffer + sizeof buffer, number.value);
  std::string text(buffer, end.ptr);
  if (!number.is_integer && text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

}  // namespace asb::ast
