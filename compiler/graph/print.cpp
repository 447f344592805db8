// The graph as text, one node a line.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "compiler/graph/graph.h"

namespace asb::graph {
namespace {

const char* name_of(Entities e) {
  switch (e) {
    case Entities::Single: return "single";
    case Entities::Nodes: return "nodes";
    case Entities::Cells: return "cells";
    case Entities::Quadrature: return "points";
    case Entities::Vertices: return "vertices";
    case Entities::Facets: return "facets";
    case Entities::Edges: return "edges";
    case Entities::Hinges: return "hinges";
    case Entities::Points: return "points";
    case Entities::Stencil: return "stencil";
    case Entities::Pairs: return "pairs";
    case Entities::Neighbours: return "neighbours";
    case Entities::Samples: return "samples";
  }
  return "?";
}

const char* name_of(LeafKind kind) {
  switch (kind) {
    case LeafKind::RestPosition: return "rest position";
    case LeafKind::RestNormal: return "rest normal";
    case LeafKind::Unknown: return "unknown";
    case LeafKind::Direction: return "direction";
    case LeafKind::Param: return "param";
    case LeafKind::Data: return "data";
    case LeafKind::Latent: return "latent";
    case LeafKind::Weight: return "weight";
    case LeafKind::State: return "state";
    case LeafKind::Previous: return "previous";
    case LeafKind::CellSize: return "cell size";
    case LeafKind::Step: return "step";
    case LeafKind::Steps: return "steps";
    case LeafKind::TimeStep: return "time step";
    case LeafKind::Measure: return "measure";
    case LeafKind::RestBox: return "rest box";
  }
  return "?";
}

const char* name_of(GatherKind kind) {
  switch (kind) {
    case GatherKind::Value: return "value";
    case GatherKind::Gradient: return "gradient";
    case GatherKind::Corner: return "corner";
    case GatherKind::Parent: return "parent";
  }
  return "?";
}

const char* name_of(Reduction r) {
  switch (r) {
    case Reduction::Integral: return "integral";
    case Reduction::MeanIntegral: return "mean by measure";
    case Reduction::Sum: return "sum";
    case Reduction::Mean: return "mean";
    case Reduction::Min: return "min";
    case Reduction::Max: return "max";
  }
  return "?";
}

std::string type_text(const ir::Type& type) {
  if (type.kind == ir::Kind::Bool) return "bool";
  std::string text = "real";
  for (int i = 0; i < type.rank; ++i) text += fmt::format("{}{}", i ? "," : "[", type.dims[i]);
  return text + (type.rank ? "]" : "");
}

std::string rate_text(ir::Rate rate) {
  std::string text;
  const std::pair<ir::Axis, const char*> axes[] = {{ir::kAxisMesh, "mesh"},   {ir::kAxisParams, "params"},
                                                   {ir::kAxisFrame, "frame"}, {ir::kAxisStep, "step"},
                                                   {ir::kAxisIteration, "iteration"}, {ir::kAxisDirection, "direction"}};
  for (const auto& [axis, name] : axes)
    if (rate & axis) text += (text.empty() ? "" : " ") + std::string(name);
  return text.empty() ? "fixed" : text;
}

}  // namespace

std::string print(const Graph& graph) {
  std::string out;
  for (uint32_t i = 0; i < graph.spaces.size(); ++i) {
    const Space& s = graph.spaces[SpaceId(i)];
    out += fmt::format("space {}: {}{}{}\n", i, name_of(s.entities), s.text.empty() ? "" : " of ", s.text);
  }
  for (uint32_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& n = graph.nodes[NodeId(i)];
    out += fmt::format("n{}: {} on {} = ", i, type_text(n.type), n.space.index);
    out += std::visit(
        Overloaded{[](const Leaf& l) { return fmt::format("leaf {} {}", name_of(l.kind), l.ref); },
                   [&](const Map& m) {
                     return fmt::format("map {}.{}", graph.functions[m.function].name, m.output);
                   },
                   [](const Gather& g) { return fmt::format("gather {} {}", name_of(g.kind), g.corner); },
                   [](const Scatter& g) { return fmt::format("scatter {} {}", name_of(g.kind), g.corner); },
                   [](const Reduce& r) { return fmt::format("reduce {}", name_of(r.kind)); },
                   [&](const Network& w) {
                     return w.pulled < 0 ? fmt::format("network {}", graph.functions[w.function].name)
                                         : fmt::format("pull back {} by {}", graph.functions[w.function].name, w.pulled);
                   },
                   [](const Adjoint& a) { return fmt::format("adjoint of solve {} unknown {}", a.solve.index, a.unknown); },
                   [](const Solve& s) { return fmt::format("solve {} unknown {}", s.solve.index, s.unknown); }},
        n.kind);
    for (const NodeId in : n.inputs) out += fmt::format(" n{}", in.index);
    out += fmt::format("   // {}; {}\n", n.name, rate_text(n.rate));
  }
  return out;
}

}  // namespace asb::graph
