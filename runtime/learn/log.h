// The CSV log of a training: one row a step, the same columns in all stages.
#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "base/result.h"

namespace asb {

struct LearnStep;

class TrainingLog {
 public:
  /// Keeps the first `rows` rows of a log that is there already: a killed run may have written rows beyond its checkpoint.
  /// An empty path: nothing is written.
  [[nodiscard]] Result<void> open(const std::string& path, const std::vector<std::string>& parts, int64_t rows);
  void write(const LearnStep& step);

 private:
  std::ofstream file_;
  std::vector<std::string> parts_;
};

}  // namespace asb
