// A program run: compiled, solved, its results written. The second half of the public library.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>

#include "asb/program.h"
#include "backends/backend.h"
#include "runtime/execute/session.h"
#include "runtime/learn/learn.h"
#include "runtime/report/report.h"

namespace asb {

/// "llvm", "interpreter", "vulkan" (device: part of a device's name, empty for the first). An unknown name is an Error that lists them.
[[nodiscard]] Result<std::unique_ptr<Backend>> make_backend(const std::string& name, const std::string& device = {});

struct RunOptions {
  std::string backend = "llvm";
  std::string device;
  SessionOptions session;        ///< program_folder is filled from the program
  std::string from;              ///< checkpoint or weight file; empty: initial values, with a note
  uint64_t seed = 0;             ///< of initial values
  bool gradients = false;        ///< compile Plan::gradients
  bool learning = false;         ///< compile the gradients of `learn` stages too
  NetworkPrecision precision = NetworkPrecision::F32;
  bool torch = true;             ///< false: networks in the interpreter (slow, f64)
};

/// Everything that a run needs, kept alive together: results borrow bodies from the session.
struct Run {
  std::unique_ptr<plan::Plan> plan;
  NetworkEngine networks;        ///< empty unless the program has networks or something to learn
  std::unique_ptr<Tables> tables;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Session> session;
  RunResult result;
  /// True if every solve reached its equilibrium.
  bool converged() const;
};

/// Compiles and prepares without solving.
[[nodiscard]] Result<Run> prepare_run(const Program& program, const RunOptions& options);
/// prepare_run and run.
[[nodiscard]] Result<Run> run(const Program& program, const RunOptions& options);

}  // namespace asb
