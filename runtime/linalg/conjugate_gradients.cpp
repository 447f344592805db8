// See conjugate_gradients.h.
#include "runtime/linalg/conjugate_gradients.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/check.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/linalg/tridiagonal.h"

namespace asb {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// H and M⁻¹ with their counts and times.
class CountedOperators {
 public:
  CountedOperators(const ApplyMatrix& H, Preconditioner* M, CgReport& report)
      : H_(H), M_(M), report_(report) {}
  void multiply(std::span<const double> in, std::span<double> out) {
    const auto start = std::chrono::steady_clock::now();
    H_(in, out);
    ++report_.products;
    report_.product_seconds += seconds_since(start);
  }
  void precondition(std::span<const double> in, std::span<double> out) {
    if (M_ == nullptr) {
      std::copy(in.begin(), in.end(), out.begin());
      return;
    }
    const auto start = std::chrono::steady_clock::now();
    M_->apply(in, out);
    ++report_.applications;
    report_.apply_seconds += seconds_since(start);
  }

 private:
  const ApplyMatrix& H_;
  Preconditioner* M_;
  CgReport& report_;
};

/// Entries of the Lanczos matrix: T_jj = 1/alpha_j + beta_{j−1}/alpha_{j−1}, T_{j,j+1} = √beta_j /
/// alpha_j.
struct LanczosMatrix {
  std::vector<double> diagonal, off_diagonal;
  double last_alpha = 0, last_beta = 0;
  void add(double alpha) {
    double entry = 1 / alpha;
    if (!diagonal.empty()) {
      entry += last_beta / last_alpha;
      off_diagonal.push_back(std::sqrt(std::max(last_beta, 0.0)) / last_alpha);
    }
    diagonal.push_back(entry);
    last_alpha = alpha;
  }
};

}  // namespace

CgReport conjugate_gradients(const ApplyMatrix& H, Preconditioner* M, std::span<const double> b,
                             std::span<double> w, const CgOptions& options) {
  ASB_CHECK(b.size() == w.size(), "solution and right-hand side of one length");
  const size_t n = b.size();
  CgReport report;
  CountedOperators operators(H, M, report);
  std::vector<double> r(b.begin(), b.end()), z(n), p(n), Hp(n);
  const bool plain = options.norm == ResidualNorm::Plain;

  // The norm of b; with a first guess in the preconditioned norm it needs an M⁻¹ of its own.
  double b_norm = plain ? norm(b) : 0.0;
  if (options.start_from_w) {
    if (!plain) {
      operators.precondition(b, z);
      b_norm = std::sqrt(std::max(dot(b, z), 0.0));
    }
    operators.multiply(w, Hp);
    add_scaled(-1.0, Hp, r);
  } else {
    std::fill(w.begin(), w.end(), 0.0);
  }

  LanczosMatrix lanczos;
  double rz = 0, pMp = 0, largest_quotient = 0;
  for (;; ++report.iterations) {
    // 1. How far: plain norms are judged before M⁻¹ is spent.
    double r_norm = plain ? norm(r) : 0.0;
    const auto small_enough = [&] {
      return r_norm <= std::max(options.relative * b_norm, options.absolute);
    };
    const auto end = [&](CgStatus status) {
      report.status = status;
      report.residual = b_norm > 0 ? r_norm / b_norm : r_norm;
      const Extremes ritz = extreme_eigenvalues(lanczos.diagonal, lanczos.off_diagonal);
      report.smallest_ritz = ritz.smallest;
      report.largest_ritz = ritz.largest;
      return std::move(report);
    };
    if (plain && small_enough()) return end(CgStatus::Converged);
    operators.precondition(r, z);
    const double rz_before = rz;
    rz = dot(r, z);
    if (!plain) {
      r_norm = std::sqrt(std::max(rz, 0.0));
      if (report.iterations == 0 && !options.start_from_w) b_norm = r_norm;
      if (small_enough()) return end(CgStatus::Converged);
    }
    if (!std::isfinite(rz)) return end(CgStatus::NotFinite);
    if (report.iterations >= options.max_iterations) return end(CgStatus::IterationLimit);
    if (options.stop != nullptr && options.stop->load(std::memory_order_relaxed))
      return end(CgStatus::Interrupted);

    // 2. Next direction; pᵀMp by recurrence: r is orthogonal to the last p.
    const double beta = report.iterations > 0 ? rz / rz_before : 0.0;
    if (report.iterations > 0) lanczos.last_beta = beta;
    scale_and_add(z, beta, p);
    pMp = rz + beta * beta * pMp;

    // 3. Curvature along it.
    operators.multiply(p, Hp);
    const double pHp = dot(p, Hp);
    const double quotient = pHp / pMp;
    if (!std::isfinite(quotient)) return end(CgStatus::NotFinite);
    largest_quotient = std::max(largest_quotient, std::abs(quotient));
    const double zero = options.curvature_floor * largest_quotient;
    if (quotient <= zero) {
      report.curvature = quotient;
      report.direction = p;
      return end(quotient < -zero ? CgStatus::NegativeCurvature : CgStatus::NoCurvature);
    }

    // 4. Step.
    const double alpha = rz / pHp;
    lanczos.add(alpha);
    add_scaled(alpha, p, w);
    add_scaled(-alpha, Hp, r);
  }
}

}  // namespace asb
