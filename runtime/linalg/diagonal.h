// Diagonal preconditioner, for the cases where no factor exists: singular or indefinite Hessians.
#pragma once

#include <vector>

#include "runtime/minimise/objective.h"

namespace asb {

/// z_i = r_i / max(|A_ii|, 1e-3 · mean|A_jj|); the identity where the diagonal is zero throughout.
class DiagonalPreconditioner : public Preconditioner {
 public:
  explicit DiagonalPreconditioner(const SymmetricMatrix& A);
  void apply(std::span<const double> r, std::span<double> z) override;

 private:
  std::vector<double> inverse_;
};

}  // namespace asb
