// Whole solves, split by phase, beside the counts, times and answers of named references.
#include <fmt/format.h>

#include "bench/parts.h"
#include "bench/programs.h"
#include "runtime/mesh/element.h"

namespace asb::bench {
namespace {

/// What is known about a solve from elsewhere.
struct Reference {
  std::string counts;   ///< iterations / Hessian products / preconditioner solves
  std::string seconds;  ///< of the reference implementation: forward, factor, memory
  std::string answers;
};

struct Case {
  std::string name, path;
  Edits edits;
  Reference reference;
};

std::string numbers(const RunResult& result) {
  std::string text;
  for (const OutputResult& o : result.outputs) {
    text += fmt::format("{}{} =", text.empty() ? "" : ", ", o.name);
    for (const double v : o.values) text += fmt::format(" {:.12g}", v);
  }
  return text;
}

void measure(const Case& c, int threads, Section& phases, Section& counts) {
  Prepared program = prepare_for_bench(c.path, c.edits, threads);
  const auto solved = program.session().solve(graph::SolveId(0));
  if (!solved) give_up(program.program->render_error(solved.error()));
  const SolveOutcome& outcome = **solved;
  const SolveReport& r = outcome.report;
  const graph::SpaceId nodes = program.plan().unknowns.at(0).space;
  const Body& moving = program.session().body(program.plan().graph.spaces[nodes].geometry);
  const int32_t n_cells = cell_count(moving.mesh);
  const std::string label = fmt::format("{}, {} thread{}", c.name, threads, threads > 1 ? "s" : "");
  phases.row(label, {Cell(r.times.evaluate), Cell(r.times.line_search), Cell(r.times.assemble), Cell(r.times.factor),
                     Cell(r.times.solve), Cell(r.times.products), Cell(r.times.other), Cell(r.times.total),
                     Cell(outcome.factor_seconds), Cell(r.times.total + outcome.factor_seconds),
                     Cell(c.reference.seconds)});
  if (threads > 1) return;
  counts.row(c.name, {Cell(static_cast<double>(n_cells)), Cell(static_cast<double>(outcome.n_free)), Cell(fmt::format("{}/{}/{}", r.iterations, r.products, r.preconditioner_solves)),
                      Cell(c.reference.counts), Cell(fmt::format("{}/{}", r.check_products, r.check_solves)),
                      Cell(fmt::format("{}/{}/{}/{}", r.energies, r.gradients, r.hessians, r.factorisations)),
                      Cell(1e-6 * static_cast<double>(outcome.factor_bytes + r.factor_bytes)),
                      Cell(std::string(status_name(r.status)))});
  auto result = program.session().run();
  if (!result) give_up(result.error().message);
  counts.note(fmt::format("{}: {}", c.name, numbers(*result)));
  if (!c.reference.answers.empty()) counts.note(fmt::format("    reference: {}", c.reference.answers));
}

std::string cells(int n) { return fmt::format("[{}, {}, {}]", 4 * n, n, n); }

}  // namespace

std::vector<Section> solves(const Settings& settings) {
  Section phases{"Solves by phase [s]",
                 {"gradients", "line search", "Hessians", "factors", "back-solves", "products", "other", "sum",
                  "constant factor", "in all", "reference: in all, factor, memory"},
                 {},
                 {}};
  Section counts{"Solves: counts",
                 {"hexes", "unknowns", "its/Hv/Ls", "reference", "checks Hv/Ls", "E/g/H/LLt", "factor MB", "status"},
                 {},
                 {}};
  std::vector<Case> cases = {
      {"cantilever 32×8×8, Newton", "tests/programs/cantilever.asb", {{"[16, 4, 4]", "[32, 8, 8]"}},
       {"-", "-", "tip (-9.495e-4, 0, -2.4168e-2), of quadratic hexes"}},
      {"actuated box n = 6", "bench/actuated_box.asb", {{"[24, 6, 6]", cells(6)}},
       {"14/107/121", "1.3, 0.28, 110 MB", "loss 44.9427702414, last (0.89562997, 0.24851088, -0.35151414)"}},
      {"actuated box n = 14", "bench/actuated_box.asb", {{"[24, 6, 6]", cells(14)}},
       {"14/108/122", "21.5, 6.3, 1000 MB", "loss 462.798, last (0.891538, 0.248495, -0.357890)"}},
      {"starfish", "examples/starfish/forward.asb",
       {{"solve x minimizing E", "solve x minimizing E using newton_cg(tol: 1e-6, relative_to: start)"}}, {"10/63/73 (4,216 hexes, another body)", "5.7 to 6.8, -, 454 MB", ""}}};
  if (settings.large)
    cases.push_back({"actuated box n = 23", "bench/actuated_box.asb", {{"[24, 6, 6]", cells(23)}},
                     {"-", "102, 150, 4800 MB", "loss 1917.019, last (0.890942, 0.248486, -0.358831)"}});
  for (const Case& c : cases)
    for (const int threads : {1, 2}) measure(c, threads, phases, counts);
  phases.note("reference: the unofficial implementation of the paper's layer on one thread, relative gradient 1e-6, without its factor");
  counts.note("reference counts: docs/numerics.md; its scalar factor at n = 14: 0.22 s, 16 MB");
  return {phases, counts};
}

}  // namespace asb::bench
