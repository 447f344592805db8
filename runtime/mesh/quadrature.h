// Quadrature rules of the reference elements, and the points of a whole mesh: weights, shape
// functions and their gradients in the rest state. What assembly integrates over.
#pragma once

#include <vector>

#include "base/result.h"
#include "runtime/mesh/mesh.h"

namespace asb {

inline constexpr int kMaxGaussPoints = 5;  ///< in one direction

/// Points and weights on a reference element; all weights positive, their sum the reference
/// measure.
struct QuadratureRule {
  std::vector<Vec3> points;
  std::vector<double> weights;
  int degree =
      0;  ///< exact for polynomials of this total degree (hexes: of this degree in each coordinate)
};

/// n-point Gauss rule on [0, 1] for the weight (1 - t)^alpha, n from 1 to kMaxGaussPoints,
/// ascending.
struct LineRule {
  std::vector<double> t, w;
};
LineRule gauss_jacobi(int n, int alpha);

/// The smallest rule here that is exact to `degree`. Hexes: tensor Gauss rules, n = ceil((degree +
/// 1)/2) points a direction. Tets: 1 point (degree 1), 4 points (degree 2), then conical products
/// of n^3 points with the same n.
[[nodiscard]] Result<QuadratureRule> rule_of_degree(ElementKind kind, int degree);

/// The rule of an integral that names none: on simplices degree 2(k-1) if only gradients of order-k
/// unknowns are read, 2k if values are; on hexes k+1 points a direction.
QuadratureRule default_rule(ElementKind kind, bool reads_values);

/// Every quadrature point of a mesh. Point q of cell c is entry c·points_per_cell + q.
struct MeshPoints {
  int32_t n_cells = 0;
  int points_per_cell = 0;
  int corners = 0;
  std::vector<double> N;  ///< points_per_cell × corners, the same in all cells
  std::vector<double>
      measure;          ///< n_cells × points_per_cell: rule weight · det J · cell weight [m^3]
  std::vector<Vec3> X;  ///< n_cells × points_per_cell: rest positions [m]
  /// Gradients by rest position [1/m], n_patterns × points_per_cell × corners × 3. Cells with the
  /// same remainder modulo n_patterns share them: 1 on a lattice of hexes, 6 on a lattice of tets,
  /// else n_cells.
  std::vector<double> gradN;
  int32_t n_patterns = 0;

  size_t size() const { return measure.size(); }
  /// corners × 3 numbers: dN_a/dX_j at entry 3a + j.
  const double* gradient(int32_t cell, int point) const {
    return &gradN[(size_t(cell % n_patterns) * points_per_cell + point) * corners * 3];
  }
};

/// Points of all cells. Errors name the cell: corners that don't exist, a node that isn't finite,
/// det J <= 0.
[[nodiscard]] Result<MeshPoints> quadrature_points(const Mesh& mesh, const QuadratureRule& rule);

}  // namespace asb
