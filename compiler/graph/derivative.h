// Derivatives of graphs: the chain rule between nodes, the rules of compiler/ad inside maps. The result is more graph, so
// Hessian-vector products are a tangent of a gradient, and nothing else is needed.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "base/result.h"
#include "compiler/graph/graph.h"
#include "compiler/plan/plan.h"

namespace asb::graph {

/// A node and the node of its tangent or cotangent.
using Seeds = std::map<NodeId, NodeId>;

/// Tangent of `of`, given tangents of some nodes (independent: what they were made from is held). None where it is zero.
/// Linear nodes are repeated on tangents; a Map's tangent is a Map. Errors "not-yet": Min and Max, networks, solves.
[[nodiscard]] Result<NodeId> push_forward(Graph& graph, const Seeds& tangents, NodeId of);

/// Cotangents of `wrt`, given cotangents of some nodes. The transpose of a Gather is a Scatter, of a Sum a broadcast, of a
/// broadcast a sum. None in the result where nothing depends on it.
[[nodiscard]] Result<std::vector<NodeId>> pull_back(Graph& graph, const Seeds& cotangents, std::span<const NodeId> wrt);

/// The same through networks and solves: the cotangent of a solution x is one linear solve w = H⁻¹ bar, and what its objective E
/// reads receives the pull back of -wᵀ dE/dx: one reverse pass for everything at once. Held values receive bar - H w.
[[nodiscard]] Result<std::vector<NodeId>> pull_back(plan::Plan& plan, const Seeds& cotangents, std::span<const NodeId> wrt);

/// The Leaf that stands for the running iterate of an unknown; none if no objective reads it.
[[nodiscard]] NodeId iterate_of(const Graph& graph, uint32_t unknown);

/// A Map without inputs: the number, of this type, on Single.
[[nodiscard]] NodeId constant(Graph& graph, double number, const ir::Type& type);

/// Gradient of a scalar node on Single by `wrt`: pull_back of 1.
[[nodiscard]] Result<NodeId> gradient(Graph& graph, NodeId scalar, NodeId wrt);

/// A copy of what leads to `of`, with nodes replaced. Nodes that lead to none of them are shared.
[[nodiscard]] NodeId replace(Graph& graph, NodeId of, const Seeds& replaced);

}  // namespace asb::graph
