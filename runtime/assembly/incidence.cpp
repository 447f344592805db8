// See incidence.h.
#include "runtime/assembly/incidence.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "runtime/assembly/chain.h"

namespace asb {

NodeIncidence node_incidence(const Stencil& s, int64_t n_nodes) {
  NodeIncidence out;
  out.first.assign(n_nodes + 1, 0);
  const auto for_each = [&](auto&& use) {
    for (int64_t g = 0; g < s.n_groups; ++g)
      for (int a = 0; a < s.corners; ++a) {
        const int64_t at = (g / kLanes * s.corners + a) * kLanes + g % kLanes;
        use(s.nodes[at], at);
      }
  };
  for_each([&](int32_t node, int64_t) { ++out.first[node + 1]; });
  for (int64_t i = 0; i < n_nodes; ++i) out.first[i + 1] += out.first[i];
  out.place.resize(out.first.back());
  std::vector<int64_t> next(out.first.begin(), out.first.end() - 1);
  for_each([&](int32_t node, int64_t at) { out.place[next[node]++] = static_cast<uint32_t>(at); });
  return out;
}

namespace {

/// Contributions to one node, and their magnitudes; kC is the number of components.
template <int kC>
void add_at_node(const NodeIncidence& incidence, int64_t node, const double* forces, double scale, double* g, double* absolute) {
  double sum[kC] = {}, sum_absolute[kC] = {};
  for (int64_t k = incidence.first[node]; k < incidence.first[node + 1]; ++k) {
    const uint32_t row = incidence.place[k] / kLanes, lane = incidence.place[k] % kLanes;
    const double* f = forces + int64_t{row} * kC * kLanes + lane;
    for (int i = 0; i < kC; ++i) {
      sum[i] += f[i * kLanes];
      sum_absolute[i] += std::abs(f[i * kLanes]);
    }
  }
  for (int i = 0; i < kC; ++i) g[node * kC + i] += scale * sum[i];
  if (absolute)
    for (int i = 0; i < kC; ++i) absolute[node * kC + i] += std::abs(scale) * sum_absolute[i];
}

}  // namespace

void add_forces(const NodeIncidence& incidence, const AlignedVector& forces, int c, double scale, std::span<double> g,
                std::span<double> absolute) {
  const int64_t n = static_cast<int64_t>(incidence.first.size()) - 1;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 2048), [&](const auto& range) {
    double* const a = absolute.empty() ? nullptr : absolute.data();
    for (int64_t node = range.begin(); node < range.end(); ++node) {
      if (c == 3) {
        add_at_node<3>(incidence, node, forces.data(), scale, g.data(), a);
        continue;
      }
      for (int i = 0; i < c; ++i) {
        double sum = 0, sum_absolute = 0;
        for (int64_t k = incidence.first[node]; k < incidence.first[node + 1]; ++k) {
          const int64_t row = incidence.place[k] / kLanes, lane = incidence.place[k] % kLanes;
          const double f = forces[(row * c + i) * kLanes + lane];
          sum += f;
          sum_absolute += std::abs(f);
        }
        g[node * c + i] += scale * sum;
        if (a) a[node * c + i] += std::abs(scale) * sum_absolute;
      }
    }
  });
}

int64_t chunk_blocks(const Stencil& s, int c, int64_t at_least) {
  const int64_t block = matrix_stride(s.corners, c) * kLanes * static_cast<int64_t>(sizeof(double));
  return std::max(at_least, (int64_t{1} << 20) / block);
}

size_t MatrixPattern::bytes() const {
  size_t sum = bytes_of(blocks);
  for (const MatrixIncidence& i : incidence) sum += bytes_of(i.chunk) + bytes_of(i.target) + bytes_of(i.first) + bytes_of(i.from);
  return sum;
}

namespace {

/// Neighbours q >= p of every node p, ascending, p among them if any of its values is free.
struct Neighbours {
  std::vector<int64_t> first;
  std::vector<int32_t> node;
};

template <class Use>
void for_each_pair(const Stencil& s, int64_t group, Use&& use) {
  const int32_t* nodes = s.nodes.data() + group / kLanes * s.corners * kLanes + group % kLanes;
  for (int a = 0; a < s.corners; ++a)
    for (int b = a; b < s.corners; ++b) use(a, b, nodes[a * kLanes], nodes[b * kLanes]);
}

Neighbours neighbours(std::span<const Stencil* const> stencils, const std::vector<uint8_t>& is_free) {
  Neighbours out;
  const int64_t n_nodes = static_cast<int64_t>(is_free.size());
  std::vector<int64_t> next(n_nodes + 1, 0);
  const auto for_each = [&](auto&& use) {
    for (int32_t p = 0; p < n_nodes; ++p)
      if (is_free[p]) use(p, p);  // every diagonal exists
    for (const Stencil* s : stencils)
      for (int64_t g = 0; g < s->n_groups; ++g)
        for_each_pair(*s, g, [&](int a, int b, int32_t p, int32_t q) {
          if (a != b && p != q && is_free[p] && is_free[q]) use(std::min(p, q), std::max(p, q));
        });
  };
  for_each([&](int32_t p, int32_t) { ++next[p + 1]; });
  for (int64_t p = 0; p < n_nodes; ++p) next[p + 1] += next[p];
  std::vector<int32_t> all(next.back());
  std::vector<int64_t> end(next.begin(), next.end() - 1);
  for_each([&](int32_t p, int32_t q) { all[end[p]++] = q; });
  out.first.assign(n_nodes + 1, 0);
  for (int64_t p = 0; p < n_nodes; ++p) {
    const auto begin = all.begin() + next[p], stop = all.begin() + next[p + 1];
    std::sort(begin, stop);
    out.node.insert(out.node.end(), begin, std::unique(begin, stop));
    out.first[p + 1] = static_cast<int64_t>(out.node.size());
  }
  return out;
}

MatrixIncidence matrix_incidence(const Stencil& s, int64_t chunk_blocks, int c, const Neighbours& near) {
  MatrixIncidence out;
  out.chunk_blocks = chunk_blocks;
  out.chunk.push_back(0);
  out.first.push_back(0);
  struct Record {
    int32_t target, from;
  };
  std::vector<Record> records;
  const int64_t stride = matrix_stride(s.corners, c);
  ASB_CHECK(chunk_blocks * kLanes * stride < (int64_t{1} << 30), "a chunk of matrices is too large for its places");
  for (int64_t begin = 0; begin < s.n_groups; begin += chunk_blocks * kLanes) {
    records.clear();
    for (int64_t g = begin; g < std::min(s.n_groups, begin + chunk_blocks * kLanes); ++g)
      for_each_pair(s, g, [&](int a, int b, int32_t p, int32_t q) {
        const bool turned = p > q;
        if (turned) std::swap(p, q);
        const auto stop = near.node.begin() + near.first[p + 1];
        const auto found = std::lower_bound(near.node.begin() + near.first[p], stop, q);
        if (found == stop || *found != q) return;  // one of them is held
        const auto target = static_cast<int32_t>(found - near.node.begin());
        const int64_t place = (g - begin) * stride + packed(a, b, s.corners) * c * c;
        records.push_back({target, static_cast<int32_t>(2 * place + turned)});
        // Two corners of one group at the same node: the block counts on both sides of the diagonal.
        if (a != b && p == q) records.push_back({target, static_cast<int32_t>(2 * place + 1)});
      });
    std::stable_sort(records.begin(), records.end(), [](const Record& x, const Record& y) { return x.target < y.target; });
    for (const Record& record : records) {
      if (static_cast<int64_t>(out.target.size()) == out.chunk.back() || out.target.back() != record.target) {
        if (!out.target.empty()) out.first.push_back(static_cast<int64_t>(out.from.size()));
        out.target.push_back(record.target);
      }
      out.from.push_back(record.from);
    }
    out.chunk.push_back(static_cast<int64_t>(out.target.size()));
  }
  out.first.push_back(static_cast<int64_t>(out.from.size()));
  return out;
}

}  // namespace

MatrixPattern matrix_pattern(std::span<const Stencil* const> stencils, std::span<const int64_t> chunk_blocks,
                             std::span<const int32_t> index, int c, int32_t n) {
  const auto n_nodes = static_cast<int32_t>(index.size() / c);
  std::vector<uint8_t> n_free(n_nodes, 0);
  int32_t last = -1;
  for (size_t i = 0; i < index.size(); ++i)
    if (index[i] >= 0) {
      ASB_CHECK(index[i] == last + 1, "rows must ascend with nodes and components");
      last = index[i];
      ++n_free[i / c];
    }
  const Neighbours near = neighbours(stencils, n_free);
  MatrixPattern out;
  out.components = c;
  SymmetricMatrix& A = out.matrix;
  A.n = n;
  A.column.assign(n + 1, 0);
  out.blocks.reserve(near.node.size());
  std::vector<int32_t> rows;
  for (int32_t p = 0; p < n_nodes; ++p) {
    rows.clear();
    const auto first_block = static_cast<int64_t>(out.blocks.size());
    for (int64_t k = near.first[p]; k < near.first[p + 1]; ++k) {
      const int32_t q = near.node[k];
      out.blocks.push_back({p, q, static_cast<int32_t>(rows.size())});
      for (int j = 0; j < c; ++j)
        if (index[int64_t{q} * c + j] >= 0) rows.push_back(index[int64_t{q} * c + j]);
    }
    for (size_t k = first_block; k < out.blocks.size(); ++k)
      out.blocks[k].from_end = static_cast<int32_t>(rows.size()) - out.blocks[k].from_end;
    int skip = 0;  // the part above the diagonal
    for (int i = 0; i < c; ++i) {
      const int32_t column = index[int64_t{p} * c + i];
      if (column < 0) continue;
      A.row.insert(A.row.end(), rows.begin() + skip++, rows.end());
      A.column[column + 1] = static_cast<int64_t>(A.row.size());
    }
  }
  A.value.assign(A.row.size(), 0.0);
  for (size_t s = 0; s < stencils.size(); ++s)
    out.incidence.push_back(matrix_incidence(*stencils[s], chunk_blocks[s], c, near));
  return out;
}

namespace {

/// Sums of one block over its contributions, and from there into the columns; kC is c or 0.
template <int kC>
void add_block(const MatrixPattern& pattern, const MatrixIncidence& incidence, int64_t sum, const double* matrices,
               double scale, std::span<const int32_t> index, std::span<double> value) {
  const int c = kC > 0 ? kC : pattern.components;
  const auto total = [&](int i, int j) {
    double t = 0;
    for (int64_t k = incidence.first[sum]; k < incidence.first[sum + 1]; ++k) {
      const int32_t from = incidence.from[k];
      t += matrices[from / 2 + (from % 2 ? j * c + i : i * c + j)];
    }
    return t;
  };
  double totals[kC > 0 ? kC * kC : 1] = {};
  if constexpr (kC > 0)
    for (int64_t k = incidence.first[sum]; k < incidence.first[sum + 1]; ++k) {
      const uint32_t from = static_cast<uint32_t>(incidence.from[k]);
      const double* at = matrices + from / 2;
      if (from % 2 == 0)
        for (int e = 0; e < kC * kC; ++e) totals[e] += at[e];
      else
        for (int e = 0; e < kC * kC; ++e) totals[e] += at[e % kC * kC + e / kC];
    }
  const MatrixBlock& block = pattern.blocks[incidence.target[sum]];
  for (int i = 0; i < c; ++i) {
    const int32_t column = index[int64_t{block.p} * c + i];
    if (column < 0) continue;
    int64_t at = pattern.matrix.column[column + 1] - block.from_end;
    for (int j = 0; j < c; ++j) {
      if (index[int64_t{block.q} * c + j] < 0) continue;
      if (block.p != block.q || j >= i) value[at] += scale * (kC > 0 ? totals[i * kC + j] : total(i, j));
      ++at;
    }
  }
}

}  // namespace

void add_matrices(const MatrixPattern& pattern, size_t which, int64_t chunk, const AlignedVector& matrices, double scale,
                  std::span<const int32_t> index, std::span<double> value) {
  const MatrixIncidence& incidence = pattern.incidence[which];
  tbb::parallel_for(tbb::blocked_range<int64_t>(incidence.chunk[chunk], incidence.chunk[chunk + 1], 1024),
                    [&](const auto& range) {
                      for (int64_t sum = range.begin(); sum < range.end(); ++sum) {
                        if (pattern.components == 3)
                          add_block<3>(pattern, incidence, sum, matrices.data(), scale, index, value);
                        else if (pattern.components == 1)
                          add_block<1>(pattern, incidence, sum, matrices.data(), scale, index, value);
                        else add_block<0>(pattern, incidence, sum, matrices.data(), scale, index, value);
                      }
                    });
}

}  // namespace asb
