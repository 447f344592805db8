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
  std::vector<int64_t> first;    ///< n_nodes + 1
  std::vector<uint32_t> place;   ///< (b·corners + a)·kLanes + l, groups ascending
};
NodeIncidence node_incidence(const Stencil& stencil, int64_t n_nodes);

/// g[node·c + i] += scale · Σ contributions; if absolute: a[node·c + i] += |scale| · Σ |contributions|.
void add_forces(const NodeIncidence& incidence, const AlignedVector& forces, int components, double scale,
                std::span<double> g, std::span<double> absolute);

/// Where the matrices of one stencil's groups go. Groups are taken in chunks, whose matrices are in memory together; a
/// chunk adds to each block of the matrix what its groups give to a pair of nodes, groups ascending.
struct MatrixIncidence {
  int64_t chunk_blocks = 0;      ///< group blocks in a chunk
  std::vector<int64_t> chunk;    ///< per chunk, + 1: its first sum
  std::vector<int32_t> target;   ///< per sum: block of the matrix
  std::vector<int64_t> first;    ///< per sum, + 1: its first contribution
  std::vector<int32_t> from;     ///< per contribution: place of its block in the chunk's matrices, · 2, + 1 if transposed
  int64_t chunks() const { return static_cast<int64_t>(chunk.size()) - 1; }
};

/// A c × c block of the matrix: the values at node `p` by those at node `q` >= p. Component i of p, if it is free, is a
/// column; in all columns of p the free values of q begin as far from the column's end.
struct MatrixBlock {
  int32_t p = 0, q = 0;
  int32_t from_end = 0;
};

/// Pattern of Σ B'HB over several stencils, and the incidence of each. index[node·c + i] is the row of a value or -1;
/// rows ascend with nodes and components. With c = 1 and index the node numbers it is that of a scalar stiffness.
struct MatrixPattern {
  SymmetricMatrix matrix;       ///< values zero
  int components = 0;
  std::vector<MatrixBlock> blocks;
  std::vector<MatrixIncidence> incidence;
  size_t bytes() const;         ///< without the matrix
};

/// Group blocks whose matrices take about a megabyte, and at least `at_least`.
int64_t chunk_blocks(const Stencil& stencil, int components, int64_t at_least);

MatrixPattern matrix_pattern(std::span<const Stencil* const> stencils, std::span<const int64_t> chunk_blocks,
                             std::span<const int32_t> index, int components, int32_t n);

/// Adds scale times the matrices (FormAssembler::hessian) of one chunk of stencil `which` to `value`.
void add_matrices(const MatrixPattern& pattern, size_t which, int64_t chunk, const AlignedVector& matrices, double scale,
                  std::span<const int32_t> index, std::span<double> value);

}  // namespace asb
