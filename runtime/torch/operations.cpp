// See operations.h. Values and slopes as ops.def says, also at kinks and singular points, where LibTorch's own rules
// differ: abs at 0 has slope +1, min and max take the first, sqrt, pow and atan2 have slope 0 where theirs isn't finite.
//
// Note [Guarded slopes]
// The side of a `select` that isn't taken gets the cotangent 0; autograd multiplies it by slopes that may be infinite
// there, and 0·inf = NaN would reach what both sides share. So in a function that chooses, an op upstream of a choice
// keeps a cotangent of zero at zero: one hook sees the cotangent of its value, another mends those of its operands.
#include "runtime/torch/operations.h"

#include <cmath>
#include <memory>

#include "base/check.h"

namespace asb::networks {
namespace {

using at::Tensor;
using ir::Inst;
using ir::Op;
using ir::Type;

class Apply {
 public:
  explicit Apply(const Application& a) : a_(a), inst_(a.function[a.id]) {
    for (const Value& v : a.operands) batched_ |= v.batched;
  }

  Value run() { return {tensor_of(), batched_}; }

 private:
  const Type& type(size_t k) const { return a_.function[inst_.args[k]].type; }
  at::TensorOptions options() const { return at::TensorOptions(a_.precision); }
  std::vector<int64_t> shape() const { return shape_of(inst_.type, batched_, a_.n); }
  int64_t first_axis() const { return batched_ ? 1 : 0; }
  const Tensor& raw(size_t k) const { return a_.operands[k].tensor; }
  bool is_constant(size_t k) const { return a_.function[inst_.args[k]].op == Op::Constant; }

  /// Operand k so that it broadcasts to the shape of the value: [n] becomes [n, 1, …].
  Tensor arg(size_t k) const {
    const Value& v = a_.operands[k];
    if (!v.batched || !type(k).is_scalar() || inst_.type.is_scalar()) return v.tensor;
    std::vector<int64_t> dims(static_cast<size_t>(inst_.type.rank) + 1, 1);
    dims[0] = a_.n;
    return v.tensor.reshape(dims);
  }

  /// Operand k with the entity in front if the value has it.
  Tensor spread(size_t k) const {
    const Value& v = a_.operands[k];
    return batched_ && !v.batched ? v.tensor.expand(shape_of(type(k), true, a_.n)) : v.tensor;
  }

  /// Operand k as [entries] or [n, entries].
  Tensor flat(size_t k) const {
    const int64_t entries = type(k).entries();
    return a_.operands[k].batched ? raw(k).reshape({a_.n, entries}) : raw(k).reshape({entries});
  }

  Tensor number(double x) const { return at::scalar_tensor(x, options()); }

  /// f(operands), with Note [Guarded slopes].
  template <class F>
  Tensor guarded(F f) const {
    std::vector<Tensor> x;
    for (size_t k = 0; k < a_.operands.size(); ++k) x.push_back(arg(k));
    if (!a_.is_guarded || !at::GradMode::is_enabled()) return f(x);
    const auto unused = std::make_shared<Tensor>();  // where the cotangent of the value is zero
    for (Tensor& t : x) {
      if (!t.requires_grad()) continue;
      t = t.expand(shape());
      t.register_hook([unused](const Tensor& g) { return unused->defined() ? g.masked_fill(*unused, 0) : g; });
    }
    Tensor v = f(x);
    if (v.requires_grad()) v.register_hook([unused](const Tensor& g) { *unused = g.eq(0); });
    return v;
  }

  static Tensor sqrt(const Tensor& x) {
    const Tensor zero = x.eq(0);
    return at::where(zero, at::zeros_like(x), x.masked_fill(zero, 1).sqrt());
  }

  // d a^c = c a^(c-1) da, 0 at a = 0 where c < 1 isn't whole
  static Tensor power(const Tensor& a, double c) {
    if (c >= 1 || c == std::floor(c)) return a.pow(c);
    const Tensor zero = a.eq(0);
    return at::where(zero, at::full_like(a, std::pow(0.0, c)), a.masked_fill(zero, 1).pow(c));
  }
  static Tensor power(const Tensor& a, const Tensor& c) {
    const Tensor singular = a.eq(0).logical_and(c.lt(1));
    const Tensor v = at::where(singular, a.pow(c).detach(), a.masked_fill(singular, 1).pow(c));
    return v.masked_fill(a.lt(0), std::nan(""));
  }

  // In (-pi, pi] whatever the sign of zeros; value and slopes 0 at (0, 0).
  static Tensor angle(Tensor y, Tensor x) {
    y = y + 0.0;  // -0 + 0 = +0
    x = x + 0.0;
    const Tensor origin = y.eq(0).logical_and(x.eq(0));
    return at::atan2(y.masked_fill(origin, 0), x.masked_fill(origin, 1));
  }

  Tensor zero_padded(const Tensor& t, int64_t before, int64_t after) const {
    std::vector<int64_t> pads(2 * static_cast<size_t>(inst_.type.rank), 0);  // from the last axis to the first
    pads[pads.size() - 2] = before;
    pads[pads.size() - 1] = after;
    return at::constant_pad_nd(t, pads, 0);
  }

  // Contracts the last axis of a (rows × k) with the first of b (k × columns).
  Tensor matmul() const {
    const int64_t k = type(1).dims[0], n = a_.n;
    const int64_t rows = type(0).entries() / k, columns = type(1).entries() / k;
    const bool of_many = a_.operands[0].batched, by_many = a_.operands[1].batched;
    if (of_many && by_many) {
      if (rows == 1 && columns == 1) return (flat(0) * flat(1)).sum(1).reshape(shape());
      return at::bmm(raw(0).reshape({n, rows, k}), raw(1).reshape({n, k, columns})).reshape(shape());
    }
    if (of_many) return at::mm(raw(0).reshape({n * rows, k}), raw(1).reshape({k, columns})).reshape(shape());
    const Tensor A = raw(0).reshape({rows, k});
    if (!by_many) return at::mm(A, raw(1).reshape({k, columns})).reshape(shape());
    if (columns == 1) return at::mm(raw(1).reshape({n, k}), A.t()).reshape(shape());
    // [n, k, columns] → [n columns, k] · A' → [n, columns, rows] → [n, rows, columns]
    const Tensor B = raw(1).reshape({n, k, columns}).transpose(1, 2).reshape({n * columns, k});
    return at::mm(B, A.t()).reshape({n, columns, rows}).transpose(1, 2).reshape(shape());
  }

  Tensor outer() const {
    const Tensor a = flat(0), b = flat(1);
    return (a.unsqueeze(-1) * b.unsqueeze(-2)).reshape(shape());
  }

  // With cyclic neighbours a = i+1, b = i+2 and c = j+1, d = j+2: A_ac B_bd - A_ad B_bc. cof(M) is that of (M, M).
  static Tensor minors(const Tensor& A, const Tensor& B) {
    const auto moved = [](const Tensor& M, int64_t i, int64_t j) { return M.roll({-i, -j}, {-2, -1}); };
    return moved(A, 1, 1) * moved(B, 2, 2) - moved(A, 1, 2) * moved(B, 2, 1);
  }

  Tensor cofactor(const Tensor& M, int64_t n) const {
    if (n == 1) return at::ones_like(M);
    if (n == 3) return minors(M, M);
    const Tensor signs = at::tensor({1.0, -1.0, -1.0, 1.0}, options()).reshape({2, 2});
    return M.flip({-2, -1}) * signs;
  }

  Tensor determinant() const {
    const int64_t n = type(0).dims[0];
    const Tensor& M = raw(0);
    const auto row = [](const Tensor& t) { return t.select(-2, 0); };
    return (row(M) * row(cofactor(M, n))).sum(-1);
  }

  Tensor rotated() const {
    const int64_t front = first_axis(), rank = type(0).rank;
    std::vector<int64_t> order;
    if (batched_) order.push_back(0);
    for (int64_t i = 0; i < rank; ++i) order.push_back(front + (i + inst_.index) % rank);
    return raw(0).permute(order);
  }

  std::vector<Tensor> all_spread() const {
    std::vector<Tensor> parts;
    for (size_t k = 0; k < a_.operands.size(); ++k) parts.push_back(spread(k));
    return parts;
  }

  Tensor tensor_of() {
    using Many = const std::vector<Tensor>&;
    switch (inst_.op) {
      case Op::Constant:
        if (inst_.type.kind == ir::Kind::Bool) return at::scalar_tensor(inst_.number != 0, at::kBool);
        return at::full(shape(), inst_.number, options());
      case Op::Identity:
        return at::eye(inst_.type.dims[0], options());
      case Op::Copy:
      case Op::Live:
        return raw(0);
      case Op::Envelope:
        return raw(0).detach();
      case Op::Neg:
        return arg(0).neg();
      case Op::Add:
        return arg(0) + arg(1);
      case Op::Sub:
        return arg(0) - arg(1);
      case Op::Mul:
        if (is_constant(0) || is_constant(1)) return arg(0) * arg(1);
        return guarded([](Many x) { return x[0] * x[1]; });
      case Op::Div:
        return guarded([](Many x) { return x[0] / x[1]; });
      case Op::Sqrt:
        return guarded([](Many x) { return sqrt(x[0]); });
      case Op::Exp:
        return guarded([](Many x) { return x[0].exp(); });
      case Op::Log:
        return guarded([](Many x) { return x[0].log(); });
      case Op::Sin:
        return arg(0).sin();
      case Op::Cos:
        return arg(0).cos();
      case Op::Tan:
        return guarded([](Many x) { return x[0].tan(); });
      case Op::Tanh:
        return arg(0).tanh();
      case Op::Atan2:
        return guarded([](Many x) { return angle(x[0], x[1]); });
      case Op::Pow:
        if (is_constant(1))
          return guarded([c = a_.function[inst_.args[1]].number](Many x) { return power(x[0], c); }).expand(shape());
        return guarded([](Many x) { return power(x[0], x[1]); });
      case Op::Abs:
        return at::where(arg(0).ge(0), arg(0), arg(0).neg());
      case Op::Sign:
        return at::where(arg(0).ge(0), number(1), number(-1));
      case Op::Min:
        return at::where(arg(1).lt(arg(0)), arg(1), arg(0));
      case Op::Max:
        return at::where(arg(0).lt(arg(1)), arg(1), arg(0));
      case Op::Floor:
        return arg(0).detach().floor();
      case Op::Less:
        return arg(0).lt(arg(1));
      case Op::LessEqual:
        return arg(0).le(arg(1));
      case Op::Equal:
        return arg(0).eq(arg(1));
      case Op::And:
        return arg(0).logical_and(arg(1));
      case Op::Or:
        return arg(0).logical_or(arg(1));
      case Op::Not:
        return arg(0).logical_not();
      case Op::Select:
        return at::where(arg(0), arg(1), arg(2)).expand(shape());
      case Op::Stack:
        return at::stack(all_spread(), first_axis());
      case Op::Concat:
        return at::cat(all_spread(), first_axis());
      case Op::Extract:
        return raw(0).select(first_axis(), inst_.index);
      case Op::Slice:
        return raw(0).narrow(first_axis(), inst_.index, inst_.type.dims[0]);
      case Op::Insert:
        return zero_padded(raw(0).unsqueeze(first_axis()), inst_.index, inst_.extra - 1 - inst_.index);
      case Op::Pad:
        return zero_padded(raw(0), inst_.index, inst_.type.dims[0] - inst_.index - type(0).dims[0]);
      case Op::Reshape:
        return raw(0).reshape(shape());
      case Op::Transpose:
        return raw(0).transpose(-2, -1);
      case Op::Rotate:
        return rotated();
      case Op::Sum:
        return flat(0).sum(-1);
      case Op::Inner:
        return (flat(0) * flat(1)).sum(-1);
      case Op::Outer:
        return outer();
      case Op::MatMul:
        return matmul();
      case Op::Det:
        return determinant();
      case Op::Cofactor:
        return cofactor(raw(0), type(0).dims[0]);
      case Op::TensorCross:
        return minors(raw(0), raw(1)) + minors(raw(1), raw(0));
      case Op::Input: case Op::Rotation: case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2:
      case Op::Round: case Op::Iterate:
        break;
    }
    ASB_UNREACHABLE("op that the LibTorch evaluator doesn't apply");
  }

  const Application& a_;
  const Inst& inst_;
  bool batched_ = false;
};

}  // namespace

std::vector<int64_t> shape_of(const Type& type, bool batched, int64_t n) {
  std::vector<int64_t> shape;
  if (batched) shape.push_back(n);
  for (int i = 0; i < type.rank; ++i) shape.push_back(type.dims[i]);
  return shape;
}

bool is_known(Op op) {
  switch (op) {
    case Op::Rotation: case Op::Fma: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round:
    case Op::Iterate:
      return false;
    case Op::Constant: case Op::Identity: case Op::Input: case Op::Copy: case Op::Envelope: case Op::Live: case Op::Neg:
    case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Sqrt: case Op::Exp: case Op::Log: case Op::Sin:
    case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow: case Op::Abs: case Op::Sign: case Op::Min:
    case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or:
    case Op::Not: case Op::Select: case Op::Stack: case Op::Extract: case Op::Insert: case Op::Slice: case Op::Pad:
    case Op::Concat: case Op::Reshape: case Op::Transpose: case Op::Rotate: case Op::Sum: case Op::Inner:
    case Op::Outer: case Op::MatMul: case Op::Det: case Op::Cofactor: case Op::TensorCross:
      return true;
  }
  return false;
}

Value apply(const Application& application) { return Apply(application).run(); }

Value affine(const Value& W, const Value& h, const Value& b) {
  return {at::addmm(b.tensor, h.tensor, W.tensor.t()), true};
}

}  // namespace asb::networks
