// Extreme eigenvalues of a symmetric tridiagonal matrix, as the Lanczos process inside CG leaves
// it.
#pragma once

#include <span>

namespace asb {

struct Extremes {
  double smallest = 0;
  double largest = 0;
};

/// Smallest and largest eigenvalue of the matrix with this diagonal and off_diagonal (one entry
/// shorter), to about 1e-12 of the largest magnitude, by bisection on Sturm counts
/// ([Golub2013] 8.4.1). {0, 0} if empty.
Extremes extreme_eigenvalues(std::span<const double> diagonal,
                             std::span<const double> off_diagonal);

}  // namespace asb
