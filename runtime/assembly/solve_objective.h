// A solve's objective over its free values: the sum of forms, each assembled by itself and added to nodes and matrix entries
// in a fixed order. What the minimisers of runtime/minimise see.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "runtime/assembly/form_assembler.h"
#include "runtime/linalg/scalar_factor.h"
#include "runtime/minimise/objective.h"

namespace asb {

/// The unknown of a solve, node-major with `components` numbers a node.
struct UnknownLayout {
  int components = 3;
  int64_t n_nodes = 0;
  std::vector<double> values;          ///< n_nodes × components: start values, and the fixed ones as they are held
  std::vector<int32_t> free_index;     ///< place among the free values, or -1 where held
  int32_t n_free = 0;
  double diameter = 1;                 ///< of the body at rest [m]
};

/// Bytes that assembly holds, by what they are for.
struct AssemblyMemory {
  size_t stencils = 0, incidence = 0, forces = 0, linearised = 0, matrices = 0, pattern = 0;
};

class SolveObjective : public Objective {
 public:
  SolveObjective(UnknownLayout layout, std::vector<std::unique_ptr<FormAssembler>> forms);

  /// Factors the constant K ⊗ I where every nonlinear form has one. An Error names what is loose.
  [[nodiscard]] Result<void> prepare_constant_factor();

  std::vector<double> free_values() const;
  /// All values, node-major, with the free ones from x.
  std::span<const double> full(std::span<const double> x);
  /// Number of points with det F <= 0.
  int64_t inverted(std::span<const double> x);
  const ScalarFactor* scalar_factor() const { return factor_.get(); }
  std::span<const std::unique_ptr<FormAssembler>> forms() const { return forms_; }
  /// What is held now: it grows when Hessians or products are first asked for. A stencil that forms share counts for each.
  AssemblyMemory memory() const;

  size_t size() const override { return static_cast<size_t>(layout_.n_free); }
  Evaluation energy(std::span<const double> x) override;
  Evaluation gradient(std::span<const double> x, std::span<double> g) override;
  double force_scale() const override { return force_scale_; }
  void set_force_scale(double r) override { force_scale_ = r; }
  double largest_value(std::span<const double> x) const override;
  double diameter() const override { return layout_.diameter; }
  void hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) override;
  void linearise(std::span<const double> x) override;
  void product(std::span<const double> v, std::span<double> Hv) override;
  double step_bound(std::span<const double> x, std::span<const double> d) override;
  Preconditioner* constant_factor() override { return factor_.get(); }
  double mean_stiffness() override;

  /// New values, held ones included, for another solve on the same pattern.
  void restart(std::vector<double> values, double force_scale);
  void gather_free(std::span<const double> full, std::span<double> free) const;
  MatrixPattern pattern(std::span<const size_t> forms, std::span<const int32_t> index, int components, int32_t n) const;
  void scatter_free(std::span<const double> free, std::span<double> full) const;

 private:

  UnknownLayout layout_;
  std::vector<std::unique_ptr<FormAssembler>> forms_;
  std::vector<NodeIncidence> incidence_;      ///< per form
  std::vector<AlignedVector> forces_;         ///< per form
  AlignedVector matrices_;                    ///< of one chunk of groups
  MatrixPattern pattern_;
  std::vector<size_t> pattern_forms_;         ///< forms with a Hessian
  std::unique_ptr<ScalarFactor> factor_;
  std::vector<double> full_, direction_, nodal_, absolute_, stiffness_at_;
  double force_scale_ = 0;
  double mean_stiffness_ = -1;
};

}  // namespace asb
