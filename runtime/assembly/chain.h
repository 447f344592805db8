// Between nodes and local variables: y = B u, f = B'p, K = B'HB, for one block of kLanes groups. The only hand-written
// arithmetic of assembly; everything about the energy itself is generated.
#pragma once

#include "runtime/assembly/stencil.h"

namespace asb {

/// A local variable of a form: value (c entries) or gradient (c × 3 entries, row major) of an unknown with c components.
struct LocalShape {
  bool is_gradient = false;
  int components = 3;
  int entries() const { return is_gradient ? 3 * components : components; }
};

/// Corner values of block `block` from node-major values u[node·c + i] into corner[(a·c + i)·kLanes + lane].
void gather_corners(const Stencil& stencil, int64_t block, const double* u, int components, double* corner);

/// One local at point q: y[k·kLanes + lane] = Σ_a weight_a corner_a.
void gather_local(const Stencil& stencil, int64_t block, int q, const LocalShape& shape, const double* corner, double* y);

/// force[(a·c + i)·kLanes + lane] += w · Σ B'p for one local at point q; w[lane] are measures, p[k·kLanes + lane].
void scatter_local(const Stencil& stencil, int64_t block, int q, const LocalShape& shape, const double* w, const double* p,
                   double* force);

/// K += w B'HB of two locals at point q. H is the packed upper triangle by rows of the n_local × n_local Hessian, an entry
/// in every kLanes numbers; `first_row`, `first_column` are the locals' places in it. K holds one c × c block for each pair
/// of corners a <= b: entry (i, j) of pair packed(a, b, corners) is number pair·c² + i·c + j, at K[number·kLanes + lane].
/// Of blocks with a = b the part i <= j counts.
void scatter_hessian(const Stencil& stencil, int64_t block, int q, const LocalShape& row, int first_row,
                     const LocalShape& column, int first_column, int n_local, const double* w, const double* H, double* K);

/// Numbers of one block, number·kLanes + lane, to one row for each of its groups: rows[lane·stride + number].
void lanes_to_rows(int64_t numbers, int64_t stride, const double* from, double* rows);

/// K[(a, b), a <= b] += w Σ_JL G_aJ C_JL G_bL (gradient) or w C N_a N_b (value): the same layout with c = 1.
void scatter_scalar(const Stencil& stencil, int64_t block, int q, bool is_gradient, const double* w, const double* C,
                    double* K);

/// Place of entry (r, c), r <= c, in the packed upper triangle by rows of an n×n matrix.
constexpr int64_t packed(int64_t r, int64_t c, int64_t n) { return r * n - r * (r - 1) / 2 + (c - r); }

/// Numbers of a group's matrix K, and the length of the row that it is kept in.
constexpr int64_t matrix_numbers(int64_t corners, int64_t c) { return corners * (corners + 1) / 2 * c * c; }
constexpr int64_t matrix_stride(int64_t corners, int64_t c) { return blocks_for(matrix_numbers(corners, c)) * kLanes; }

}  // namespace asb
