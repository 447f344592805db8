// Learning: the stages of a program, one after the other. Frames of a batch are solved side by side from warm starts, their
// gradients added in the order of frames, one optimiser step taken; checkpoints hold all that a resumed run needs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/execute/session.h"
#include "runtime/networks/learner.h"

namespace asb {

struct LearnOptions {
  uint64_t seed = 0;
  int threads = 0;                  ///< frames side by side; 0: all cores
  int steps = -1;                   ///< of every stage, in place of the program's; -1: as it says
  std::string checkpoint;           ///< path of the checkpoint; empty: none is written
  bool resume = false;              ///< go on from it
  double checkpoint_seconds = 20;   ///< between two checkpoints
  std::string machine;              ///< backend, instruction set, network evaluator: a resumed run on another is told so
  uint64_t program_hash = 0;        ///< of the program and its settings: a checkpoint of another is refused
  std::string log;                  ///< path of the CSV log; empty: none
  double forward_early = 1e-4, adjoint_early = 1e-3;  ///< tolerances, and those of the last quarter of the last stage
  double forward_late = 1e-6, adjoint_late = 1e-5;
  double failure_budget = 0.05;     ///< share of frame evaluations that may fail before learning stops
  const std::atomic<bool>* stop = nullptr;
  std::function<void(const struct LearnStep&)> progress;
  std::function<void(const std::string&)> say;
};

struct LearnStep {
  std::string stage;
  int step = 0, steps = 0;          ///< within the stage
  double loss = 0;                  ///< mean over the batch
  std::vector<std::pair<std::string, double>> parts;
  double gradient_norm = 0;         ///< over everything learned
  double rate = 0;
  double forward_iterations = 0, adjoint_iterations = 0;  ///< mean over the batch
  int failed = 0;                   ///< frames of the batch
  double seconds = 0, seconds_left = 0;
};

struct LearnReport {
  bool interrupted = false;
  int steps = 0;
  int64_t failures = 0;
  std::vector<LearnStep> history;
  std::vector<std::pair<std::string, double>> times;  ///< by phase [s]
};

/// First values of everything: weights, latents (one row a frame), params (empty: the program's).
[[nodiscard]] Result<Tables> initial_tables(const plan::Plan& plan, Session& session, uint64_t seed);

/// Runs all stages; `tables` are the start and end as learned.
[[nodiscard]] Result<LearnReport> learn(const plan::Plan& plan, Session& session, Learner& learner, Tables& tables,
                                        const LearnOptions& options);

/// Reads weights, latents and params of a checkpoint or weight file into tables, by name. An Error names what doesn't fit.
/// Params in `keep` stay as they are.
[[nodiscard]] Result<void> load_tables(const plan::Plan& plan, const std::string& path, Tables& tables,
                                       std::span<const std::string> keep = {});
/// The same of arrays that were read from `path`.
[[nodiscard]] Result<void> load_tables(const plan::Plan& plan, std::span<const NamedArray> arrays, const std::string& path, Tables& tables,
                                       std::span<const std::string> keep = {});
/// All learned values by name: weights by path, latents and params by name.
std::vector<NamedArray> named_arrays(const plan::Plan& plan, const Tables& tables);

}  // namespace asb
