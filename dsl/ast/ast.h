// The syntax tree: what a program says, before anything is known about names, types or units.
// The parser and the embedded C++ form make it; dsl/sema reads it. Nodes live in id stores, every
// kind is a small struct in a std::variant, so a pass that forgets a kind does not build.
// Grammar and meaning: docs/language.md. Trees are at most kMaxTreeHeight high: recursion is safe.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/span.h"
#include "dsl/source/source_files.h"

namespace asb::ast {

using ExprId = Id<struct ExprTag>;
using TypeId = Id<struct TypeTag>;
using DeclId = Id<struct DeclTag>;
using ModuleId = Id<struct ModuleTag>;

/// Brackets and blocks may be nested this deep.
constexpr int kMaxNesting = 256;
/// The longest path from an expression to a leaf; a chain `a + b + c + …` counts one per operator.
constexpr int kMaxTreeHeight = 512;

/// A name and where it was written. An absent name has no text.
struct Ident {
  std::string text;
  Span span;
  explicit operator bool() const { return !text.empty(); }
};

// ---- units and types ------------------------------------------------------------------------

struct UnitFactor {
  std::string name;  ///< as written: `mm`, `Pa`
  int exponent = 1;  ///< negative after `/`
  Span span;
};

/// `kg/m^3` is {kg, 1}, {m, -3}. No factors: no unit was written.
struct Unit {
  std::vector<UnitFactor> factors;
  Span span;
  explicit operator bool() const { return !factors.empty(); }
};

/// `real`, `real[n, 3]`, `vec3`, `sym3`, `int`, or a unit, which is a real with that unit.
struct Type {
  std::string name;           ///< "real", "int", "bool", "vec3", "mat3", …; empty if it is a unit
  Unit unit;                  ///< set if and only if `name` is empty
  std::vector<ExprId> sizes;  ///< in `[ ]`
  Span span;
};

// ---- expressions ----------------------------------------------------------------------------

enum class UnaryOp : uint8_t { Negate, Not };
enum class BinaryOp : uint8_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Equal,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
};
enum class ReductionKind : uint8_t { Integral, Mean, Sum, Min, Max };

/// Stands where the parser found an error and said so; later passes keep silent about it.
struct Missing {};

struct Number {
  double value = 0;
  bool is_integer = false;  ///< written without `.` and exponent, and exact in `value`
  Unit unit;                ///< `9.81 m/s^2`
};
struct Text {
  std::string value;
};  ///< `"neutral.obj"`, between the quotes, escapes resolved
struct Bool {
  bool value = false;
};
struct Name {
  std::string name;
};

/// `[a, b, c] m`: a vector, or by rows a matrix.
struct List {
  std::vector<ExprId> items;
  Unit unit;
};
/// `[body for index in begin..end]`, half-open, compile-time ends.
struct Comprehension {
  ExprId body;
  Ident index;
  ExprId begin, end;
  Unit unit;
};
/// `begin..end`, only as an index: `v[0..3]`.
struct Range {
  ExprId begin, end;
};

struct Unary {
  UnaryOp op;
  ExprId operand;
};
struct Binary {
  BinaryOp op;
  ExprId lhs, rhs;
  Span op_span;
};
struct Transpose {
  ExprId operand;
};  ///< `F'`

/// `x.z`, `X.xz`, `body.nodes`, `c.name` (of `use … as c`): which one is settled by the checker.
struct Member {
  ExprId base;
  Ident member;
};
/// `q[0..3]`, `z[2]`, `x[a]`, `M[i, j]`.
struct Index {
  ExprId base;
  std::vector<ExprId> items;
};

struct Argument {
  Ident label;  ///< `degree` of `degree: 4`; absent if positional
  ExprId value;
};
/// `norm(v)`, `modulated_siren(X, z, width: 64)`, `d(e, v)`, `virtual(u)`, `grad(u)`.
struct Call {
  Ident function;
  std::vector<Argument> arguments;
};
/// `body.nodes(order: 2)`, or `c.name(…)` of `use … as c`.
struct MemberCall {
  ExprId base;
  Ident member;
  std::vector<Argument> arguments;
};
/// `s => log(s)`, only as an argument.
struct Lambda {
  Ident parameter;
  ExprId body;
};

// Sets of entities: an expression that is narrowed. `S.nodes` is a Member, `S.nodes(order: 2)` a
// MemberCall.
struct Where {
  ExprId set, condition;
};  ///< `S where X.x < 1 mm`
struct Within {
  ExprId set, surface;
};  ///< `S within skull`
struct Tagged {
  ExprId set;
  std::string tag;
  Span tag_span;
};  ///< `S tag "biceps"`
struct At {
  ExprId set, position;
};  ///< `skin at x`

/// What `as` names: `as (a, b)` the corners or parts of an entity, `as c` the entity itself.
struct CornerNames {
  std::vector<Ident> names;
  bool is_tuple = false;  ///< written in parentheses
  explicit operator bool() const { return !names.empty(); }
};
/// `sum(near as (i, j) into i, …options) { body }`, `integral(D, degree: 4) { body }`.
struct Reduction {
  ReductionKind kind;
  ExprId domain;
  CornerNames corners;
  Ident into;
  std::vector<Argument> options;  ///< after the domain; labels always present
  ExprId body;
};
/// `sum(i in 0..n) { body }`.
struct IndexedReduction {
  ReductionKind kind;
  Ident index;
  ExprId begin, end;
  ExprId body;
};

/// `if c { a } else { b }`; `else if` is an If in `otherwise`.
struct If {
  ExprId condition, then, otherwise;
};
/// `repeat index in begin..end with carried = initial { body }`.
struct Repeat {
  Ident index;
  ExprId begin, end;
  Ident carried;
  ExprId initial;
  ExprId body;
};
/// `minimal R = value { body }`: the binder minimises the body.
struct Minimal {
  Ident binder;
  ExprId value;
  ExprId body;
};
/// `symmetric(s = value) { body }`.
struct Symmetric {
  Ident binder;
  ExprId value;
  ExprId body;
};

/// `let name: type = value` in a block.
struct LocalLet {
  Ident name;
  TypeId type;  ///< may be absent
  ExprId value;
};
/// `weight W: real[out, n] = initial`, in the block of a layer or network only.
struct LocalWeight {
  Ident name;
  TypeId type;
  ExprId initial;
};
struct Statement {
  std::variant<LocalLet, LocalWeight> kind;
  Span span;
};
/// `{ let …; value }`. Bodies of functions, reductions and so on are blocks when written so with
/// statements in them; a body without statements is just its value.
struct Block {
  std::vector<Statement> statements;
  ExprId value;
};

using ExprKind =
    std::variant<Missing, Number, Text, Bool, Name, List, Comprehension, Range, Unary, Binary,
                 Transpose, Member, Index, Call, MemberCall, Lambda, Where, Within, Tagged, At,
                 Reduction, IndexedReduction, If, Repeat, Minimal, Symmetric, Block>;
struct Expr {
  ExprKind kind;
  Span span;
};

// ---- declarations ---------------------------------------------------------------------------

/// `use a.b as c`.
struct UseDecl {
  std::vector<Ident> path;
  Ident alias;      ///< may be absent
  ModuleId module;  ///< set by the loader; absent if the module was not found
};

enum class FunctionKind : uint8_t { Function, Layer, Network };
struct Parameter {
  Ident name;
  TypeId type;
  ExprId initial;  ///< default value; may be absent
};
/// `fn`, `layer`, `network`: one form, three kinds.
struct FunctionDecl {
  FunctionKind kind = FunctionKind::Function;
  Ident name;
  std::vector<Parameter> parameters;
  TypeId result;
  ExprId body;
};

/// `param p: type on domain = value in [low, high]`.
struct ParamDecl {
  Ident name;
  TypeId type;
  ExprId domain;  ///< may be absent
  ExprId value;
  ExprId low, high;  ///< both or neither
};

enum class DomainKind : uint8_t { Mesh, Surface, Curve, Points, Particles, Grid };
/// `mesh m = box(…)`, `surface s = file("…")`, `curve`, `points`, `particles`, `grid`.
struct DomainDecl {
  DomainKind kind = DomainKind::Mesh;
  Ident name;
  ExprId value;
};
struct GroupDecl {
  Ident name;
  ExprId set;
};
/// `frames pose = files("…")`.
struct FramesDecl {
  Ident name;
  ExprId value;
};
/// `data q: type on domain per f = …`.
struct DataDecl {
  Ident name;
  TypeId type;
  ExprId domain;  ///< may be absent
  ExprId per;     ///< may be absent
  ExprId value;
};
/// `latent z: type per f = …`, `per 9`.
struct LatentDecl {
  Ident name;
  TypeId type;
  ExprId per;
  ExprId initial;
};
/// `field a: type = expr`, `field a at m.nodes: type = expr`.
struct FieldDecl {
  Ident name;
  ExprId at;  ///< may be absent
  TypeId type;
  ExprId value;
};
/// `unknown x: type on domain = initial`.
struct UnknownDecl {
  Ident name;
  TypeId type;
  ExprId domain;  ///< may be absent
  ExprId initial;
};
/// `let q: type on domain = expr`.
struct LetDecl {
  Ident name;
  TypeId type;    ///< may be absent
  ExprId domain;  ///< may be absent
  ExprId value;
};
/// `fix u.components on set = value over`.
struct FixDecl {
  Ident unknown;
  Ident components;  ///< `xz`; may be absent: all
  ExprId set;
  ExprId value;  ///< may be absent: the initial value is held
  bool is_over = false;
};
/// `attach points to target`.
struct AttachDecl {
  ExprId points;
  ExprId target;
};
/// `energy e = functional`.
struct EnergyDecl {
  Ident name;
  ExprId value;
};
/// `work w = functional of virtual(u)`.
struct WorkDecl {
  Ident name;
  ExprId value;
};
enum class SolveKind : uint8_t { Minimizing, Balancing, Stationary };
/// `solve x, p minimizing objective using newton(tol: …)`.
struct SolveDecl {
  std::vector<Ident> unknowns;
  SolveKind kind = SolveKind::Minimizing;
  ExprId objective;
  ExprId method;  ///< after `using`; may be absent
};
/// `time dt = 1 s / 60 for n steps`.
struct TimeDecl {
  Ident step_size;  ///< may be absent, with `size`
  ExprId size;
  ExprId steps;
};
/// `state v: type on D = initial`.
struct StateDecl {
  Ident name;
  TypeId type;
  ExprId domain;  ///< may be absent
  ExprId initial;
};
/// `advance v = expr`.
struct AdvanceDecl {
  Ident state;
  ExprId value;
};
struct StencilPart {
  Ident name;
  ExprId domain;
};
/// `stencil s of (a: D1, b: D2) = file(…)`.
struct StencilDecl {
  Ident name;
  std::vector<StencilPart> parts;
  ExprId value;
};
/// `pairs c = between(a at x, b) within d`.
struct PairsDecl {
  Ident name;
  ExprId value;
  ExprId distance;
};
/// `neighbours n = of(g at x) within d`.
struct NeighboursDecl {
  Ident name;
  ExprId value;
  ExprId distance;
};
/// `loss l = functional at last step`.
struct LossDecl {
  Ident name;
  ExprId value;
  bool at_last_step = false;
};
/// `learn stage: act, z minimizing l over f using adam(…)`.
struct LearnDecl {
  Ident stage;  ///< may be absent
  std::vector<Ident> what;
  ExprId objective;
  Ident over;     ///< may be absent
  ExprId method;  ///< after `using`
};
/// `output name = expr at last step`.
struct OutputDecl {
  Ident name;
  ExprId value;
  bool at_last_step = false;
};
/// `show name on D = expr`.
struct ShowDecl {
  Ident name;
  ExprId domain;
  ExprId value;
};
/// A declaration with an error in it: its name is known (or absent), so that its uses are not
/// reported as well.
struct BrokenDecl {
  Ident name;
  bool is_callable = false;
};

using DeclKind =
    std::variant<UseDecl, FunctionDecl, ParamDecl, DomainDecl, GroupDecl, FramesDecl, DataDecl,
                 LatentDecl, FieldDecl, UnknownDecl, LetDecl, FixDecl, AttachDecl, EnergyDecl,
                 WorkDecl, SolveDecl, TimeDecl, StateDecl, AdvanceDecl, StencilDecl, PairsDecl,
                 NeighboursDecl, LossDecl, LearnDecl, OutputDecl, ShowDecl, BrokenDecl>;
struct Declaration {
  DeclKind kind;
  Span span;
  std::string doc;  ///< the `///` lines above it, without the slashes, joined by newlines
  ModuleId module;
};

// ---- the whole ------------------------------------------------------------------------------

/// One file. Names of a module that is used come in unqualified, with `as` as `alias.name`.
struct Module {
  std::string name;  ///< "materials.neo_hookean"; the main program's is its file's stem
  uint32_t file = Span::kNoFile;
  std::string doc;  ///< the `///` lines that open the file, if no declaration owns them
  std::vector<DeclId> declarations;  ///< in the order written
};

/// A loaded program: the main module, all that it uses, and the prelude.
struct SyntaxTree {
  SourceFiles files;
  Store<ExprId, Expr> exprs;
  Store<TypeId, Type> types;
  Store<DeclId, Declaration> declarations;
  Store<ModuleId, Module> modules;
  std::vector<ModuleId> order;  ///< every module, each after those that it uses; main is last
  ModuleId main;
  ModuleId prelude;  ///< absent if there is none

  const Expr& operator[](ExprId id) const { return exprs[id]; }
  const Type& operator[](TypeId id) const { return types[id]; }
  const Declaration& operator[](DeclId id) const { return declarations[id]; }
  const Module& operator[](ModuleId id) const { return modules[id]; }
};

}  // namespace asb::ast
