// See run.h.
#include "asb/run.h"

#include <algorithm>
#include <chrono>

namespace asb {

bool Run::converged() const {
  return std::ranges::all_of(result.solves, [](const SolveResult& s) { return s.converged; });
}

Result<Run> prepare_run(const Program& program, const RunOptions& options) {
  Run run;
  const auto start = std::chrono::steady_clock::now();
  auto plan = compile(*program.model);
  if (!plan) return fail(plan.error());
  const double compiled = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.plan = std::make_unique<plan::Plan>(std::move(*plan));
  auto backend = make_backend(options.backend, options.device);
  if (!backend) return fail(backend.error());
  run.backend = std::move(*backend);
  SessionOptions session = options.session;
  session.program_folder = program.folder;
  run.session = std::make_unique<Session>(*run.plan, *run.backend, std::move(session));
  run.session->add_time("load", program.load_seconds);
  run.session->add_time("check", program.check_seconds);
  run.session->add_time("derive and optimise", compiled);
  if (auto ready = run.session->prepare(); !ready) return fail(ready.error());
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
