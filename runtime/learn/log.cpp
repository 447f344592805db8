// See log.h.
#include "runtime/learn/log.h"

#include <fmt/format.h>

#include "base/atomic_file.h"
#include "runtime/learn/learn.h"

namespace asb {

Result<void> TrainingLog::open(const std::string& path, const std::vector<std::string>& parts, int64_t rows) {
  if (path.empty()) return {};
  parts_ = parts;
  std::string text;
  if (rows > 0)
    if (auto old = read_file(path)) {
      size_t end = 0;
      for (int64_t line = 0; line <= rows && end < old->size(); ++line) {
        const size_t next = old->find('\n', end);
        if (next == std::string::npos) break;  // half a row
        end = next + 1;
      }
      text = old->substr(0, end);
    }
  if (text.empty()) {
    text = "stage,step,loss";
    for (const std::string& name : parts_) text += ',' + name;
    text += ",gradient_norm,rate,forward_iterations,adjoint_iterations,failed,seconds\n";
  }
  if (auto written = write_file_atomically(path, text); !written) return written;
  file_.open(path, std::ios::app);
  return {};
}

void TrainingLog::write(const LearnStep& step) {
  if (!file_.is_open()) return;
  file_ << step.stage << ',' << step.step << ',' << fmt::format("{:.17g}", step.loss);
  for (const std::string& name : parts_) {
    file_ << ',';
    for (const auto& [part, value] : step.parts)
      if (part == name) file_ << fmt::format("{:.17g}", value);
  }
  file_ << fmt::format(",{:.6g},{:.6g},{:.3g},{:.3g},{},{:.3f}\n", step.gradient_norm, step.rate, step.forward_iterations,
                       step.adjoint_iterations, step.failed, step.seconds);
  file_.flush();
}

}  // namespace asb
