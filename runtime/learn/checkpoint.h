// Checkpoints of a training: all that a resumed run needs to go on bit for bit, in one .safetensors file that `asb run`
// reads weights from as well. The last two are kept; a damaged one is told from a whole one by its checksum.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/execute/session.h"
#include "runtime/networks/learner.h"

namespace asb {

struct Checkpoint {
  size_t stage = 0;              ///< the next step is step `step` of it; = number of stages: done
  int step = 0;
  uint64_t seed = 0;             ///< of initial values and batches: with stage and step it is the whole random state
  uint64_t program = 0, data = 0;  ///< hashes: another program, other settings or other data are refused
  uint64_t machine = 0;          ///< hash of backend, instruction set, network evaluator: bits may differ on another
  std::vector<double> tolerances;  ///< forward and adjoint, early and late
  int64_t failures = 0, evaluations = 0;
  int64_t rows = 0;              ///< of the log until here
  double seconds = 0;            ///< of training until here
  std::vector<NamedArray> learned;    ///< weights, latents, params, as `asb run` reads them
  std::vector<NamedArray> units;      ///< what the optimiser holds of params: these in units of their range
  std::vector<NamedArray> optimiser;
  std::vector<std::map<uint32_t, Session::Start>> starts;  ///< by frame and solve
};

/// The file before becomes `…before.safetensors`. On an error (disk full) the file before stays as it was.
[[nodiscard]] Result<void> write_checkpoint(const std::string& path, const Checkpoint& checkpoint);

/// Of a damaged or missing one, the one before, which `say` is told.
[[nodiscard]] Result<Checkpoint> read_checkpoint(const std::string& path, const std::function<void(const std::string&)>& say);

/// checkpoint.safetensors → checkpoint.before.safetensors
std::string checkpoint_before(const std::string& path);

}  // namespace asb
