// The plan: all that the runtime needs of a program, as plain data. Made by compiler/plan from Model and graph.
// Kernels are numbered through Plan::kernels; spaces, nodes and functions are those of the graph.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "compiler/graph/graph.h"
#include "compiler/plan/kernel.h"

namespace asb::plan {

using graph::GeometryId;
using graph::NodeId;
using graph::SolveId;
using graph::SpaceId;
using graph::UnknownId;

using KernelId = Id<struct KernelTag>;

// ------------------------------------------------------------------------------------------------ what is given

struct Box { std::array<double, 3> size = {}; std::array<int32_t, 3> cells = {}; std::string element; };
struct Voxels { GeometryId surface; int32_t cells = 0; std::string rule; bool split = false; std::string element = "hex8"; };
struct File { std::string path; };
struct Embed { GeometryId surface, in; };
struct Boundary { GeometryId mesh; };

/// A mesh or surface of the program. In order: sources come before what is made of them.
struct Geometry {
  std::string name;
  bool is_mesh = true;
  std::variant<Box, Voxels, File, Embed, Boundary> source;
  double unit = 1;                       ///< metres per unit of the file
  std::vector<GeometryId> embedded;      ///< Voxels: surfaces whose vertices must lie in cells
  Span span;
};

struct Param {
  std::string name, unit;    ///< unit as spelled
  ir::Type type;
  NodeId initial;            ///< Single
  NodeId lo, hi;             ///< none if unbounded
  bool is_symmetric = false;  ///< type is the packed upper triangle
};

struct Unknown {
  std::string name, unit;
  ir::Type type;
  SpaceId space;             ///< all nodes of a mesh, or Single
  NodeId initial;            ///< at that space
};

/// Holds components of an unknown on a set of nodes.
struct Fix {
  UnknownId unknown;
  std::vector<int32_t> components;  ///< empty: all
  SpaceId on;
  NodeId value;                     ///< on `on`; none: the initial value is held
  bool over = false;
  Span span;
};

// ------------------------------------------------------------------------------------------------ solves

/// What a form's kernel reads: a local variable, the direction of one, an operand (a value that is fixed during the solve:
/// uniform or per entity), or a number that `linearise` kept.
enum class ArgKind : uint8_t { Local, Direction, Operand, Linearised };
struct Arg { ArgKind kind; int32_t index = 0; };

/// A kernel and what it is called with.
struct BoundKernel {
  KernelId kernel;
  std::vector<Arg> inputs;
  explicit operator bool() const { return static_cast<bool>(kernel); }
};

/// Where a local variable of a form comes from: y = B u.
struct Local {
  int32_t unknown = 0;     ///< number within the solve
  graph::GatherKind kind = graph::GatherKind::Value;
  int32_t corner = 0;
  ir::Type type;
  int32_t first = 0;       ///< its first entry among the n local numbers of the form
};

/// unknowns → gather B → density psi(y; operands) → weighted sum. psi is per unit measure (Integral, MeanIntegral) or per
/// entity (Sum, Mean); the coefficient multiplies energy, gradient and Hessian. n = n_local.
struct Form {
  std::string name;
  graph::Reduction reduction = graph::Reduction::Integral;
  SpaceId space;
  NodeId coefficient;                 ///< Single; none: 1
  std::vector<Local> locals;
  int32_t n_local = 0;
  std::vector<NodeId> operands;       ///< evaluated before the solve; on Single or on `space`
  BoundKernel energy;                 ///< out: psi
  BoundKernel gradient;               ///< out: psi, dpsi/dy [n]
  BoundKernel hessian;                ///< out: psi, dpsi/dy [n], upper triangle by rows of d²psi/dy² [n(n+1)/2]; none if linear
  BoundKernel linearise;              ///< out: the numbers kept while products are taken; none if there are none
  std::vector<int32_t> linearised;    ///< entries of each output of `linearise`, all per entity
  BoundKernel product;                ///< out: d²psi/dy² dy [n]; none if linear
  bool is_linear = false;             ///< Hessian identically zero
  bool is_quadratic = false;          ///< Hessian doesn't depend on the unknowns
  /// With minimisers held, d²psi/dy² = C ⊗ I over the components of the unknown, and C doesn't depend on the unknowns. Reads
  /// operands only; out: C, 3×3 by rows for one Gradient local, 1 for one Value local. None if psi has not this structure.
  BoundKernel scalar_stiffness;
  int32_t determinant_of = -1;        ///< number of the local (a 3×3 gradient) whose determinant must stay positive; -1: none
  bool has_minimiser = false;
  Span span;
};

struct Solve {
  std::string name;                    ///< its unknowns, for messages
  std::vector<UnknownId> unknowns;
  std::vector<Form> forms;
  NodeId objective;                    ///< the same as a graph, over Leaf Unknown: oracle of the forms
  NodeId graph_gradient, graph_product;  ///< its gradient, and Hessian times Leaf Direction, by the graph's chain rule alone; with CompileOptions::gradients
  std::string method;                  ///< "", newton, newton_cg, projective, lbfgs
  double tolerance = -1;               ///< -1: the command's default
  bool relative_to_start = false;
  int32_t max_iterations = -1;
  Span span;
};

// ------------------------------------------------------------------------------------------------ what is wanted

/// value · scale in `unit`; a loss is an output that is averaged over frames too.
struct Output { std::string name, unit; double scale = 1; NodeId node; Span span; bool is_loss = false; };
struct Show {
  std::string name, unit;
  double scale = 1;
  NodeId node;              ///< on Quadrature (written as the cell's mean), Nodes or Vertices
  ir::Type type;
  Span span;
};

/// Where the points of a mesh or surface are at the end: vec3 on all its nodes or vertices.
struct Position { GeometryId geometry; NodeId node; };

// ------------------------------------------------------------------------------------------------ frames and learning

struct Frames { std::string name, pattern; int32_t count = 0; Span span; };  ///< files(pattern) in byte order, or a count

/// An array from files: `positions` reads the vertices of each frame's surface, `file` an array.
struct Data {
  std::string name, loader, path;
  ir::Type type;
  SpaceId space;               ///< Single, or all vertices or nodes of a geometry
  int32_t frames = -1;         ///< number in Plan::frames, or -1: the same in all
  NodeId value;                ///< given by an expression instead
  double unit = 1;             ///< metres (or other SI) per unit of the file
  Span span;
};

/// zero, constant(a), uniform(a, b), gaussian(deviation a)
struct Initial { std::string kind = "zero"; double a = 0, b = 0; };

struct Latent { std::string name; ir::Type type; int32_t frames = -1; int32_t count = 0; Initial initial; Span span; };
struct Weight { std::string path; ir::Type type; Initial initial; std::string network; Span span; };

enum class LearnedKind : uint8_t { Param, Latent, Weight };

/// One array that a stage learns, and where its gradient comes from.
struct Learned {
  LearnedKind kind = LearnedKind::Weight;
  uint32_t ref = 0;
  NodeId leaf;       ///< on Single; of the current frame for a latent
  NodeId gradient;   ///< of the stage's objective; none if it doesn't depend on it
};

/// A value over learning steps: constant, or a cosine or a straight line from `first` to `last`.
struct Schedule { std::string kind = "constant"; double first = 1e-3, last = 1e-3; };

struct Learn {
  std::string name;
  std::vector<Learned> learned;
  NodeId objective;                       ///< scalar, of the current frame
  std::vector<std::pair<std::string, NodeId>> parts;  ///< the losses in it, by name
  int32_t over = -1;                      ///< number in Plan::frames; -1: no frames
  std::string optimiser = "adam";
  Schedule rate;
  int32_t steps = 100, batch = 0;         ///< batch 0: all frames
  Span span;
};

/// Derivatives that `asb grad` checks: of one scalar by everything that can be learned or set.
struct Gradients {
  std::string of;
  NodeId value;
  std::vector<Learned> by;
};

/// Kernel of each Map node's function: kernels_of_function[FunctionId].
struct Plan {
  std::string name, documentation;
  graph::Graph graph;
  std::vector<KernelPlan> kernels;
  std::vector<KernelId> kernel_of_function;
  std::vector<Geometry> geometries;
  std::vector<Param> params;
  std::vector<Unknown> unknowns;
  std::vector<Fix> fixes;
  std::vector<Solve> solves;            ///< in dependency order; only those that something reads
  std::vector<Output> outputs;
  std::vector<Show> shows;
  std::vector<Position> positions;      ///< meshes that an unknown starting at X moves, and what is embedded in them
  std::vector<Frames> frames;
  std::vector<Data> data;
  std::vector<Latent> latents;
  std::vector<Weight> weights;
  std::vector<Learn> learns;
  std::vector<Gradients> gradients;
  std::vector<std::string> notes;       ///< what was left out, and why
};

}  // namespace asb::plan
