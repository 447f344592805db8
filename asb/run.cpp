// See run.h.
#include "asb/run.h"

#include <algorithm>
#include <chrono>

#include "asb/interpreter_networks.h"

namespace asb {

bool Run::converged() const {
  return std::ranges::all_of(result.solves, [](const SolveResult& s) { return s.converged; });
}

Result<Run> prepare_run(const Program& program, const RunOptions& options) {
  Run run;
  const auto start = std::chrono::steady_clock::now();
  CompileOptions compile_options;
  compile_options.learning = options.learning;
  compile_options.gradients = options.gradients;
  auto plan = compile(*program.model, compile_options);
  if (!plan) return fail(plan.error());
  const double compiled = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.plan = std::make_unique<plan::Plan>(std::move(*plan));
  auto backend = make_backend(options.backend, options.device);
  if (!backend) return fail(backend.error());
  run.backend = std::move(*backend);
  SessionOptions session = options.session;
  session.program_folder = program.folder;
  for (const plan::Latent& latent : run.plan->latents)  // a latent that is set is free of frames
    if (latent.frames >= 0 && std::ranges::find(program.set, latent.name) != program.set.end()) session.frames = false;
  run.session = std::make_unique<Session>(*run.plan, *run.backend, std::move(session));
  run.session->add_time("load", program.load_seconds);
  run.session->add_time("check", program.check_seconds);
  run.session->add_time("derive and optimise", compiled);
  if (auto ready = run.session->prepare(); !ready) return fail(ready.error());

  run.tables = std::make_unique<Tables>();
  if (run.plan->weights.empty() && run.plan->latents.empty() && !options.learning && options.from.empty()) return run;
  auto tables = initial_tables(*run.plan, *run.session, options.seed);
  if (!tables) return fail(tables.error());
  *run.tables = std::move(*tables);
  if (!options.from.empty()) {
    if (auto loaded = load_tables(*run.plan, options.from, *run.tables, program.set); !loaded) return fail(loaded.error());
  } else if (!options.learning) {
    run.session->add_note("nothing has been learned yet: weights and latents have their initial values (`asb train` learns them, "
                          "`--from` names a checkpoint)");
  }
  run.session->set_tables(run.tables.get());
  if (!run.plan->weights.empty() || options.learning) {
    if (options.torch) {
      auto engine = open_torch(options.precision);
      if (!engine) return fail(engine.error());
      run.networks = std::move(*engine);
    } else {
      run.networks.evaluator = make_interpreter_networks();
    }
    run.session->set_networks(run.networks.evaluator.get());
  }
  return run;
}

Result<Run> run(const Program& program, const RunOptions& options) {
  auto prepared = prepare_run(program, options);
  if (!prepared) return prepared;
  auto result = prepared->session->run();
  if (!result) return fail(result.error());
  prepared->result = std::move(*result);
  return prepared;
}

}  // namespace asb
