// Determinant, cofactor, tensor cross product and closest rotation as scalars.
//
// Closest rotation of a 3×3 matrix M = U diag(s) Vᵀ with det U = det V = 1 (s1 ≥ s2 ≥ |s3|, s3 signed), without a
// singular value decomposition. With I1 = |M|², I2 = |cof M|², J = det M, the trace l = s1 + s2 + s3 of S = RᵀM is the
// largest root of
//   f(l) = l⁴ − 2 I1 l² − 8 J l + I1² − 4 I2,    f'(l) = 4 D,    D = l³ − I1 l − 2J = 2 (s1+s2)(s2+s3)(s1+s3),
// found by Newton from √(3 I1) ≥ l, which comes down monotonically as f is convex there; it stops when the step is at
// most 4 eps l, when D ≤ 0 (rounding at a double root), or after 20 rounds. By the theorem of Cayley and Hamilton
//   R = [(l² + I1) M − 2 M MᵀM + 2 l cof M] / D.
// D measures the distance to where R is not unique (s2 + s3 = 0: rank below 2, or inverted with equal stretches). The
// error of R is at most 8 eps (l³/D)². Below 1e-6 l³, D is replaced by 1e-6 l³: R stays finite, but is no rotation.
// At M = 0 it is the identity. 2×2 matrices need no such floor: see closest_2x2.
//
// M is scaled by a power of two first (R doesn't change, no bit is lost), so that none of the fourth powers over- or
// underflows for |M| from 1e-150 to 1e150.
#include <limits>

#include "compiler/passes/expand.h"

namespace asb::ir {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kSingular = 1e-6;  ///< of l³
constexpr int32_t kMaxRounds = 20;  ///< 4 are usual at strains of 10 %

ValueId sum_of_squares(Builder& b, const Entries& M) {
  ValueId sum = b.zero();
  for (ValueId m : M) sum = b.add(sum, b.mul(m, m));
  return sum;
}

Entries scaled(Builder& b, ValueId s, const Entries& M) {
  Entries result;
  for (ValueId m : M) result.push_back(b.mul(s, m));
  return result;
}

}  // namespace

ValueId expand_det(Builder& b, const Entries& M, int32_t n) {
  if (n == 1) return M[0];
  if (n == 2) return b.sub(b.mul(M[0], M[3]), b.mul(M[1], M[2]));
  const Entries C = expand_cofactor(b, M, 3);  // the first row is used; its terms are shared with a cofactor of M
  return b.add(b.add(b.mul(M[0], C[0]), b.mul(M[1], C[1])), b.mul(M[2], C[2]));
}

Entries expand_cofactor(Builder& b, const Entries& M, int32_t n) {
  if (n == 1) return {b.constant(1)};
  if (n == 2) return {M[3], b.neg(M[2]), b.neg(M[1]), M[0]};
  Entries C;
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J) {  // cyclic neighbours carry the sign
      const int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3), K = (J + 1) % 3, L = (J + 2) % 3;
      C.push_back(b.sub(b.mul(M[j + K], M[k + L]), b.mul(M[j + L], M[k + K])));
    }
  return C;
}

// (A×B)_iI = e_ijk e_IJK A_jJ B_kK: for each entry the four products of its cyclic neighbours
Entries expand_tensor_cross(Builder& b, const Entries& A, const Entries& B) {
  Entries result;
  for (int i = 0; i < 3; ++i)
    for (int I = 0; I < 3; ++I) {
      const int j = 3 * ((i + 1) % 3), k = 3 * ((i + 2) % 3), J = (I + 1) % 3, K = (I + 2) % 3;
      const ValueId plus = b.add(b.mul(A[j + J], B[k + K]), b.mul(A[k + K], B[j + J]));
      const ValueId minus = b.add(b.mul(A[j + K], B[k + J]), b.mul(A[k + J], B[j + K]));
      result.push_back(b.sub(plus, minus));
    }
  return result;
}

/// 2^-floor(log2(|M|²)/2), |M|² clamped so that zeros, infinities and NaN have one too.
ValueId RotationExpander::power_of_2_near_inverse_norm(const Entries& M) {
  const ValueId square = b.min(b.constant(0x1p1000), b.max(b.constant(0x1p-1000), sum_of_squares(b, M)));
  return b.scale_by_power_of_2(b.constant(1), b.neg(b.floor(b.scale(0.5, b.exponent(square)))));
}

/// Newton for f; C = I1² − 4 I2.
ValueId RotationExpander::largest_root(ValueId I1, ValueId J, ValueId C) {
  const ValueId start = b.sqrt(b.scale(3, I1));
  if (body_ >= 0) return b.make(Op::Iterate, {start, I1, J, C}, {}, body_, kMaxRounds);

  Function body;
  body.name = "trace_of_stretch";
  body.expanded = true;
  {
    Builder n(body, Rules::Both);
    const ValueId l = n.add_input("l", Type::scalar(), 0), I1 = n.add_input("I1", Type::scalar(), 0),
                  J = n.add_input("J", Type::scalar(), 0), C = n.add_input("C", Type::scalar(), 0);
    const ValueId square = n.mul(l, l);
    const ValueId f = n.add(n.sub(n.mul(n.sub(square, n.scale(2, I1)), square), n.scale(8, n.mul(J, l))), C);
    const ValueId D = n.sub(n.mul(n.sub(square, I1), l), n.scale(2, J));
    const ValueId step = n.select(n.less(n.zero(), D), n.div(f, n.scale(4, D)), n.zero());
    n.add_output("l", n.sub(l, step));
    n.add_output("stop", n.negate(n.less(n.scale(4 * kEpsilon, l), n.abs(step))));  // NaN stops too
  }
  const ValueId root = b.iterate(std::move(body), {start, I1, J, C}, kMaxRounds);
  body_ = b[root].index;
  return root;
}

Entries RotationExpander::closest_3x3(const Entries& M) {
  const Entries G = scaled(b, power_of_2_near_inverse_norm(M), M);
  const Entries cof = expand_cofactor(b, G, 3);
  const ValueId I1 = sum_of_squares(b, G), I2 = sum_of_squares(b, cof), J = expand_det(b, G, 3);
  const ValueId l = largest_root(I1, J, b.sub(b.mul(I1, I1), b.scale(4, I2)));
  const ValueId square = b.mul(l, l);
  const ValueId D = b.sub(b.mul(b.sub(square, I1), l), b.scale(2, J));
  const ValueId floor = b.add(b.scale(kSingular, b.mul(square, l)), b.constant(0x1p-1000));  // M = 0: l = 0
  const ValueId inverse = b.div(b.constant(1), b.max(floor, D));

  Entries GtG(9);  // symmetric
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j)
      GtG[3 * i + j] = GtG[3 * j + i] =
          b.add(b.add(b.mul(G[i], G[j]), b.mul(G[3 + i], G[3 + j])), b.mul(G[6 + i], G[6 + j]));
  // (l² + I1) G − 2 G GᵀG = G ((l² + I1) I − 2 GᵀG)
  Entries P;
  for (int i = 0; i < 9; ++i) {
    const ValueId twice = b.scale(2, GtG[i]);
    P.push_back(i % 4 == 0 ? b.sub(b.add(square, I1), twice) : b.neg(twice));
  }
  const ValueId at_zero = b.select(b.equal(l, b.zero()), b.constant(1), b.zero());
  Entries R;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const ValueId product = b.add(b.add(b.mul(G[3 * i], P[j]), b.mul(G[3 * i + 1], P[3 + j])), b.mul(G[3 * i + 2], P[6 + j]));
      const ValueId r = b.mul(inverse, b.add(product, b.scale(2, b.mul(l, cof[3 * i + j]))));
      R.push_back(i == j ? b.add(r, at_zero) : r);
    }
  return R;
}

// R = [[x, −y], [y, x]] / √(x² + y²), x = M11 + M22, y = M21 − M12. √(x² + y²) = s1 + s2 with the signed s2; where it is
// 0, R is the identity. However small it is, R is a rotation.
Entries RotationExpander::closest_2x2(const Entries& M) {
  const Entries G = scaled(b, power_of_2_near_inverse_norm(M), M);
  const ValueId x = b.add(G[0], G[3]), y = b.sub(G[2], G[1]);
  const ValueId sum = b.sqrt(b.add(b.mul(x, x), b.mul(y, y)));
  const ValueId is_zero = b.equal(sum, b.zero());
  const ValueId c = b.select(is_zero, b.constant(1), b.div(x, sum)), s = b.select(is_zero, b.zero(), b.div(y, sum));
  return {c, b.neg(s), s, c};
}

}  // namespace asb::ir
