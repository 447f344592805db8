// What an expression of the Model reads, through fields, derived quantities and sets. Private to the folder.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "base/span.h"
#include "dsl/model/model.h"

namespace asb::sema {

struct Reach {
  std::map<uint32_t, Span> unknowns;  ///< by UnknownId: where one is read first
  std::map<uint32_t, Span> frames;    ///< by FramesId: read without an index
  bool has_virtual = false;
};

/// Values of earlier steps (`previous`) are not followed: they are no part of this step's equations.
Reach reach(const model::Model& model, const std::vector<model::ExprId>& roots);

/// Calls `f(ExprId&)` for every expression that something outside the expressions refers to.
template <class F>
void for_each_root(model::Model& model, F f) {
  const auto options = [&](std::vector<model::Option>& list) {
    for (model::Option& option : list) f(option.value);
  };
  for (model::Domain& domain : model.domains)
    for (model::Narrowing& narrowing : domain.narrowings) f(narrowing.where);
  for (model::Geometry& geometry : model.geometries)
    if (auto* other = std::get_if<model::OtherSource>(&geometry.source))
      for (auto& [label, expr] : other->arguments) f(expr);
  for (model::Param& param : model.params) f(param.initial), f(param.lo), f(param.hi);
  for (model::Unknown& unknown : model.unknowns) f(unknown.initial);
  for (model::Fix& fix : model.fixes) f(fix.value);
  for (model::Attach& attach : model.attaches) f(attach.to), f(attach.stiffness);
  for (model::Field& field : model.fields) f(field.body);
  for (model::Nodal& nodal : model.nodals) f(nodal.body);
  for (auto* list : {&model.energies, &model.works, &model.losses, &model.lets})
    for (model::Named& named : *list) f(named.body);
  for (model::Solve& solve : model.solves) f(solve.objective), f(solve.work), options(solve.options);
  for (model::Output& output : model.outputs) f(output.body);
  for (model::Show& show : model.shows) f(show.body);
  for (model::Data& data : model.data) f(data.value);
  for (model::Network& network : model.networks) f(network.body);
  for (model::Learn& learn : model.learns) f(learn.objective), options(learn.options);
  if (model.time) f(model.time->dt);
  for (model::State& state : model.states) f(state.initial);
  for (model::Advance& advance : model.advances) f(advance.value);
}

}  // namespace asb::sema
