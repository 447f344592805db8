// The table of finite elements: what each ElementKind is. Read by every part of runtime/ that
// touches a cell; a new element is one entry in element.cpp and its rules in quadrature.cpp.
#pragma once

#include <span>

#include "runtime/mesh/mesh.h"

namespace asb {

inline constexpr int kMaxCorners = 8;

/// A side of a cell: local corner numbers, counter-clockwise seen from outside.
struct ElementFace {
  int corners = 0;
  std::array<int8_t, 4> corner = {};
};

/// One element. Reference domains: hex8 is [-1, 1]^3; tet4 has corners 0, e1, e2, e3.
/// Corner order is that of VTK and gmsh.
struct Element {
  ElementKind kind;
  const char* name;  ///< as in a program: `hex8`
  int vtk_type;
  int corners;
  int dim;
  int order;                 ///< k: polynomials of this degree are in the space
  double reference_measure;  ///< volume of the reference domain
  std::span<const Vec3> corner_position;
  std::span<const ElementFace> faces;
  /// N_c(xi) into N[corners].
  void (*shape)(const Vec3& xi, double* N);
  /// dN_c/dxi into dN[corners].
  void (*shape_gradient)(const Vec3& xi, Vec3* dN);
};

/// The entry of a kind.
const Element& element(ElementKind kind);

/// All entries, in the order of ElementKind.
std::span<const Element> all_elements();

/// Rest positions of the corners of cell c into x[corners].
void cell_corners(const Mesh& mesh, int32_t c, Vec3* x);

inline int32_t cell_count(const Mesh& mesh) {
  return static_cast<int32_t>(mesh.cells.size() / element(mesh.kind).corners);
}

/// J = dx/dxi (rows x, columns xi) at a point with reference gradients dN; returns det J.
double jacobian(const Element& e, const Vec3* x, const Vec3* dN, double J[3][3]);

/// Volume of cell c by a rule that is exact for it [m^3]; negative if inverted.
double cell_volume(const Mesh& mesh, int32_t c);

/// sum_c N_c x_c.
Vec3 interpolate(const Element& e, const Vec3* x, const double* N);

}  // namespace asb
