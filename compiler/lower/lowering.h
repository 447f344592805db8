// The state of one lowering, shared by lower.cpp (expressions, declarations) and spaces.cpp (sets). Private to the folder.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "compiler/ir/builder.h"
#include "compiler/lower/lower.h"

namespace asb::lower {

using graph::kSingle;
using graph::NodeId;
using graph::SpaceId;

ir::Type ssa_type(const model::Type& type);

/// One SSA function being written at the entities of one space.
struct Context {
  SpaceId space;
  model::SolveId inside;  ///< the solve whose objective this is; none elsewhere
  ir::Function function;
  ir::Builder builder{function};
  std::unordered_map<uint32_t, ir::ValueId> values;   ///< by ExprId
  std::unordered_map<uint32_t, ir::ValueId> fields;   ///< by FieldId
  std::unordered_map<uint32_t, ir::ValueId> inputs;   ///< by NodeId
  std::vector<NodeId> nodes;                          ///< input i of the function
  std::vector<ir::ValueId> parameters;                ///< of the network whose body this is
  std::unordered_map<uint32_t, ir::ValueId> weights;  ///< by WeightId, in a network's body
  std::vector<model::WeightId> weight_order;
};

class Lowering {
 public:
  explicit Lowering(const model::Model& model) : model_(model) {}
  Result<plan::Plan> run();

 private:
  // lower.cpp
  Result<NodeId> node_of(model::ExprId expr, SpaceId space, model::SolveId inside);
  Result<ir::ValueId> value(Context& context, model::ExprId expr);
  Result<ir::ValueId> make_value(Context& context, const model::Expr& expr, model::ExprId id);
  Result<ir::ValueId> derivative(Context& context, const model::Expr& expr);
  Result<ir::ValueId> nodal_value(Context& context, NodeId nodal, graph::GatherKind kind, int32_t corner, Span span);
  Result<NodeId> nodal_node(const model::Expr& expr, model::SolveId inside);
  Result<NodeId> unknown_node(model::UnknownId id, model::SolveId inside, Span span);
  Result<NodeId> data_node(const model::Expr& expr);
  Result<NodeId> network_node(Context& context, const model::Expr& expr);
  Result<void> learning();
  bool reads_iterate(model::ExprId expr, model::SolveId inside);
  bool varies_with_entities(model::ExprId expr);
  ir::Rate solve_rate(const plan::Solve& solve) const;
  Result<NodeId> reduce_node(const model::Expr& expr, model::SolveId inside);
  ir::ValueId input(Context& context, NodeId node);
  NodeId leaf(graph::LeafKind kind, uint32_t ref, SpaceId space, ir::Type type, ir::Rate rate, std::string name);
  NodeId add(graph::Node node);
  Result<void> lower_solve(model::SolveId id);
  Result<void> declarations();
  Result<void> wanted();
  Result<void> positions();
  // network_slopes.cpp
  Result<ir::ValueId> total_derivative(Context& context, ir::ValueId of, ir::ValueId by, Span span);
  NodeId network_slope(NodeId node, int32_t k);
  const model::Expr* hidden_dependence(model::ExprId id, model::ExprId by, bool outside);
  // spaces.cpp
  Result<void> geometries();
  SpaceId intern(graph::Space space);
  Result<SpaceId> space_of(model::DomainId domain, bool by_points, int32_t degree, bool reads_values);
  SpaceId nodes_of_geometry(model::GeometryId geometry);
  SpaceId vertices_or_nodes(graph::GeometryId geometry);
  bool reads_values_of_unknowns(model::ExprId expr);

  const model::Model& model_;
  plan::Plan plan_;
  std::unordered_map<uint32_t, graph::GeometryId> geometry_;  ///< by model GeometryId
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, NodeId> nodes_;
  std::map<std::tuple<int, uint32_t, uint32_t>, NodeId> leaves_;
  std::map<std::tuple<uint32_t, uint32_t, int, int>, NodeId> gathers_;
  std::unordered_map<uint32_t, graph::SolveId> solves_;       ///< by model SolveId, those already lowered
  struct NetworkFunction { graph::FunctionId function; std::vector<model::WeightId> weights; };
  std::unordered_map<uint32_t, NetworkFunction> networks_;    ///< by NetworkId
  std::map<std::pair<uint32_t, std::vector<NodeId>>, NodeId> network_calls_;
  struct CalledNetwork { const model::Expr* call; bool is_slope; };
  std::unordered_map<uint32_t, CalledNetwork> called_;        ///< by NodeId of a Network
  std::map<std::pair<uint32_t, int32_t>, NodeId> slopes_;     ///< by NodeId of a Network, and argument
  std::map<std::tuple<uint32_t, uint32_t, bool>, const model::Expr*> hidden_;  ///< of hidden_dependence
  std::map<std::pair<uint32_t, uint32_t>, bool> reads_iterate_;                       ///< by ExprId and SolveId
  std::map<std::tuple<uint32_t, uint32_t, int, uint32_t>, NodeId> reduces_;
  std::unordered_map<uint32_t, bool> varies_;                 ///< by ExprId
};

/// An Error for what the language has and the compiler not yet.
tl::unexpected<Error> not_yet(std::string what, Span span);

}  // namespace asb::lower
