// The state of one check, shared by the sources of this folder (each says which part it holds). Private to the folder.
// Flow: names.cpp finds what a name is, declarations.cpp makes entries of the Model on demand, expressions.cpp and those
// below it make nodes, calls.cpp inlines functions, domains.cpp knows sets, solves.cpp, axes.cpp and learning.cpp finish.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dsl/sema/check.h"
#include "dsl/sema/units.h"
#include "dsl/sema/value.h"

namespace asb::sema {

using Kind = DiagnosticKind;
using model::Builtin;

/// Programs beyond these are refused, so that no program takes all memory or the stack.
constexpr size_t kMaxExpressions = 1'000'000;
constexpr size_t kMaxWork = 5'000'000;     ///< expressions checked, counting each time through a loop
constexpr int kMaxDepth = 3000;            ///< of expressions within expressions, through calls and declarations
constexpr uint32_t kMaxModelDepth = 4000;  ///< the longest path in the Model's expressions
constexpr int64_t kMaxEntries = 1 << 24;   ///< of one tensor

/// The syntax tree; where the parser left something out after an error, a Missing expression or a type without a name.
struct Tree {
  explicit Tree(const ast::SyntaxTree& tree)
      : all(tree), files(tree.files), order(tree.order), declarations(tree.declarations), main(tree.main), prelude(tree.prelude) {}
  const ast::Expr& operator[](ast::ExprId id) const { return id ? all[id] : missing; }
  const ast::Type& operator[](ast::TypeId id) const { return id ? all[id] : no_type; }
  const ast::Declaration& operator[](ast::DeclId id) const { return all[id]; }
  const ast::Module& operator[](ast::ModuleId id) const { return all[id]; }

  const ast::SyntaxTree& all;
  const SourceFiles& files;
  const std::vector<ast::ModuleId>& order;
  const Store<ast::DeclId, ast::Declaration>& declarations;
  const ast::ModuleId main, prelude;
  const ast::Expr missing = {};
  const ast::Type no_type = {};
};

struct Binding {
  std::string name;
  Value value;
  Span span;
};

struct CallSite {
  ast::DeclId function;
  Span span;
};

/// Where weights that a layer declares go; none: layers can't be called here.
struct WeightOwner {
  model::NetworkId network;               ///< none: a `let`
  std::string path;                       ///< "act.h[2]"
  Span direct;                            ///< a call that is the whole body adds no part to the path
  std::map<std::string, int> counts;      ///< calls so far, by path and layer
  std::vector<model::WeightId> weights;
};

class Checker {
 public:
  Checker(const ast::SyntaxTree& tree, DiagnosticSink& sink, const CheckOptions& options)
      : tree_(tree), sink_(sink), options_(options) {}
  CheckResult run();

 private:
  // check.cpp: reports and limits
  template <class... Args>
  Diagnostic& error(Kind kind, Span span, const Args&... args) {
    if (!reported_.insert({static_cast<int>(kind), span.file, span.begin, span.end}).second) return silenced_ = {};
    return in_calls(sink_.error(kind, span, args...));
  }
  Diagnostic& in_calls(Diagnostic& diagnostic);
  std::string text(Span span) const { return std::string(tree_.files.text(span)); }
  bool spend(Span span);
  void finish();

  // nodes.cpp: nodes of the Model
  ExprId add(model::Expr expr);
  ExprId number_node(double value, Type type, Span span);
  ExprId expr_of(const Value& value);
  Value of_node(ExprId expr, Type type, Span span);
  Value call_node(Builtin builtin, std::vector<Value> args, Type type, Span span);
  Value constant(double value, Type type, bool bare, Span span);
  Value let_node(const std::string& name, const Value& value, Span span);
  Value pick(const Value& from, std::vector<int32_t> indices, bool drop, Span span);

  // names.cpp
  struct Found {
    const Binding* local = nullptr;
    ast::DeclId decl;
    bool reported = false;
  };
  struct ModuleNames {
    std::unordered_map<std::string, ast::DeclId> values, callables;
    std::unordered_map<std::string, ast::ModuleId> aliases;
    std::vector<ast::ModuleId> used;
  };
  void collect_names();
  Found find(std::string_view name, Span span, bool callable);
  Found find_in(ast::ModuleId module, std::string_view name, Span span, bool callable);
  ast::ModuleId find_alias(ast::ExprId base) const;
  std::string suggest_value(std::string_view name);
  std::string suggest_callable(std::string_view name);
  Diagnostic& unknown_name(Kind kind, const ast::Ident& name, const std::string& suggestion);
  bool bind(const ast::Ident& name, Value value);
  const ast::Ident* name_of(const ast::DeclKind& kind) const;
  std::string describe(const ast::DeclKind& kind) const;

  // types.cpp
  DeclaredType declared_type(ast::TypeId type, const Value* infer_from = nullptr);
  std::optional<int32_t> size(ast::ExprId expr);
  bool literal_unit(const ast::Unit& unit, UnitEntry& out);
  Value coerce(const Value& value, const DeclaredType& type, std::string_view what, bool spread = false);
  Value to_matrix(const Value& value);
  Value resolve(const Value& open, const Type& type);
  std::optional<Unit> sum_unit(std::string_view what, const Value& a, const Value& b, Span span, bool checked);
  std::string origin(const Value& value);

  // expressions.cpp
  Value expression(ast::ExprId expr);
  Value expression_of(const ast::Expr& expr, ast::ExprId id);
  Value operand(ast::ExprId expr);  ///< a number, `I` or `zero`
  Value number(ast::ExprId expr);   ///< a number
  Value as_operand(Value value);
  Value name_value(const std::string& name, Span span);
  Value list(const ast::List& list, Span span);
  Value stack(std::vector<Value> items, const ast::Unit& unit, Span span);
  Value member(const ast::Member& member, Span span);
  Value index(const ast::Index& index, Span span);
  Value index_number(Value base, const std::vector<ast::ExprId>& items, size_t first, Span span);
  Value choose(const ast::If& expr, Span span);
  Value block(const ast::Block& block);
  Value local_let(const ast::LocalLet& let);
  std::optional<int64_t> compile_time_int(ast::ExprId expr, std::string_view what);
  std::optional<double> compile_time_number(ast::ExprId expr, std::string_view what);
  bool range(ast::ExprId begin, ast::ExprId end, int64_t& from, int64_t& to);
  Value indexed_reduction(const ast::IndexedReduction& expr, Span span);
  Value comprehension(const ast::Comprehension& expr, Span span);
  Value repeat(const ast::Repeat& expr, Span span);

  // operators.cpp
  Value unary(ast::UnaryOp op, const Value& a, Span span);
  Value binary(ast::BinaryOp op, const Value& a, const Value& b, Span span, Span op_span);
  Value add_values(bool subtract, const Value& a, const Value& b, Span span, Span op_span);
  Value multiply(const Value& a, const Value& b, Span span, Span op_span);
  Value divide(const Value& a, const Value& b, Span span, Span op_span);
  Value raise(const Value& a, const Value& b, Span span, Span op_span);
  Value compare(ast::BinaryOp op, const Value& a, const Value& b, Span span, Span op_span);
  Value transpose(const Value& a, Span span);
  Value fold(Value built, double value, bool bare, const Value& a, const Value& b);
  bool same_shape(Value& a, Value& b, std::string_view what, Span span);
  Value spread(const Value& scalar, const Type& shape);

  // builtins.cpp
  std::optional<Value> derived_call(const ast::Call& call, Span span);
  std::optional<Value> builtin_call(const ast::Call& call, Span span);
  Value builtin(Builtin which, std::string_view name, std::vector<Value> args, Span span);
  Value elementwise(Builtin which, std::string_view name, std::vector<Value> args, Span span);
  Value sym_from_entries(int n, const Value& entries, Span span);
  Value concat(std::vector<Value> args, Span span);
  Value wrong_operand(std::string_view name, std::string_view takes, const Value& value);

  // forms.cpp: calls that take names, sets or binders
  std::optional<Value> special_form(const ast::Call& call, Span span);
  std::optional<Quantity> named_quantity(ast::ExprId expr, std::string_view form);
  Value gradient(const ast::Call& call, Span span);
  Value deformed_normal(const ast::Call& call, Span span);
  Value virtual_of(const ast::Call& call, Span span);
  Value previous(const ast::Call& call, Span span);
  Value derivative(const ast::Call& call, Span span);
  Value variable(ast::ExprId expr);
  Value cell_mean(const ast::Call& call, Span span);
  Value spectral(const ast::Call& call, Span span);
  Value to_unit_box(const ast::Call& call, Span span);
  Value gap(const ast::Call& call, Span span);
  Value minimal(const ast::Minimal& expr, Span span);
  Value symmetric(const ast::Symmetric& expr, Span span);
  bool argument_count(const ast::Call& call, size_t least, size_t most, Span span);

  // calls.cpp
  Value call(const ast::Call& call, Span span);
  Value call_declaration(ast::DeclId decl, const std::vector<ast::Argument>& arguments, Span span);
  Value call_network(ast::DeclId decl, const std::vector<ast::Argument>& arguments, Span span);
  bool match_arguments(const ast::FunctionDecl& function, const std::vector<ast::Argument>& arguments, Span span,
                       std::vector<std::optional<Value>>& values, std::string& layer_name);
  bool has_rank_of(const ast::Parameter& parameter, const Value& value, const std::string& function);
  bool bind_parameters(const ast::FunctionDecl& function, std::vector<std::optional<Value>>& values, Span span);
  Value result_of(const ast::FunctionDecl& function);
  void check_function(ast::DeclId decl);
  void declare_network(ast::DeclId decl);
  Value local_weight(const ast::LocalWeight& weight, Span span);
  std::optional<model::Initial> initialiser(ast::ExprId expr);

  // domains.cpp
  Value set_of(ast::ExprId expr);
  Value geometry_set(GeometryId geometry, Span span);
  Value set_member(const Value& base, const ast::Ident& member, const std::vector<ast::Argument>& arguments, Span span);
  Value narrow(const Value& set, model::Narrowing narrowing, Span span);
  Value where(const ast::Where& expr, Span span);
  Value within(const ast::Within& expr, Span span);
  Value reduction(const ast::Reduction& expr, Span span);
  Context at_set(const Value& set);
  bool bind_corners(const ast::CornerNames& corners, const Value& set, Context& context);
  std::vector<DomainId> corner_sets(DomainId domain, int named);

  // places.cpp: what a name means where
  enum class Sight : uint8_t { Seen, NoEntity, InFunction, Unrelated, NeedsCorner, CellAtNode, GradientAtNode, OtherSet };
  enum class Relation : uint8_t { None, Same, Part, Embedded };
  Relation relation(GeometryId place, GeometryId of) const;
  Sight sight(DomainId quantity, bool gradient) const;
  bool check_seen(const Requirement& requirement, Span span, std::string_view through);
  Value read_quantity(const Quantity& quantity, Span span);
  Value read_at_corner(ast::ExprId base, const Value& corner, Span span, bool& handled);
  Value rest_position(Span span);
  Value rest_normal(Span span);
  bool at_facet() const;
  bool any_free_geometry() const;
  std::string place_text() const;

  // declarations.cpp
  enum class State : uint8_t { Untouched, Active, Done, Failed };
  struct DeclInfo {
    State state = State::Untouched;
    uint32_t ref = 0;
    Value value;
    std::vector<Requirement> requirements;  ///< of a field
    std::vector<model::WeightId> weights;   ///< of a let that calls layers
  };
  bool ensure(ast::DeclId decl);
  void declare(ast::DeclId decl, const ast::Declaration& declaration);
  Value read(ast::DeclId decl, Span span);
  Value read_field(ast::DeclId decl, Span span);
  std::optional<Quantity> quantity(ast::DeclId decl);
  void declare_param(ast::DeclId id, const ast::ParamDecl& decl, Span span);
  void declare_unknown(ast::DeclId id, const ast::UnknownDecl& decl, Span span);
  void declare_field(ast::DeclId id, const ast::FieldDecl& decl, Span span);
  void declare_let(ast::DeclId id, const ast::LetDecl& decl, Span span);
  void declare_functional(ast::DeclId id, const ast::Ident& name, ast::ExprId value, std::vector<model::Named>& into,
                          bool at_last_step);
  void declare_state(ast::DeclId id, const ast::StateDecl& decl, Span span);

  // statements.cpp
  std::optional<ast::DeclId> named(const ast::Ident& name);
  void check_fix(const ast::FixDecl& decl, Span span);
  void check_attach(const ast::AttachDecl& decl, Span span);
  void check_output(const ast::OutputDecl& decl, Span span);
  void check_show(const ast::ShowDecl& decl, Span span);
  void check_advance(const ast::AdvanceDecl& decl, Span span);
  void declare_time(ast::DeclId id, const ast::TimeDecl& decl, Span span);
  bool declared_here(ast::DeclId id) const { return tree_[id].module == tree_.main; }
  Value initial_value(ast::ExprId expr, const DeclaredType& type, const Value& set, std::string_view what);
  Value scalar_functional(ast::ExprId expr, std::string_view what);
  bool whole_set(const Value& set, std::string_view what);
  const Setting* setting(const std::string& name) const;
  void check_settings();

  // geometry.cpp
  void declare_geometry(ast::DeclId id, const ast::DomainDecl& decl, Span span);
  void declare_stencil(ast::DeclId id, const ast::StencilDecl& decl, Span span);
  void declare_pairs(ast::DeclId id, const ast::Ident& name, ast::ExprId value, ast::ExprId distance, bool neighbours,
                     Span span);
  bool source_box(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span);
  bool source_voxels(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span);
  bool source_file(const ast::Call& call, ast::DomainKind kind, model::Geometry& geometry, GeometryInfo& info, Span span);
  bool source_embed(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span);
  bool source_boundary(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span);
  bool source_other(const ast::Call& call, model::Geometry& geometry, GeometryInfo& info, Span span);
  GeometryId add_geometry(model::Geometry geometry, GeometryInfo info);
  GeometryId geometry_argument(ast::ExprId expr, std::string_view what);
  Value moving(ast::ExprId expr, std::string_view what, ExprId& position);

  // arguments.cpp: arguments of loaders and methods
  std::optional<std::string> text_argument(ast::ExprId expr, std::string_view what);
  std::optional<std::string> word_argument(ast::ExprId expr, std::string_view what);
  std::vector<model::Option> method(ast::ExprId expr, std::string& name, std::initializer_list<std::string_view> known);

  // learning.cpp
  void declare_frames(ast::DeclId id, const ast::FramesDecl& decl, Span span);
  void declare_data(ast::DeclId id, const ast::DataDecl& decl, Span span);
  void declare_latent(ast::DeclId id, const ast::LatentDecl& decl, Span span);
  void check_learn(const ast::LearnDecl& decl, Span span);

  // solves.cpp
  void check_solve(const ast::SolveDecl& decl, Span span);
  void split_terms(ExprId expr, bool negated, ExprId& energy, ExprId& work);
  void add_term(ExprId& sum, ExprId term, bool negated);
  int virtual_degree(ExprId expr);
  void order_solves();
  void check_solved();

  // axes.cpp
  void check_axes();
  const std::map<uint32_t, Span>& frames_of_unknown(model::UnknownId id);
  std::map<uint32_t, Span> frames_of(std::vector<ExprId> roots, Span span);

  struct Frame;  ///< saves names, place and owner while something else is checked
  friend struct Frame;

  const Tree tree_;
  DiagnosticSink& sink_;
  const CheckOptions& options_;
  model::Model model_;
  std::vector<uint32_t> depth_of_;  ///< longest path below each node of the Model
  std::vector<GeometryInfo> geometry_info_;
  std::unordered_map<uint32_t, ModuleNames> names_;  ///< by ModuleId
  std::vector<DeclInfo> info_;                       ///< by DeclId
  std::vector<ast::DeclId> active_;                  ///< being declared, outermost first
  std::vector<Binding> locals_;
  size_t scope_base_ = 0;  ///< locals before this belong to another function
  ast::ModuleId module_;
  Context context_;
  WeightOwner* owner_ = nullptr;
  std::vector<CallSite> calls_;
  std::set<std::tuple<int, uint32_t, uint32_t, uint32_t>> reported_;
  std::set<ast::DeclId> recursive_;  ///< functions in a circle that was reported
  std::map<uint32_t, Span> solved_;  ///< by UnknownId: where
  std::map<uint32_t, std::map<uint32_t, Span>> unknown_frames_;  ///< by UnknownId: the frames that it varies along
  Diagnostic silenced_;
  std::string step_size_name_;
  size_t work_ = 0;
  int depth_ = 0;
  uint32_t contexts_ = 0;
  uint32_t holes_ = 0;
  bool stopped_ = false;  ///< a limit was reached and reported
};

/// Saves what says where the checker is, and puts it back.
struct Checker::Frame {
  explicit Frame(Checker& checker)
      : c(checker),
        locals(c.locals_.size()),
        base(c.scope_base_),
        module(c.module_),
        context(c.context_),
        owner(c.owner_) {}
  ~Frame() {
    c.locals_.resize(locals);
    c.scope_base_ = base;
    c.module_ = module;
    c.context_ = std::move(context);
    c.owner_ = owner;
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  Checker& c;
  size_t locals;
  size_t base;
  ast::ModuleId module;
  Context context;
  WeightOwner* owner;
};

}  // namespace asb::sema
