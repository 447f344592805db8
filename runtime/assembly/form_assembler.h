// One form of a solve at work: gathers its local variables, runs its kernels over blocks of groups, and chains their
// results to the corners. Threads share blocks; every block writes its own memory.
#pragma once

#include <vector>

#include "backends/backend.h"
#include "compiler/plan/plan.h"
#include "runtime/assembly/chain.h"
#include "runtime/assembly/incidence.h"
#include "runtime/minimise/objective.h"

namespace asb {

/// Values that are fixed during a solve: uniform, or in lanes per entity of the form's space.
struct OperandValues {
  const double* data = nullptr;
  int entries = 1;
  bool per_entity = false;
};

/// What a form is assembled from. Borrowed data outlives the assembler.
struct FormInputs {
  const plan::Form* form = nullptr;
  const Stencil* stencil = nullptr;
  const AlignedVector* weight = nullptr;    ///< entity_blocks × kLanes: measures, or 1, or 1/N; 0 in padding
  std::vector<OperandValues> operands;      ///< as form->operands
  double coefficient = 1;
  int components = 3;                       ///< of the unknown
  std::span<const std::unique_ptr<Kernel>> kernels;  ///< by KernelId
  int64_t blocks_per_task = 4;              ///< group blocks that one kernel call covers
};

class FormAssembler {
 public:
  explicit FormAssembler(FormInputs inputs);

  const plan::Form& form() const { return *in_.form; }
  const Stencil& stencil() const { return *in_.stencil; }
  double coefficient() const { return in_.coefficient; }
  /// Other values for the same operands.
  void set_operands(std::vector<OperandValues> operands, double coefficient);
  /// Those that the constant scalar stiffness reads.
  std::vector<OperandValues> stiffness_operands() const;
  /// Bytes kept for products since the last linearise().
  size_t linearised_bytes() const;

  /// Σ w psi over all entities and Σ|w psi|, both times the coefficient; u is node-major.
  Evaluation energy(const double* u);
  /// The same, and corner forces (without the coefficient) in the layout of NodeIncidence.
  Evaluation gradient(const double* u, AlignedVector& forces);
  /// Matrices of the groups in blocks first .. first + count (without the coefficient): one row for each group, of
  /// matrix_stride() numbers in the order of chain.h.
  void hessian(const double* u, Projection projection, int64_t first, int64_t count, AlignedVector& matrices);
  /// Keeps what products need at u. product(): corner forces of H v.
  void linearise(const double* u);
  void product(const double* v, AlignedVector& forces);
  /// The same of the constant scalar stiffness, one row per corner.
  void scalar_stiffness(int64_t first, int64_t count, AlignedVector& matrices);
  /// Group blocks that one call of a kernel covers.
  int64_t blocks_per_task() const { return in_.blocks_per_task; }
  /// Largest step t that keeps det F(u + t d) > 0 at 0.9 of its smallest root; inf if the form has no such local.
  double step_bound(const double* u, const double* d);
  /// Number of entities with det F <= 0.
  int64_t inverted(const double* u);

 private:
  struct Scratch;
  void locals(int64_t block, const double* u, int64_t slot, const std::vector<AlignedVector>& into, Scratch& scratch) const;
  /// Corner forces of one block from its local forces p: entity after entity, n_local × kLanes each.
  void scatter_forces(int64_t block, const double* p, AlignedVector& forces) const;
  void run(const plan::BoundKernel& bound, int64_t first_block, int64_t blocks, Scratch& scratch,
           std::span<double* const> outputs) const;
  template <class Body>
  void for_each_task(Body&& body) const;
  template <class Body>
  void for_each_task(int64_t first, int64_t count, Body&& body) const;
  Evaluation sum_energies() const;

  FormInputs in_;
  std::vector<LocalShape> shapes_;
  std::vector<AlignedVector> linearised_;  ///< per output of the linearise kernel, all entities
  AlignedVector block_energy_, block_magnitude_;
  std::vector<uint8_t> block_finite_;
  std::vector<double> u_linear_;           ///< at the last linearise(), if the product kernel reads it
  int64_t n_nodes_ = 0;                    ///< up to the last one read
};

}  // namespace asb
