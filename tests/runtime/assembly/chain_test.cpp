// The chain between nodes and local variables against sums written out, in every version for an instruction set.
#include <gtest/gtest.h>

#include <cmath>

#include "runtime/assembly/chain.h"
#include "runtime/assembly/chain_kernels.h"
#include "tests/runtime/assembly/assembly_testing.h"

namespace asb::test {
namespace {

/// B[local entry][corner value] of one lane.
std::vector<std::vector<double>> dense_B(const Stencil& s, int64_t block, int q, int lane, const LocalShape& shape) {
  const int d = shape.is_gradient ? 3 : 1, c = shape.components;
  const AlignedVector& from = shape.is_gradient ? s.G : s.N;
  const bool shared = shape.is_gradient ? s.shared_gradients : s.shared_values;
  std::vector<std::vector<double>> B(shape.entries(), std::vector<double>(s.corners * c, 0.0));
  for (int a = 0; a < s.corners; ++a)
    for (int J = 0; J < d; ++J) {
      const int64_t k = a * d + J;
      const double w = shared ? from[q * s.corners * d + k] : from[((block * s.points + q) * s.corners * d + k) * kLanes + lane];
      for (int i = 0; i < c; ++i) B[i * d + J][a * c + i] = w;
    }
  return B;
}

struct Case {
  int corners;
  bool shared;
  LocalShape row, column;
};

std::vector<Case> cases() {
  std::vector<Case> out;
  for (const int corners : {1, 4, 6, 8})
    for (const bool shared : {true, false})
      for (const int c : {1, 2, 3})
        for (const bool row : {true, false})
          for (const bool column : {true, false}) out.push_back({corners, shared, {row, c}, {column, c}});
  return out;
}

TEST(Chain, ForcesAndMatricesAreTheSumsOfTheirDefinition) {
  for (const Case& k : cases()) {
    const Stencil s = random_stencil(11, k.corners, 20, k.shared, 77);
    const int c = k.row.components, m = k.corners * c, q = 1;
    const int64_t block = 1;
    // One local where row and column are alike, else two behind each other.
    const bool same = k.row.is_gradient == k.column.is_gradient;
    const int first_column = same ? 0 : k.row.entries();
    const int n = same ? k.row.entries() : k.row.entries() + k.column.entries();
    const AlignedVector measure = noise(kLanes, 3), H = noise(int64_t{n} * (n + 1) / 2 * kLanes, 4);
    const AlignedVector corner = noise(int64_t{m} * kLanes, 5), p = noise(int64_t{k.row.entries()} * kLanes, 6);
    AlignedVector y(k.row.entries() * kLanes), force(int64_t{m} * kLanes, 0.25);
    AlignedVector K(matrix_numbers(k.corners, c) * kLanes, 0.5);
    gather_local(s, block, q, k.row, corner.data(), y.data());
    scatter_local(s, block, q, k.row, measure.data(), p.data(), force.data());
    scatter_hessian(s, block, q, k.row, 0, k.column, first_column, n, measure.data(), H.data(), K.data());
    for (int l = 0; l < kLanes; ++l) {
      const auto Br = dense_B(s, block, q, l, k.row), Bc = dense_B(s, block, q, l, k.column);
      for (int r = 0; r < k.row.entries(); ++r) {
        double sum = 0;
        for (int v = 0; v < m; ++v) sum += Br[r][v] * corner[v * kLanes + l];
        EXPECT_NEAR(y[r * kLanes + l], sum, 1e-14);
      }
      for (int v = 0; v < m; ++v) {
        double sum = 0.25;
        for (int r = 0; r < k.row.entries(); ++r) sum += measure[l] * Br[r][v] * p[r * kLanes + l];
        EXPECT_NEAR(force[v * kLanes + l], sum, 1e-14);
      }
      for (int a = 0; a < k.corners; ++a)
        for (int b = a; b < k.corners; ++b)
          for (int i = 0; i < c; ++i)
            for (int j = a == b ? i : 0; j < c; ++j) {
              double sum = 0.5;
              for (int r = 0; r < k.row.entries(); ++r)
                for (int t = 0; t < k.column.entries(); ++t) {
                  const int column = first_column + t;
                  const double h = H[(r <= column ? packed(r, column, n) : packed(column, r, n)) * kLanes + l];
                  sum += measure[l] * Br[r][a * c + i] * h * Bc[t][b * c + j];
                }
              EXPECT_NEAR(K[(packed(a, b, k.corners) * c * c + i * c + j) * kLanes + l], sum, 1e-13)
                  << k.corners << " corners, " << c << " components, entry " << a << i << ", " << b << j;
            }
    }
  }
}

TEST(Chain, EveryInstructionSetGivesTheSameUpToRounding) {
  std::vector<const ChainKernels*> versions{&kChainForAny};
  if (__builtin_cpu_supports("x86-64-v3")) versions.push_back(&kChainForAvx2);
  if (__builtin_cpu_supports("x86-64-v4")) versions.push_back(&kChainForAvx512);
  for (const int corners : {4, 8, 5})
    for (const bool shared : {true, false}) {
      const AlignedVector weights = noise(int64_t{corners} * 3 * (shared ? 1 : kLanes), 9), measure = noise(kLanes, 10);
      const AlignedVector H = noise(45 * kLanes, 11), corner = noise(int64_t{corners} * 3 * kLanes, 12);
      const ChainWeights w{weights.data(), shared, true};
      std::vector<std::vector<AlignedVector>> results;
      for (const ChainKernels* version : versions) {
        AlignedVector y(9 * kLanes), K(matrix_numbers(corners, 3) * kLanes, 0.0), force(int64_t{corners} * 3 * kLanes, 0.0);
        AlignedVector rows(matrix_stride(corners, 3) * kLanes, 0.0), clamped = H, scalar(matrix_numbers(corners, 1) * kLanes, 0.0);
        version->gather(corners, 3, w, corner.data(), y.data());
        version->scatter(corners, 3, w, measure.data(), y.data(), force.data());
        version->hessian(corners, 3, w, 0, w, 0, 9, measure.data(), H.data(), K.data());
        version->scalar(corners, w, measure.data(), H.data(), scalar.data());
        version->to_rows(matrix_numbers(corners, 3), matrix_stride(corners, 3), K.data(), rows.data());
        version->clamp(clamped.data(), 9);
        for (int64_t k = 0; k < matrix_numbers(corners, 3); ++k)
          for (int l = 0; l < kLanes; ++l) ASSERT_EQ(rows[l * matrix_stride(corners, 3) + k], K[k * kLanes + l]);
        results.push_back({y, force, K, scalar, clamped});
      }
      for (size_t v = 1; v < results.size(); ++v)
        for (size_t r = 0; r < results[v].size(); ++r)
          for (size_t k = 0; k < results[v][r].size(); ++k) ASSERT_NEAR(results[v][r][k], results[0][r][k], 1e-12);
    }
}

}  // namespace
}  // namespace asb::test
