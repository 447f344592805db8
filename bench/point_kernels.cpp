// Generated kernels at quadrature points, in the variables of the energy, beside hand-written ones and the roof.
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>

#include <cmath>
#include <limits>

#include "backends/llvm/llvm_backend.h"
#include "bench/hand.h"
#include "bench/operations.h"
#include "bench/parts.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "runtime/assembly/lanes.h"

namespace asb::bench {
namespace {

constexpr int64_t kBlocks = 32;   ///< entity blocks a call: four blocks of hexes of eight points, as assembly calls them
constexpr int kCalls = 64;        ///< calls that threads share
constexpr int64_t kPoints = kBlocks * kLanes;

/// Numbers in [-1/2, 1/2), the same in every run.
struct Noise {
  uint64_t state = 88172645463325252ull;
  double operator()() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<double>(state >> 11) / 9007199254740992.0 - 0.5;
  }
};

/// n×n near the identity at kPoints points.
AlignedVector near_identity(double spread, bool symmetric, uint64_t seed) {
  Noise noise{seed};
  AlignedVector out(kPoints * 9);
  for (int64_t b = 0; b < kBlocks; ++b)
    for (int l = 0; l < kLanes; ++l) {
      double M[9];
      for (double& m : M) m = spread * noise();
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          out[(b * 9 + 3 * i + j) * kLanes + l] = (i == j) + (symmetric ? 0.5 * (M[3 * i + j] + M[3 * j + i]) : M[3 * i + j]);
    }
  return out;
}

/// Rounds of the iteration for the trace of the stretch of F A (compiler/passes/expand_rotation.cpp), mean over blocks of
/// the largest in a block.
double rotation_rounds(const AlignedVector& F, const AlignedVector& A) {
  double total = 0;
  for (int64_t b = 0; b < kBlocks; ++b) {
    int most = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      double G[9] = {}, I1 = 0, I2 = 0;
      const auto at = [&](const AlignedVector& M, int k) { return M[(b * 9 + k) * kLanes + lane]; };
      for (int i = 0; i < 9; ++i)
        for (int k = 0; k < 3; ++k) G[i] += at(F, i / 3 * 3 + k) * at(A, 3 * k + i % 3);
      double J = 0;
      for (int i = 0; i < 9; ++i) {
        const int r1 = (i / 3 + 1) % 3 * 3, r2 = (i / 3 + 2) % 3 * 3, c1 = (i + 1) % 3, c2 = (i % 3 + 2) % 3;
        const double cof = G[r1 + c1 % 3] * G[r2 + c2] - G[r1 + c2] * G[r2 + c1 % 3];
        I1 += G[i] * G[i];
        I2 += cof * cof;
        if (i < 3) J += G[i] * cof;
      }
      double l = std::sqrt(3 * I1), step = l;
      int rounds = 0;
      for (; std::abs(step) > 4 * std::numeric_limits<double>::epsilon() * l && rounds < 20; ++rounds) {
        const double D = (l * l - I1) * l - 2 * J;
        step = D > 0 ? (((l * l - 2 * I1) * l * l - 8 * J * l) + I1 * I1 - 4 * I2) / (4 * D) : 0;
        l -= step;
      }
      most = std::max(most, rounds);
    }
    total += most;
  }
  return total / static_cast<double>(kBlocks);
}

/// The kernels of one form and what they are called with.
struct FormAtPoints {
  Prepared program;
  const plan::Form* form = nullptr;
  AlignedVector F, A, A6, direction;
  std::vector<AlignedVector> linearised;
  double rounds = 0;
};

FormAtPoints form_at_points(const std::string& path) {
  FormAtPoints out;
  out.program = prepare_for_bench(path);
  out.form = &out.program.plan().solves.at(0).forms.at(0);
  out.F = near_identity(0.3, false, 88172645463325252ull);
  out.A = near_identity(0.3, true, 1234567890123ull);
  out.direction = near_identity(1, false, 987654321ull);
  out.A6.resize(kPoints * 6);
  constexpr int kUpper[6] = {0, 1, 2, 4, 5, 8};
  for (int64_t b = 0; b < kBlocks; ++b)
    for (int k = 0; k < 6; ++k)
      for (int l = 0; l < kLanes; ++l) out.A6[(b * 6 + k) * kLanes + l] = out.A[(b * 9 + kUpper[k]) * kLanes + l];
  if (out.form->has_minimiser) out.rounds = rotation_rounds(out.F, out.A);
  return out;
}

std::vector<const double*> inputs_of(FormAtPoints& at, const plan::BoundKernel& bound) {
  std::vector<const double*> in;
  for (const plan::Arg& arg : bound.inputs) switch (arg.kind) {
      case plan::ArgKind::Local: in.push_back(at.F.data()); break;
      case plan::ArgKind::Direction: in.push_back(at.direction.data()); break;
      case plan::ArgKind::Linearised: in.push_back(at.linearised[arg.index].data()); break;
      case plan::ArgKind::Operand: {
        const auto value = at.program.session().evaluate(at.form->operands[arg.index]);
        if (!value) give_up(value.error().message);
        const Values& v = **value;
        if (!v.single && v.type.entries() == 9) in.push_back(at.A.data());
        else if (!v.single && v.type.entries() == 6) in.push_back(at.A6.data());
        else in.push_back(v.data.data());
        break;
      }
    }
  return in;
}

/// All calls of one kernel, shared by threads; every thread writes its own memory, as in assembly.
std::function<void()> calls(const Kernel& kernel, std::vector<const double*> in, std::vector<int> output_entries) {
  return [&kernel, in, output_entries] {
    tbb::parallel_for(tbb::blocked_range<int>(0, kCalls, 1), [&](const auto& range) {
      thread_local std::vector<AlignedVector> memory;
      if (memory.size() < output_entries.size()) memory.resize(output_entries.size());
      std::vector<double*> out;
      for (size_t k = 0; k < output_entries.size(); ++k) {
        const size_t size = static_cast<size_t>(kPoints * output_entries[k]);
        if (memory[k].size() < size) memory[k].resize(size);
        out.push_back(memory[k].data());
      }
      for (int c = range.begin(); c < range.end(); ++c) kernel.run(in.data(), out.data(), 0, kBlocks);
    });
  };
}

std::vector<int> entries_of(const KernelPlan& kernel) {
  std::vector<int> out;
  for (const ir::Output& o : kernel.scalar.outputs) out.push_back(o.type.entries());
  return out;
}

void measure(const std::string& name, const std::string& path, hand::Material material, const Settings& settings,
             const Roof& roof, Section& table) {
  FormAtPoints at = form_at_points(path);
  const plan::Plan& plan = at.program.plan();
  auto scalar_backend = make_llvm_backend({.lanes = 1});
  if (!scalar_backend) give_up(scalar_backend.error().message);
  auto scalar_kernels = (*scalar_backend)->compile(plan.kernels);
  if (!scalar_kernels) give_up(scalar_kernels.error().message);

  if (at.form->linearise) {
    const auto in = inputs_of(at, at.form->linearise);
    std::vector<double*> out;
    for (const int32_t entries : at.form->linearised) at.linearised.emplace_back(kPoints * entries);
    for (AlignedVector& v : at.linearised) out.push_back(v.data());
    at.program.session().kernels()[at.form->linearise.kernel.index]->run(in.data(), out.data(), 0, kBlocks);
  }
  struct Case {
    const char* name;
    const plan::BoundKernel* bound;
    int level;
  };
  const Case cases[] = {{"E", &at.form->energy, 0},
                        {"E+g", &at.form->gradient, 1},
                        {"E+g+H", &at.form->hessian, 2},
                        {"linearise", &at.form->linearise, -1},
                        {"product", &at.form->product, -1}};
  for (const Case& c : cases) {
    if (!*c.bound) continue;
    const KernelPlan& kernel = plan.kernels[c.bound->kernel.index];
    const auto in = inputs_of(at, *c.bound);
    const auto entries = entries_of(kernel);
    const auto ours = calls(*at.program.session().kernels()[c.bound->kernel.index], in, entries);
    const auto one_lane = calls(*(*scalar_kernels)[c.bound->kernel.index], in, entries);
    std::vector<std::function<void()>> bodies{ours, one_lane};
    AlignedVector psi(kPoints), P(kPoints * 9), H(kPoints * 45);
    if (c.level >= 0 && hand::present())
      bodies.push_back([&] {
        for (int k = 0; k < kCalls; ++k)
          hand::points(material, c.level, at.F.data(), at.A6.data(), kBlocks, psi.data(), P.data(), H.data());
      });
    std::vector<double> best;
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      best = best_of(bodies, settings.seconds);
    }
    double two = 0;
    {
      const tbb::global_control both(tbb::global_control::max_allowed_parallelism, 2);
      two = best_of({ours}, settings.seconds)[0];
    }
    const double per_point = 1e9 / (static_cast<double>(kPoints) * kCalls);
    const Operations operations = count_operations(kernel.scalar, at.rounds);
    const Bound least = bound(operations, roof, roof.near_bytes);
    const bool with_hand = bodies.size() > 2;
    table.row(fmt::format("{} {}", name, c.name),
              {Cell(best[0] * per_point), Cell(two * per_point), Cell(best[0] / two), Cell(best[1] / best[0]),
               with_hand ? Cell(best[2] * per_point) : Cell(), with_hand ? Cell(best[0] / best[2]) : Cell(),
               Cell(operations.arithmetic), Cell(operations.divisions + operations.square_roots), Cell(operations.others),
               Cell(operations.bytes), Cell(1e9 * least.seconds), Cell(std::string(least.by)),
               Cell(1e11 * least.seconds / (best[0] * per_point))});
  }
  if (at.rounds > 0)
    table.note(fmt::format("{}: the iteration for the rotation takes {:.1f} rounds here (counted); the hand-written one always 6",
                           name, at.rounds));
}

}  // namespace

Section roof_section(const Roof& roof) {
  Section table{"The machine, one thread", {"measured"}, {}, {}};
  table.row("adds and multiplies [10^9/s]", {Cell(1e-9 * roof.operations)});
  table.row("fused multiply-adds, two each [10^9/s]", {Cell(1e-9 * roof.fused)});
  table.row("divisions [10^9/s]", {Cell(1e-9 * roof.divisions)});
  table.row("square roots [10^9/s]", {Cell(1e-9 * roof.square_roots)});
  table.row("bytes from 192 kB [GB/s]", {Cell(1e-9 * roof.near_bytes)});
  table.row("bytes from 384 MB [GB/s]", {Cell(1e-9 * roof.far_bytes)});
  return table;
}

Section point_kernels(const Settings& settings, const Roof& roof) {
  Section table{"Kernels at quadrature points [ns a point], 256 points a call",
                {"1 thread", "2 threads", "speed-up", "lanes gain", "hand", "ratio", "+ and *", "/ and sqrt", "others",
                 "bytes", "least", "set by", "share %"},
                {},
                {}};
  measure("neo-Hookean", "bench/neo_hookean_box.asb", hand::Material::NeoHookean, settings, roof, table);
  measure("shape targeting", "bench/actuated_box.asb", hand::Material::ShapeTargeting, settings, roof, table);
  table.note("hand: reference/hand_kernels with unit shape gradients; ratio: ours over theirs, target 1.2; lanes gain: over "
             "the same kernel one lane wide, target 4; 2 threads: target 1.8");
  table.note("least: the longest of arithmetic at the rate above (not fused: every op rounds by itself), divisions, bytes in cache");
  return table;
}

}  // namespace asb::bench
