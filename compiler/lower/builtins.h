// Functions and operators of the language as ops: the only place where a Builtin meets an Op.
#pragma once

#include <span>

#include "compiler/ir/builder.h"
#include "dsl/model/model.h"

namespace asb::lower {

/// Appends the value of `builtin` of `args`. Shapes were checked by dsl/sema. A symmetric matrix is a full matrix here.
/// `type` is the result's.
ir::ValueId lower_builtin(ir::Builder& b, model::Builtin builtin, std::span<const ir::ValueId> args,
                          const ir::Type& type);

}  // namespace asb::lower
