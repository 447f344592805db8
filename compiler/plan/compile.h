// Model → plan: the whole compiler behind one function.
#pragma once

#include "base/result.h"
#include "compiler/passes/pipeline.h"
#include "compiler/plan/plan.h"
#include "dsl/model/model.h"

namespace asb {

struct CompileOptions {
  bool gradients = false;  ///< also Plan::gradients: of every scalar output, loss and `learn` objective by every param, latent and weight
  bool learning = false;  ///< also the gradients of `learn` stages and their kernels
  /// Sees every kernel after every pass: (kernel's name, pass, function). May be empty.
  std::function<void(const std::string&, std::string_view, const ir::Function&)> observer;
};

/// Lowers, finds forms, derives and optimises all kernels. Errors: "not-yet" with a place in the program.
[[nodiscard]] Result<plan::Plan> compile(const model::Model& model, const CompileOptions& options = {});

}  // namespace asb
