// asb_bench_table: one table of measurements against named references. README.md says how to read it.
#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

#include "backends/llvm/llvm_backend.h"
#include "base/atomic_file.h"
#include "bench/hand.h"
#include "bench/parts.h"
#include "bench/programs.h"
#include "runtime/linalg/blas.h"

namespace {

constexpr const char* kUsage =
    "usage: asb_bench_table [PART...] [--large] [--seconds S] [--json FILE]\n"
    "  PART      compile, points, elements, solves, learning; all of them if none is named\n"
    "  --large   also the sizes that take minutes\n"
    "  --seconds S   spend at least S seconds on each kernel (0.15)\n"
    "  --json FILE   write the same numbers as JSON\n";

}  // namespace

int main(int argc, char** argv) {
  using namespace asb::bench;
  Settings settings;
  std::set<std::string> parts;
  std::string json;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    if (a == "--large") settings.large = true;
    else if (a == "--json" && i + 1 < argc) json = argv[++i];
    else if (a == "--seconds" && i + 1 < argc) settings.seconds = std::atof(argv[++i]);
    else if (a == "compile" || a == "points" || a == "elements" || a == "solves" || a == "learning") parts.insert(a);
    else {
      fmt::print(stderr, "{}", kUsage);
      return a == "--help" || a == "-h" ? 0 : 2;
    }
  }
  const auto wanted = [&](const char* name) { return parts.empty() || parts.count(name); };

  asb::use_one_blas_thread();
  const asb::CpuDescription cpu = asb::cpu_description();
  fmt::print("{}: {} lanes, {}, LLVM {}\n", cpu.name, cpu.lanes, cpu.features, cpu.llvm_version);
  if (!hand::present())
    fmt::print("the hand-written kernels are absent (no reference/hand_kernels in the shared folder, or no AVX-512)\n");
  std::vector<Section> sections;
  const auto show = [&](Section section) {
    fmt::print("{}", as_text(section));
    std::fflush(stdout);
    sections.push_back(std::move(section));
  };
  Roof roof;
  if (wanted("points") || wanted("elements")) {
    roof = measure_roof();
    show(roof_section(roof));
  }
  if (wanted("compile")) show(compile_stages(settings));
  if (wanted("points")) show(point_kernels(settings, roof));
  if (wanted("elements"))
    for (Section& s : elements(settings, roof)) show(std::move(s));
  if (wanted("solves"))
    for (Section& s : solves(settings)) show(std::move(s));
  if (wanted("learning"))
    for (Section& s : learning(settings)) show(std::move(s));
  if (!json.empty())
    if (auto written = asb::write_file_atomically(json, as_json(sections)); !written) give_up(written.error().message);
  return 0;
}
