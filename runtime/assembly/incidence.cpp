// See incidence.h.
#include "runtime/assembly/incidence.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>

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
  for_each([&](int32_t node, int64_t at) { out.place[next[node]++] = at; });
  return out;
}

void add_forces(const NodeIncidence& incidence, const AlignedVector& forces, int c, double scale, std::span<double> g,
                std::span<double> absolute) {
  const int64_t n = static_cast<int64_t>(incidence.first.size()) - 1;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, n, 2048), [&](const auto& range) {
    for (int64_t node = range.begin(); node < range.end(); ++node)
      for (int i = 0; i < c; ++i) {
        double sum = 0, sum_absolute = 0;
        for (int64_t k = incidence.first[node]; k < incidence.first[node + 1]; ++k) {
          const int64_t row = incidence.place[k] / kLanes, lane = incidence.place[k] % kLanes;
          const double f = forces[(row * c + i) * kLanes + lane];
          sum += f;
          sum_absolute += std::abs(f);
        }
        g[node * c + i] += scale * sum;
        if (!absolute.empty()) absolute[node * c + i] += std::abs(scale) * sum_absolute;
      }
  });
}

MatrixPattern matrix_pattern(std::span<const Stencil* const> stencils, std::span<const int32_t> index, int c, int32_t n) {
  // One record per contribution: (column, row), stencil, place. Sorted by (column, row), stencil, place: a fixed order.
  struct Record {
    int64_t key;
    int32_t stencil;
    int64_t place;
  };
  std::vector<Record> records;
  for (size_t s = 0; s < stencils.size(); ++s) {
    const Stencil& st = *stencils[s];
    const int m = st.corners * c;
    const int64_t size = static_cast<int64_t>(m) * (m + 1) / 2;
    for (int64_t g = 0; g < st.n_groups; ++g) {
      const int64_t block = g / kLanes, lane = g % kLanes;
      std::array<int32_t, kLanes * 9> at;  // corners·c <= 72
      for (int r = 0; r < m; ++r)
        at[r] = index[static_cast<int64_t>(st.nodes[(block * st.corners + r / c) * kLanes + lane]) * c + r % c];
      for (int r = 0; r < m; ++r)
        for (int k = r; k < m; ++k) {
          if (at[r] < 0 || at[k] < 0) continue;
          const int64_t column = std::min(at[r], at[k]), row = std::max(at[r], at[k]);
          records.push_back({column * n + row, static_cast<int32_t>(s),
                             (block * size + packed(r, k, m)) * kLanes + lane});
          // Two corners of one group at the same node: the off-diagonal entry counts on both sides.
          if (r != k && at[r] == at[k]) records.push_back(records.back());
        }
    }
  }
  for (int32_t i = 0; i < n; ++i) records.push_back({static_cast<int64_t>(i) * n + i, -1, -1});  // every diagonal exists
  std::sort(records.begin(), records.end(), [](const Record& a, const Record& b) {
    return std::tie(a.key, a.stencil, a.place) < std::tie(b.key, b.stencil, b.place);
  });
  MatrixPattern out;
  SymmetricMatrix& A = out.matrix;
  A.n = n;
  A.column.assign(n + 1, 0);
  out.incidence.resize(stencils.size());
  int64_t last = -1;
  for (const Record& record : records) {
    if (record.key != last) {
      last = record.key;
      A.row.push_back(static_cast<int32_t>(record.key % n));
      ++A.column[record.key / n + 1];
      for (MatrixIncidence& i : out.incidence) i.first.push_back(static_cast<int64_t>(i.place.size()));
    }
    if (record.stencil >= 0) out.incidence[record.stencil].place.push_back(record.place);
  }
  for (MatrixIncidence& i : out.incidence) i.first.push_back(static_cast<int64_t>(i.place.size()));
  for (int32_t i = 0; i < n; ++i) A.column[i + 1] += A.column[i];
  A.value.assign(A.row.size(), 0.0);
  return out;
}

void add_matrices(const MatrixIncidence& incidence, const AlignedVector& matrices, double scale, std::span<double> value) {
  tbb::parallel_for(tbb::blocked_range<size_t>(0, value.size(), 8192), [&](const auto& range) {
    for (size_t e = range.begin(); e < range.end(); ++e) {
      double sum = 0;
      for (int64_t k = incidence.first[e]; k < incidence.first[e + 1]; ++k) sum += matrices[incidence.place[k]];
      value[e] += scale * sum;
    }
  });
}

}  // namespace asb
