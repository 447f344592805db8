// Builder: appends instructions to a Function, inferring types and simplifying locally (simplify.h). Used by lowering,
// by the derivative rules and by every pass; because it folds, derivative code comes out without its structural zeros.
#pragma once

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "compiler/ir/function.h"

namespace asb::ir {

/// Type of an instruction from its operands; an Error if the shape rule of its op is broken. For leaves, Reshape,
/// Slice and Pad it checks the type that the instruction carries. The builder and the verifier both ask here.
[[nodiscard]] Result<Type> infer_type(const Function& function, const Inst& inst);

/// What a builder does beyond appending. Leaves are made once in any case.
enum class Rules : uint8_t {
  None = 0,
  Simplify = 1,  ///< the local rules of simplify.h
  Share = 2,     ///< gives an equal older instruction back; puts the operands of commutative ops in order
  Both = 3,
};

/// Appends to one function, which it doesn't own. Ids stay valid. Broken shapes are an invariant of ours (ASB_CHECK):
/// what a user writes has been checked before.
///
/// A call may give back an operand or an older value instead of a new instruction: see simplify.h for the rules and
/// for what they do to NaN, signed zeros and rounding. Copy, Envelope and Live are neither simplified
/// away nor shared: each is a place of its own to differentiate at.
class Builder {
 public:
  explicit Builder(Function& function, Rules rules = Rules::Simplify);

  Function& function() { return function_; }
  const Function& function() const { return function_; }
  const Inst& operator[](ValueId id) const { return function_[id]; }
  Type type(ValueId id) const { return function_[id].type; }  ///< by value: the next instruction moves the others

  /// Source place given to the instructions that follow.
  void set_span(Span span) { span_ = span; }
  Span span() const { return span_; }

  /// The general door. `given` is read for leaves, Reshape, Slice and Pad only.
  ValueId make(Op op, std::vector<ValueId> args, Type given = {}, int32_t index = 0, int32_t extra = 0,
               double number = 0);
  /// Repeats an instruction on other operands (same op, index, extra, number; a leaf, Reshape, Slice or Pad keeps its
  /// type). The span is that of the instruction.
  ValueId remake(const Inst& inst, std::vector<ValueId> args);

  // What is known of a value
  bool is_constant(ValueId id) const { return function_[id].op == Op::Constant; }
  bool is_constant(ValueId id, double number) const;
  bool is_zero(ValueId id) const { return is_constant(id, 0.0); }  ///< a literal 0 in every entry (of either sign)
  bool is_one(ValueId id) const { return is_constant(id, 1.0); }
  bool is_identity(ValueId id) const { return function_[id].op == Op::Identity; }

  // Leaves; each is made once per function
  ValueId constant(double number, Type type = Type::scalar());
  ValueId boolean(bool value) { return constant(value ? 1.0 : 0.0, Type::boolean()); }
  ValueId zero(Type type = Type::scalar()) { return constant(0.0, type); }
  ValueId zero_like(ValueId a) { return zero(type(a)); }
  ValueId identity(int32_t n);
  ValueId input(int32_t index);                        ///< tensor stage: the whole argument
  ValueId input_entry(int32_t index, int32_t entry);   ///< scalar stage: one entry of it
  ValueId add_input(std::string name, Type type, Rate rate);  ///< declares an argument; tensor stage gives its value
  void add_output(std::string name, ValueId value);           ///< tensor stage
  void add_output(std::string name, Type type, std::vector<ValueId> entries);

  // Elementwise
  ValueId copy(ValueId a) { return make(Op::Copy, {a}); }
  ValueId envelope(ValueId a) { return make(Op::Envelope, {a}); }
  ValueId live(ValueId a) { return make(Op::Live, {a}); }
  ValueId neg(ValueId a) { return make(Op::Neg, {a}); }
  ValueId add(ValueId a, ValueId b) { return make(Op::Add, {a, b}); }
  ValueId sub(ValueId a, ValueId b) { return make(Op::Sub, {a, b}); }
  ValueId mul(ValueId a, ValueId b) { return make(Op::Mul, {a, b}); }
  ValueId div(ValueId a, ValueId b) { return make(Op::Div, {a, b}); }
  ValueId fma(ValueId a, ValueId b, ValueId c) { return make(Op::Fma, {a, b, c}); }
  ValueId sqrt(ValueId a) { return make(Op::Sqrt, {a}); }
  ValueId exp(ValueId a) { return make(Op::Exp, {a}); }
  ValueId log(ValueId a) { return make(Op::Log, {a}); }
  ValueId sin(ValueId a) { return make(Op::Sin, {a}); }
  ValueId cos(ValueId a) { return make(Op::Cos, {a}); }
  ValueId tan(ValueId a) { return make(Op::Tan, {a}); }
  ValueId tanh(ValueId a) { return make(Op::Tanh, {a}); }
  ValueId atan2(ValueId y, ValueId x) { return make(Op::Atan2, {y, x}); }
  ValueId pow(ValueId a, ValueId b) { return make(Op::Pow, {a, b}); }
  ValueId abs(ValueId a) { return make(Op::Abs, {a}); }
  ValueId sign(ValueId a) { return make(Op::Sign, {a}); }
  ValueId min(ValueId a, ValueId b) { return make(Op::Min, {a, b}); }
  ValueId max(ValueId a, ValueId b) { return make(Op::Max, {a, b}); }
  ValueId floor(ValueId a) { return make(Op::Floor, {a}); }
  ValueId scale(double factor, ValueId a) { return mul(constant(factor), a); }
  ValueId broadcast(ValueId scalar, Type type);  ///< the scalar in every entry (zero(type) + scalar)

  // Choices
  ValueId less(ValueId a, ValueId b) { return make(Op::Less, {a, b}); }
  ValueId less_equal(ValueId a, ValueId b) { return make(Op::LessEqual, {a, b}); }
  ValueId equal(ValueId a, ValueId b) { return make(Op::Equal, {a, b}); }
  ValueId both(ValueId a, ValueId b) { return make(Op::And, {a, b}); }
  ValueId either(ValueId a, ValueId b) { return make(Op::Or, {a, b}); }
  ValueId negate(ValueId a) { return make(Op::Not, {a}); }
  ValueId select(ValueId condition, ValueId yes, ValueId no) { return make(Op::Select, {condition, yes, no}); }

  // Structure
  ValueId stack(std::vector<ValueId> rows) { return make(Op::Stack, std::move(rows)); }
  ValueId stack(std::vector<ValueId> scalars, Type type);  ///< entries, row major, into any shape
  ValueId extract(ValueId a, int32_t i) { return make(Op::Extract, {a}, {}, i); }
  ValueId entry(ValueId a, std::initializer_list<int32_t> indices);  ///< a[i][j]…
  ValueId insert(ValueId a, int32_t i, int32_t n) { return make(Op::Insert, {a}, {}, i, n); }
  ValueId slice(ValueId a, int32_t first, int32_t count);
  ValueId pad(ValueId a, int32_t first, int32_t total);
  ValueId concat(std::vector<ValueId> parts) { return make(Op::Concat, std::move(parts)); }
  ValueId reshape(ValueId a, Type type) { return make(Op::Reshape, {a}, type); }
  ValueId transpose(ValueId a) { return make(Op::Transpose, {a}); }
  ValueId rotate(ValueId a, int32_t axes) { return make(Op::Rotate, {a}, {}, axes); }
  ValueId sum(ValueId a) { return make(Op::Sum, {a}); }
  ValueId inner(ValueId a, ValueId b) { return make(Op::Inner, {a, b}); }
  ValueId outer(ValueId a, ValueId b) { return make(Op::Outer, {a, b}); }
  ValueId matmul(ValueId a, ValueId b) { return make(Op::MatMul, {a, b}); }
  ValueId trace(ValueId a) { return inner(identity(type(a).dims[0]), a); }

  // Small matrices
  ValueId det(ValueId a) { return make(Op::Det, {a}); }
  ValueId cofactor(ValueId a) { return make(Op::Cofactor, {a}); }
  ValueId tensor_cross(ValueId a, ValueId b) { return make(Op::TensorCross, {a, b}); }
  ValueId rotation(ValueId a) { return make(Op::Rotation, {a}); }

  // Scalar stage
  ValueId exponent(ValueId a) { return make(Op::Exponent, {a}); }
  ValueId mantissa(ValueId a) { return make(Op::Mantissa, {a}); }
  ValueId scale_by_power_of_2(ValueId a, ValueId b) { return make(Op::ScaleByPowerOf2, {a, b}); }
  ValueId round(ValueId a) { return make(Op::Round, {a}); }
  ValueId iterate(Function body, std::vector<ValueId> args, int32_t cap);

 private:
  ValueId* find(const Inst& inst);
  void grow();

  Function& function_;
  std::vector<ValueId> table_;  ///< open addressing over the instructions that are shared; size a power of two
  size_t used_ = 0;
  Span span_;
  Rules rules_;
};

}  // namespace asb::ir
