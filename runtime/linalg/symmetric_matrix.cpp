// See symmetric_matrix.h.
#include "runtime/linalg/symmetric_matrix.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace asb {

void multiply(const SymmetricMatrix& A, std::span<const double> x, std::span<double> y) {
  ASB_CHECK(x.size() == static_cast<size_t>(A.n) && y.size() == x.size(),
            "product with a vector of another size");
  std::fill(y.begin(), y.end(), 0.0);
  for (int32_t j = 0; j < A.n; ++j) {
    const double x_j = x[j];
    double sum = 0;
    for (int64_t k = A.column[j]; k < A.column[j + 1]; ++k) {
      const int32_t i = A.row[k];
      if (i == j) {
        sum += A.value[k] * x_j;
      } else {
        y[i] += A.value[k] * x_j;
        sum += A.value[k] * x[i];
      }
    }
    y[j] += sum;
  }
}

double mean_diagonal(const SymmetricMatrix& A) {
  double sum = 0;
  for (int32_t j = 0; j < A.n; ++j)
    if (A.column[j] < A.column[j + 1] && A.row[A.column[j]] == j) sum += A.value[A.column[j]];
  return A.n > 0 ? sum / A.n : 0;
}

SymmetricMatrix restrict_to(const SymmetricMatrix& A, std::span<const uint8_t> keep) {
  ASB_CHECK(keep.size() == static_cast<size_t>(A.n), "one mark per row");
  std::vector<int32_t> renumbered(A.n, -1);
  SymmetricMatrix part;
  for (int32_t j = 0; j < A.n; ++j)
    if (keep[j] != 0) renumbered[j] = part.n++;
  part.column.reserve(static_cast<size_t>(part.n) + 1);
  part.column.push_back(0);
  for (int32_t j = 0; j < A.n; ++j) {
    if (keep[j] == 0) continue;
    for (int64_t k = A.column[j]; k < A.column[j + 1]; ++k) {
      if (keep[A.row[k]] == 0) continue;
      part.row.push_back(renumbered[A.row[k]]);
      part.value.push_back(A.value[k]);
    }
    part.column.push_back(static_cast<int64_t>(part.row.size()));
  }
  return part;
}

std::vector<int32_t> connected_parts(const SymmetricMatrix& A) {
  std::vector<int32_t> parent(A.n);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (int32_t j = 0; j < A.n; ++j) {
    for (int64_t k = A.column[j]; k < A.column[j + 1]; ++k) {
      const int32_t a = root(j), b = root(A.row[k]);
      parent[std::max(a, b)] = std::min(a, b);
    }
  }
  std::vector<int32_t> part(A.n, -1);
  int32_t n_parts = 0;
  for (int32_t i = 0; i < A.n; ++i) {
    const int32_t r = root(i);  // r <= i: roots are the smallest members
    part[i] = r == i ? n_parts++ : part[r];
  }
  return part;
}

}  // namespace asb
