// The builder: types, leaves, sharing, and text.
#include <gtest/gtest.h>

#include "compiler/ir/builder.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"

namespace asb::ir {
namespace {

Inst inst(Op op, std::vector<ValueId> args, Type type = {}, int32_t index = 0, int32_t extra = 0) {
  return Inst{op, type, std::move(args), 0, index, extra, {}};
}

struct Types : testing::Test {
  std::string type_of(const Inst& i) {
    const Result<Type> type = infer_type(f, i);
    return type ? to_string(*type) : "error: " + type.error().message;
  }
  bool is_error(const Inst& i) { return !infer_type(f, i); }
  Function f;
  Builder b{f};
  ValueId s = b.add_input("s", Type::scalar(), 0), v = b.add_input("v", Type::vector(4), 0),
          M = b.add_input("M", Type::matrix(3, 4), 0), S = b.add_input("S", Type::matrix(3, 3), 0),
          T = b.add_input("T", Type::real(std::array{2, 3, 4}), 0), p = b.add_input("p", Type::boolean(), 0);
};

TEST_F(Types, a_scalar_operand_is_broadcast) {
  EXPECT_EQ(type_of(inst(Op::Mul, {s, M})), "real[3,4]");
  EXPECT_EQ(type_of(inst(Op::Mul, {M, s})), "real[3,4]");
  EXPECT_TRUE(is_error(inst(Op::Add, {M, S})));
  EXPECT_TRUE(is_error(inst(Op::Add, {s, p})));
}

TEST_F(Types, contraction_takes_the_last_axis_with_the_first) {
  EXPECT_EQ(type_of(inst(Op::MatMul, {M, v})), "real[3]");
  EXPECT_EQ(type_of(inst(Op::MatMul, {v, v})), "real");
  EXPECT_EQ(type_of(inst(Op::MatMul, {S, M})), "real[3,4]");
  EXPECT_EQ(type_of(inst(Op::MatMul, {T, v})), "real[2,3]");
  EXPECT_TRUE(is_error(inst(Op::MatMul, {M, M})));
  EXPECT_TRUE(is_error(inst(Op::MatMul, {s, M})));
  EXPECT_EQ(type_of(inst(Op::Outer, {M, T})), "real[3,4,2,3,4]");
  EXPECT_TRUE(is_error(inst(Op::Inner, {M, S})));
}

TEST_F(Types, structure_keeps_its_ranges) {
  EXPECT_EQ(type_of(inst(Op::Extract, {T}, {}, 1)), "real[3,4]");
  EXPECT_TRUE(is_error(inst(Op::Extract, {T}, {}, 2)));
  EXPECT_TRUE(is_error(inst(Op::Extract, {s}, {}, 0)));
  EXPECT_EQ(type_of(inst(Op::Insert, {v}, {}, 1, 2)), "real[2,4]");
  EXPECT_TRUE(is_error(inst(Op::Insert, {v}, {}, 2, 2)));
  EXPECT_EQ(type_of(inst(Op::Rotate, {T}, {}, 1)), "real[3,4,2]");
  EXPECT_EQ(type_of(inst(Op::Rotate, {T}, {}, 2)), "real[4,2,3]");
  EXPECT_TRUE(is_error(inst(Op::Slice, {v}, Type::vector(3), 2)));
  EXPECT_EQ(type_of(inst(Op::Pad, {v}, Type::vector(6), 2)), "real[6]");
  EXPECT_TRUE(is_error(inst(Op::Pad, {v}, Type::vector(5), 2)));
  EXPECT_EQ(type_of(inst(Op::Reshape, {M}, Type::matrix(2, 6))), "real[2,6]");
  EXPECT_TRUE(is_error(inst(Op::Reshape, {M}, Type::matrix(2, 5))));
  EXPECT_EQ(type_of(inst(Op::Concat, {M, S})).substr(0, 5), "error");
  EXPECT_EQ(type_of(inst(Op::Concat, {v, v, v})), "real[12]");
  EXPECT_EQ(type_of(inst(Op::Stack, {v, v, v})), "real[3,4]");
}

TEST_F(Types, choices_and_small_matrices_are_checked) {
  EXPECT_EQ(type_of(inst(Op::Less, {s, s})), "bool");
  EXPECT_TRUE(is_error(inst(Op::Less, {v, v})));
  EXPECT_EQ(type_of(inst(Op::Select, {p, M, M})), "real[3,4]");
  EXPECT_TRUE(is_error(inst(Op::Select, {s, M, M})));
  EXPECT_EQ(type_of(inst(Op::Det, {S})), "real");
  EXPECT_TRUE(is_error(inst(Op::Det, {M})));
  EXPECT_TRUE(is_error(inst(Op::Add, {s})));  // arity
}

TEST(Builder, makes_each_leaf_once) {
  Function f;
  Builder b(f);
  EXPECT_EQ(b.constant(2), b.constant(2));
  EXPECT_NE(b.constant(0.0), b.constant(-0.0));
  EXPECT_NE(b.constant(2), b.constant(2, Type::vector(3)));
  EXPECT_EQ(b.identity(3), b.identity(3));
  const ValueId x = b.add_input("x", Type::scalar(), 0);
  EXPECT_EQ(x, b.input(0));
  Builder again(f);  // goes on where the first ended
  EXPECT_EQ(again.constant(2), b.constant(2));
}

TEST(Builder, shares_only_when_asked) {
  Function f;
  Builder plain(f);
  const ValueId x = plain.add_input("x", Type::scalar(), 0), y = plain.add_input("y", Type::scalar(), 0);
  EXPECT_NE(plain.add(x, y), plain.add(x, y));
  Builder sharing(f, Rules::Both);
  EXPECT_EQ(sharing.add(x, y), sharing.add(y, x));
  EXPECT_NE(sharing.max(x, y), sharing.max(y, x));  // the first wins ties
  EXPECT_NE(sharing.copy(x), sharing.copy(x));      // two places to differentiate at
  for (int i = 0; i < 1000; ++i) sharing.add(x, sharing.constant(i));
  EXPECT_EQ(sharing.add(x, sharing.constant(500)), sharing.add(sharing.constant(500), x));
}

TEST(Print, is_readable_and_complete) {
  Function f;
  f.name = "sample";
  Builder b(f);
  const ValueId F = b.add_input("F", Type::matrix(3, 3), kAxisMesh | kAxisIteration);
  const ValueId mu = b.add_input("mu", Type::scalar(), 0);
  const ValueId half = b.scale(0.5, mu);
  b.add_output("psi", b.mul(half, b.det(b.matmul(F, b.transpose(F)))));
  EXPECT_EQ(to_string(f),
            "tensor sample\n"
            "  in 0 F : real[3,3]  mesh|iteration\n"
            "  in 1 mu : real  fixed\n"
            "  %0 : real[3,3] = input 0\n"
            "  %1 : real = input 1\n"
            "  %2 : real = constant 0.5\n"
            "  %3 : real = mul %2 %1\n"
            "  %4 : real[3,3] = transpose %0\n"
            "  %5 : real[3,3] = matmul %0 %4\n"
            "  %6 : real = det %5\n"
            "  %7 : real = mul %3 %6\n"
            "  out psi : real = %7\n");
}

}  // namespace
}  // namespace asb::ir
