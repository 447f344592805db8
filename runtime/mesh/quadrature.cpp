// Rules on reference elements and their image in a mesh.
#include "runtime/mesh/quadrature.h"

#include <fmt/format.h>

#include <cmath>

#include "base/check.h"
#include "runtime/mesh/element.h"
#include "runtime/mesh/vec3.h"

namespace asb {
namespace {

// Orthonormal polynomials p_0..p_n of the weight (1 - t)^alpha on [0, 1] at t; these are Jacobi
// polynomials P^(alpha, 0)(2t - 1) with the coefficients of [Gautschi2004].
double orthonormal(int n, int alpha, double t, double* sum_of_squares) {
  const double x = 2 * t - 1, a = alpha;
  double before = 0, p = std::sqrt(a + 1), sum = 0, beta_k = 0;
  for (int k = 0; k < n; ++k) {
    sum += p * p;
    const double s = 2 * k + a;
    const double alpha_k = k == 0 ? -a / (a + 2) : -a * a / (s * (s + 2));
    const int m = k + 1;
    const double r = 2 * m + a;
    const double beta_m = m == 1 ? 4 * (a + 1) / ((a + 2) * (a + 2) * (a + 3))
                                 : 4.0 * m * m * (m + a) * (m + a) / (r * r * (r + 1) * (r - 1));
    const double next = ((x - alpha_k) * p - std::sqrt(beta_k) * before) / std::sqrt(beta_m);
    before = p;
    p = next;
    beta_k = beta_m;
  }
  if (sum_of_squares) *sum_of_squares = sum;
  return p;
}

QuadratureRule hex_rule(int n) {
  LineRule line = gauss_jacobi(n, 0);
  for (int i = 0; i < n; ++i) line.t[i] = 2 * line.t[i] - 1;
  for (int i = 0; i < n / 2; ++i) {  // symmetric to the last bit
    line.t[n - 1 - i] = -line.t[i];
    line.w[n - 1 - i] = line.w[i];
  }
  if (n % 2 == 1) line.t[n / 2] = 0;
  QuadratureRule rule;
  rule.degree = 2 * n - 1;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < n; ++j)
      for (int i = 0; i < n; ++i) {
        rule.points.push_back({line.t[i], line.t[j], line.t[k]});
        rule.weights.push_back(8 * line.w[i] * line.w[j] * line.w[k]);
      }
  return rule;
}

// Conical product on the unit tetrahedron [Stroud1971]: x = r, y = s (1 - r), z = t (1 -
// r)(1 - s), with Gauss rules for the weights (1 - r)^2, (1 - s) and 1. Positive weights for every
// n.
QuadratureRule conical_rule(int n) {
  const LineRule r = gauss_jacobi(n, 2), s = gauss_jacobi(n, 1), t = gauss_jacobi(n, 0);
  QuadratureRule rule;
  rule.degree = 2 * n - 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int k = 0; k < n; ++k) {
        rule.points.push_back(
            {r.t[i], s.t[j] * (1 - r.t[i]), t.t[k] * (1 - r.t[i]) * (1 - s.t[j])});
        rule.weights.push_back(r.w[i] * s.w[j] * t.w[k]);
      }
  return rule;
}

QuadratureRule tet_rule(int degree) {
  if (degree <= 1) return {{{0.25, 0.25, 0.25}}, {1.0 / 6}, 1};
  if (degree == 2) {  // [Hammer1956]: four points (a, b, b, b) in barycentric coordinates
    const double a = (5 + 3 * std::sqrt(5.0)) / 20, b = (5 - std::sqrt(5.0)) / 20;
    const double w = 1.0 / 24;
    return {{{b, b, b}, {a, b, b}, {b, a, b}, {b, b, a}}, {w, w, w, w}, 2};
  }
  return conical_rule((degree + 2) / 2);
}

// Corners of a lattice cell without the rounding of where it lies: whole multiples of the spacing
// from corner 0.
void snap(const Lattice& lattice, const Element& e, Vec3* x) {
  for (int a = e.corners - 1; a >= 0; --a)
    for (int i = 0; i < 3; ++i)
      x[a][i] = lattice.spacing[i] * std::round((x[a][i] - x[0][i]) / lattice.spacing[i]);
}

// How many kinds of cell a lattice mesh has, cells with equal remainder being translates of each
// other: found from the claim that mesh.lattice makes and checked against the nodes, since somebody
// may have moved them.
int32_t count_patterns(const Mesh& mesh, const Element& e, int32_t n_cells) {
  if (!mesh.lattice || mesh.lattice_cell.size() != size_t(n_cells)) return n_cells;
  const int32_t n = e.kind == ElementKind::Tet4 ? 6 : 1;
  if (n_cells < n) return n_cells;
  const Vec3& h = mesh.lattice->spacing;
  const double slack = 1e-9 * std::min({h[0], h[1], h[2]});
  Vec3 ideal[kMaxCorners], x[kMaxCorners];
  for (int32_t pattern = 0; pattern < n; ++pattern) {
    cell_corners(mesh, pattern, ideal);
    snap(*mesh.lattice, e, ideal);
    for (int32_t c = pattern; c < n_cells; c += n) {
      cell_corners(mesh, c, x);
      for (int a = 1; a < e.corners; ++a)
        for (int i = 0; i < 3; ++i)
          if (!(std::abs((x[a][i] - x[0][i]) - ideal[a][i]) <= slack)) return n_cells;
    }
  }
  return n;
}

[[nodiscard]] Result<void> check_mesh(const Mesh& mesh, const Element& e) {
  if (mesh.cells.empty()) return fail("mesh-empty", "the mesh has no cells");
  if (mesh.cells.size() % e.corners != 0)
    return fail("mesh-corner-count",
                fmt::format("{} corner numbers don't make whole `{}` cells of {} corners",
                            mesh.cells.size(), e.name, e.corners));
  for (size_t i = 0; i < mesh.cells.size(); ++i) {
    const int32_t node = mesh.cells[i];
    if (node < 0 || size_t(node) >= mesh.nodes.size())
      return fail("mesh-corner-range",
                  fmt::format("corner {} of cell {} is node {}, but there are {} nodes",
                              i % e.corners, i / e.corners, node, mesh.nodes.size()));
    if (!is_finite(mesh.nodes[node]))
      return fail("mesh-not-finite", fmt::format("node {}, a corner of cell {}, is at ({}, {}, {})",
                                                 node, i / e.corners, mesh.nodes[node][0],
                                                 mesh.nodes[node][1], mesh.nodes[node][2]));
  }
  const size_t n_cells = mesh.cells.size() / e.corners;
  if (!mesh.cell_weight.empty() && mesh.cell_weight.size() != n_cells)
    return fail("mesh-weight-count",
                fmt::format("{} cell weights for {} cells", mesh.cell_weight.size(), n_cells));
  return {};
}

Error inverted(const Mesh& mesh, const Element& e, const QuadratureRule& rule, int32_t first,
               int point, double det) {
  int32_t count = 0;
  Vec3 x[kMaxCorners], dN[kMaxCorners];
  double J[3][3];
  for (int32_t c = first; c < cell_count(mesh); ++c) {
    cell_corners(mesh, c, x);
    bool bad = false;
    for (const Vec3& xi : rule.points) {
      e.shape_gradient(xi, dN);
      bad |= !(jacobian(e, x, dN, J) > 0);
    }
    count += bad;
  }
  return {
      "mesh-inverted-cell",
      fmt::format(
          "cell {} is inverted or flat: det J = {:.3g} m^3 at its point {} ({} of {} cells are)",
          first, det, point, count, cell_count(mesh)),
      fmt::format("the corners of a `{}` are numbered so that det J > 0, as in VTK", e.name)};
}

}  // namespace

LineRule gauss_jacobi(int n, int alpha) {
  ASB_CHECK(n >= 1 && n <= kMaxGaussPoints && alpha >= 0 && alpha <= 2, "gauss_jacobi: n or alpha");
  LineRule rule;
  constexpr int kIntervals = 1000;  // roots of n <= 5 are farther apart than this
  double left = orthonormal(n, alpha, 0, nullptr);
  for (int i = 0; i < kIntervals; ++i) {
    double a = double(i) / kIntervals, b = double(i + 1) / kIntervals;
    const double right = orthonormal(n, alpha, b, nullptr);
    if ((left < 0) != (right < 0)) {
      while (true) {  // bisection to the last bit
        const double middle = 0.5 * (a + b);
        if (middle <= a || middle >= b) break;
        ((orthonormal(n, alpha, middle, nullptr) < 0) == (left < 0) ? a : b) = middle;
      }
      double sum = 0;
      orthonormal(n, alpha, a, &sum);
      rule.t.push_back(a);
      rule.w.push_back(1 / sum);  // Christoffel numbers [Gautschi2004]
    }
    left = right;
  }
  ASB_CHECK(rule.t.size() == size_t(n), "gauss_jacobi: every root found");
  return rule;
}

Result<QuadratureRule> rule_of_degree(ElementKind kind, int degree) {
  constexpr int kMaxDegree = 2 * kMaxGaussPoints - 1;
  if (degree < 0 || degree > kMaxDegree)
    return fail("quadrature-degree",
                fmt::format("no rule of degree {} for `{}`; there are rules of degree 0 to {}",
                            degree, element(kind).name, kMaxDegree));
  return kind == ElementKind::Hex8 ? hex_rule(std::max(1, (degree + 2) / 2)) : tet_rule(degree);
}

QuadratureRule default_rule(ElementKind kind, bool reads_values) {
  const int k = element(kind).order;
  return kind == ElementKind::Hex8 ? hex_rule(k + 1) : tet_rule(reads_values ? 2 * k : 2 * (k - 1));
}

Result<MeshPoints> quadrature_points(const Mesh& mesh, const QuadratureRule& rule) {
  const Element& e = element(mesh.kind);
  if (Result<void> ok = check_mesh(mesh, e); !ok) return fail(ok.error());
  const int n_points = int(rule.points.size());
  MeshPoints out;
  out.n_cells = cell_count(mesh);
  out.points_per_cell = n_points;
  out.corners = e.corners;
  out.n_patterns = count_patterns(mesh, e, out.n_cells);
  out.N.resize(size_t(n_points) * e.corners);
  std::vector<Vec3> dN(size_t(n_points) * e.corners);
  for (int q = 0; q < n_points; ++q) {
    e.shape(rule.points[q], &out.N[size_t(q) * e.corners]);
    e.shape_gradient(rule.points[q], &dN[size_t(q) * e.corners]);
  }
  out.measure.resize(size_t(out.n_cells) * n_points);
  out.X.resize(out.measure.size());
  out.gradN.resize(size_t(out.n_patterns) * n_points * e.corners * 3);

  std::vector<double> volume(size_t(out.n_patterns) * n_points);  // rule weight · det J
  Vec3 x[kMaxCorners];
  double J[3][3];
  for (int32_t c = 0; c < out.n_cells; ++c) {
    const double weight = mesh.cell_weight.empty() ? 1.0 : mesh.cell_weight[c];
    cell_corners(mesh, c, x);
    for (int q = 0; q < n_points; ++q)
      out.X[size_t(c) * n_points + q] = interpolate(e, x, &out.N[size_t(q) * e.corners]);
    if (out.n_patterns < out.n_cells) snap(*mesh.lattice, e, x);
    for (int q = 0; q < n_points; ++q) {
      const size_t point = size_t(c) * n_points + q;
      const size_t shared = size_t(c % out.n_patterns) * n_points + q;
      if (c < out.n_patterns) {  // the first cell of a pattern stands for all
        const Vec3* dNq = &dN[size_t(q) * e.corners];
        const double det = jacobian(e, x, dNq, J);
        if (!(det > 0)) return fail(inverted(mesh, e, rule, c, q, det));
        volume[shared] = rule.weights[q] * det;
        // grad N_a = J^-T dN_a/dxi; the columns of det J · J^-1 are cross products of the rows of
        // J.
        const Vec3 r0 = {J[0][0], J[0][1], J[0][2]}, r1 = {J[1][0], J[1][1], J[1][2]},
                   r2 = {J[2][0], J[2][1], J[2][2]};
        const Vec3 inverse[3] = {cross(r1, r2), cross(r2, r0), cross(r0, r1)};
        double* g = &out.gradN[shared * e.corners * 3];
        for (int a = 0; a < e.corners; ++a)
          for (int j = 0; j < 3; ++j) g[3 * a + j] = dot(inverse[j], dNq[a]) / det;
      }
      out.measure[point] = volume[shared] * weight;
    }
  }
  return out;
}

}  // namespace asb
