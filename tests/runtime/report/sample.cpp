// See sample.h.
#include "tests/runtime/report/sample.h"

#include <cmath>

#include "runtime/report/scene.h"

namespace asb::test {

Sample bent_beam(std::array<int, 3> cells) {
  Sample sample{std::make_unique<Mesh>(), std::make_unique<Surface>(), {}};
  Mesh& mesh = *sample.mesh;
  const auto [nx, ny, nz] = cells;
  const double h = 1.0 / nx;
  const auto node = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  for (int i = 0; i <= nx; ++i)
    for (int j = 0; j <= ny; ++j)
      for (int k = 0; k <= nz; ++k) mesh.nodes.push_back({i * h, j * h, k * h});
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        for (const int corner : {node(i, j, k), node(i + 1, j, k), node(i + 1, j + 1, k),
                                 node(i, j + 1, k), node(i, j, k + 1), node(i + 1, j, k + 1),
                                 node(i + 1, j + 1, k + 1), node(i, j + 1, k + 1)})
          mesh.cells.push_back(corner);
  mesh.lattice = Lattice{{0, 0, 0}, {h, h, h}, {nx, ny, nz}};

  // A clamped bar of curvature 1.4 (1 - x): the section at x turns by the integral of the
  // curvature.
  const auto bent = [&](const Vec3& X) -> Vec3 {
    double x = 0, z = 0, s = 0;
    const int steps = 200;
    for (int n = 0; n < steps; ++n) {
      s = X[0] * (n + 0.5) / steps;
      const double angle = 1.4 * (s - 0.5 * s * s) * 2;
      x += std::cos(angle) * X[0] / steps;
      z -= std::sin(angle) * X[0] / steps;
    }
    const double angle = 1.4 * (X[0] - 0.5 * X[0] * X[0]) * 2, across = X[2] - 0.5 * nz * h;
    return {x + across * std::sin(angle), X[1], z + across * std::cos(angle) + 0.5 * nz * h};
  };
  MeshResult body{"beam", &mesh, {}};
  for (const Vec3& X : mesh.nodes) body.deformed.push_back(bent(X));

  ShowResult stress{"stress", "beam", ShowAt::Cells, 1, "Pa", {}};
  for (int i = 0; i < nx; ++i)
    for (int j = 0; j < ny; ++j)
      for (int k = 0; k < nz; ++k)
        stress.values.push_back(1e5 * (1 - (i + 0.5) * h) * std::abs((k + 0.5) / nz - 0.5) * 2.4 +
                                900 + j);
  ShowResult strain{"strain", "beam", ShowAt::Nodes, 6, "", {}};
  for (const Vec3& X : mesh.nodes)
    for (const double v : {X[0], 0.1, 0.2, X[1], 0.3, X[2]}) strain.values.push_back(v);

  // The skin is the outer side of the box itself.
  sample.surface->vertices = mesh.nodes;
  for (const Face& face : outer_faces(mesh)) {
    sample.surface->facets.push_back({face.point[0], face.point[1], face.point[2]});
    sample.surface->facets.push_back({face.point[0], face.point[2], face.point[3]});
  }
  SurfaceResult skin{"skin", sample.surface.get(), body.deformed};
  ShowResult height{"height", "skin", ShowAt::Vertices, 1, "m", {}};
  for (const Vec3& x : body.deformed) height.values.push_back(x[2]);

  SolveResult solve;
  solve.name = "x";
  solve.unknowns = 3000;
  solve.method = "newton: 3,000 unknowns, direct factorisation";
  solve.status = "converged";
  solve.converged = true;
  solve.sentence = "the gradient fell below 1e-08 of the largest nodal force";
  solve.tolerance = 3e-7;
  const double gradients[] = {1.1, 0.84, 0.41, 0.52, 0.2, 0.09, 0.013, 4e-4, 6e-7, 2e-12};
  for (int i = 0; i < 10; ++i)
    solve.history.push_back({i, -20.5 + 20 * std::exp(-0.9 * i) * (i < 9), gradients[i],
                             i ? (i < 3 ? 0.35 : 1.0) : 0.0, 0});
  solve.counts = {{"factorisations", 9}, {"energies", 31}, {"gradients", 10}};
  solve.times = {{"evaluate", 0.011},
                 {"assemble", 0.081},
                 {"factor", 0.142},
                 {"solve", 0.012},
                 {"line search", 0.021}};

  RunResult& result = sample.result;
  result.program = "beam";
  result.summary = "A clamped rubber beam bends under its own weight.";
  result.notes = {{false, "`E` is 1 MPa, as written in the program"}};
  result.backend = "llvm";
  result.device = "x86-64 with AVX-512, 8 lanes, 2 threads";
  result.meshes = {body};
  result.surfaces = {skin};
  result.shows = {stress, strain, height};
  result.outputs = {{"tip_drop", "m", {}, {0.734512345678901}},
                    {"pull", "N", {3}, {0.0, 1e-17, 98.1}}};
  result.solves = {solve};
  result.times = {{"read and check", 0.004},
                  {"derive", 0.021},
                  {"compile", 0.38},
                  {"mesh", 0.002},
                  {"solve", 0.27}};
  return sample;
}

}  // namespace asb::test
