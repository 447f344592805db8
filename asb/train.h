// A program learned: `asb train` as a call.
#pragma once

#include "asb/run.h"

namespace asb {

struct TrainOptions {
  RunOptions run;
  LearnOptions learn;      ///< program_hash is filled here
};

struct Trained {
  Run run;                 ///< with what was learned in run.tables; run.result is from rest-started solves of all frames
  LearnReport report;
};

/// Learns all stages and then solves every frame again from rest. An interrupted training returns what there is, without
/// the last solves.
[[nodiscard]] Result<Trained> train(const Program& program, TrainOptions options);

}  // namespace asb
