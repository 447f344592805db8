// What forward and reverse accumulation share: slopes of entrywise ops, the linear map of `rotation`, choices, and the
// repetition of a slice with its minimisers held. Internal to compiler/ad.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "compiler/ir/builder.h"

namespace asb::ad {

/// ∂v/∂(operand k) of an entrywise op with value v = instruction `id`, entry by entry: of v's shape or a scalar.
/// None (id 0xff…) where it is identically zero.
ir::ValueId partial(ir::Builder& builder, ir::ValueId id, size_t k);

/// The derivative of R = rotation(M) along `direction`: of its shape, linear in it, and its own transpose.
ir::ValueId rotation_map(ir::Builder& builder, ir::ValueId M, ir::ValueId R, ir::ValueId direction);

/// An instruction that hands on one of two operands: select, and min and max of scalars.
struct Choice {
  ir::ValueId condition;  ///< yes where it holds
  ir::ValueId yes, no;
};
std::optional<Choice> choice_of(ir::Builder& builder, ir::ValueId id);

/// Ops through which no derivative flows.
bool is_flat(ir::Op op);

/// Note [Minimisers]: the same values, computed with Live in place of Envelope.
struct Held {
  std::vector<ir::ValueId> image;  ///< of each old instruction; itself where nothing changed
  std::vector<bool> is_held;       ///< of each instruction of the function now: a Live made here
};
/// Repeats what lies between Envelopes and `ends`, without going through `cuts`.
Held hold_minimisers(ir::Builder& builder, std::span<const ir::ValueId> ends, std::span<const ir::ValueId> cuts);

/// Sets the builder's span while it lives.
class SpanScope {
 public:
  SpanScope(ir::Builder& builder, Span span) : builder_(builder), outer_(builder.span()) { builder.set_span(span); }
  ~SpanScope() { builder_.set_span(outer_); }
  SpanScope(const SpanScope&) = delete;
  SpanScope& operator=(const SpanScope&) = delete;

 private:
  ir::Builder& builder_;
  Span outer_;
};

}  // namespace asb::ad
