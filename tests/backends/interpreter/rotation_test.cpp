// The oracle's rotation: closest, proper, accurate for any conditioning.
#include "backends/interpreter/rotation.h"

#include <gtest/gtest.h>

#include "tests/support/random.h"
#include "tests/support/run.h"

namespace asb::test {
namespace {

using interpreter::closest_rotation_2x2;
using interpreter::closest_rotation_3x3;

constexpr uint64_t kSeed = 11;

double distance_from_rotation(const std::array<double, 9>& R) {  // |R'R - I| and det
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = i == j ? -1 : 0;
      for (int k = 0; k < 3; ++k) sum += R[3 * k + i] * R[3 * k + j];
      worst = std::max(worst, std::fabs(sum));
    }
  const double det = R[0] * (R[4] * R[8] - R[5] * R[7]) - R[1] * (R[3] * R[8] - R[5] * R[6]) + R[2] * (R[3] * R[7] - R[4] * R[6]);
  return std::max(worst, std::fabs(det - 1));
}

TEST(ClosestRotation, IsProperToRoundingForAnyStretches) {
  Random random(kSeed);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    double s[3];
    for (double& x : s) x = std::pow(10.0, random.uniform(-9, 9)) * (random.coin() ? 1 : -1);
    if (random.coin()) s[1] = s[0];
    if (random.coin()) s[2] = 0;
    const auto M = random.with_stretches(s[0], s[1], s[2]);
    EXPECT_LT(distance_from_rotation(closest_rotation_3x3(M.data()).R), 3e-15);
  }
}

TEST(ClosestRotation, GivesBackTheRotationOfAPolarDecomposition) {  // M = R S with S positive definite
  Random random(kSeed);
  for (int repeat = 0; repeat < 200; ++repeat) {
    const auto R = random.rotation(), V = random.rotation();
    const double s[3] = {10, 1, 0.1};
    std::vector<double> M(9, 0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) M[3 * i + j] += R[3 * i + k] * V[3 * k + l] * s[l] * V[3 * j + l];
    const auto c = closest_rotation_3x3(M.data());
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(c.R[i], R[i], 2e-14);  // rounding of M, 10 eps over s2 + s3 = 1.1
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(c.s[i], s[i], 4e-14);
    EXPECT_NEAR(c.D, 2 * 11 * 1.1 * 10.1, 1e-11);
  }
}

TEST(ClosestRotation, IsNotFartherThanAnyOther) {  // also for reflections
  Random random(kSeed);
  const auto likeness = [](const double* R, const std::vector<double>& M) {
    double sum = 0;
    for (int i = 0; i < 9; ++i) sum += R[i] * M[i];
    return sum;
  };
  for (int repeat = 0; repeat < 100; ++repeat) {
    const auto M = random.uniforms(9);
    const auto c = closest_rotation_3x3(M.data());
    EXPECT_NEAR(likeness(c.R.data(), M), c.s[0] + c.s[1] + c.s[2], 1e-14);
    for (int other = 0; other < 50; ++other) EXPECT_LE(likeness(random.rotation().data(), M), likeness(c.R.data(), M) + 1e-14);
  }
}

TEST(ClosestRotation, DoesNotChangeWithScaleDownToTheSmallestNumbers) {
  Random random(kSeed);
  const auto M = random.with_stretches(3, 2, 1);
  const auto R = closest_rotation_3x3(M.data()).R;
  for (const double scale : {0x1p-1000, 0x1p-100, 0x1p1000}) {
    auto N = M;
    for (double& x : N) x *= scale;
    EXPECT_EQ(closest_rotation_3x3(N.data()).R, R);
  }
}

TEST(ClosestRotation, OfZeroIsTheIdentityAndOfNanIsNan) {
  const std::vector<double> zero(9, 0.0);
  EXPECT_EQ(closest_rotation_3x3(zero.data()).R, (std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
  std::vector<double> M(9, 1.0);
  M[5] = std::nan("");
  for (double x : closest_rotation_3x3(M.data()).R) EXPECT_TRUE(std::isnan(x));
}

TEST(ClosestRotation, InThePlaneIsThePolarAngle) {
  const double c = std::cos(0.7), s = std::sin(0.7);
  const std::vector<double> M = {2 * c, -0.5 * s, 2 * s, 0.5 * c};  // R diag(2, 1/2)
  const auto r = closest_rotation_2x2(M.data());
  EXPECT_NEAR(r.R[0], c, 1e-15);
  EXPECT_NEAR(r.R[2], s, 1e-15);
  EXPECT_NEAR(r.s[0], 2, 1e-15);
  EXPECT_NEAR(r.s[1], 0.5, 1e-15);
}

}  // namespace
}  // namespace asb::test
