// See diagonal.h.
#include "runtime/linalg/diagonal.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace asb {

DiagonalPreconditioner::DiagonalPreconditioner(const SymmetricMatrix& A) : inverse_(A.n, 0.0) {
  double sum = 0, largest = 0;
  for (int32_t j = 0; j < A.n; ++j) {
    const int64_t first = A.column[j];
    if (first < A.column[j + 1] && A.row[first] == j) inverse_[j] = std::abs(A.value[first]);
    sum += inverse_[j];
    largest = std::max(largest, inverse_[j]);
  }
  const double mean = sum > 0 ? sum / A.n : 1.0;
  for (double& entry : inverse_) entry = 1 / (entry > 1e-10 * largest ? entry : mean);
}

void DiagonalPreconditioner::apply(std::span<const double> r, std::span<double> z) {
  ASB_CHECK(r.size() == inverse_.size() && z.size() == r.size(), "vectors of the matrix's size");
  for (size_t i = 0; i < r.size(); ++i) z[i] = inverse_[i] * r[i];
}

}  // namespace asb
