// The Model: a checked program. Names are resolved, functions and layers are inlined at their calls, compile-time
// numbers are evaluated, types, units, domains and axes are checked. The compiler reads this and nothing before it.
// Made by dsl/sema. Plain data: stores and ids.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/span.h"

namespace asb::model {

// ---------------------------------------------------------------------------------------------- types

/// Dimension of a quantity: exponents of m, kg, s, A, K, mol, cd in twelfths (sqrt(m) is 6), or free: anything.
struct Unit {
  std::array<int16_t, 7> exponents = {};
  bool free = false;
  bool operator==(const Unit&) const = default;
};

enum class TypeKind : uint8_t { Real, Sym, Int, Bool };

/// Real: a tensor of shape dims. Sym: symmetric dims[0]×dims[0], stored as its upper triangle by rows.
struct Type {
  TypeKind kind = TypeKind::Real;
  std::vector<int32_t> dims = {};
  Unit unit = {};
};

// ---------------------------------------------------------------------------------------------- ids

struct ExprTag {};
struct DomainTag {};
struct GeometryTag {};
struct ParamTag {};
struct UnknownTag {};
struct FieldTag {};
struct NodalTag {};
struct DataTag {};
struct LatentTag {};
struct NetworkTag {};
struct WeightTag {};
struct FramesTag {};
struct StateTag {};
struct SolveTag {};
using ExprId = Id<ExprTag>;
using DomainId = Id<DomainTag>;
using GeometryId = Id<GeometryTag>;
using ParamId = Id<ParamTag>;
using UnknownId = Id<UnknownTag>;
using FieldId = Id<FieldTag>;
using NodalId = Id<NodalTag>;
using DataId = Id<DataTag>;
using LatentId = Id<LatentTag>;
using NetworkId = Id<NetworkTag>;
using WeightId = Id<WeightTag>;
using FramesId = Id<FramesTag>;
using StateId = Id<StateTag>;
using SolveId = Id<SolveTag>;

// ---------------------------------------------------------------------------------------------- expressions

/// A function or operator of the language that isn't expressed by others; one row each in builtins.def
/// (surface name, argument shapes, unit rule). The compiler maps each to ops.
constexpr int kVariadic = -1;
enum class Builtin : uint8_t {
#define ASB_BUILTIN(name, ...) name,
#include "dsl/sema/builtins.def"
#undef ASB_BUILTIN
};

enum class ExprKind : uint8_t {
  Number,        ///< `number` in SI, in every entry of the type
  Identity,      ///< `I` of the type's size
  Param,         ///< ParamId(ref)
  Unknown,       ///< UnknownId(ref): at the entity, by what language.md's table says
  Field,         ///< FieldId(ref): its expression in this context; a name that d() cuts at
  Nodal,         ///< NodalId(ref): `let q: T on D`
  Data,          ///< DataId(ref); args[0], if any: the frame index of q[i]
  Latent,        ///< LatentId(ref); args[0], if any: the index of z[i]
  State,         ///< StateId(ref)
  Weight,        ///< WeightId(ref)
  Parameter,     ///< inside a network's body: argument number ref
  Let,           ///< args[0] under a name: identity, and d() cuts here. Never shared between two names
  RestPosition,  ///< `X`
  RestNormal,    ///< `N`
  Gradient,      ///< grad(args[0]); args[0] is Unknown, Nodal, Data, Param or State on nodes
  DeformedNormal,  ///< normal(args[0])
  Virtual,       ///< virtual(args[0])
  Previous,      ///< previous(args[0], index)
  At,            ///< args[0][corner]: value at corner number `index` of the entity's tuple
  CellMean,      ///< cell_mean(args[0])
  CellSize,      ///< m.cell_size of GeometryId(ref)
  Call,          ///< builtin(args…)
  Stack,         ///< [args…]: n values of one shape → [n] ++ shape
  Pick,          ///< components: entries `indices` of axis 0 of args[0]; one index drops the axis if `drop`
  Select,        ///< if args[0] { args[1] } else { args[2] }
  Derivative,    ///< d(args[0], args[1]); args[1] is Let, Param, Field, Unknown, Parameter, Latent, RestPosition…
  Minimal,       ///< minimal R = args[0] { args[1] }; args[1] reads the minimiser as Minimiser(args[0])
  Minimiser,     ///< args[0], held by first derivatives (the envelope)
  Spectral,      ///< f of a symmetric matrix: args[0] matrix, args[1] body over Parameter-like Hole
  Principal,     ///< symmetric(s = principal(args[0])) { args[1] }, args[1] over Hole (a vector)
  Hole,          ///< the bound name of the Spectral or Principal with the same `ref`; args empty
  NetworkCall,   ///< NetworkId(ref)(args…)
  Reduce,        ///< reduction of args[0] over `domain`
  Step,          ///< `step`
  Steps,         ///< `steps`
  TimeStep,      ///< `dt`
  RestBox,       ///< the rest box of GeometryId(ref): its centre (index 0, vec3), half its longest side (index 1)
  Gap,           ///< gap(c, args[0]): signed distance of the two sides of a pair
};

enum class Reduction : uint8_t { Integral, Mean, Sum, Min, Max };

struct Expr {
  ExprKind kind = ExprKind::Number;
  Type type = {};
  Span span = {};
  std::vector<ExprId> args = {};
  double number = 0;
  uint32_t ref = 0;               ///< an id's index, by kind
  Builtin builtin = {};
  std::vector<int32_t> indices = {};   ///< Pick
  bool drop = false;              ///< Pick
  int32_t index = 0;              ///< At, Previous
  std::string name = {};               ///< Let, Minimiser: for messages
  Reduction reduction = Reduction::Integral;
  DomainId domain = {};                ///< Reduce
  bool by_measure = false;        ///< Reduce: over the mesh, surface or curve itself, weighted by the rest measure
  int32_t degree = -1;            ///< Reduce: quadrature degree, or -1: chosen by the rule
  int32_t into = -1;              ///< Reduce: corner number that terms are added to, or -1: one total
};

// ---------------------------------------------------------------------------------------------- domains

enum class DomainKind : uint8_t { Cells, Facets, Edges, Nodes, Vertices, Hinges, Points, Stencil, Pairs, Neighbours, Samples };

/// One narrowing of a set: exactly one member is set.
struct Narrowing {
  ExprId where = {};                  ///< bool, evaluated at the entity
  GeometryId within = {};             ///< lies inside this closed surface at rest
  std::optional<std::string> tag = {};
};

struct Domain {
  DomainKind kind = DomainKind::Cells;
  GeometryId of = {};
  int32_t order = 1;                    ///< of nodes
  std::vector<Narrowing> narrowings = {};    ///< all hold
  DomainId nodes_of = {};                    ///< set: the nodes of this set of cells or facets, then narrowed
  std::vector<std::string> corners = {};     ///< names of `as (a, b, …)`; empty if none
  int32_t samples = 0;                  ///< of Samples
  std::string text = {};                     ///< as written, for messages
  Span span = {};
};

// ---------------------------------------------------------------------------------------------- geometry

enum class GeometryKind : uint8_t { Mesh, Surface, Curve, Points, Stencil, Pairs, Neighbours, Particles, Grid };

struct BoxSource {
  std::array<double, 3> size = {};     ///< [m]
  std::array<int32_t, 3> cells = {};
  std::string element = {};                 ///< "hex8", "tet4", "tet10"
};
struct VoxelSource {
  GeometryId surface = {};
  int32_t cells = 0;                   ///< along the longest side
  std::string rule = "touch";          ///< or "centre"
  bool split = false;
  std::string element = "hex8";        ///< or "tet4": every cube as six tets
};
struct FileSource { std::string path; };
struct EmbedSource { GeometryId surface, in; };
struct BoundarySource { GeometryId mesh; };
/// Parsed and checked, not yet modelled in full: stencils, pairs, neighbours, particles, grids, polylines, samples.
struct OtherSource {
  std::string what = {};
  std::vector<std::pair<std::string, ExprId>> arguments = {};
  std::vector<std::pair<std::string, GeometryId>> geometries = {};
};

struct Geometry {
  std::string name = {};
  GeometryKind kind = GeometryKind::Mesh;
  std::variant<BoxSource, VoxelSource, FileSource, EmbedSource, BoundarySource, OtherSource> source = {};
  double unit = 1;       ///< metres per unit of the file
  bool has_unit = false;
  Span span = {};
};

// ---------------------------------------------------------------------------------------------- declarations

struct Param {
  std::string name = {};
  Type type = {};
  DomainId domain = {};        ///< per entity, or none
  ExprId initial = {};
  ExprId lo = {}, hi = {};          ///< none if unbounded
  Span span = {};
};

struct Unknown {
  std::string name = {};
  Type type = {};
  DomainId domain = {};        ///< none: a handful of numbers
  ExprId initial = {};
  Span span = {};
};

struct Fix {
  UnknownId unknown = {};
  std::vector<int32_t> components = {};  ///< empty: all
  DomainId domain = {};
  ExprId value = {};                     ///< none: holds the initial value
  bool over = false;
  Span span = {};
};

struct Attach { DomainId points; ExprId to; ExprId stiffness; Span span; };

/// `field a = expr`; at_nodes: evaluated at these nodes and interpolated.
struct Field { std::string name; Type type; ExprId body; DomainId at_nodes; Span span; };

/// `let q: T on D = expr`, a derived nodal quantity. Lets without a domain are Let expressions.
struct Nodal { std::string name; Type type; DomainId domain; ExprId body; Span span; };

/// Energies, works, losses and named scalar lets: expressions that others refer to by a Let of this name.
/// `body` is that Let.
struct Named { std::string name; ExprId body; Span span; bool at_last_step = false; };

enum class SolveKind : uint8_t { Minimise, Balance, Stationary };

struct Option { std::string name; ExprId value; std::string word; };  ///< `tol: 1e-8` or a bare word

struct Solve {
  std::vector<UnknownId> unknowns = {};
  SolveKind kind = SolveKind::Minimise;
  ExprId objective = {};                 ///< a sum of energies; none if only works
  ExprId work = {};                      ///< linear in virtual(u); none if only energies
  std::string method = {};               ///< empty: chosen
  std::vector<Option> options = {};
  Span span = {};
};

struct Output { std::string name; ExprId body; bool at_last_step = false; Span span; };
struct Show { std::string name; DomainId domain; ExprId body; Span span; };

// ---------------------------------------------------------------------------------------------- frames, learning

struct Frames { std::string name; std::string pattern; int32_t count = 0; Span span; };  ///< files(pattern), or a count

struct Data {
  std::string name = {};
  Type type = {};
  DomainId domain = {};             ///< none: one value (a frame)
  FramesId per = {};
  std::string loader = {};          ///< "file", "positions"; how the array is made
  std::string path = {};
  ExprId value = {};                ///< when given by an expression instead
  Span span = {};
};

/// zero, constant(a), uniform(a, b), gaussian(deviation a)
struct Initial { std::string kind = "zero"; double a = 0, b = 0; };

struct Latent {
  std::string name = {};
  Type type = {};
  FramesId per = {};
  int32_t count = 0;           ///< `per 9`
  Initial initial = {};
  Span span = {};
};

/// One weight tensor of a network (or of a layer called outside one).
struct Weight { std::string path; Type type; Initial initial; NetworkId network; Span span; };

struct Network {
  std::string name = {};
  std::vector<std::string> parameters = {};
  std::vector<Type> parameter_types = {};
  ExprId body = {};                 ///< over Parameter and Weight
  std::vector<WeightId> weights = {};
  Span span = {};
};

struct Learn {
  std::string name = {};
  std::vector<std::variant<ParamId, LatentId, NetworkId, WeightId, UnknownId>> learned = {};
  ExprId objective = {};
  FramesId over = {};
  std::string optimiser = {};       ///< "adam", "lbfgs"
  std::vector<Option> options = {};  ///< rate, steps, batch…; cosine(a, b) is a Call in value
  Span span = {};
};

struct Time { ExprId dt; int32_t steps = 0; Span span; };
struct State { std::string name; Type type; DomainId domain; ExprId initial; Span span; };
struct Advance { StateId state; ExprId value; Span span; };

// ---------------------------------------------------------------------------------------------- the model

struct Model {
  std::string name;                       ///< of the program: its file's stem
  std::string documentation;
  Store<ExprId, Expr> exprs;
  Store<DomainId, Domain> domains;
  Store<GeometryId, Geometry> geometries;
  Store<ParamId, Param> params;
  Store<UnknownId, Unknown> unknowns;
  std::vector<Fix> fixes;
  std::vector<Attach> attaches;
  Store<FieldId, Field> fields;
  Store<NodalId, Nodal> nodals;
  std::vector<Named> energies, works, losses, lets;
  Store<SolveId, Solve> solves;           ///< in dependency order
  std::vector<Output> outputs;
  std::vector<Show> shows;
  Store<FramesId, Frames> frames;
  Store<DataId, Data> data;
  Store<LatentId, Latent> latents;
  Store<NetworkId, Network> networks;
  Store<WeightId, Weight> weights;
  std::vector<Learn> learns;
  std::optional<Time> time;
  Store<StateId, State> states;
  std::vector<Advance> advances;
};

}  // namespace asb::model
