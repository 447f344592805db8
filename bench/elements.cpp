// Whole element work: gather, kernel, chain and scatter into gradients, products and matrices, on tets and hexes.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include "bench/hand.h"
#include "bench/operations.h"
#include "bench/parts.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "runtime/assembly/solve_objective.h"
#include "runtime/mesh/element.h"

namespace asb::bench {
namespace {

constexpr std::array<int, 3> kTetBox = {30, 30, 18};  ///< 97,200 tets
constexpr std::array<int, 3> kHexBox = {30, 27, 15};  ///< 12,150 hexes, 97,200 points
constexpr std::array<double, 3> kSize = {1, 0.25, 0.25};

/// Free values twisted and shaken by a part of the cell size, so that elements are in general position: what the
/// hand-written kernels are measured on.
std::vector<double> shaken(const Mesh& mesh, size_t n_free) {
  uint64_t state = 88172645463325252ull;
  const auto noise = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  };
  double h = kSize[0];
  for (int k = 0; k < 3; ++k) h = std::min(h, mesh.lattice->spacing[k]);
  std::vector<double> x;
  for (const Vec3& p : mesh.nodes) {
    if (p[0] < 1e-3) continue;  // held
    const double a = 0.3 * p[0] / kSize[0];
    x.push_back(1.05 * p[0] + 0.15 * h * noise());
    x.push_back(0.95 * (std::cos(a) * p[1] - std::sin(a) * p[2]) + 0.15 * h * noise());
    x.push_back(std::sin(a) * p[1] + std::cos(a) * p[2] + 0.15 * h * noise());
  }
  if (x.size() != n_free) give_up("the box isn't held as expected");
  return x;
}

void measure(const std::string& name, const std::string& path, const std::string& element, hand::Material material,
             const Settings& settings, const Roof& roof, Section& table, Section& memory) {
  const bool tets = element == "tet4";
  const auto& n = tets ? kTetBox : kHexBox;
  Prepared program =
      prepare_for_bench(path, {{"[24, 6, 6]", fmt::format("[{}, {}, {}]", n[0], n[1], n[2])}, {"element: hex8", "element: " + element}});
  auto made = program.session().objective(graph::SolveId(0));
  if (!made) give_up(made.error().message);
  SolveObjective& objective = **made;
  const Mesh& mesh = program.session().body(plan::GeometryId(0)).mesh;
  const std::vector<double> x = shaken(mesh, objective.size());
  std::vector<double> v(x.size()), out(x.size());
  for (size_t i = 0; i < v.size(); ++i) v[i] = 1e-3 * static_cast<double>(i % 7);
  SymmetricMatrix H;
  AlignedVector matrices;
  FormAssembler& form = *objective.forms()[0];
  objective.linearise(x);
  std::vector<double> u(mesh.nodes.size() * 3);
  {
    const auto all = objective.full(x);
    u.assign(all.begin(), all.end());
  }

  std::unique_ptr<hand::Box> theirs, theirs_two;
  if (tets && hand::present()) {
    theirs = std::make_unique<hand::Box>(n, kSize, 1);
    theirs_two = std::make_unique<hand::Box>(n, kSize, 2);
  }
  struct Case {
    const char* name;
    std::function<void()> ours;
    std::optional<hand::Mode> mode;
    bool projected;
  };
  const Case cases[] = {
      {"E", [&] { (void)objective.energy(x); }, hand::Mode::Energy, false},
      {"E+g at nodes", [&] { (void)objective.gradient(x, out); }, hand::Mode::Gradient, false},
      {"H stored", [&] { form.hessian(u.data(), Projection::None, 0, form.stencil().blocks(), matrices); }, hand::Mode::StoredHessian, false},
      {"H assembled", [&] { objective.hessian(x, Projection::None, H); }, hand::Mode::AssembledHessian, false},
      {"H clamped, assembled", [&] { objective.hessian(x, Projection::Clamp, H); }, hand::Mode::AssembledHessian, true},
      {"linearise", [&] { objective.linearise(x); }, {}, false},
      {"H v at nodes", [&] { objective.product(v, out); }, {}, false}};
  const double count = static_cast<double>(cell_count(mesh));
  for (const Case& c : cases) {
    std::vector<double> best, two;
    const auto bodies = [&](hand::Box* box) {
      std::vector<std::function<void()>> all{c.ours};
      if (box && c.mode) all.push_back([&c, material, box] { box->run(material, *c.mode, c.projected); });
      return all;
    };
    {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
      best = best_of(bodies(theirs.get()), settings.seconds);
    }
    {
      const tbb::global_control control(tbb::global_control::max_allowed_parallelism, 2);
      two = best_of(bodies(theirs_two.get()), settings.seconds);
    }
    const double ns = 1e9 / count;
    const bool with_hand = best.size() > 1;
    table.row(fmt::format("{} {} {}", element, name, c.name),
              {Cell(best[0] * ns), Cell(two[0] * ns), Cell(best[0] / two[0]), with_hand ? Cell(best[1] * ns) : Cell(),
               with_hand ? Cell(two[1] * ns) : Cell(), with_hand ? Cell(best[0] / best[1]) : Cell()});
  }
  const AssemblyMemory m = objective.memory();
  const auto per_element = [&](size_t bytes) { return Cell(static_cast<double>(bytes) / count); };
  memory.row(fmt::format("{} {}", element, name),
             {per_element(m.stencils), per_element(m.incidence), per_element(m.forces), per_element(m.linearised),
              per_element(m.matrices), per_element(m.pattern),
              per_element(m.stencils + m.incidence + m.forces + m.linearised + m.matrices + m.pattern),
              per_element(H.row.size() * 12)});
  (void)roof;
}

}  // namespace

std::vector<Section> elements(const Settings& settings, const Roof& roof) {
  Section table{fmt::format("Whole elements [ns each], 97,200 tets, 12,150 hexes (of 8 points)"),
                {"1 thread", "2 threads", "speed-up", "hand", "hand, 2 threads", "ratio"},
                {},
                {}};
  Section memory{"Memory of assembly [bytes an element]",
                 {"stencil", "node incidence", "forces", "linearised", "element matrices", "matrix incidence", "sum", "the matrix itself"},
                 {},
                 {}};
  for (const char* element : {"tet4", "hex8"}) {
    measure("neo-Hookean", "bench/neo_hookean_box.asb", element, hand::Material::NeoHookean, settings, roof, table, memory);
    measure("shape targeting", "bench/actuated_box.asb", element, hand::Material::ShapeTargeting, settings, roof, table, memory);
  }
  table.note("hand: reference/hand_kernels on the same box, shaken alike; ratio: ours over theirs on one thread, below 1 is ahead");
  return {table, memory};
}

}  // namespace asb::bench
