// What chain.cpp hands to its arithmetic, of which there is one version per instruction set (chain_kernels.inc). Plain
// data and no code: a function of a header, compiled for a newer machine, could be the copy that the linker keeps.
#pragma once

#include <cstdint>

namespace asb {

/// B of one local at a point: entry corner·directions + direction, one number for all lanes or one for each.
struct ChainWeights {
  const double* at = nullptr;
  bool is_shared = true;
  bool is_gradient = false;
};

/// The functions of chain.h at one point of one block. corners: of a group; c: components of the unknown.
struct ChainKernels {
  void (*corners)(const int32_t* nodes, int corners, int c, const double* u, double* corner);
  void (*gather)(int corners, int c, const ChainWeights& w, const double* corner, double* y);
  void (*scatter)(int corners, int c, const ChainWeights& w, const double* measure, const double* p, double* force);
  void (*hessian)(int corners, int c, const ChainWeights& row, int first_row, const ChainWeights& column, int first_column,
                  int n_local, const double* measure, const double* H, double* K);
  void (*scalar)(int corners, const ChainWeights& w, const double* measure, const double* C, double* K);
  /// Numbers of a block to one row for each of its groups.
  void (*to_rows)(int64_t numbers, int64_t stride, const double* from, double* rows);
  /// clamp_eigenvalues() of projection.h for one block.
  void (*clamp)(double* H, int n);
};

extern const ChainKernels kChainForAny, kChainForAvx2, kChainForAvx512;

}  // namespace asb
