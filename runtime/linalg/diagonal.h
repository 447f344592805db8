// Diagonal preconditioner, for the cases where no factor exists: singular or indefinite Hessians.
#pragma once

#include <vector>

#include "runtime/minimise/objective.h"

namespace asb {

/// z_i = r_i / |A_ii|, with the mean of |A_jj| in place of entries that are zero to round-off; the
/// identity where all are.
class DiagonalPreconditioner : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(const SymmetricMatrix& A);
  void apply(std::span<const double> r, std::span<double> z) override;

 private:
  std::vector<double> inverse_;
};

}  // namespace asb
