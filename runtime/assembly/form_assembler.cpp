// See form_assembler.h.
#include "runtime/assembly/form_assembler.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

#include "runtime/assembly/projection.h"
#include "runtime/linalg/fixed_sum.h"
#include "runtime/mesh/element.h"

namespace asb {

/// Memory of one task: local variables, directions, kernel outputs.
struct FormAssembler::Scratch {
  std::vector<AlignedVector> local, direction;
  AlignedVector psi, p, H, C, corner, K;
  std::vector<const double*> inputs;
};

namespace {

/// Smallest t > 0 with a + b t + c t² + d t³ = 0, or infinity; a > 0.
double smallest_positive_root(double a, double b, double c, double d) {
  // Scaled so that the search runs over t in (0, 1]: steps beyond the full Newton step are never taken.
  const auto f = [&](double t) { return a + t * (b + t * (c + t * d)); };
  // The cubic's turning points split (0, 1] into monotone pieces; the first with a change of sign holds the root.
  double stops[3];
  int n = 0;
  const double A = 3 * d, B = 2 * c, C = b;
  if (A != 0) {
    const double disc = B * B - 4 * A * C;
    if (disc > 0) {
      const double q = -0.5 * (B + std::copysign(std::sqrt(disc), B));
      for (const double t : {q / A, q != 0 ? C / q : 0.0})
        if (t > 0 && t < 1) stops[n++] = t;
    }
  } else if (B != 0) {
    const double t = -C / B;
    if (t > 0 && t < 1) stops[n++] = t;
  }
  std::sort(stops, stops + n);
  stops[n++] = 1;
  double lo = 0;
  for (int i = 0; i < n; ++i) {
    double hi = stops[i];
    if (f(hi) <= 0) {
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (lo + hi);
        (f(middle) > 0 ? lo : hi) = middle;
      }
      return lo;
    }
    lo = hi;
  }
  return std::numeric_limits<double>::infinity();
}

}  // namespace

namespace {

bool reads_locals(const plan::BoundKernel& bound) {
  return std::ranges::any_of(bound.inputs, [](const plan::Arg& a) { return a.kind == plan::ArgKind::Local; });
}

}  // namespace

FormAssembler::FormAssembler(FormInputs inputs) : in_(std::move(inputs)) {
  for (const plan::Local& local : in_.form->locals)
    shapes_.push_back({local.kind == graph::GatherKind::Gradient, in_.components});
  for (const OperandValues& operand : in_.operands) ASB_CHECK(operand.data, "operand without values");
  ASB_CHECK(in_.stencil->corners <= kMaxCorners, "too many corners");
  for (const int32_t node : in_.stencil->nodes) n_nodes_ = std::max<int64_t>(n_nodes_, node + 1);
  const int64_t blocks = in_.stencil->blocks();
  block_energy_.resize(blocks);
  block_magnitude_.resize(blocks);
  block_finite_.resize(blocks);
}

void FormAssembler::set_operands(std::vector<OperandValues> operands, double coefficient) {
  ASB_CHECK(operands.size() == in_.operands.size(), "other operands");
  in_.operands = std::move(operands);
  in_.coefficient = coefficient;
}

std::vector<OperandValues> FormAssembler::stiffness_operands() const {
  std::vector<OperandValues> out;
  for (const plan::Arg& arg : in_.form->scalar_stiffness.inputs)
    if (arg.kind == plan::ArgKind::Operand) out.push_back(in_.operands[arg.index]);
  return out;
}

template <class Body>
void FormAssembler::for_each_task(Body&& body) const {
  for_each_task(0, in_.stencil->blocks(), body);
}

template <class Body>
void FormAssembler::for_each_task(int64_t begin, int64_t blocks, Body&& body) const {
  const int64_t step = in_.blocks_per_task;
  tbb::parallel_for(tbb::blocked_range<int64_t>(0, (blocks + step - 1) / step, 1), [&](const auto& range) {
    thread_local Scratch scratch;
    for (int64_t task = range.begin(); task < range.end(); ++task) {
      const int64_t first = begin + task * step, count = std::min(step, blocks - task * step);
      const int64_t entities = count * in_.stencil->points * kLanes;
      scratch.local.resize(std::max(scratch.local.size(), shapes_.size()));
      scratch.direction.resize(scratch.local.size());
      for (size_t k = 0; k < shapes_.size(); ++k) {
        const size_t n = static_cast<size_t>(entities * shapes_[k].entries());
        if (scratch.local[k].size() < n) scratch.local[k].resize(n);
        if (scratch.direction[k].size() < n) scratch.direction[k].resize(n);
      }
      const size_t n = in_.form->n_local;
      const auto reserve = [&](AlignedVector& v, size_t numbers) {
        if (v.size() < numbers) v.resize(numbers);
      };
      reserve(scratch.psi, entities);
      reserve(scratch.p, entities * n);
      reserve(scratch.corner, static_cast<size_t>(kMaxCorners) * in_.components * kLanes);
      body(first, count, scratch);
    }
  });
}

void FormAssembler::locals(int64_t block, const double* u, int64_t slot, const std::vector<AlignedVector>& into,
                           Scratch& scratch) const {
  const Stencil& s = *in_.stencil;
  gather_corners(s, block, u, in_.components, scratch.corner.data());
  for (size_t k = 0; k < shapes_.size(); ++k) {
    const int n = shapes_[k].entries();
    for (int q = 0; q < s.points; ++q)
      gather_local(s, block, q, shapes_[k], scratch.corner.data(),
                   const_cast<double*>(into[k].data()) + (slot * s.points + q) * n * kLanes);
  }
}

void FormAssembler::run(const plan::BoundKernel& bound, int64_t first_block, int64_t blocks, Scratch& scratch,
                        std::span<double* const> outputs) const {
  const int64_t first = first_block * in_.stencil->points;
  scratch.inputs.clear();
  for (const plan::Arg& arg : bound.inputs) {
    switch (arg.kind) {
      case plan::ArgKind::Local: scratch.inputs.push_back(scratch.local[arg.index].data()); break;
      case plan::ArgKind::Direction: scratch.inputs.push_back(scratch.direction[arg.index].data()); break;
      case plan::ArgKind::Operand: {
        const OperandValues& v = in_.operands[arg.index];
        scratch.inputs.push_back(v.per_entity ? v.data + first * v.entries * kLanes : v.data);
        break;
      }
      case plan::ArgKind::Linearised:
        scratch.inputs.push_back(linearised_[arg.index].data() +
                                 first * in_.form->linearised[arg.index] * kLanes);
        break;
    }
  }
  in_.kernels[bound.kernel.index]->run(scratch.inputs.data(), outputs.data(), 0, blocks * in_.stencil->points);
}

Evaluation FormAssembler::sum_energies() const {
  Evaluation out;
  out.energy = in_.coefficient * fixed_sum(block_energy_);
  out.magnitude = std::abs(in_.coefficient) * fixed_sum(block_magnitude_);
  out.finite = std::ranges::all_of(block_finite_, [](uint8_t f) { return f != 0; });
  return out;
}

namespace {

/// Sums w psi of one group block in a fixed order.
void sum_block(const Stencil& s, const AlignedVector& weight, int64_t block, const double* psi, double& energy,
               double& magnitude, uint8_t& finite) {
  double sum[kLanes] = {}, absolute[kLanes] = {};
  for (int q = 0; q < s.points; ++q)
    for (int l = 0; l < kLanes; ++l) {
      const double w = weight[(block * s.points + q) * kLanes + l];
      const double e = w == 0 ? 0 : w * psi[q * kLanes + l];  // 0: padding, whatever psi is there
      sum[l] += e;
      absolute[l] += std::abs(e);
    }
  energy = magnitude = 0;
  for (int l = 0; l < kLanes; ++l) {
    energy += sum[l];
    magnitude += absolute[l];
  }
  finite = std::isfinite(magnitude);
}

}  // namespace

Evaluation FormAssembler::energy(const double* u) {
  const Stencil& s = *in_.stencil;
  for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) locals(first + b, u, b, scratch.local, scratch);
    double* const outputs[] = {scratch.psi.data()};
    run(in_.form->energy, first, count, scratch, outputs);
    for (int64_t b = 0; b < count; ++b)
      sum_block(s, *in_.weight, first + b, scratch.psi.data() + b * s.points * kLanes, block_energy_[first + b],
                block_magnitude_[first + b], block_finite_[first + b]);
  });
  return sum_energies();
}

void FormAssembler::scatter_forces(int64_t block, const double* p, AlignedVector& forces) const {
  const Stencil& s = *in_.stencil;
  const int64_t rows = static_cast<int64_t>(s.corners) * in_.components * kLanes;
  double* force = forces.data() + block * rows;
  std::fill(force, force + rows, 0.0);
  for (int q = 0; q < s.points; ++q)
    for (size_t k = 0; k < shapes_.size(); ++k)
      scatter_local(s, block, q, shapes_[k], in_.weight->data() + (block * s.points + q) * kLanes,
                    p + (q * in_.form->n_local + in_.form->locals[k].first) * kLanes, force);
}

Evaluation FormAssembler::gradient(const double* u, AlignedVector& forces) {
  const Stencil& s = *in_.stencil;
  const int64_t rows = static_cast<int64_t>(s.corners) * in_.components * kLanes;
  forces.resize(s.blocks() * rows);
  for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) locals(first + b, u, b, scratch.local, scratch);
    double* const outputs[] = {scratch.psi.data(), scratch.p.data()};
    run(in_.form->gradient, first, count, scratch, outputs);
    for (int64_t b = 0; b < count; ++b) {
      sum_block(s, *in_.weight, first + b, scratch.psi.data() + b * s.points * kLanes, block_energy_[first + b],
                block_magnitude_[first + b], block_finite_[first + b]);
      scatter_forces(first + b, scratch.p.data() + b * s.points * in_.form->n_local * kLanes, forces);
    }
  });
  return sum_energies();
}

void FormAssembler::hessian(const double* u, Projection projection, int64_t begin, int64_t blocks,
                            AlignedVector& matrices) {
  const Stencil& s = *in_.stencil;
  const int64_t numbers = matrix_numbers(s.corners, in_.components), stride = matrix_stride(s.corners, in_.components);
  const int n = in_.form->n_local;
  const int64_t h_size = static_cast<int64_t>(n) * (n + 1) / 2;
  const auto length = static_cast<size_t>(blocks * kLanes * stride);
  if (matrices.size() < length) matrices.resize(length);
  for_each_task(begin, blocks, [&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) locals(first + b, u, b, scratch.local, scratch);
    const int64_t entities = count * s.points;
    if (scratch.H.size() < static_cast<size_t>(entities * h_size * kLanes)) scratch.H.resize(entities * h_size * kLanes);
    double* const outputs[] = {scratch.psi.data(), scratch.p.data(), scratch.H.data()};
    run(in_.form->hessian, first, count, scratch, outputs);
    if (in_.coefficient < 0 && projection == Projection::Clamp)
      std::fill_n(scratch.H.data(), entities * h_size * kLanes, 0.0);  // clamping -H from above: leave it out
    else if (projection == Projection::Clamp)
      clamp_eigenvalues(scratch.H.data(), entities, n);
    for (int64_t b = 0; b < count; ++b) {
      scratch.K.assign(numbers * kLanes, 0.0);
      double* K = scratch.K.data();
      for (int q = 0; q < s.points; ++q) {
        const double* w = in_.weight->data() + ((first + b) * s.points + q) * kLanes;
        const double* H = scratch.H.data() + (b * s.points + q) * h_size * kLanes;
        for (size_t r = 0; r < shapes_.size(); ++r)
          for (size_t c = 0; c < shapes_.size(); ++c)
            scatter_hessian(s, first + b, q, shapes_[r], in_.form->locals[r].first, shapes_[c],
                            in_.form->locals[c].first, n, w, H, K);
      }
      lanes_to_rows(numbers, stride, K, matrices.data() + (first - begin + b) * kLanes * stride);
    }
  });
}

void FormAssembler::linearise(const double* u) {
  const Stencil& s = *in_.stencil;
  const plan::Form& form = *in_.form;
  // Locals that the product kernel still reads are gathered again from here.
  linearised_.resize(form.linearised.size());
  for (size_t k = 0; k < linearised_.size(); ++k)
    linearised_[k].resize(s.entity_blocks() * form.linearised[k] * kLanes);
  if (reads_locals(form.product)) u_linear_.assign(u, u + n_nodes_ * in_.components);
  if (!form.linearise) return;
  for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) locals(first + b, u, b, scratch.local, scratch);
    std::vector<double*> outputs;
    for (size_t k = 0; k < linearised_.size(); ++k)
      outputs.push_back(linearised_[k].data() + first * s.points * form.linearised[k] * kLanes);
    run(form.linearise, first, count, scratch, outputs);
  });
}

size_t FormAssembler::linearised_bytes() const {
  size_t bytes = bytes_of(u_linear_);
  for (const AlignedVector& v : linearised_) bytes += bytes_of(v);
  return bytes;
}

void FormAssembler::product(const double* v, AlignedVector& forces) {
  const Stencil& s = *in_.stencil;
  const plan::Form& form = *in_.form;
  const int64_t rows = static_cast<int64_t>(s.corners) * in_.components * kLanes;
  forces.resize(s.blocks() * rows);
  const bool again = reads_locals(form.product);
  for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) {
      locals(first + b, v, b, scratch.direction, scratch);
      if (again) locals(first + b, u_linear_.data(), b, scratch.local, scratch);
    }
    double* const outputs[] = {scratch.p.data()};
    run(form.product, first, count, scratch, outputs);
    for (int64_t b = 0; b < count; ++b)
      scatter_forces(first + b, scratch.p.data() + b * s.points * form.n_local * kLanes, forces);
  });
}

void FormAssembler::scalar_stiffness(int64_t begin, int64_t blocks, AlignedVector& matrices) {
  const Stencil& s = *in_.stencil;
  const int64_t numbers = matrix_numbers(s.corners, 1), stride = matrix_stride(s.corners, 1);
  const auto length = static_cast<size_t>(blocks * kLanes * stride);
  if (matrices.size() < length) matrices.resize(length);
  const bool gradient = shapes_[0].is_gradient;
  const int entries = gradient ? 9 : 1;
  for_each_task(begin, blocks, [&](int64_t first, int64_t count, Scratch& scratch) {
    const size_t n = static_cast<size_t>(count * s.points * entries * kLanes);
    if (scratch.C.size() < n) scratch.C.resize(n);
    double* const outputs[] = {scratch.C.data()};
    run(in_.form->scalar_stiffness, first, count, scratch, outputs);
    for (int64_t b = 0; b < count; ++b) {
      scratch.K.assign(numbers * kLanes, 0.0);
      double* K = scratch.K.data();
      for (int q = 0; q < s.points; ++q)
        scatter_scalar(s, first + b, q, gradient, in_.weight->data() + ((first + b) * s.points + q) * kLanes,
                       scratch.C.data() + (b * s.points + q) * entries * kLanes, K);
      lanes_to_rows(numbers, stride, K, matrices.data() + (first - begin + b) * kLanes * stride);
    }
  });
}

namespace {

double det3(const double* F) {
  return F[0] * (F[4] * F[8] - F[5] * F[7]) - F[1] * (F[3] * F[8] - F[5] * F[6]) + F[2] * (F[3] * F[7] - F[4] * F[6]);
}

/// inner(cof A, B).
double cof_inner(const double* A, const double* B) {
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    for (int J = 0; J < 3; ++J) {
      const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, J1 = (J + 1) % 3, J2 = (J + 2) % 3;
      sum += B[i * 3 + J] * (A[i1 * 3 + J1] * A[i2 * 3 + J2] - A[i1 * 3 + J2] * A[i2 * 3 + J1]);
    }
  return sum;
}

}  // namespace

double FormAssembler::step_bound(const double* u, const double* d) {
  const int k = in_.form->determinant_of;
  double bound = std::numeric_limits<double>::infinity();
  if (k < 0) return bound;
  const Stencil& s = *in_.stencil;
  for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
    for (int64_t b = 0; b < count; ++b) {
      locals(first + b, u, b, scratch.local, scratch);
      locals(first + b, d, b, scratch.direction, scratch);
      double smallest = std::numeric_limits<double>::infinity();
      for (int q = 0; q < s.points; ++q)
        for (int l = 0; l < kLanes; ++l) {
          double F[9], D[9];
          for (int e = 0; e < 9; ++e) {
            const int64_t at = ((b * s.points + q) * 9 + e) * kLanes + l;
            F[e] = scratch.local[k][at];
            D[e] = scratch.direction[k][at];
          }
          const double J = det3(F);
          if (J > 0)  // elsewhere the energy isn't finite to begin with
            smallest = std::min(smallest, smallest_positive_root(J, cof_inner(F, D), cof_inner(D, F), det3(D)));
        }
      block_energy_[first + b] = smallest;
    }
  });
  for (const double t : block_energy_) bound = std::min(bound, t);
  return 0.9 * bound;
}

int64_t FormAssembler::inverted(const double* u) {
  const Stencil& s = *in_.stencil;
  int64_t total = 0;
  for (size_t k = 0; k < shapes_.size(); ++k) {
    if (shapes_[k].entries() != 9) continue;
    for_each_task([&](int64_t first, int64_t count, Scratch& scratch) {
      for (int64_t b = 0; b < count; ++b) {
        locals(first + b, u, b, scratch.local, scratch);
        int64_t n = 0;
        for (int q = 0; q < s.points; ++q)
          for (int l = 0; l < kLanes; ++l) {
            if ((*in_.weight)[((first + b) * s.points + q) * kLanes + l] == 0) continue;
            double F[9];
            for (int e = 0; e < 9; ++e) F[e] = scratch.local[k][((b * s.points + q) * 9 + e) * kLanes + l];
            n += det3(F) <= 0;
          }
        block_energy_[first + b] = static_cast<double>(n);
      }
    });
    for (const double n : block_energy_) total += static_cast<int64_t>(n);
    break;
  }
  return total;
}

}  // namespace asb
