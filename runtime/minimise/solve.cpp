// See solve.h, and report.h for the names.
#include "runtime/minimise/solve.h"

#include "base/check.h"
#include "runtime/minimise/newton.h"
#include "runtime/minimise/newton_cg.h"

namespace asb {

const char* status_name(SolveStatus status) {
  switch (status) {
    case SolveStatus::Converged:
      return "converged";
    case SolveStatus::IterationLimit:
      return "iteration limit";
    case SolveStatus::Stalled:
      return "stalled";
    case SolveStatus::Unbounded:
      return "unbounded";
    case SolveStatus::Unstable:
      return "unstable";
    case SolveStatus::NonFiniteStart:
      return "not finite at the start";
    case SolveStatus::Interrupted:
      return "interrupted";
    case SolveStatus::Failed:
      return "failed";
  }
  ASB_UNREACHABLE("status of a solve");
}

const char* method_name(SolveMethod method) {
  switch (method) {
    case SolveMethod::Automatic:
      return "automatic";
    case SolveMethod::Newton:
      return "newton";
    case SolveMethod::NewtonCg:
      return "newton_cg";
  }
  ASB_UNREACHABLE("method of a solve");
}

SolveReport solve(Objective& objective, std::span<double> x, const SolveOptions& options) {
  const bool automatic = options.method == SolveMethod::Automatic;
  const bool conjugate = automatic
                             ? objective.constant_factor() != nullptr || x.size() > kLargestDirect
                             : options.method == SolveMethod::NewtonCg;
  SolveReport report = conjugate ? newton_cg(objective, x, options) : newton(objective, x, options);
  report.method += automatic ? " (chosen from the energy)" : " (as asked)";
  return report;
}

}  // namespace asb
