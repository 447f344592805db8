// The element table, and the few formulas that hold for every element.
#include "runtime/mesh/element.h"

#include "base/check.h"
#include "runtime/mesh/quadrature.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

constexpr Vec3 kHexCorner[8] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
constexpr ElementFace kHexFace[6] = {{4, {0, 4, 7, 3}}, {4, {1, 2, 6, 5}}, {4, {0, 1, 5, 4}},
                                     {4, {3, 7, 6, 2}}, {4, {0, 3, 2, 1}}, {4, {4, 5, 6, 7}}};
constexpr Vec3 kTetCorner[4] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
constexpr ElementFace kTetFace[4] = {
    {3, {1, 2, 3}}, {3, {0, 3, 2}}, {3, {0, 1, 3}}, {3, {0, 2, 1}}};

// N_c = 1/8 prod_a (1 + xi_a c_a), c the corner's reference position.
void hex_shape(const Vec3& xi, double* N) {
  for (int c = 0; c < 8; ++c) {
    const Vec3& p = kHexCorner[c];
    N[c] = 0.125 * (1 + xi[0] * p[0]) * (1 + xi[1] * p[1]) * (1 + xi[2] * p[2]);
  }
}

void hex_gradient(const Vec3& xi, Vec3* dN) {
  for (int c = 0; c < 8; ++c) {
    const Vec3& p = kHexCorner[c];
    const double f[3] = {1 + xi[0] * p[0], 1 + xi[1] * p[1], 1 + xi[2] * p[2]};
    dN[c] = {0.125 * p[0] * f[1] * f[2], 0.125 * f[0] * p[1] * f[2], 0.125 * f[0] * f[1] * p[2]};
  }
}

void tet_shape(const Vec3& xi, double* N) {
  N[0] = 1 - xi[0] - xi[1] - xi[2];
  N[1] = xi[0];
  N[2] = xi[1];
  N[3] = xi[2];
}

void tet_gradient(const Vec3&, Vec3* dN) {
  dN[0] = {-1, -1, -1};
  dN[1] = {1, 0, 0};
  dN[2] = {0, 1, 0};
  dN[3] = {0, 0, 1};
}

constexpr int kVtkHexahedron = 12, kVtkTetra = 10;

const Element kElements[] = {
    {ElementKind::Hex8, "hex8", kVtkHexahedron, 8, 3, 1, 8.0, kHexCorner, kHexFace, hex_shape,
     hex_gradient},
    {ElementKind::Tet4, "tet4", kVtkTetra, 4, 3, 1, 1.0 / 6, kTetCorner, kTetFace, tet_shape,
     tet_gradient},
};

}  // namespace

const Element& element(ElementKind kind) {
  const size_t i = static_cast<size_t>(kind);
  ASB_CHECK(i < std::size(kElements) && kElements[i].kind == kind,
            "element table follows ElementKind");
  return kElements[i];
}

std::span<const Element> all_elements() { return kElements; }

void cell_corners(const Mesh& mesh, int32_t c, Vec3* x) {
  const int corners = element(mesh.kind).corners;
  for (int a = 0; a < corners; ++a) x[a] = mesh.nodes[mesh.cells[size_t(c) * corners + a]];
}

double jacobian(const Element& e, const Vec3* x, const Vec3* dN, double J[3][3]) {
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      J[i][j] = 0;
      for (int c = 0; c < e.corners; ++c) J[i][j] += x[c][i] * dN[c][j];
    }
  }
  return J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
         J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
         J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
}

double cell_volume(const Mesh& mesh, int32_t c) {
  const Element& e = element(mesh.kind);
  const QuadratureRule rule =
      default_rule(mesh.kind, false);  // det J of a hex8 is of degree 2 in each xi
  Vec3 x[kMaxCorners], dN[kMaxCorners];
  double J[3][3], volume = 0;
  cell_corners(mesh, c, x);
  for (size_t q = 0; q < rule.points.size(); ++q) {
    e.shape_gradient(rule.points[q], dN);
    volume += rule.weights[q] * jacobian(e, x, dN, J);
  }
  return volume;
}

Vec3 interpolate(const Element& e, const Vec3* x, const double* N) {
  Vec3 p = {};
  for (int c = 0; c < e.corners; ++c) p = add(p, scaled(x[c], N[c]));
  return p;
}

}  // namespace asb
