// The road from text to machine code, stage by stage: cold (nothing cached) and warm (objects on disk).
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <map>

#include "backends/llvm/llvm_backend.h"
#include "bench/parts.h"
#include "bench/programs.h"
#include "bench/timing.h"
#include "compiler/graph/forms.h"
#include "compiler/lower/lower.h"

namespace asb::bench {
namespace {

enum Stage { kLoad, kCheck, kLower, kForms, kPasses, kLlvm, kStages };

struct Times {
  std::array<double, kStages> stage;
  Times() { stage.fill(std::numeric_limits<double>::infinity()); }
  void take(Stage s, double seconds) { stage[s] = std::min(stage[s], seconds); }
  double total() const {
    double sum = 0;
    for (const double t : stage) sum += t;
    return sum;
  }
};

/// Machine code for all kernels of a plan [s].
double machine_code(const plan::Plan& plan, const LlvmOptions& options) {
  auto backend = make_llvm_backend(options);
  if (!backend) give_up(backend.error().message);
  const double begin = now();
  auto kernels = (*backend)->compile(plan.kernels);
  if (!kernels) give_up(kernels.error().message);
  return now() - begin;
}

void measure(const std::string& path, int repeats, Section& table, std::map<std::string, double>& passes) {
  Times times;
  double compiled = std::numeric_limits<double>::infinity();
  double warm_code = std::numeric_limits<double>::infinity();
  size_t kernels = 0, tensor = 0, scalar = 0;
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("asb_bench_cache_{}", getpid());
  for (int r = 0; r < repeats; ++r) {
    const Program program = load(source_folder() + "/" + path);
    if (!program) give_up(program.diagnostics());
    times.take(kLoad, program.load_seconds);
    times.take(kCheck, program.check_seconds);
    double begin = now();
    auto lowered = lower_to_graph(*program.model);
    if (!lowered) give_up(lowered.error().message);
    const double lower = now() - begin;
    begin = now();
    if (auto found = find_forms(*lowered); !found) give_up(found.error().message);
    times.take(kLower, lower);
    times.take(kForms, now() - begin);
    begin = now();
    auto plan = compile(*program.model);
    if (!plan) give_up(plan.error().message);
    compiled = std::min(compiled, now() - begin);
    times.take(kLlvm, machine_code(*plan, {.cache = false}));
    machine_code(*plan, {.cache_folder = folder});
    warm_code = std::min(warm_code, machine_code(*plan, {.cache_folder = folder}));
    if (r + 1 < repeats) continue;
    kernels = plan->kernels.size();
    for (const KernelPlan& k : plan->kernels) {
      tensor += k.tensor.insts.size();
      scalar += k.scalar.insts.size();
      for (const ir::Function& body : k.scalar.bodies) scalar += body.insts.size();
    }
    double last = 0;
    CompileOptions watch;
    watch.observer = [&](const std::string&, std::string_view pass, const ir::Function&) {
      const double at = now();
      if (last > 0) passes[std::string(pass)] += at - last;
      last = at;
    };
    (void)compile(*program.model, watch);
  }
  times.stage[kPasses] = compiled - times.stage[kLower] - times.stage[kForms];
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  const auto ms = [&](Stage s) { return Cell(1e3 * times.stage[s]); };
  const double cold = times.total();
  table.row(path + ", cold", {ms(kLoad), ms(kCheck), ms(kLower), ms(kForms), ms(kPasses), ms(kLlvm), Cell(1e3 * cold),
                              Cell(static_cast<double>(kernels)), Cell(static_cast<double>(tensor)),
                              Cell(static_cast<double>(scalar))});
  table.row(path + ", warm", {ms(kLoad), ms(kCheck), ms(kLower), ms(kForms), ms(kPasses), Cell(1e3 * warm_code),
                              Cell(1e3 * (cold - times.stage[kLlvm] + warm_code)), {}, {}, {}});
}

}  // namespace

Section compile_stages(const Settings& settings) {
  Section table{"Compile stages [ms]",
                {"load", "check", "lower", "derive", "passes", "machine code", "total", "kernels", "tensor insts",
                 "scalar insts"},
                {},
                {}};
  std::map<std::string, double> passes;
  const int repeats = settings.seconds < 0.1 ? 3 : 7;
  for (const char* path : {"examples/beam/beam.asb", "examples/starfish/forward.asb"}) measure(path, repeats, table, passes);
  std::vector<std::pair<double, std::string>> order;
  for (const auto& [name, seconds] : passes) order.emplace_back(-seconds, name);
  std::sort(order.begin(), order.end());
  std::string text = "dearest passes of both programs, each verified after:";
  for (size_t k = 0; k < std::min<size_t>(4, order.size()); ++k)
    text += fmt::format("{} {} {:.1f} ms", k ? "," : "", order[k].second, -1e3 * order[k].first);
  table.note(text);
  table.note("targets: cold under 500, warm under 50; a C++ compiler needs 4,000 to 27,000 for SymX, 1,000 to 30,000 for FFCx");
  return table;
}

}  // namespace asb::bench
