// The constant preconditioner K ⊗ I: K (one row per node) is factored once for each set of free
// nodes, and all components with the same free nodes are right-hand sides of one solve. Made by
// assembly, used by Newton-CG.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/linalg/cholesky.h"
#include "runtime/minimise/objective.h"

namespace asb {

class ScalarFactor : public Preconditioner {
 public:
  /// K has one row per node [N/m]. free_index[node · n_components + c] is the place of component c
  /// of that node among the free values, or -1 where it is fixed. Fails where K is singular on the
  /// free nodes of a component: a part of the body is then held by nothing along it.
  [[nodiscard]] static Result<std::unique_ptr<ScalarFactor>> make(
      const SymmetricMatrix& K, std::span<const int32_t> free_index, int n_components = 3);

  /// z = (K ⊗ I)⁻¹ r over free values.
  void apply(std::span<const double> r, std::span<double> z) override;

  /// Mean diagonal of K over all free values: k of the convergence test.
  double mean_diagonal() const { return mean_diagonal_; }
  /// Number of different sets of free nodes, that is of factors held.
  int n_factors() const { return static_cast<int>(groups_.size()); }
  /// Memory held by all factors.
  size_t bytes() const;
  /// Of each factor, in order.
  std::vector<FactorStatistics> statistics() const;

 private:
  /// Components that share a set of free nodes.
  struct Group {
    std::vector<int> components;
    std::vector<int32_t> place;  ///< of each right-hand side's numbers among the free values
    std::vector<double> values;  ///< the right-hand sides, then the solutions
    Cholesky factor;
  };
  ScalarFactor() = default;

  std::vector<Group> groups_;
  double mean_diagonal_ = 0;
  size_t n_free_ = 0;
};

}  // namespace asb
