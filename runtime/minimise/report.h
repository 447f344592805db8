// What a solve is asked and what it answers: options, status with a reason, history, counts and
// times. Filled by newton.cpp and newton_cg.cpp through Descent; shown by tools and written to
// result.json.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/minimise/objective.h"

namespace asb {

enum class SolveMethod : uint8_t { Automatic, Newton, NewtonCg };

enum class SolveStatus : uint8_t {
  Converged,
  IterationLimit,
  Stalled,         ///< no step lowers the energy or the gradient
  Unbounded,       ///< the values run away
  Unstable,        ///< a stationary point with negative curvature that could not be left
  NonFiniteStart,  ///< energy or gradient is not finite at the first x
  Interrupted,
  Failed,  ///< a factorisation could not be tried (memory)
};

/// "converged", "iteration limit", ...
const char* status_name(SolveStatus status);
/// "newton", "newton_cg", "automatic".
const char* method_name(SolveMethod method);

/// Seconds of wall time by phase; they add up to `total`.
struct SolveTimes {
  double evaluate = 0;  ///< gradients at iterates
  double assemble = 0;  ///< Hessians, and linearise() before products
  double factor = 0;
  double solve = 0;        ///< solves with a factor, as a step or as a preconditioner
  double products = 0;     ///< Hessian-vector products
  double line_search = 0;  ///< trial energies and step bounds
  double other = 0;
  double total = 0;
};

enum class StepKind : uint8_t {
  Start,      ///< no step: the first x
  Newton,     ///< a Newton step, by factor or by conjugate gradients
  Truncated,  ///< conjugate gradients stopped at negative curvature
  Gradient,   ///< along the preconditioned gradient, after a failed search
  Escape,     ///< along negative curvature, away from a saddle
};

/// The state after `iteration` steps, and the step that led there.
struct SolveStep {
  int iteration = 0;
  double energy = 0;                         ///< [J]
  double gradient = 0;                       ///< |g|₂ over free values
  double force_scale = 0;                    ///< r
  double step = 0;                           ///< length t along the direction, 1 = full
  int inner = 0;                             ///< conjugate gradient iterations
  int trials = 0;                            ///< points tried by the line search
  Projection projection = Projection::None;  ///< of the Hessian behind the direction
  StepKind kind = StepKind::Start;
};

struct SolveOptions {
  SolveMethod method = SolveMethod::Automatic;
  double tolerance = 1e-8;         ///< of |g| against r, see convergence.h
  bool relative_to_start = false;  ///< against |g| at the start in place of r; for comparisons
  int max_iterations = 200;        ///< steps
  int max_inner = 500;             ///< conjugate gradient iterations in one step
  double largest_forcing = 0.5;    ///< eta = min(this, √(|g|/|g₀|))
  bool check_minimum = true;       ///< look for negative curvature at the end
  int probe_products = 20;         ///< Hessian-vector products that Newton-CG spends on that look
  int max_escapes = 5;  ///< steps along negative curvature before a solve is called unstable
  const std::atomic<bool>* stop = nullptr;  ///< set from elsewhere to end the solve
  std::function<void(const SolveStep&)> progress =
      {};  ///< called with the start and after every step
};

struct SolveReport {
  SolveStatus status = SolveStatus::Failed;
  std::string reason;  ///< one sentence for users: why it ended
  std::string
      method;        ///< what was used and why, e.g. "newton: 4,131 unknowns, direct factorisation"
  std::string note;  ///< what else a user should know; may be empty

  int iterations = 0;
  int escapes = 0;
  double energy = 0;    ///< [J]
  double gradient = 0;  ///< |g|₂
  double start_gradient = 0;
  double force_scale = 0;       ///< r
  double gradient_bound = 0;    ///< what |g| was compared with
  double predicted_error = -1;  ///< max|P⁻¹g| / d, P the last factor; negative: no factor was there
  double smallest_ritz =
      0;  ///< smallest Ritz value of P⁻¹H seen by the last conjugate gradients; 0: none

  int energies = 0;  ///< evaluations of the energy alone
  int gradients = 0;
  int hessians = 0;
  int factorisations = 0;
  int products = 0;               ///< Hessian-vector products inside steps
  int preconditioner_solves = 0;  ///< solves with a factor inside steps
  int check_products =
      0;  ///< the same, spent on the look for negative curvature and the predicted error
  int check_solves = 0;
  size_t factor_bytes = 0;  ///< of the minimiser's own factor
  std::string ordering;     ///< of that factor

  std::vector<SolveStep> history;
  SolveTimes times;

  bool converged() const { return status == SolveStatus::Converged; }
};

}  // namespace asb
