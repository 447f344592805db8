// Preconditioned conjugate gradients for H w = b: the inner solver of truncated Newton, the solver
// of adjoint systems, and the probe for negative curvature. Reports the extreme Ritz values of M⁻¹H
// it has seen on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "runtime/minimise/objective.h"

namespace asb {

/// out = H in.
using ApplyMatrix = std::function<void(std::span<const double> in, std::span<double> out)>;

/// In which norm the residual r = b − H w is measured.
enum class ResidualNorm : uint8_t {
  Plain,           ///< |r|₂
  Preconditioned,  ///< √(rᵀM⁻¹r): the norm in which K-preconditioned CG works; one more M⁻¹ per
                   ///< solve
};

struct CgOptions {
  double relative = 1e-8;  ///< stop at |r| ≤ max(relative · |b|, absolute)
  double absolute = 0;
  ResidualNorm norm = ResidualNorm::Plain;
  int max_iterations = 1000;
  /// Quotients pᵀHp / pᵀMp within ± this share of the largest one seen are round-off of zero.
  double curvature_floor = 1e-12;
  bool start_from_w =
      false;  ///< w holds a first guess (costs one product); otherwise w starts at 0
  const std::atomic<bool>* stop = nullptr;
};

enum class CgStatus : uint8_t {
  Converged,
  NegativeCurvature,  ///< `direction` is the p with pᵀHp < 0; w is the iterate before it
  NoCurvature,        ///< the same with pᵀHp = 0 to round-off: H is singular
  IterationLimit,
  Interrupted,
  NotFinite,
};

struct CgReport {
  CgStatus status = CgStatus::Converged;
  int iterations = 0;
  int products = 0;
  int applications = 0;  ///< of M⁻¹
  double residual = 0;   ///< |r| / |b| at the end, in the chosen norm (by recurrence)
  double smallest_ritz =
      0;  ///< of M⁻¹H, from the Lanczos matrix; an upper bound of the smallest eigenvalue
  double largest_ritz = 0;
  double curvature = 0;  ///< pᵀHp / pᵀMp of `direction`
  std::vector<double> direction;
  double product_seconds = 0;
  double apply_seconds = 0;

  /// Ended at a direction along which H gives no minimum.
  bool is_truncated() const {
    return status == CgStatus::NegativeCurvature || status == CgStatus::NoCurvature;
  }
};

/// [Saad2003] Alg. 9.1, with the Lanczos matrix of its Sec. 6.7.3.
/// M null means no preconditioner. Iterates and counts do not depend on the number of threads.
CgReport conjugate_gradients(const ApplyMatrix& H, Preconditioner* M, std::span<const double> b,
                             std::span<double> w, const CgOptions& options);

}  // namespace asb
