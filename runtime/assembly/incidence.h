// Who adds to whom: owner-computes assembly. Every node, and every matrix entry, sums its own contributions in a fixed
// order, so results have the same bits for any number of threads and no two threads write one number.
#pragma once

#include <span>

#include "runtime/assembly/stencil.h"
#include "runtime/minimise/objective.h"

namespace asb {

/// For each node the places of its contributions in a group array of `rows` = corners entries per block: contribution k of
/// corner a, lane l of block b is values[((b·corners + a)·c + i)·kLanes + l] for component i.
struct NodeIncidence {
  std::vector<int64_t> first;   ///< n_nodes + 1
  std::vector<int64_t> place;   ///< (b·corners + a)·kLanes + l… stored as (b·corners + a, l) in one number
};
NodeIncidence node_incidence(const Stencil& stencil, int64_t n_nodes);

/// g[node·c + i] += scale · Σ contributions; if absolute: a[node·c + i] += |scale| · Σ |contributions|.
void add_forces(const NodeIncidence& incidence, const AlignedVector& forces, int components, double scale,
                std::span<double> g, std::span<double> absolute);

/// Where the packed element matrices of one stencil go in a SymmetricMatrix.
struct MatrixIncidence {
  std::vector<int64_t> first;   ///< per matrix entry, + 1
  std::vector<int64_t> place;   ///< in the array of packed element matrices
};

/// Pattern of Σ B'HB over several stencils, and the incidence of each. index[node·c + i] is the row of a value or -1.
/// With c = 1 and index the node numbers it is the pattern of a scalar stiffness.
struct MatrixPattern {
  SymmetricMatrix matrix;       ///< values zero
  std::vector<MatrixIncidence> incidence;
};
MatrixPattern matrix_pattern(std::span<const Stencil* const> stencils, std::span<const int32_t> index, int components,
                             int32_t n);

/// value[e] += scale · Σ contributions to entry e.
void add_matrices(const MatrixIncidence& incidence, const AlignedVector& matrices, double scale,
                  std::span<double> value);

}  // namespace asb
