// The SSA: one function computes small dense tensors at one entity from other tensors there. Instructions stand in
// order of evaluation, an operand before its use; nothing is mutated. See ops.def for the ops, docs/architecture.md
// for the passes. Two stages: tensors (derivatives are taken here) and, after expand, scalars (backends read this).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/span.h"

namespace asb::ir {

constexpr int kVariadic = -1;
constexpr int kMaxRank = 6;        ///< d(d(e, F), F) of a 3×3 by two 3×3 has rank 6
constexpr int kExpandLimit = 81;   ///< tensors of more entries stay loops

enum class Op : uint8_t {
#define ASB_OP(name, text, arity, shape, stage, smooth, meaning) name,
#include "compiler/ir/ops.def"
#undef ASB_OP
};

struct OpInfo {
  const char* name;   ///< "MatMul"
  const char* text;   ///< "matmul", as printed
  int arity;          ///< or kVariadic
  const char* shape;
  const char* stage;
  const char* smooth;
  const char* meaning;
};
const OpInfo& info(Op op);
std::span<const Op> all_ops();

enum class Kind : uint8_t { Real, Bool };

/// Shape of a value. Rank 0 is a scalar.
struct Type {
  Kind kind = Kind::Real;
  uint8_t rank = 0;
  std::array<int32_t, kMaxRank> dims = {};

  static Type scalar() { return {}; }
  static Type boolean() { return {Kind::Bool, 0, {}}; }
  static Type vector(int32_t n) { return {Kind::Real, 1, {n}}; }
  static Type matrix(int32_t rows, int32_t columns) { return {Kind::Real, 2, {rows, columns}}; }
  static Type real(std::span<const int32_t> dims);
  int32_t entries() const {
    int32_t n = 1;
    for (int i = 0; i < rank; ++i) n *= dims[i];
    return n;
  }
  bool is_scalar() const { return rank == 0; }
  bool operator==(const Type&) const = default;
};

struct ValueTag {};
using ValueId = Id<ValueTag>;

/// index and extra mean what ops.def says for the op; number is the value of a Constant.
struct Inst {
  Op op = Op::Constant;
  Type type;
  std::vector<ValueId> args;
  double number = 0;
  int32_t index = 0;
  int32_t extra = 0;
  Span span;  ///< the source that it came from, for checked runs
};

/// What an argument or a value varies with; the rate of a value is the union over what it reads.
/// A pass may hoist a value to the outermost loop in which all its axes are fixed.
enum Axis : uint8_t {
  kAxisMesh = 1,       ///< differs from entity to entity (else: uniform over the launch)
  kAxisParams = 2,     ///< params, weights, latents
  kAxisFrame = 4,
  kAxisStep = 8,
  kAxisIteration = 16,  ///< unknowns of the running solve
  kAxisDirection = 32,  ///< the vector of a Hessian-vector product
};
using Rate = uint8_t;

struct Input {
  std::string name;
  Type type;
  Rate rate = 0;
  bool per_entity() const { return rate & kAxisMesh; }
};

/// Tensor stage: values = {one tensor}. Scalar stage: values = its entries, row major.
struct Output {
  std::string name;
  Type type;
  std::vector<ValueId> values;
};

/// One kernel body.
///
/// Iterate (scalar stage): the first operand is the initial carried value, the others are captured. bodies[index] has
/// one scalar input per operand in the same order and two outputs: the next carried value and `stop` (bool):
///   repeat { (carried, stop) = body(carried, captured…) } until stop holds in this lane or `extra` rounds were run.
/// A lane that has stopped keeps its value while others go on, so a result doesn't depend on its neighbours.
struct Function {
  std::string name;
  std::vector<Input> inputs;
  std::vector<Inst> insts;
  std::vector<Output> outputs;
  std::vector<Function> bodies;
  bool expanded = false;

  const Inst& operator[](ValueId id) const { return insts[id.index]; }
  Inst& operator[](ValueId id) { return insts[id.index]; }
};

}  // namespace asb::ir
