// Supernodal LLᵀ of sparse positive definite matrices: CHOLMOD with METIS ordering ([Chen2008],
// [Karypis1998]). Used by Newton on whole Hessians and by ScalarFactor on scalar stiffnesses. One
// thread, no printing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "runtime/minimise/objective.h"

namespace asb {

/// What a factorisation found. `column` is the column of A at (or shortly before) which a pivot was
/// not positive.
struct FactorStatus {
  bool positive_definite = true;
  int64_t column = -1;
  explicit operator bool() const { return positive_definite; }
};

struct FactorStatistics {
  int64_t n = 0;
  int64_t entries = 0;     ///< numbers stored in L
  double flops = 0;        ///< of one factorisation
  size_t bytes = 0;        ///< held by the factor and CHOLMOD's workspace now
  size_t peak_bytes = 0;   ///< largest so far
  int analyses = 0;        ///< symbolic analyses so far
  int factorisations = 0;  ///< numeric factorisations so far
  std::string ordering;    ///< "METIS", or "AMD" with the reason why
};

class Cholesky {
 public:
  Cholesky();
  ~Cholesky();
  Cholesky(Cholesky&&) noexcept;
  Cholesky& operator=(Cholesky&&) noexcept;

  /// Factors A. The symbolic analysis is kept while the pattern of A stays the same. An Error means
  /// that no factor could be tried (memory, entries that are not finite); not being positive
  /// definite is an answer.
  [[nodiscard]] Result<FactorStatus> factor(const SymmetricMatrix& A);

  /// True after a factorisation that found A positive definite.
  bool is_ready() const;
  /// A X = B for n_rhs right-hand sides, column by column; X may be B itself. Requires is_ready().
  [[nodiscard]] Result<void> solve(std::span<const double> B, std::span<double> X, int n_rhs = 1);

  /// min_j L_jj² / A_jj in (0, 1]: what is left of a diagonal entry after elimination. Near 1e-16
  /// the matrix is singular in working precision; the ratio does not depend on units. `column` (may
  /// be null) gets the place.
  double smallest_pivot_ratio(int64_t* column = nullptr) const;

  const FactorStatistics& statistics() const;

 private:
  struct Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace asb
