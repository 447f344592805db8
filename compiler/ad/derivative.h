// Derivatives of the tensor SSA, as more SSA: forward and reverse accumulation, whole derivatives, and the kernels of
// an energy density. The rules are made of ops that have rules, so any order and any mixture can be taken. They work
// before expand; Scalar-stage ops have none.
//
// Kinks (numerics.md, Non-smooth): abs, min, max and select give the derivative of the branch taken, at equality of
// the first; sign, floor and comparisons are constant. sqrt, atan2, and pow below first order have derivative 0 at 0.
// The branch not taken poisons no derivative: see branch_conditions.h.
//
// Note [Minimisers]
// Envelope(R) marks a value R at which the expression around it is stationary in R. Its first derivative needs no dR:
// when a derivative of e is taken, everything between the Envelopes and e is repeated with Live(R) in place of
// Envelope(R), and these are held during that derivative. Later derivatives see Live and go through it. So
//   psi = mu/2 |F - R A|², R = Envelope(rotation(F A))
// gives P = mu (F - R A), and the second derivative takes one dR. With hold_minimisers Live is a constant too: that is
// the Hessian at fixed rotation.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/builder.h"

namespace asb::ad {

struct DerivativeOptions {
  bool hold_minimisers = false;  ///< Live is a constant
};

/// A value, and the tangent or cotangent (of its shape) that goes with it.
struct Seed {
  ir::ValueId value;
  ir::ValueId seed;
};

/// Tangents of `of`, given tangents of some values. These are independent variables: derivatives are cut there, and
/// what they were made from is held.
std::vector<ir::ValueId> push_forward(ir::Builder& builder, std::span<const Seed> tangents,
                                      std::span<const ir::ValueId> of, DerivativeOptions options = {});

/// Cotangents of `wrt`, given cotangents of some values. Everything in `wrt` is an independent variable.
std::vector<ir::ValueId> pull_back(ir::Builder& builder, std::span<const Seed> cotangents,
                                   std::span<const ir::ValueId> wrt, DerivativeOptions options = {});

/// ∂e/∂v of shape(e) ++ shape(v), whose rank may be at most kMaxRank: entry [i…, j…] = ∂e_i/∂v_j. A literal zero where
/// e doesn't depend on v. Reverse by rows or forward by columns, whichever is fewer.
ir::ValueId derivative(ir::Builder& builder, ir::ValueId e, ir::ValueId v, DerivativeOptions options = {});

/// The `i`-th basis tensor of a type, row major.
ir::ValueId basis(ir::Builder& builder, ir::Type type, int32_t i);

}  // namespace asb::ad
