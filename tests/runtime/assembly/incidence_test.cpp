// Assembled vectors and matrices against dense sums over groups; the same bits for one thread and two.
#include "runtime/assembly/incidence.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include "runtime/assembly/chain.h"
#include "tests/runtime/assembly/assembly_testing.h"

namespace asb::test {
namespace {

struct Problem {
  std::vector<Stencil> stencils;
  std::vector<int32_t> index;
  int components = 3, n_nodes = 0;
  int32_t n = 0;
};

/// Two stencils over nodes of which some components, and some whole nodes, are held.
Problem problem(int components, int n_nodes = 40, int n_groups = 83) {
  Problem p;
  p.components = components;
  p.n_nodes = n_nodes;
  p.stencils.push_back(random_stencil(n_groups, 8, p.n_nodes, true, 101));
  p.stencils.push_back(random_stencil(29, 4, p.n_nodes, true, 202));
  Noise next{303};
  for (int node = 0; node < p.n_nodes; ++node) {
    const bool held = next() < -0.3;
    for (int i = 0; i < components; ++i) p.index.push_back(held || next() < -0.3 ? -1 : p.n++);
  }
  return p;
}

/// Rows of matrices for all groups, symmetric where a corner meets itself.
AlignedVector rows_of_matrices(const Stencil& s, int c, uint64_t seed) {
  AlignedVector rows = noise(s.blocks() * kLanes * matrix_stride(s.corners, c), seed);
  for (int64_t g = 0; g < s.blocks() * kLanes; ++g)
    for (int a = 0; a < s.corners; ++a) {
      double* block = rows.data() + g * matrix_stride(s.corners, c) + packed(a, a, s.corners) * c * c;
      for (int i = 0; i < c; ++i)
        for (int j = 0; j < i; ++j) block[i * c + j] = 1e30;  // never read: the part i <= j counts
    }
  return rows;
}

std::vector<double> assemble(const Problem& p, const MatrixPattern& pattern) {
  std::vector<double> value(pattern.matrix.value.size(), 0.0);
  for (size_t k = 0; k < p.stencils.size(); ++k) {
    const Stencil& s = p.stencils[k];
    const AlignedVector rows = rows_of_matrices(s, p.components, 7 + k);
    const MatrixIncidence& incidence = pattern.incidence[k];
    for (int64_t chunk = 0; chunk < incidence.chunks(); ++chunk) {
      const int64_t length = kLanes * matrix_stride(s.corners, p.components);
      const int64_t first = chunk * incidence.chunk_blocks, last = std::min(s.blocks(), first + incidence.chunk_blocks);
      const AlignedVector part(rows.begin() + first * length, rows.begin() + last * length);
      add_matrices(pattern, k, chunk, part, k == 0 ? 1.5 : -0.5, p.index, value);
    }
  }
  return value;
}

std::vector<double> dense(const Problem& p) {
  const int c = p.components;
  std::vector<double> A(int64_t{p.n} * p.n, 0.0);
  for (size_t k = 0; k < p.stencils.size(); ++k) {
    const Stencil& s = p.stencils[k];
    const AlignedVector rows = rows_of_matrices(s, c, 7 + k);
    for (int64_t g = 0; g < s.n_groups; ++g)
      for (int r = 0; r < s.corners * c; ++r)
        for (int t = 0; t < s.corners * c; ++t) {
          const int a = r / c, b = t / c, i = r % c, j = t % c;
          const auto index = [&](int corner, int component) {
            return p.index[int64_t{s.nodes[(g / kLanes * s.corners + corner) * kLanes + g % kLanes]} * c + component];
          };
          const int32_t row = index(a, i), column = index(b, j);
          if (row < 0 || column < 0) continue;
          const double* of = rows.data() + g * matrix_stride(s.corners, c);
          const bool upper = r <= t;
          A[int64_t{row} * p.n + column] +=
              (k == 0 ? 1.5 : -0.5) *
              (upper ? of[packed(a, b, s.corners) * c * c + i * c + j] : of[packed(b, a, s.corners) * c * c + j * c + i]);
        }
  }
  return A;
}

MatrixPattern pattern_of(const Problem& p, int64_t chunk_blocks) {
  const Stencil* stencils[] = {&p.stencils[0], &p.stencils[1]};
  const int64_t chunks[] = {chunk_blocks, chunk_blocks};
  return matrix_pattern(stencils, chunks, p.index, p.components, p.n);
}

TEST(MatrixPattern, AssemblesWhatADenseSumGivesWithHeldValuesAndNodesReadTwice) {
  for (const int c : {1, 2, 3})
    for (const int64_t chunk : {1, 3, 100}) {
      const Problem p = problem(c);
      const MatrixPattern pattern = pattern_of(p, chunk);
      const std::vector<double> value = assemble(p, pattern), A = dense(p);
      const SymmetricMatrix& M = pattern.matrix;
      std::vector<double> found(A.size(), 0.0);
      for (int32_t column = 0; column < p.n; ++column) {
        ASSERT_EQ(M.row[M.column[column]], column) << "the diagonal comes first";
        for (int64_t k = M.column[column]; k < M.column[column + 1]; ++k) {
          if (k > M.column[column]) {
            ASSERT_LT(M.row[k - 1], M.row[k]);
          }
          found[int64_t{M.row[k]} * p.n + column] = found[int64_t{column} * p.n + M.row[k]] = value[k];
        }
      }
      for (size_t k = 0; k < A.size(); ++k) ASSERT_NEAR(found[k], A[k], 1e-12) << c << " components, chunk " << chunk;
    }
}

TEST(MatrixPattern, EveryFreeValueHasADiagonalEvenIfNothingReadsIt) {
  Problem p = problem(3);
  p.n_nodes += 2;
  for (int i = 0; i < 6; ++i) p.index.push_back(p.n++);
  const SymmetricMatrix M = pattern_of(p, 3).matrix;
  for (int32_t column = 0; column < p.n; ++column) EXPECT_EQ(M.row[M.column[column]], column);
}

TEST(Assembly, OneThreadAndTwoGiveTheSameBits) {
  const Problem p = problem(3, 9000, 4000);  // many times what one task takes
  const MatrixPattern pattern = pattern_of(p, 100);
  const NodeIncidence incidence = node_incidence(p.stencils[0], p.n_nodes);
  const AlignedVector forces = noise(p.stencils[0].blocks() * 8 * 3 * kLanes, 17);
  std::vector<std::vector<double>> matrices, vectors;
  for (const size_t threads : {1, 2}) {
    const tbb::global_control control(tbb::global_control::max_allowed_parallelism, threads);
    matrices.push_back(assemble(p, pattern));
    vectors.emplace_back(p.n_nodes * 3, 0.0);
    add_forces(incidence, forces, 3, 0.7, vectors.back(), {});
  }
  EXPECT_EQ(matrices[0], matrices[1]);
  EXPECT_EQ(vectors[0], vectors[1]);
}

TEST(NodeIncidence, EveryNodeSumsItsCornersAndTheirMagnitudes) {
  for (const int c : {1, 2, 3}) {
    const Stencil s = random_stencil(83, 8, 40, true, 101);
    const AlignedVector forces = noise(s.blocks() * 8 * c * kLanes, 18);
    std::vector<double> g(40 * c, 0.0), absolute(40 * c, 0.0), expected(40 * c, 0.0), magnitude(40 * c, 0.0);
    for (int64_t group = 0; group < s.n_groups; ++group)
      for (int a = 0; a < 8; ++a)
        for (int i = 0; i < c; ++i) {
          const int64_t row = group / kLanes * 8 + a, lane = group % kLanes;
          const double f = forces[(row * c + i) * kLanes + lane];
          expected[s.nodes[row * kLanes + lane] * c + i] += -2 * f;
          magnitude[s.nodes[row * kLanes + lane] * c + i] += 2 * std::abs(f);
        }
    add_forces(node_incidence(s, 40), forces, c, -2, g, absolute);
    for (int k = 0; k < 40 * c; ++k) {
      EXPECT_NEAR(g[k], expected[k], 1e-13);
      EXPECT_NEAR(absolute[k], magnitude[k], 1e-13);
    }
  }
}

}  // namespace
}  // namespace asb::test
