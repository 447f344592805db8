// The graph of array programs: what is computed where, with six kinds of node over leaves. Made from the Model by
// compiler/lower, differentiated by compiler/graph, executed by runtime/execute. Plain data: runtime reads it too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/span.h"
#include "compiler/ir/function.h"

namespace asb::graph {

using NodeId = Id<struct NodeTag>;
using SpaceId = Id<struct SpaceTag>;
using GeometryId = Id<struct GraphGeometryTag>;  ///< index into Plan::geometries
using FunctionId = Id<struct GraphFunctionTag>;
using UnknownId = Id<struct GraphUnknownTag>;
using SolveId = Id<struct GraphSolveTag>;

// ------------------------------------------------------------------------------------------------ spaces

enum class Entities : uint8_t {
  Single,      ///< one value, the same everywhere
  Nodes,       ///< of a mesh
  Cells,       ///< of a mesh, at their centroid
  Quadrature,  ///< points of the cells of a mesh
  Vertices,    ///< of a surface or curve
  Facets,      ///< of a surface (or boundary of a mesh), at their quadrature point or as corner tuples
  Edges, Hinges, Points, Stencil, Pairs, Neighbours, Samples,
};

/// One condition on a set; exactly one is set. `where` is a Map node on the same entities without narrowing.
struct Narrowing {
  NodeId where;
  GeometryId within;
  std::string tag;
  bool operator==(const Narrowing&) const = default;
};

/// A set of entities at which values stand. Two equal sets are one space.
struct Space {
  Entities entities = Entities::Single;
  GeometryId geometry;
  int32_t degree = -1;   ///< Quadrature: exact polynomial degree on simplices; Gauss points a direction on hexes is degree/2 + 1 rounded up; see quadrature_rule
  bool reads_values = false;  ///< Quadrature with degree -1: the integrand reads values of unknowns, not only gradients
  std::vector<Narrowing> narrowings;
  SpaceId nodes_of;      ///< Nodes: only the nodes of this set of cells or facets
  std::string text;      ///< as written, for messages
  Span span;
};

// ------------------------------------------------------------------------------------------------ nodes

enum class LeafKind : uint8_t {
  RestPosition,  ///< X of the nodes or vertices of `space`'s geometry: vec3 [m]
  RestNormal,    ///< unit outward facet normals
  Unknown,       ///< the running iterate of UnknownId(ref) inside its own solve; space: all nodes of its mesh, or Single
  Direction,     ///< a vector like UnknownId(ref), of a Hessian-vector product
  Param,         ///< Plan::params[ref]
  Data,          ///< Plan::data[ref], of the current frame
  Latent,        ///< Plan::latents[ref], of the current frame, or of frame extra - 1 if extra > 0
  Weight,        ///< Plan::weights[ref]
  State,         ///< Plan::states[ref]
  Previous,      ///< value of UnknownId(ref) `extra` steps ago
  CellSize, Step, Steps, TimeStep,
  Measure,       ///< weight of each entity of space(ref) in Reduction(extra): rest measure, 1, or their mean's
  RestBox,       ///< of geometry(ref) at rest: real[2,3], lower and upper corner [m]
};

/// A value that is given.
struct Leaf { LeafKind kind; uint32_t ref = 0; int32_t extra = 0; };

/// A kernel at every entity of the space: functions[function].outputs[output] of the inputs, which stand on the same space
/// or on Single. Input i of the function is inputs[i].
struct Map { FunctionId function; int32_t output = 0; };

enum class GatherKind : uint8_t {
  Value,     ///< by shape functions, through the embedding, or as it is (same entities, a subset)
  Gradient,  ///< spatial derivative of the interpolated value: shape s → s ++ [3]
  Corner,    ///< value at corner number `corner` of the entity
  Parent,    ///< value of the cell that holds the entity
};
/// inputs[0] on the nodes (or cells) of one geometry, seen at the entities of `space`. Linear, sparse.
struct Gather { GatherKind kind; int32_t corner = 0; };

/// The transpose of that Gather: values at the entities of inputs[0]'s space are added to the nodes of `space`.
struct Scatter { GatherKind kind; int32_t corner = 0; };

enum class Reduction : uint8_t { Integral, MeanIntegral, Sum, Mean, Min, Max };
/// inputs[0] over its space → Single, in fixed order. Integral weighs by the rest measure.
struct Reduce { Reduction kind; };

/// A network at every entity: functions[function] of the inputs, too large for a kernel, evaluated in batches. With pulled >= 0:
/// the cotangent of its input number `pulled`; the last of the node's inputs is then the cotangent of its value.
struct Network { FunctionId function; int32_t pulled = -1; };

/// The value at equilibrium of unknown number `unknown` of solves[solve].
struct Solve { SolveId solve; int32_t unknown = 0; };

/// w = H⁻¹ bar at that equilibrium, bar = inputs[0] on the unknown's nodes; H exact, w zero at held values.
struct Adjoint { SolveId solve; int32_t unknown = 0; };

struct Node {
  std::variant<Leaf, Map, Gather, Scatter, Reduce, Network, Solve, Adjoint> kind;
  SpaceId space;
  ir::Type type;            ///< of one entity
  ir::Rate rate = 0;        ///< axes that it varies along
  std::vector<NodeId> inputs;
  std::string name;         ///< for messages and dumps
  Span span;
};

struct Graph {
  Store<SpaceId, Space> spaces;   ///< spaces[0] is Single
  Store<NodeId, Node> nodes;      ///< in order of evaluation, but for Solve, which reads through Plan::solves
  Store<FunctionId, ir::Function> functions;
};

constexpr SpaceId kSingle = SpaceId(0);

/// Readable text for `asb build --emit=graph`.
std::string print(const Graph& graph);

}  // namespace asb::graph
