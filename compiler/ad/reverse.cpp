// Reverse accumulation: one rule per op, cotangent of the value → cotangents of the operands.
#include "compiler/ad/branch_conditions.h"
#include "compiler/ad/derivative.h"
#include "compiler/ad/rules.h"

namespace asb::ad {
namespace {

using ir::Builder;
using ir::Inst;
using ir::Op;
using ir::Type;
using ir::ValueId;

class Reverse {
 public:
  Reverse(Builder& builder, const std::vector<bool>& is_held, DerivativeOptions options)
      : b(builder), is_held_(is_held), options_(options), branches_(builder), cotangent_(is_held.size()) {}

  std::vector<ValueId> run(std::span<const Seed> seeds, std::span<const ValueId> wrt) {
    find_active(wrt);
    find_branches(seeds, wrt);
    for (const Seed& s : seeds) {
      ASB_CHECK(b.type(s.value) == b.type(s.seed), "a cotangent has the shape of its value");
      accumulate(s.value, s.seed);
    }
    for (size_t i = cotangent_.size(); i-- > 0;) {
      if (!cotangent_[i] || !is_active_[i] || is_wrt_[i] || used_in_[i].empty()) continue;
      const Inst inst = b[id(i)];  // a copy: appending moves instructions
      const SpanScope scope(b, inst.span);
      current_ = id(i);
      rule(id(i), inst, cotangent_[i]);
    }
    std::vector<ValueId> result;
    for (ValueId v : wrt) result.push_back(cotangent_[v.index] ? cotangent_[v.index] : b.zero_like(v));
    return result;
  }

 private:
  static ValueId id(size_t i) { return ValueId(static_cast<uint32_t>(i)); }

  bool is_held(size_t i) const {
    const Op op = b[id(i)].op;
    return is_flat(op) || is_held_[i] || (op == Op::Live && options_.hold_minimisers);
  }

  /// Active: its value depends on `wrt` by a way that derivatives take.
  void find_active(std::span<const ValueId> wrt) {
    is_active_.assign(cotangent_.size(), false);
    is_wrt_.assign(cotangent_.size(), false);
    for (ValueId v : wrt) is_wrt_[v.index] = is_active_[v.index] = true;
    for (size_t i = 0; i < cotangent_.size(); ++i) {
      if (is_active_[i] || b[id(i)].args.empty()) continue;
      bool reached = false;
      for (ValueId arg : b[id(i)].args) reached |= is_active_[arg.index];
      is_active_[i] = reached && !is_held(i);
    }
  }

  /// Note [Dead branches]: the branches in which each active instruction is used.
  void find_branches(std::span<const Seed> seeds, std::span<const ValueId> wrt) {
    used_in_.assign(cotangent_.size(), {});
    for (const Seed& s : seeds) used_in_[s.value.index] = BranchConditions::always();
    for (size_t i = cotangent_.size(); i-- > 0;) {
      if (!is_active_[i] || is_wrt_[i] || used_in_[i].empty()) continue;
      if (const auto c = choice_of(b, id(i))) {
        if (is_active_[c->yes.index])
          branches_.unite(used_in_[c->yes.index], branches_.within(used_in_[i], c->condition, true));
        if (is_active_[c->no.index])
          branches_.unite(used_in_[c->no.index], branches_.within(used_in_[i], c->condition, false));
        continue;
      }
      for (ValueId arg : b[id(i)].args)
        if (is_active_[arg.index]) branches_.unite(used_in_[arg.index], used_in_[i]);
    }
    for (ValueId v : wrt) used_in_[v.index] = BranchConditions::always();
  }

  void accumulate(ValueId v, ValueId cotangent) {
    ASB_CHECK(b.type(v) == b.type(cotangent), "a cotangent has the shape of its value");
    ValueId& sum = cotangent_[v.index];
    if (!b.is_zero(cotangent)) sum = sum ? b.add(sum, cotangent) : cotangent;
  }

  /// Adds to the cotangent of an operand of the current instruction.
  void give(ValueId operand, ValueId cotangent) {
    const auto &here = used_in_[current_.index], &there = used_in_[operand.index];
    if (here != there && !BranchConditions::is_always(here) && !b.is_zero(cotangent))
      cotangent = b.select(branches_.value_of(here), cotangent, b.zero_like(cotangent));
    accumulate(operand, cotangent);
  }

  bool wants(ValueId operand) const { return is_active_[operand.index]; }

  void choice(const Choice& c, ValueId g) {
    const ValueId zero = b.zero_like(g);
    const auto& here = used_in_[current_.index];
    for (const bool side : {true, false}) {
      const ValueId operand = side ? c.yes : c.no;
      if (!wants(operand)) continue;
      const ValueId chosen = side ? b.select(c.condition, g, zero) : b.select(c.condition, zero, g);
      if (used_in_[operand.index] == branches_.within(here, c.condition, side)) accumulate(operand, chosen);
      else give(operand, chosen);
    }
  }

  /// x̄_k += ∂v/∂x_k ∘ g, summed where x_k was broadcast
  void entrywise(ValueId v, const Inst& inst, ValueId g) {
    for (size_t k = 0; k < inst.args.size(); ++k) {
      const ValueId x = inst.args[k];
      if (!wants(x)) continue;
      const ValueId p = partial(b, v, k);
      if (!p) continue;
      const bool is_broadcast = b.type(x).is_scalar() && !inst.type.is_scalar();
      if (!is_broadcast) give(x, b.mul(p, g));
      else if (b.type(p).is_scalar()) give(x, b.mul(p, b.sum(g)));
      else give(x, b.inner(p, g));
    }
  }

  ValueId as_matrix(ValueId v, int32_t rows, int32_t columns) { return b.reshape(v, Type::matrix(rows, columns)); }

  // v = a b over the last axis of a and the first of b: ā = g b', b̄ = a' g, all as matrices
  void matmul(const Inst& inst, ValueId g) {
    const ValueId x = inst.args[0], y = inst.args[1];
    const Type tx = b.type(x), ty = b.type(y);
    const int32_t k = ty.dims[0], rows = tx.entries() / k, columns = ty.entries() / k;
    const bool is_column = ty.rank == 1;  // y is a vector
    if (wants(x)) {
      ValueId bar;
      if (is_column) bar = tx.rank == 1 ? b.mul(g, y) : b.outer(g, y);
      else bar = b.matmul(as_matrix(g, rows, columns), b.transpose(as_matrix(y, k, columns)));
      give(x, b.reshape(bar, tx));
    }
    if (wants(y)) {
      ValueId bar;
      if (tx.rank == 1) bar = is_column ? b.mul(g, x) : b.outer(x, g);
      else if (is_column) bar = b.matmul(b.reshape(g, Type::vector(rows)), as_matrix(x, rows, k));
      else bar = b.matmul(b.transpose(as_matrix(x, rows, k)), as_matrix(g, rows, columns));
      give(y, b.reshape(bar, ty));
    }
  }

  // v = a ⊗ b: ā = g b, b̄ = a g
  void outer(const Inst& inst, ValueId g) {
    const ValueId x = inst.args[0], y = inst.args[1];
    const Type tx = b.type(x), ty = b.type(y);
    const int32_t m = tx.entries(), n = ty.entries();
    const ValueId G = as_matrix(g, m, n);
    if (wants(x)) give(x, b.reshape(b.matmul(G, b.reshape(y, Type::vector(n))), tx));
    if (wants(y)) give(y, b.reshape(b.matmul(b.reshape(x, Type::vector(m)), G), ty));
  }

  void joined(const Inst& inst, ValueId g) {
    int32_t first = 0;
    for (ValueId x : inst.args) {
      const int32_t count = inst.op == Op::Stack ? 1 : b.type(x).dims[0];
      if (wants(x)) give(x, inst.op == Op::Stack ? b.extract(g, first) : b.slice(g, first, count));
      first += count;
    }
  }

  void rule(ValueId v, const Inst& inst, ValueId g) {
    const ValueId x = inst.args[0], y = inst.args.size() > 1 ? inst.args[1] : ValueId();
    switch (inst.op) {
      case Op::Copy: case Op::Live: case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Sqrt:
      case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow:
      case Op::Abs:
        return entrywise(v, inst, g);
      case Op::Min:
      case Op::Max:
      case Op::Select:
        if (const auto c = choice_of(b, v)) return choice(*c, g);
        return entrywise(v, inst, g);
      case Op::Stack:
      case Op::Concat:
        return joined(inst, g);
      case Op::Extract:
        return give(x, b.insert(g, inst.index, b.type(x).dims[0]));
      case Op::Insert:
        return give(x, b.extract(g, inst.index));
      case Op::Slice:
        return give(x, b.pad(g, inst.index, b.type(x).dims[0]));
      case Op::Pad:
        return give(x, b.slice(g, inst.index, b.type(x).dims[0]));
      case Op::Reshape:
        return give(x, b.reshape(g, b.type(x)));
      case Op::Transpose:
        return give(x, b.transpose(g));
      case Op::Rotate:
        return give(x, b.rotate(g, inst.type.rank - inst.index));
      case Op::Sum:
        return give(x, b.type(x).is_scalar() ? g : b.broadcast(g, b.type(x)));
      case Op::Inner:
        if (wants(x)) give(x, b.mul(g, y));
        if (wants(y)) give(y, b.mul(g, x));
        return;
      case Op::Outer:
        return outer(inst, g);
      case Op::MatMul:
        return matmul(inst, g);
      case Op::Det:
        return give(x, b.mul(g, b.cofactor(x)));
      case Op::Cofactor:  // M × · is its own transpose, and so is cof of a 2×2
        if (inst.type.dims[0] == 3) give(x, b.tensor_cross(x, g));
        if (inst.type.dims[0] == 2) give(x, b.cofactor(g));
        return;
      case Op::TensorCross:  // inner(G, A×B) is symmetric in all three
        if (wants(x)) give(x, b.tensor_cross(g, y));
        if (wants(y)) give(y, b.tensor_cross(g, x));
        return;
      case Op::Rotation:
        return give(x, rotation_map(b, x, v, g));
      case Op::Constant: case Op::Identity: case Op::Input: case Op::Envelope: case Op::Sign: case Op::Floor:
      case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not:
        return;  // flat: never active
      case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round: case Op::Iterate:
        break;
    }
    ASB_UNREACHABLE("derivatives are taken before expand");
  }

  Builder& b;
  const std::vector<bool>& is_held_;
  DerivativeOptions options_;
  BranchConditions branches_;
  std::vector<ValueId> cotangent_;  ///< none: zero
  std::vector<bool> is_active_, is_wrt_;
  std::vector<BranchConditions::Set> used_in_;
  ValueId current_;
};

}  // namespace

std::vector<ValueId> pull_back(Builder& builder, std::span<const Seed> cotangents, std::span<const ValueId> wrt,
                               DerivativeOptions options) {
  std::vector<ValueId> ends;
  for (const Seed& s : cotangents) ends.push_back(s.value);
  const Held held = hold_minimisers(builder, ends, wrt);
  std::vector<Seed> seeds;
  for (const Seed& s : cotangents) seeds.push_back({held.image[s.value.index], s.seed});
  return Reverse(builder, held.is_held, options).run(seeds, wrt);
}

}  // namespace asb::ad
