// The road back: adjoint solves of the neutral box beside their reference counts, and training steps by phase.
#include <fmt/format.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "asb/train.h"
#include "bench/parts.h"
#include "bench/programs.h"

namespace asb::bench {
namespace {

/// dL/d(strength of the actuation) of the box: one adjoint by conjugate gradients on the constant factor.
void adjoint_row(Section& table, int n, const char* reference) {
  Prepared p = prepare_for_bench("bench/actuated_box.asb",
                                 {{"[24, 6, 6]", fmt::format("[{}, {}, {}]", 4 * n, n, n)},
                                  {"/// Shorter below", "param strength: real = 1\n\n/// Shorter below"},
                                  {"1 + 0.15", "1 + strength * 0.15"}},
                                 1, true);
  const plan::Gradients* of_loss = nullptr;
  for (const plan::Gradients& g : p.plan().gradients)
    if (g.of == "loss") of_loss = &g;
  if (!of_loss || of_loss->by.empty()) give_up("the loss of the box depends on no param");
  const auto forward = p.session().evaluate(of_loss->value);
  if (!forward) give_up(forward.error().message);
  const auto gradient = p.session().evaluate(of_loss->by[0].gradient);
  if (!gradient) give_up(gradient.error().message);
  table.row(fmt::format("actuated box n = {}", n),
            {Cell(static_cast<double>(p.session().adjoint_iterations())), Cell(std::string("51 to 66")), Cell(p.session().phases().adjoints),
             Cell(std::string(reference)), Cell((*gradient)->data[0])});
}

/// Steps of the starfish on targets made here: two poses.
void training_rows(Section& table) {
  namespace fs = std::filesystem;
  const fs::path data = fs::temp_directory_path() / fmt::format("asb_bench_{}", ::getpid());
  fs::create_directories(data / "poses");
  fs::copy_file(fs::path(source_folder()) / "examples/starfish/rest.obj", data / "rest.obj", fs::copy_options::overwrite_existing);
  for (int pose = 0; pose < 4; ++pose) {
    Prepared p = prepare_for_bench("examples/starfish/pose.asb", {{"[0.3, 0, -0.3, 0.2, -0.2]", fmt::format("[{0}, {0}, -0.1, 0.2, 0]", 0.1 * pose)}});
    const auto result = p.session().run();
    if (!result) give_up(result.error().message);
    std::ofstream(data / "poses" / fmt::format("{}.obj", pose)) << obj_bytes(result->surfaces.at(0));
  }
  const Program program = load_for_bench("examples/starfish/learn.asb");
  for (const int threads : {1, 2}) {
    TrainOptions options;
    options.run.session.data_folder = data.string();
    options.learn.threads = threads;
    options.learn.steps = 10;
    const auto trained = train(program, options);
    if (!trained) {
      table.note(fmt::format("training: {}", trained.error().message));
      break;
    }
    std::vector<Cell> cells;
    for (const auto& [phase, seconds] : trained->report.times) cells.emplace_back(seconds / 10);
    double forward = 0, adjoint = 0;
    for (const LearnStep& step : trained->report.history) {
      forward += step.forward_iterations / 10;
      adjoint += step.adjoint_iterations / 10;
    }
    cells.emplace_back(forward);
    cells.emplace_back(adjoint);
    table.row(fmt::format("starfish, cells: 20, batch 4, {} thread{}", threads, threads > 1 ? "s" : ""), std::move(cells));
  }
  std::error_code ignored;
  fs::remove_all(data, ignored);
}

}  // namespace

std::vector<Section> learning(const Settings&) {
  Section adjoints{"Adjoints", {"iterations", "reference", "seconds", "unofficial implementation [s]", "dL/d strength"}, {}, {}};
  adjoint_row(adjoints, 6, "0.10");
  adjoint_row(adjoints, 14, "4.4");
  adjoints.note("residual 1e-6 relative; one thread. Reference counts: docs/numerics.md");
  Section steps{"A training step by phase [s]",
                {"frames (wall)", "solves (threads)", "adjoints (threads)", "networks (threads)", "optimiser", "checkpoints", "Newton steps",
                 "adjoint iterations"},
                {},
                {}};
  training_rows(steps);
  return {adjoints, steps};
}

}  // namespace asb::bench
