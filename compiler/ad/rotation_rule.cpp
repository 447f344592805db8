// The derivative of R = rotation(M). With S = sym(R'M) (symmetric up to rounding; sym keeps it so):
//   dR = R cross_matrix(w),  (tr(S) I - S) w = axial(R'dM - dM'R)
// where axial(K) = (K_32, K_13, K_21) undoes cross_matrix. Derived from R'M = S, S' = S: with Ω = R'dR skew,
// Ω S + S Ω = R'dM - dM'R, and cross(w) S + S cross(w) = cross((tr(S) I - S) w). Nothing divides by a difference of
// singular values, and everything below has rules itself, so all orders follow.
//
// Transpose: <G, R cross(w)> = w·axial(R'G - G'R), and the solve is symmetric; so the map M' → dR is its own transpose.
//
// det(tr(S) I - S) = D/2 = (s1+s2)(s2+s3)(s1+s3) with the signed singular values; it is floored at 1e-6 l³/2,
// l = tr(S) (numerics.md, Inversion and domains), where the rotation is no longer unique.
//
// 2×2: dR = R J w, J = (0 -1; 1 0), tr(S) w = (R'dM - dM'R)_21, with tr(S) floored at 1e-6 |M|.
#include "compiler/ad/rules.h"

namespace asb::ad {
namespace {

using ir::Builder;
using ir::Type;
using ir::ValueId;

constexpr double kSingular = 1e-6;  ///< of D / l³
/// Below it (M = 0 for all purposes) w = 0, kept away from 0/0; its square and that of kSingular stay normal.
constexpr double kSmallest = 1e-100;

/// numerator / max(value, floor), and 0 where the floor is no positive number to speak of.
ValueId floored_reciprocal(Builder& b, ValueId value, ValueId floor) {
  const ValueId is_large = b.less(b.constant(kSmallest), floor);
  const ValueId denominator = b.select(is_large, b.max(value, floor), b.constant(1));
  return b.select(is_large, b.div(b.constant(1), denominator), b.constant(0));
}

/// R'dM - dM'R
ValueId skew_part(Builder& b, ValueId R, ValueId direction) {
  const ValueId K = b.matmul(b.transpose(R), direction);
  return b.sub(K, b.transpose(K));
}

ValueId symmetric_part(Builder& b, ValueId R, ValueId M) {
  const ValueId S = b.matmul(b.transpose(R), M);
  return b.scale(0.5, b.add(S, b.transpose(S)));
}

ValueId map_2x2(Builder& b, ValueId M, ValueId R, ValueId direction) {
  const ValueId s = b.trace(symmetric_part(b, R, M));
  const ValueId size = b.sqrt(b.inner(M, M));
  const ValueId w = b.mul(floored_reciprocal(b, s, b.scale(kSingular, size)), b.entry(skew_part(b, R, direction), {1, 0}));
  const ValueId zero = b.constant(0);
  return b.matmul(R, b.stack({zero, b.neg(w), w, zero}, Type::matrix(2, 2)));
}

ValueId map_3x3(Builder& b, ValueId M, ValueId R, ValueId direction) {
  const ValueId S = symmetric_part(b, R, M), l = b.trace(S);
  const ValueId T = b.sub(b.mul(l, b.identity(3)), S);  // tr(S) I - S
  const ValueId floor = b.scale(0.5 * kSingular, b.mul(l, b.mul(l, l)));
  const ValueId inverse = b.mul(floored_reciprocal(b, b.det(T), floor), b.cofactor(T));  // cof(T)' = cof(T)
  const ValueId K = skew_part(b, R, direction);
  const ValueId axial = b.stack({b.entry(K, {2, 1}), b.entry(K, {0, 2}), b.entry(K, {1, 0})});
  const ValueId w = b.matmul(inverse, axial);
  const ValueId x = b.extract(w, 0), y = b.extract(w, 1), z = b.extract(w, 2), zero = b.constant(0);
  const ValueId cross =
      b.stack({zero, b.neg(z), y, z, zero, b.neg(x), b.neg(y), x, zero}, Type::matrix(3, 3));
  return b.matmul(R, cross);
}

}  // namespace

ValueId rotation_map(Builder& builder, ValueId M, ValueId R, ValueId direction) {
  if (builder.is_zero(direction)) return direction;
  return builder.type(M).dims[0] == 2 ? map_2x2(builder, M, R, direction) : map_3x3(builder, M, R, direction);
}

}  // namespace asb::ad
