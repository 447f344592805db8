// One case per op; loops over entries in row-major order.
#include "backends/interpreter/evaluate.h"

#include <cmath>
#include <limits>

#include "backends/interpreter/rotation.h"
#include "base/check.h"

namespace asb::interpreter {
namespace {

using ir::Function;
using ir::Inst;
using ir::Op;
using ir::Type;

/// The sign of a permutation of (0, 1, 2), 0 if an index repeats: e_ijk.
int levi_civita(int i, int j, int k) { return (j - i) * (k - i) * (k - j) / 2; }

Number negative(Number a) { return {-a.value, a.magnitude}; }
Number signed_product(int sign, Number a, Number b) { return sign < 0 ? negative(multiply(a, b)) : multiply(a, b); }

Number determinant(const std::vector<Number>& M, int n) {
  if (n == 1) return M[0];
  Accumulator sum;
  if (n == 2) {
    sum.add(multiply(M[0], M[3]));
    sum.add(negative(multiply(M[1], M[2])));
    return sum.total();
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 3; ++k)
        if (const int e = levi_civita(i, j, k)) sum.add(signed_product(e, multiply(M[i], M[3 + j]), M[6 + k]));
  return sum.total();
}

// (A×B)_iI = e_ijk e_IJK A_jJ B_kK
std::vector<Number> tensor_cross(const std::vector<Number>& A, const std::vector<Number>& B) {
  std::vector<Number> result(9);
  for (int i = 0; i < 3; ++i)
    for (int I = 0; I < 3; ++I) {
      Accumulator sum;
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int J = 0; J < 3; ++J)
            for (int K = 0; K < 3; ++K)
              if (const int e = levi_civita(i, j, k) * levi_civita(I, J, K))
                sum.add(signed_product(e, A[3 * j + J], B[3 * k + K]));
      result[3 * i + I] = sum.total();
    }
  return result;
}

std::vector<Number> cofactor(const std::vector<Number>& M, int n) {
  if (n == 1) return {{1, 0}};
  if (n == 2) return {M[3], negative(M[2]), negative(M[1]), M[0]};
  std::vector<Number> result(9);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {  // cyclic neighbours carry the sign
      const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
      Accumulator sum;
      sum.add(multiply(M[3 * a + c], M[3 * b + d]));
      sum.add(negative(multiply(M[3 * a + d], M[3 * b + c])));
      result[3 * i + j] = sum.total();
    }
  return result;
}

// |dR| <= 2 |dM| / (s2 + s3); own error 8 (l³/D)² roundings, the bound of numerics.md for the expanded form, l the sum
// of the signed singular values. At most 2, the largest distance of two entries of rotations.
std::vector<Number> rotation(const std::vector<Number>& M, int n) {
  std::vector<double> values;
  double square = 0;
  for (Number x : M) {
    values.push_back(x.value);
    square += x.magnitude * x.magnitude;
  }
  const ClosestRotation c = n == 3 ? closest_rotation_3x3(values.data()) : closest_rotation_2x2(values.data());
  const double l = c.s[0] + c.s[1] + c.s[2];
  const double gap = n == 3 ? c.s[1] + c.s[2] : c.D;
  const double own = n == 3 ? 8 * std::pow(l * l * l / c.D, 2) : 1;
  double m = (square == 0 ? 0 : 2 * std::sqrt(square) / gap) + own;
  if (!(m <= 2 / kAgreement)) m = 2 / kAgreement;
  std::vector<Number> result;
  for (size_t i = 0; i < M.size(); ++i) result.push_back({c.R[i], m});
  return result;
}

/// Entries of a, reordered: result[i] = a[from(i)], or zero where from(i) < 0.
template <class From>
std::vector<Number> gather(const std::vector<Number>& a, int32_t count, From from) {
  std::vector<Number> result(count);
  for (int32_t i = 0; i < count; ++i)
    if (const int32_t k = from(i); k >= 0) result[i] = a[k];
  return result;
}

class Evaluator {
 public:
  Evaluator(const Function& function, std::span<const Tensor> inputs, EvaluateOptions options)
      : function_(function), inputs_(inputs), options_(options) {}

  Evaluation run() {
    values_.reserve(function_.insts.size());
    for (const Inst& inst : function_.insts) values_.push_back({inst.type, entries_of(inst)});
    Evaluation result;
    for (const ir::Output& output : function_.outputs) {
      Tensor t{output.type, {}};
      for (ir::ValueId v : output.values)
        t.entries.insert(t.entries.end(), values_[v.index].entries.begin(), values_[v.index].entries.end());
      result.outputs.push_back(std::move(t));
    }
    result.values = std::move(values_);
    return result;
  }

 private:
  const std::vector<Number>& arg(const Inst& inst, size_t i) const { return values_[inst.args[i].index].entries; }
  const Type& type(const Inst& inst, size_t i) const { return values_[inst.args[i].index].type; }

  Number rounded(Number x) const {
    return options_.inputs_are_rounded ? Number{x.value, std::fmax(x.magnitude, std::fabs(x.value))} : x;
  }

  std::vector<Number> entrywise_op(const Inst& inst) const {
    const int32_t count = inst.type.entries();
    const bool exponent_is_constant = inst.op == Op::Pow && function_[inst.args[1]].op == Op::Constant;
    std::vector<Number> result, x(inst.args.size());
    for (int32_t i = 0; i < count; ++i) {
      for (size_t k = 0; k < x.size(); ++k) x[k] = type(inst, k).is_scalar() ? arg(inst, k)[0] : arg(inst, k)[i];
      result.push_back(entrywise(inst.op, x, exponent_is_constant));
    }
    return result;
  }

  std::vector<Number> joined(const Inst& inst) const {
    std::vector<Number> result;
    for (size_t k = 0; k < inst.args.size(); ++k)
      result.insert(result.end(), arg(inst, k).begin(), arg(inst, k).end());
    return result;
  }

  /// Contracts the last axis of a (rows × k) with the first of b (k × columns).
  std::vector<Number> matmul(const Inst& inst) const {
    const auto &a = arg(inst, 0), &b = arg(inst, 1);
    const int32_t k = type(inst, 1).dims[0];
    const int32_t rows = type(inst, 0).entries() / k, columns = type(inst, 1).entries() / k;
    std::vector<Number> result;
    for (int32_t i = 0; i < rows; ++i)
      for (int32_t j = 0; j < columns; ++j) {
        Accumulator sum;
        for (int32_t l = 0; l < k; ++l) sum.add(multiply(a[i * k + l], b[l * columns + j]));
        result.push_back(sum.total());
      }
    return result;
  }

  /// Note [Running magnitude]: each round starts from an exact carried value.
  std::vector<Number> iterate(const Inst& inst) const {
    std::vector<Tensor> arguments;
    for (size_t k = 0; k < inst.args.size(); ++k) arguments.push_back({type(inst, k), arg(inst, k)});
    Number carried = arg(inst, 0)[0];
    for (int32_t round = 0; round < inst.extra; ++round) {
      arguments[0].entries[0] = {carried.value, 0};
      const Evaluation body = evaluate(function_.bodies[inst.index], arguments);
      carried = body.outputs[0].entries[0];
      if (body.outputs[1].entries[0].value != 0) break;
    }
    return {carried};
  }

  std::vector<Number> entries_of(const Inst& inst) const {
    const int32_t count = inst.type.entries();
    const int32_t stride = inst.type.rank > 0 ? count / inst.type.dims[0] : 1;  // of axis 0 of the result
    switch (inst.op) {
      case Op::Constant:
        return std::vector<Number>(count, Number{inst.number, 0});
      case Op::Identity:
        return gather({{1, 0}}, count, [n = inst.type.dims[0]](int32_t i) { return i / n == i % n ? 0 : -1; });
      case Op::Input: {
        const std::vector<Number>& input = inputs_[inst.index].entries;
        if (function_.expanded) return {rounded(input[inst.extra])};
        std::vector<Number> result;
        for (Number x : input) result.push_back(rounded(x));
        return result;
      }
      case Op::Copy: case Op::Envelope: case Op::Live: case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul:
      case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Exp: case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan:
      case Op::Tanh: case Op::Atan2: case Op::Pow: case Op::Abs: case Op::Sign: case Op::Min: case Op::Max:
      case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal: case Op::And: case Op::Or: case Op::Not:
      case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2: case Op::Round: case Op::Select:
        return entrywise_op(inst);
      case Op::Stack:
      case Op::Concat:
        return joined(inst);
      case Op::Reshape:
        return arg(inst, 0);
      case Op::Extract:
        return gather(arg(inst, 0), count, [&](int32_t i) { return inst.index * count + i; });
      case Op::Slice:
        return gather(arg(inst, 0), count, [&](int32_t i) { return inst.index * stride + i; });
      case Op::Insert:
        return gather(arg(inst, 0), count, [&](int32_t i) { return i / stride == inst.index ? i % stride : -1; });
      case Op::Pad:
        return gather(arg(inst, 0), count, [&](int32_t i) {
          const int32_t k = i - inst.index * stride;
          return k < type(inst, 0).entries() ? k : -1;
        });
      case Op::Transpose:
        return gather(arg(inst, 0), count, [rows = inst.type.dims[0], columns = inst.type.dims[1]](int32_t i) {
          return i % columns * rows + i / columns;
        });
      case Op::Rotate: {  // s ++ t → t ++ s
        int32_t s = 1;
        for (int axis = 0; axis < inst.index; ++axis) s *= type(inst, 0).dims[axis];
        return gather(arg(inst, 0), count, [s, t = count / s](int32_t i) { return i % s * t + i / s; });
      }
      case Op::Sum: {
        Accumulator sum;
        for (Number x : arg(inst, 0)) sum.add(x);
        return {sum.total()};
      }
      case Op::Inner: {
        Accumulator sum;
        for (size_t i = 0; i < arg(inst, 0).size(); ++i) sum.add(multiply(arg(inst, 0)[i], arg(inst, 1)[i]));
        return {sum.total()};
      }
      case Op::Outer: {
        std::vector<Number> result;
        for (Number x : arg(inst, 0))
          for (Number y : arg(inst, 1)) result.push_back(multiply(x, y));
        return result;
      }
      case Op::MatMul:
        return matmul(inst);
      case Op::Det:
        return {determinant(arg(inst, 0), type(inst, 0).dims[0])};
      case Op::Cofactor:
        return cofactor(arg(inst, 0), inst.type.dims[0]);
      case Op::TensorCross:
        return tensor_cross(arg(inst, 0), arg(inst, 1));
      case Op::Rotation:
        return rotation(arg(inst, 0), inst.type.dims[0]);
      case Op::Iterate:
        return iterate(inst);
    }
    ASB_UNREACHABLE("op");
  }

  const Function& function_;
  std::span<const Tensor> inputs_;
  EvaluateOptions options_;
  std::vector<Tensor> values_;
};

}  // namespace

Tensor Tensor::of(Type type, std::span<const double> values) {
  ASB_CHECK(static_cast<size_t>(type.entries()) == values.size(), "number of entries differs from the type");
  Tensor t{type, {}};
  for (double v : values) t.entries.push_back({v, 0});
  return t;
}

std::vector<double> Tensor::values() const {
  std::vector<double> result;
  for (Number n : entries) result.push_back(n.value);
  return result;
}

Evaluation evaluate(const Function& function, std::span<const Tensor> inputs, EvaluateOptions options) {
  ASB_CHECK(inputs.size() == function.inputs.size(), "number of inputs differs from the function");
  for (size_t i = 0; i < inputs.size(); ++i)
    ASB_CHECK(inputs[i].type == function.inputs[i].type, "type of an input differs from the function");
  return Evaluator(function, inputs, options).run();
}

bool agrees(Number expected, double other, double tolerance) {
  if (std::isnan(expected.value) || std::isnan(other)) return std::isnan(expected.value) && std::isnan(other);
  if (std::isinf(expected.value) || std::isinf(other)) return expected.value == other;
  const double smallest = std::numeric_limits<double>::min();  // results below it may be flushed to zero
  return !(std::fabs(expected.value - other) > tolerance * expected.magnitude + smallest);
}

}  // namespace asb::interpreter
