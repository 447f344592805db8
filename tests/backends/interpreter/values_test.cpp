// Values of every op against a second, independent way to compute them.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "compiler/ir/simplify.h"
#include "tests/support/op_cases.h"

namespace asb::test {
namespace {

using ir::Inst;
using ir::Op;
using ir::Type;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr uint64_t kSeed = 5;

/// Operands of one case, as matrices of `rows` rows where that helps.
struct Operands {
  const OpCase& c;
  const Inst& inst;
  const std::vector<double>& numbers(size_t i) const { return c.arguments[i]; }
  const Type& type(size_t i) const { return c.function.inputs[i].type; }
  Matrix matrix(size_t i, int rows) const {
    return Eigen::Map<const Matrix>(numbers(i).data(), rows, static_cast<int>(numbers(i).size()) / rows);
  }
  int stride(const Type& t) const { return t.entries() / t.dims[0]; }
};

std::vector<double> list(const Matrix& M) { return {M.data(), M.data() + M.size()}; }

std::vector<double> entry_by_entry(const Operands& x) {
  std::vector<double> result;
  for (int i = 0; i < x.inst.type.entries(); ++i) {
    double a[3] = {};
    for (size_t k = 0; k < x.c.arguments.size(); ++k) a[k] = x.numbers(k)[x.numbers(k).size() == 1 ? 0 : i];
    result.push_back(ir::evaluate(x.inst.op, a[0], a[1], a[2]));
  }
  return result;
}

std::vector<double> within_zeros(const Operands& x, int first, int n) {
  std::vector<double> result(x.inst.type.entries(), 0.0);
  std::copy(x.numbers(0).begin(), x.numbers(0).end(), result.begin() + first * n);
  return result;
}

std::vector<double> part(const Operands& x, int first, int count) {
  return {x.numbers(0).begin() + first, x.numbers(0).begin() + first + count};
}

// ((A + B)^ - A^ - B^) with ^ the cofactor: A×B by polarisation
std::vector<double> polarised_cofactor(const Operands& x) {
  const auto cofactor = [](const Matrix& M) { return Matrix(M.determinant() * M.inverse().transpose()); };
  const Matrix A = x.matrix(0, 3), B = x.matrix(1, 3);
  return list(cofactor(A + B) - cofactor(A) - cofactor(B));
}

std::vector<double> closest_rotation(const Operands& x) {
  const int n = x.inst.type.dims[0];
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(x.matrix(0, n), Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::VectorXd signs = Eigen::VectorXd::Ones(n);
  signs[n - 1] = (svd.matrixU() * svd.matrixV().transpose()).determinant();
  return list(svd.matrixU() * signs.asDiagonal() * svd.matrixV().transpose());
}

std::vector<double> reference(const Operands& x) {
  const Inst& inst = x.inst;
  switch (inst.op) {
    case Op::Neg: case Op::Add: case Op::Sub: case Op::Mul: case Op::Div: case Op::Fma: case Op::Sqrt: case Op::Exp:
    case Op::Log: case Op::Sin: case Op::Cos: case Op::Tan: case Op::Tanh: case Op::Atan2: case Op::Pow: case Op::Abs:
    case Op::Sign: case Op::Min: case Op::Max: case Op::Floor: case Op::Less: case Op::LessEqual: case Op::Equal:
    case Op::And: case Op::Or: case Op::Not: case Op::Exponent: case Op::Mantissa: case Op::ScaleByPowerOf2:
    case Op::Round: case Op::Copy: case Op::Envelope: case Op::Live:
      return entry_by_entry(x);
    case Op::Select:
      return x.numbers(x.numbers(0)[0] != 0 ? 1 : 2);
    case Op::Constant:
      return std::vector<double>(inst.type.entries(), inst.number);
    case Op::Identity:
      return list(Matrix::Identity(3, 3));
    case Op::Input:
    case Op::Reshape:
      return x.numbers(0);
    case Op::Stack:
    case Op::Concat: {
      std::vector<double> all;
      for (const auto& a : x.c.arguments) all.insert(all.end(), a.begin(), a.end());
      return all;
    }
    case Op::Extract:
      return list(x.matrix(0, x.type(0).dims[0]).row(inst.index));
    case Op::Insert:
      return within_zeros(x, inst.index, x.type(0).entries());
    case Op::Pad:
      return within_zeros(x, inst.index, x.stride(inst.type));
    case Op::Slice:
      return part(x, inst.index * x.stride(inst.type), inst.type.entries());
    case Op::Transpose:
      return list(x.matrix(0, x.type(0).dims[0]).transpose());
    case Op::Rotate: {
      int rows = 1;
      for (int i = 0; i < inst.index; ++i) rows *= x.type(0).dims[i];
      return list(x.matrix(0, rows).transpose());
    }
    case Op::Sum:
      return {x.matrix(0, 1).sum()};
    case Op::Inner:
      return {x.matrix(0, 1).cwiseProduct(x.matrix(1, 1)).sum()};
    case Op::Outer:
      return list(x.matrix(0, x.type(0).entries()) * x.matrix(1, 1));
    case Op::MatMul: {
      const int k = x.type(1).dims[0];
      return list(x.matrix(0, x.type(0).entries() / k) * x.matrix(1, k));
    }
    case Op::Det:
      return {x.matrix(0, x.type(0).dims[0]).determinant()};
    case Op::Cofactor: {  // cof M = det(M) M^-T
      const Matrix M = x.matrix(0, inst.type.dims[0]);
      return list(M.determinant() * M.inverse().transpose());
    }
    case Op::TensorCross:
      return polarised_cofactor(x);
    case Op::Rotation:
      return closest_rotation(x);
    case Op::Iterate:
      return {std::sqrt(x.numbers(1)[0])};
  }
  return {};
}

TEST(EveryOp, HasTheValueOfASecondWayToComputeIt) {
  Random random(kSeed);
  for (const Op op : ir::all_ops())
    for (int repeat = 0; repeat < 5; ++repeat)
      for (const OpCase& c : op_cases(op, random)) {
        const std::vector<double> value = run(c.function, c.arguments)[0].values();
        const std::vector<double> expected = reference({c, c.function[c.function.outputs[0].values[0]]});
        ASSERT_EQ(value.size(), expected.size()) << c.name;
        EXPECT_LT(distance(value, expected), 1e-13 * (1 + largest(expected))) << c.name;
      }
}

double of(Op op, std::vector<double> x) {
  ir::Function f;
  f.expanded = true;
  ir::Builder b(f, ir::Rules::None);
  std::vector<ir::ValueId> args;
  Arguments numbers;
  for (const double v : x) {
    const bool is_bool = op == Op::Select && args.empty();
    args.push_back(b.add_input("x", is_bool ? ir::Type::boolean() : ir::Type::scalar(), ir::kAxisMesh));
    numbers.push_back({v});
  }
  b.add_output("y", b.make(op, args));
  return run(f, numbers)[0].entries[0].value;
}

TEST(SingularPoints, HaveTheValuesThatTheTableStates) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  EXPECT_TRUE(std::isnan(of(Op::Sqrt, {-1})));
  EXPECT_TRUE(std::isnan(of(Op::Log, {-1})));
  EXPECT_EQ(of(Op::Log, {0}), -inf);
  EXPECT_EQ(of(Op::Div, {1, 0}), inf);
  EXPECT_EQ(of(Op::Atan2, {0, 0}), 0);
  EXPECT_EQ(of(Op::Atan2, {-0.0, -1}), M_PI) << "(-pi, pi]";
  EXPECT_EQ(of(Op::Sign, {0}), 1);
  EXPECT_EQ(of(Op::Sign, {-0.0}), 1);
  EXPECT_EQ(of(Op::Floor, {-0.5}), -1);
  EXPECT_EQ(of(Op::Less, {nan, 1}), 0);
  EXPECT_EQ(of(Op::LessEqual, {1, nan}), 0);
  EXPECT_EQ(of(Op::Equal, {nan, nan}), 0);
  EXPECT_EQ(of(Op::Select, {1, 2, nan}), 2);
  EXPECT_TRUE(std::isnan(of(Op::Pow, {-2, 2}))) << "the exponent is no constant";
  EXPECT_EQ(of(Op::Exponent, {0x1p-1074}), -1074);
  EXPECT_EQ(of(Op::Exponent, {-7}), 2);
  EXPECT_EQ(of(Op::Mantissa, {-0x3p-1073}), -1.5);
  EXPECT_EQ(of(Op::ScaleByPowerOf2, {1, -1074}), 0x1p-1074);
  EXPECT_EQ(of(Op::ScaleByPowerOf2, {1, 2000}), inf);
  EXPECT_EQ(of(Op::ScaleByPowerOf2, {0x1p-1074, 2097}), 0x1p1023);
  EXPECT_EQ(of(Op::Round, {2.5}), 2);
  EXPECT_EQ(of(Op::Round, {-3.5}), -4);
}

TEST(Power, OfANegativeBaseIsRightWithAWholeConstant) {
  ir::Function f;
  ir::Builder b(f, ir::Rules::None);
  const ir::ValueId x = b.add_input("x", ir::Type::scalar(), ir::kAxisMesh);
  b.add_output("cube", b.pow(x, b.constant(3)));
  b.add_output("root", b.pow(x, b.constant(0.5)));
  const auto out = run(f, {{-2}});
  EXPECT_EQ(out[0].entries[0].value, -8);
  EXPECT_TRUE(std::isnan(out[1].entries[0].value));
}

TEST(Iterate, StopsAtTheCap) {
  Random random(kSeed);
  OpCase c = op_cases(Op::Iterate, random)[0];
  for (Inst& inst : c.function.insts)
    if (inst.op == Op::Iterate) inst.extra = 1;
  const double x = c.arguments[0][0], a = c.arguments[1][0];
  EXPECT_EQ(run(c.function, c.arguments)[0].entries[0].value, 0.5 * (x + a / x));
}

}  // namespace
}  // namespace asb::test
