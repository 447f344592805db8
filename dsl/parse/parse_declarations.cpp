// Declarations, one function a form; the forms are those of docs/language.md.
#include <algorithm>

#include "dsl/ast/walk.h"
#include "dsl/parse/parser.h"

namespace asb::ast {

void Parser::parse_module(ModuleId module) {
  module_ = module;
  while (true) {
    while (accept(TokenKind::End)) {
    }
    if (at(TokenKind::EndOfFile)) return;
    parse_declaration();
  }
}

ExprId Parser::parse_expression() {
  const ExprId expr = set_expression();
  accept(TokenKind::End);
  if (!at(TokenKind::EndOfFile)) expect_statement_end();
  return panicking_ || !stream_.errors.empty() ? ExprId() : expr;
}

void Parser::parse_declaration() {
  const Token first = peek();
  statement_begin_ = first.begin;
  declared_ = {};
  std::string doc = doc_before(static_cast<uint32_t>(next_));
  const bool is_word = first.kind == TokenKind::Name && is_declaration_word(text_of(first));
  DeclKind kind = BrokenDecl{};
  if (is_word) {
    kind = declaration(text_of(advance()));
    expect_statement_end();
  } else if (first.kind == TokenKind::Name && at(TokenKind::Assign, 1)) {
    fail(Kind::BareAssignment, span_of(first), text_of(first));
  } else {
    fail(Kind::ExpectedDeclaration, span_of(first), describe(first));
  }
  if (panicking_) {
    const bool is_callable = std::holds_alternative<FunctionDecl>(kind);
    kind = BrokenDecl{declared_, is_callable};
    skip_statement(0, false);
    skip_continuation();
  }
  const Span span = span_from(first.begin);
  Module& module = tree_.modules[module_];
  const DeclId id = tree_.declarations.add({std::move(kind), span, std::move(doc), module_});
  module.declarations.push_back(id);
}

/// Indented lines after an error that begin no declaration are taken for the rest of the faulty
/// one.
void Parser::skip_continuation() {
  while (at(TokenKind::End)) {
    size_t ahead = 0;
    while (at(TokenKind::End, ahead)) ++ahead;
    const Token next = peek(ahead);
    const bool is_declaration = next.kind == TokenKind::Name && is_declaration_word(text_of(next));
    const bool is_indented = next.begin > 0 && tree_.files[file_].text[next.begin - 1] != '\n';
    if (next.kind == TokenKind::EndOfFile || is_declaration || !is_indented) return;
    while (accept(TokenKind::End)) {
    }
    skip_statement(0, false);
  }
}

/// The documentation of the declaration that begins with `token`. The lines that open a file are
/// the module's if an empty line or a `use` follows them.
std::string Parser::doc_before(uint32_t token) {
  std::string doc;
  while (next_doc_ < stream_.docs.size() && stream_.docs[next_doc_].next_token <= token) {
    DocComment& comment = stream_.docs[next_doc_];
    const bool is_own = comment.is_attached && comment.next_token == token;
    const bool opens_file = next_doc_ == 0 && comment.next_token == 0;
    if (opens_file && (!comment.is_attached || at_word("use")))
      tree_.modules[module_].doc = std::move(comment.text);
    else if (is_own)
      doc = std::move(comment.text);
    ++next_doc_;
  }
  return doc;
}

DeclKind Parser::declaration(std::string_view word) {
  if (word == "use") return use();
  if (word == "fn") return function(FunctionKind::Function);
  if (word == "layer") return function(FunctionKind::Layer);
  if (word == "network") return function(FunctionKind::Network);
  if (word == "param") return param();
  if (word == "mesh") return domain(DomainKind::Mesh);
  if (word == "surface") return domain(DomainKind::Surface);
  if (word == "curve") return domain(DomainKind::Curve);
  if (word == "points") return domain(DomainKind::Points);
  if (word == "particles") return domain(DomainKind::Particles);
  if (word == "grid") return domain(DomainKind::Grid);
  if (word == "data") return data();
  if (word == "latent") return latent();
  if (word == "field") return field();
  if (word == "unknown") return unknown();
  if (word == "let") return let();
  if (word == "fix") return fix();
  if (word == "attach") return attach();
  if (word == "solve") return solve();
  if (word == "time") return time();
  if (word == "state") return state();
  if (word == "advance") return advance_state();
  if (word == "stencil") return stencil();
  if (word == "loss") return loss();
  if (word == "learn") return learn();
  if (word == "output") return output();
  if (word == "show") return show();
  if (word == "weight") {
    fail(Kind::WeightOutsideLayer, span_of(stream_.tokens[next_ - 1]));
    return BrokenDecl{};
  }
  Ident name = declare("a name");
  if (word == "group") {
    expect(TokenKind::Assign, "`group g = set`");
    return GroupDecl{std::move(name), set_expression()};
  }
  if (word == "frames") return FramesDecl{std::move(name), valued("`frames f = files(\"…\")`")};
  if (word == "energy") return EnergyDecl{std::move(name), valued("`energy e = functional`")};
  if (word == "work") return WorkDecl{std::move(name), valued("`work w = functional`")};
  const bool is_pairs = word == "pairs";
  const std::string_view form =
      is_pairs ? "`pairs c = between(a at x, b) within d`" : "`neighbours n = of(g at x) within d`";
  const ExprId value = valued(form);
  expect(TokenKind::Within, form);
  const ExprId distance = expression();
  if (is_pairs) return PairsDecl{std::move(name), value, distance};
  return NeighboursDecl{std::move(name), value, distance};
}

// ---- parts that forms share -----------------------------------------------------------------

Ident Parser::declare(std::string_view what) {
  Ident name = expect_name(what);
  declared_ = name;
  return name;
}

/// `: type`.
TypeId Parser::typed(std::string_view form) {
  if (!expect(TokenKind::Colon, form)) return {};
  return type();
}

/// `= expression`.
ExprId Parser::valued(std::string_view form) {
  if (!expect(TokenKind::Assign, form)) return missing();
  return expression();
}

/// `on set`, or `at set`.
ExprId Parser::optional_set(TokenKind clause) {
  return accept(clause) ? set_expression() : ExprId();
}

/// `at last step`.
bool Parser::optional_last_step() {
  if (!accept(TokenKind::At)) return false;
  return expect_word("last", "`… at last step`") && expect_word("step", "`… at last step`");
}

std::vector<Ident> Parser::name_list(std::string_view what) {
  std::vector<Ident> names;
  do {
    names.push_back(expect_name(what));
  } while (accept(TokenKind::Comma));
  return names;
}

// ---- the forms ------------------------------------------------------------------------------

DeclKind Parser::use() {
  UseDecl d;
  do {
    d.path.push_back(expect_name("the name of a module"));
  } while (accept(TokenKind::Dot));
  if (accept(TokenKind::As)) d.alias = declare("a name after `as`");
  return d;
}

DeclKind Parser::function(FunctionKind kind) {
  FunctionDecl d;
  d.kind = kind;
  const bool is_fn = kind == FunctionKind::Function;
  const std::string_view form = is_fn ? "`fn f(a: real, b: Pa = 1 Pa) -> Pa { … }`"
                                : kind == FunctionKind::Layer
                                    ? "`layer l(h: real[n], out: int) -> real[out] { … }`"
                                    : "`network n(X: vec3, z: real[16]) -> real[6] = …`";
  const Scoped layer(in_layer_, !is_fn);
  d.name = declare("the name of a function");
  if (expect(TokenKind::LeftParen, form)) {
    d.parameters = parameters();
    expect(TokenKind::RightParen, form);
  }
  if (expect(TokenKind::Arrow, form)) d.result = type();
  if (at(TokenKind::LeftBrace))
    d.body = block(form);
  else if (accept(TokenKind::Assign))
    d.body = expression();
  else
    fail_token("`=` or `{`", form);
  return d;
}

std::vector<Parameter> Parser::parameters() {
  std::vector<Parameter> out;
  while (at(TokenKind::Name) || (is_word(peek().kind) && !panicking_)) {
    Parameter p;
    p.name = expect_name("a parameter");
    p.type = typed("`name: type`");
    if (accept(TokenKind::Assign)) p.initial = expression();
    out.push_back(std::move(p));
    if (!accept(TokenKind::Comma)) break;
  }
  return out;
}

DeclKind Parser::param() {
  constexpr std::string_view kForm = "`param p: type on domain = value in [low, high]`";
  ParamDecl d;
  d.name = declare("a name");
  d.type = typed(kForm);
  d.domain = optional_set(TokenKind::On);
  d.value = valued(kForm);
  if (accept(TokenKind::In)) {
    expect(TokenKind::LeftBracket, kForm);
    d.low = expression();
    expect(TokenKind::Comma, kForm);
    d.high = expression();
    expect(TokenKind::RightBracket, kForm);
  }
  return d;
}

DeclKind Parser::domain(DomainKind kind) {
  DomainDecl d{kind, declare("a name"), {}};
  const std::string form =
      fmt::format("`{} {} = …`", declaration_word(d), d.name ? d.name.text : "name");
  if (expect(TokenKind::Assign, form)) d.value = set_expression();
  return d;
}

DeclKind Parser::data() {
  constexpr std::string_view kForm = "`data q: type on domain per frames = …`";
  DataDecl d;
  d.name = declare("a name");
  d.type = typed(kForm);
  d.domain = optional_set(TokenKind::On);
  if (accept(TokenKind::Per)) d.per = expression();
  d.value = valued(kForm);
  return d;
}

DeclKind Parser::latent() {
  constexpr std::string_view kForm = "`latent z: real[16] per frames = gaussian(deviation: 0.01)`";
  LatentDecl d;
  d.name = declare("a name");
  d.type = typed(kForm);
  if (expect(TokenKind::Per, kForm)) d.per = expression();
  d.initial = valued(kForm);
  return d;
}

/// `field a: type = expr`; `at m.nodes` may stand before the type or after it.
DeclKind Parser::field() {
  constexpr std::string_view kForm = "`field a at m.nodes: type = expr`";
  FieldDecl d;
  d.name = declare("a name");
  d.at = optional_set(TokenKind::At);
  d.type = typed(kForm);
  if (!d.at) d.at = optional_set(TokenKind::At);
  d.value = valued(kForm);
  return d;
}

DeclKind Parser::unknown() {
  constexpr std::string_view kForm = "`unknown x: type on domain = initial`";
  UnknownDecl d;
  d.name = declare("a name");
  d.type = typed(kForm);
  d.domain = optional_set(TokenKind::On);
  d.initial = valued(kForm);
  return d;
}

DeclKind Parser::let() {
  LetDecl d;
  d.name = declare("a name");
  if (accept(TokenKind::Colon)) d.type = type();
  d.domain = optional_set(TokenKind::On);
  d.value = valued("`let q: type on domain = expr`");
  return d;
}

DeclKind Parser::fix() {
  constexpr std::string_view kForm = "`fix u.xz on set = value`";
  FixDecl d;
  d.unknown = expect_name("the name of an unknown");
  if (accept(TokenKind::Dot)) d.components = expect_name("components such as `xz`");
  if (expect(TokenKind::On, kForm)) d.set = set_expression();
  if (accept(TokenKind::Assign)) d.value = expression();
  d.is_over = accept(TokenKind::Over);
  return d;
}

DeclKind Parser::attach() {
  AttachDecl d;
  d.points = set_expression();
  expect_word("to", "`attach points to expr`");
  d.target = expression();
  return d;
}

DeclKind Parser::solve() {
  SolveDecl d;
  constexpr std::string_view kForm =
      "`solve x minimizing e`, `solve x balancing e + w` or `solve x, p making L stationary`";
  d.unknowns = name_list("the name of an unknown");
  if (at_word("minimizing")) {
    d.kind = SolveKind::Minimizing;
  } else if (at_word("balancing")) {
    d.kind = SolveKind::Balancing;
  } else if (at_word("making")) {
    d.kind = SolveKind::Stationary;
  } else {
    fail_token("`minimizing`, `balancing` or `making`", kForm);
    return d;
  }
  advance();
  d.objective = expression();
  if (d.kind == SolveKind::Stationary) expect_word("stationary", kForm);
  if (accept(TokenKind::Using)) d.method = expression();
  return d;
}

DeclKind Parser::time() {
  constexpr std::string_view kForm = "`time dt = 1 s / 60 for 240 steps`";
  TimeDecl d;
  if (!at(TokenKind::For)) {
    d.step_size = declare("a name for the step size, or `for`");
    d.size = valued(kForm);
  }
  if (expect(TokenKind::For, kForm)) d.steps = expression();
  expect_word("steps", kForm);
  return d;
}

DeclKind Parser::state() {
  constexpr std::string_view kForm = "`state v: type on domain = initial`";
  StateDecl d;
  d.name = declare("a name");
  d.type = typed(kForm);
  d.domain = optional_set(TokenKind::On);
  d.initial = valued(kForm);
  return d;
}

DeclKind Parser::advance_state() {
  AdvanceDecl d;
  d.state = expect_name("the name of a state");
  d.value = valued("`advance v = expr`");
  return d;
}

DeclKind Parser::stencil() {
  constexpr std::string_view kForm = "`stencil s of (a: body.nodes, b: body.nodes) = file(\"…\")`";
  StencilDecl d;
  d.name = declare("a name");
  expect_word("of", kForm);
  if (expect(TokenKind::LeftParen, kForm)) {
    do {
      StencilPart part;
      part.name = expect_name("the name of a part");
      expect(TokenKind::Colon, kForm);
      part.domain = set_expression();
      d.parts.push_back(std::move(part));
    } while (accept(TokenKind::Comma));
    expect(TokenKind::RightParen, kForm);
  }
  d.value = valued(kForm);
  return d;
}

DeclKind Parser::loss() {
  LossDecl d;
  d.name = declare("a name");
  d.value = valued("`loss l = functional`");
  d.at_last_step = optional_last_step();
  return d;
}

DeclKind Parser::learn() {
  constexpr std::string_view kForm = "`learn stage: act, z minimizing l over frames using adam(…)`";
  LearnDecl d;
  if (at(TokenKind::Name) && at(TokenKind::Colon, 1)) {
    d.stage = declare("a name");
    advance();
  }
  d.what = name_list("the name of what is learned");
  expect_word("minimizing", kForm);
  d.objective = expression();
  if (accept(TokenKind::Over)) d.over = expect_name("the name of frames");
  if (expect(TokenKind::Using, kForm)) d.method = expression();
  return d;
}

DeclKind Parser::output() {
  OutputDecl d;
  d.name = declare("a name");
  d.value = valued("`output name = expr`");
  d.at_last_step = optional_last_step();
  return d;
}

DeclKind Parser::show() {
  constexpr std::string_view kForm = "`show name on domain = expr`";
  ShowDecl d;
  d.name = declare("a name");
  if (expect(TokenKind::On, kForm)) d.domain = set_expression();
  d.value = valued(kForm);
  return d;
}

}  // namespace asb::ast
