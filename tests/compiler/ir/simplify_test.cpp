// The local rules: what each gives, and what must stay.
#include "compiler/ir/simplify.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace asb::ir {
namespace {

struct Simplify : testing::Test {
  Function f;
  Builder b{f, Rules::Both};
  ValueId x = b.add_input("x", Type::scalar(), 0), y = b.add_input("y", Type::scalar(), 0),
          v = b.add_input("v", Type::vector(3), 0), w = b.add_input("w", Type::vector(3), 0),
          M = b.add_input("M", Type::matrix(3, 3), 0), N = b.add_input("N", Type::matrix(3, 3), 0),
          p = b.add_input("p", Type::boolean(), 0);
  ValueId c(double number) { return b.constant(number); }
};

TEST_F(Simplify, constants_are_evaluated) {
  EXPECT_EQ(b.exp(c(0)), c(1));
  EXPECT_EQ(b.sub(c(2), c(5)), c(-3));
  EXPECT_EQ(b.atan2(c(0), c(0)), c(0));
  EXPECT_EQ(b.atan2(c(-0.0), c(-1)), c(0x1.921fb54442d18p+1));  // in (-pi, pi]
  EXPECT_EQ(b.atan2(c(-0.0), c(1)), c(0));
  EXPECT_EQ(b.sign(c(0)), c(1));
  EXPECT_EQ(b.min(c(2), c(1)), c(1));
  EXPECT_EQ(b.less(c(1), c(2)), b.boolean(true));
  EXPECT_EQ(b.less(c(std::nan("")), c(2)), b.boolean(false));
  EXPECT_EQ(b.exponent(c(-9)), c(3));
  EXPECT_EQ(b.exponent(c(0x1p-1074)), c(-1074));
  EXPECT_EQ(b.mantissa(c(-9)), c(-1.125));
  EXPECT_EQ(b.mantissa(c(0x1.8p-1050)), c(1.5));
  EXPECT_EQ(b.scale_by_power_of_2(c(3), c(-2100)), c(0));
  EXPECT_EQ(b.round(c(2.5)), c(2));
  EXPECT_EQ(b.fma(c(0x1p60), c(1 + 0x1p-52), c(-0x1p60)), c(0x1p8));
  EXPECT_EQ(b[b.exponent(c(0))].op, Op::Exponent);  // outside what the op means: left alone
}

TEST_F(Simplify, zeros_and_ones_vanish) {
  EXPECT_EQ(b.add(x, c(0)), x);
  EXPECT_EQ(b.add(c(0), v), v);
  EXPECT_EQ(b.sub(x, c(0)), x);
  EXPECT_EQ(b.sub(c(0), x), b.neg(x));
  EXPECT_EQ(b.mul(v, c(1)), v);
  EXPECT_EQ(b.mul(v, c(0)), b.zero(Type::vector(3)));
  EXPECT_EQ(b.mul(x, b.zero(Type::vector(3))), b.zero(Type::vector(3)));
  EXPECT_EQ(b.div(c(0), x), c(0));
  EXPECT_EQ(b.div(x, c(1)), x);
  EXPECT_EQ(b.mul(x, c(-1)), b.neg(x));
  EXPECT_EQ(b.fma(x, c(0), y), y);
}

TEST_F(Simplify, a_broadcast_stays) {
  const ValueId all = b.broadcast(x, Type::vector(3));
  EXPECT_EQ(b.type(all), Type::vector(3));
  EXPECT_EQ(b.type(b.mul(x, b.constant(1, Type::vector(3)))), Type::vector(3));
}

TEST_F(Simplify, signs_meet_and_cancel) {
  EXPECT_EQ(b.neg(b.neg(x)), x);
  EXPECT_EQ(b.neg(b.sub(x, y)), b.sub(y, x));
  EXPECT_EQ(b.add(x, b.neg(y)), b.sub(x, y));
  EXPECT_EQ(b.sub(x, b.neg(y)), b.add(x, y));
  EXPECT_EQ(b.mul(b.neg(x), b.neg(y)), b.mul(x, y));
  EXPECT_EQ(b.neg(b.mul(b.neg(x), y)), b.mul(x, y));
  EXPECT_EQ(b.neg(b.scale(2, x)), b.scale(-2, x));
  EXPECT_EQ(b.div(x, b.neg(y)), b.neg(b.div(x, y)));
}

TEST_F(Simplify, constant_factors_meet) {
  EXPECT_EQ(b.scale(2, b.scale(0.5, x)), x);
  EXPECT_EQ(b.scale(3, b.scale(2, x)), b.scale(6, x));
  EXPECT_EQ(b.scale(0.5, b.mul(x, b.scale(2, y))), b.mul(x, y));
  EXPECT_EQ(b.add(x, x), b.scale(2, x));
  EXPECT_EQ(b.div(x, c(4)), b.scale(0.25, x));
  EXPECT_EQ(b[b.div(x, c(3))].op, Op::Div);  // 1/3 isn't exact
  EXPECT_EQ(b[b.scale(1e200, b.scale(1e200, x))].args[0], c(1e200));  // the product would overflow
  EXPECT_EQ(b[b.scale(1e-200, b.scale(1e-200, x))].args[0], c(1e-200));
}

TEST_F(Simplify, powers_with_small_whole_exponents_become_products) {
  EXPECT_EQ(b.pow(x, c(0)), c(1));
  EXPECT_EQ(b.pow(x, c(1)), x);
  EXPECT_EQ(b.pow(x, c(2)), b.mul(x, x));
  EXPECT_EQ(b.pow(x, c(-1)), b.div(c(1), x));
  EXPECT_EQ(b.pow(x, c(0.5)), b.sqrt(x));
  EXPECT_EQ(b.pow(x, c(5)), b.mul(b.mul(b.mul(x, x), b.mul(x, x)), x));
  EXPECT_EQ(b[b.pow(x, c(1.5))].op, Op::Pow);
  EXPECT_EQ(b[b.pow(x, c(17))].op, Op::Pow);
}

TEST_F(Simplify, what_may_be_nan_or_infinite_stays) {
  EXPECT_EQ(b[b.sub(x, x)].op, Op::Sub);
  EXPECT_EQ(b[b.div(x, x)].op, Op::Div);
  EXPECT_EQ(b[b.exp(b.log(x))].op, Op::Exp);
  EXPECT_EQ(b[b.less_equal(x, x)].op, Op::LessEqual);
}

TEST_F(Simplify, kinks_keep_their_side_in_the_tensor_stage) {
  EXPECT_NE(b.abs(b.neg(x)), b.abs(x));
  EXPECT_EQ(b.abs(b.abs(x)), b.abs(x));
  Function g;
  g.expanded = true;
  Builder scalars(g, Rules::Both);
  const ValueId s = scalars.add_input("s", Type::scalar(), 0);
  EXPECT_EQ(scalars.abs(scalars.neg(s)), scalars.abs(s));
}

TEST_F(Simplify, copies_stay) {
  for (const Op op : {Op::Copy, Op::Envelope, Op::Live}) {
    EXPECT_EQ(b[b.make(op, {b.zero()})].op, op);
    EXPECT_EQ(b[b.make(op, {b.make(op, {x})})].op, op);
  }
}

TEST_F(Simplify, known_choices_are_taken) {
  EXPECT_EQ(b.select(b.boolean(true), x, y), x);
  EXPECT_EQ(b.select(p, x, x), x);
  EXPECT_EQ(b.select(b.negate(p), x, y), b.select(p, y, x));
  EXPECT_EQ(b.select(p, b.select(p, x, c(1)), y), b.select(p, x, y));
  EXPECT_EQ(b.both(p, b.boolean(false)), b.boolean(false));
  EXPECT_EQ(b.either(p, b.boolean(false)), p);
  EXPECT_EQ(b.negate(b.negate(p)), p);
  EXPECT_EQ(b.less(x, x), b.boolean(false));
}

TEST_F(Simplify, structure_is_seen_through) {
  EXPECT_EQ(b.extract(b.stack({x, y}), 1), y);
  EXPECT_EQ(b.extract(b.insert(v, 1, 2), 1), v);
  EXPECT_EQ(b.extract(b.insert(v, 1, 2), 0), b.zero(Type::vector(3)));
  EXPECT_EQ(b.entry(b.identity(3), {1, 1}), c(1));
  EXPECT_EQ(b.entry(b.identity(3), {1, 2}), c(0));
  EXPECT_EQ(b.extract(b.slice(v, 1, 2), 0), b.extract(v, 1));
  EXPECT_EQ(b.extract(b.concat({v, w}), 4), b.extract(w, 1));
  EXPECT_EQ(b.slice(b.concat({v, w}), 3, 3), w);
  EXPECT_EQ(b.slice(b.pad(v, 2, 6), 2, 3), v);
  EXPECT_EQ(b.slice(b.pad(v, 2, 6), 0, 2), b.zero(Type::vector(2)));
  EXPECT_EQ(b.pad(b.pad(v, 1, 4), 2, 8), b.pad(v, 3, 8));
  EXPECT_EQ(b.stack({b.extract(v, 0), b.extract(v, 1), b.extract(v, 2)}), v);
  EXPECT_NE(b.stack({b.extract(v, 0), b.extract(v, 1)}), v);
  EXPECT_EQ(b.reshape(b.reshape(M, Type::vector(9)), Type::matrix(3, 3)), M);
  EXPECT_EQ(b.transpose(b.transpose(M)), M);
  EXPECT_EQ(b.transpose(b.identity(3)), b.identity(3));
  EXPECT_EQ(b.rotate(M, 1), b.transpose(M));
  EXPECT_EQ(b.rotate(M, 2), M);
  EXPECT_EQ(b.add(b.insert(v, 1, 2), b.insert(w, 1, 2)), b.insert(b.add(v, w), 1, 2));
  EXPECT_EQ(b.insert(b.zero(), 1, 3), b.zero(Type::vector(3)));
}

TEST_F(Simplify, products_with_zeros_and_identities_vanish) {
  const ValueId I = b.identity(3), zero = b.zero(Type::matrix(3, 3));
  EXPECT_EQ(b.matmul(M, I), M);
  EXPECT_EQ(b.matmul(I, v), v);
  EXPECT_EQ(b.matmul(M, zero), zero);
  EXPECT_EQ(b.matmul(b.mul(x, I), M), b.mul(x, M));
  EXPECT_EQ(b.inner(M, zero), c(0));
  EXPECT_EQ(b.inner(I, I), c(3));
  EXPECT_EQ(b.inner(b.mul(x, M), N), b.mul(x, b.inner(M, N)));
  EXPECT_EQ(b.inner(b.transpose(M), b.transpose(N)), b.inner(M, N));
  EXPECT_EQ(b.outer(v, b.zero(Type::vector(3))), zero);
  EXPECT_EQ(b.sum(b.mul(M, N)), b.inner(M, N));
  EXPECT_EQ(b.sum(I), c(3));
  EXPECT_EQ(b.sum(b.constant(2, Type::vector(3))), c(6));
  EXPECT_EQ(b.tensor_cross(M, zero), zero);
  EXPECT_EQ(b.det(I), c(1));
  EXPECT_EQ(b.det(b.constant(2, Type::matrix(3, 3))), c(0));
  EXPECT_EQ(b.cofactor(I), I);
  EXPECT_EQ(b.rotation(I), I);
}

TEST(Evaluate, min_and_max_give_the_first_at_ties_and_beside_nan) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(std::signbit(evaluate(Op::Min, -0.0, 0.0)));
  EXPECT_FALSE(std::signbit(evaluate(Op::Max, 0.0, -0.0)));
  EXPECT_EQ(evaluate(Op::Min, 1, nan), 1);
  EXPECT_TRUE(std::isnan(evaluate(Op::Max, nan, 1)));
}

}  // namespace
}  // namespace asb::ir
