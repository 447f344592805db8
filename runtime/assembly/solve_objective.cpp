// See solve_objective.h.
#include "runtime/assembly/solve_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "runtime/linalg/fixed_sum.h"
#include "runtime/linalg/symmetric_matrix.h"

namespace asb {

SolveObjective::SolveObjective(UnknownLayout layout, std::vector<std::unique_ptr<FormAssembler>> forms)
    : layout_(std::move(layout)), forms_(std::move(forms)) {
  for (const auto& form : forms_) incidence_.push_back(node_incidence(form->stencil(), layout_.n_nodes));
  forces_.resize(forms_.size());
  full_ = layout_.values;
  direction_.assign(full_.size(), 0.0);
  nodal_.resize(full_.size());
  absolute_.resize(full_.size());
}

std::vector<double> SolveObjective::free_values() const {
  std::vector<double> x(layout_.n_free);
  gather_free(layout_.values, x);
  return x;
}

void SolveObjective::gather_free(std::span<const double> full, std::span<double> free) const {
  for (size_t i = 0; i < full.size(); ++i)
    if (layout_.free_index[i] >= 0) free[layout_.free_index[i]] = full[i];
}

void SolveObjective::scatter_free(std::span<const double> free, std::span<double> full) const {
  for (size_t i = 0; i < full.size(); ++i)
    if (layout_.free_index[i] >= 0) full[i] = free[layout_.free_index[i]];
}

void SolveObjective::restart(std::vector<double> values, double force_scale) {
  ASB_CHECK(values.size() == layout_.values.size(), "another unknown");
  layout_.values = std::move(values);
  full_ = layout_.values;
  force_scale_ = force_scale;
  if (!factor_) mean_stiffness_ = -1;
}

std::span<const double> SolveObjective::full(std::span<const double> x) {
  for (size_t i = 0; i < full_.size(); ++i)
    if (layout_.free_index[i] >= 0) full_[i] = x[layout_.free_index[i]];
  return full_;
}

int64_t SolveObjective::inverted(std::span<const double> x) {
  full(x);
  int64_t total = 0;
  for (const auto& form : forms_)
    if (!form->form().is_linear) total = std::max(total, form->inverted(full_.data()));
  return total;
}

Evaluation SolveObjective::energy(std::span<const double> x) {
  full(x);
  Evaluation sum;
  for (const auto& form : forms_) {
    const Evaluation e = form->energy(full_.data());
    sum.energy += e.energy;
    sum.magnitude += e.magnitude;
    sum.finite = sum.finite && e.finite;
  }
  return sum;
}

Evaluation SolveObjective::gradient(std::span<const double> x, std::span<double> g) {
  full(x);
  Evaluation sum;
  std::fill(nodal_.begin(), nodal_.end(), 0.0);
  std::fill(absolute_.begin(), absolute_.end(), 0.0);
  for (size_t f = 0; f < forms_.size(); ++f) {
    const Evaluation e = forms_[f]->gradient(full_.data(), forces_[f]);
    sum.energy += e.energy;
    sum.magnitude += e.magnitude;
    sum.finite = sum.finite && e.finite;
    add_forces(incidence_[f], forces_[f], layout_.components, forms_[f]->coefficient(), nodal_, absolute_);
  }
  gather_free(nodal_, g);
  std::vector<double> free_absolute(size());
  gather_free(absolute_, free_absolute);
  const double r = norm(free_absolute);
  if (!std::isfinite(r)) sum.finite = false;
  else force_scale_ = std::max(force_scale_, r);
  return sum;
}

double SolveObjective::largest_value(std::span<const double> x) const {
  double largest = max_abs(x);
  for (size_t i = 0; i < layout_.values.size(); ++i)
    if (layout_.free_index[i] < 0) largest = std::max(largest, std::abs(layout_.values[i]));
  return largest;
}

MatrixPattern SolveObjective::pattern(std::span<const size_t> forms, std::span<const int32_t> index, int components,
                                      int32_t n) const {
  std::vector<const Stencil*> stencils;
  std::vector<int64_t> chunks;
  for (const size_t f : forms) {
    stencils.push_back(&forms_[f]->stencil());
    chunks.push_back(chunk_blocks(forms_[f]->stencil(), components, forms_[f]->blocks_per_task()));
  }
  return matrix_pattern(stencils, chunks, index, components, n);
}

void SolveObjective::hessian(std::span<const double> x, Projection projection, SymmetricMatrix& H) {
  full(x);
  if (pattern_.matrix.n == 0) {
    for (size_t f = 0; f < forms_.size(); ++f)
      if (!forms_[f]->form().is_linear) pattern_forms_.push_back(f);
    pattern_ = pattern(pattern_forms_, layout_.free_index, layout_.components, layout_.n_free);
  }
  if (H.row.size() != pattern_.matrix.row.size() || H.n != pattern_.matrix.n) H = pattern_.matrix;
  std::fill(H.value.begin(), H.value.end(), 0.0);
  for (size_t k = 0; k < pattern_forms_.size(); ++k) {
    FormAssembler& form = *forms_[pattern_forms_[k]];
    const MatrixIncidence& incidence = pattern_.incidence[k];
    for (int64_t c = 0; c < incidence.chunks(); ++c) {
      const int64_t first = c * incidence.chunk_blocks;
      form.hessian(full_.data(), projection, first, std::min(incidence.chunk_blocks, form.stencil().blocks() - first),
                   matrices_);
      add_matrices(pattern_, k, c, matrices_, form.coefficient(), layout_.free_index, H.value);
    }
  }
  if (projection == Projection::None && !factor_) mean_stiffness_ = mean_diagonal(H);
}

void SolveObjective::linearise(std::span<const double> x) {
  full(x);
  for (const auto& form : forms_)
    if (!form->form().is_linear) form->linearise(full_.data());
}

void SolveObjective::product(std::span<const double> v, std::span<double> Hv) {
  for (size_t i = 0; i < direction_.size(); ++i)
    direction_[i] = layout_.free_index[i] >= 0 ? v[layout_.free_index[i]] : 0.0;
  std::fill(nodal_.begin(), nodal_.end(), 0.0);
  for (size_t f = 0; f < forms_.size(); ++f) {
    if (forms_[f]->form().is_linear) continue;
    forms_[f]->product(direction_.data(), forces_[f]);
    add_forces(incidence_[f], forces_[f], layout_.components, forms_[f]->coefficient(), nodal_, {});
  }
  gather_free(nodal_, Hv);
}

double SolveObjective::step_bound(std::span<const double> x, std::span<const double> d) {
  full(x);
  for (size_t i = 0; i < direction_.size(); ++i)
    direction_[i] = layout_.free_index[i] >= 0 ? d[layout_.free_index[i]] : 0.0;
  double bound = std::numeric_limits<double>::infinity();
  for (const auto& form : forms_) bound = std::min(bound, form->step_bound(full_.data(), direction_.data()));
  return bound;
}

AssemblyMemory SolveObjective::memory() const {
  AssemblyMemory m;
  for (size_t f = 0; f < forms_.size(); ++f) {
    m.stencils += forms_[f]->stencil().bytes();
    m.incidence += bytes_of(incidence_[f].first) + bytes_of(incidence_[f].place);
    m.forces += bytes_of(forces_[f]);
    m.linearised += forms_[f]->linearised_bytes();
  }
  m.matrices = bytes_of(matrices_);
  m.pattern = pattern_.bytes();
  return m;
}

double SolveObjective::mean_stiffness() {
  if (factor_) return factor_->mean_diagonal();
  if (mean_stiffness_ < 0) {
    SymmetricMatrix H;
    hessian(free_values(), Projection::None, H);
  }
  return mean_stiffness_;
}

Result<void> SolveObjective::prepare_constant_factor() {
  std::vector<size_t> with;
  for (size_t f = 0; f < forms_.size(); ++f) {
    if (forms_[f]->form().is_linear) continue;
    if (!forms_[f]->form().scalar_stiffness) return {};  // no constant factor: not an error
    with.push_back(f);
  }
  if (with.empty()) return {};
  std::vector<int32_t> identity(layout_.n_nodes);
  std::iota(identity.begin(), identity.end(), 0);
  MatrixPattern scalar = pattern(with, identity, 1, static_cast<int32_t>(layout_.n_nodes));
  for (size_t k = 0; k < with.size(); ++k) {
    FormAssembler& form = *forms_[with[k]];
    const MatrixIncidence& incidence = scalar.incidence[k];
    for (int64_t c = 0; c < incidence.chunks(); ++c) {
      const int64_t first = c * incidence.chunk_blocks;
      form.scalar_stiffness(first, std::min(incidence.chunk_blocks, form.stencil().blocks() - first), matrices_);
      add_matrices(scalar, k, c, matrices_, form.coefficient(), identity, scalar.matrix.value);
    }
  }
  auto factor = ScalarFactor::make(scalar.matrix, layout_.free_index, layout_.components);
  if (!factor) return fail(factor.error());
  factor_ = std::move(*factor);
  return {};
}

}  // namespace asb
