// Products and parts of a SymmetricMatrix (declared with Objective, which fills it).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/minimise/objective.h"

namespace asb {

/// y = A x, on one thread, entries in column order.
void multiply(const SymmetricMatrix& A, std::span<const double> x, std::span<double> y);

/// Mean of the diagonal; 0 for n = 0.
double mean_diagonal(const SymmetricMatrix& A);

/// Rows and columns i with keep[i] != 0, in the same order.
SymmetricMatrix restrict_to(const SymmetricMatrix& A, std::span<const uint8_t> keep);

/// Connected parts of the graph of A: entry i is the number of i's part, parts numbered by first
/// appearance.
std::vector<int32_t> connected_parts(const SymmetricMatrix& A);

}  // namespace asb
