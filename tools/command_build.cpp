// `asb build`: compiles a program and prints what it becomes at one border of the compiler.
#include <fmt/format.h>

#include <cstdio>

#include "asb/run.h"
#include "backends/llvm/llvm_backend.h"
#include "compiler/ir/print.h"
#include "compiler/passes/pipeline.h"
#include "dsl/ast/dump.h"
#include "dsl/sema/check.h"
#include "tools/commands.h"
#include "tools/console.h"
#ifdef ASB_HAS_VULKAN
#include "backends/spirv/spirv_text.h"
#endif

namespace asb::tools {
namespace {

struct Arguments {
  std::string file, emit, kernel;
  std::vector<std::string> settings;
};

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }

int fail_with(const Program& program, const Error& error) {
  std::fputs(program.render_error(error).c_str(), stderr);
  return 1;
}

/// What each kernel becomes for a machine, by the text of one backend.
int print_kernels(const Program& program, const plan::Plan& plan, const Arguments& a,
                  const std::function<Result<std::string>(const KernelPlan&)>& text_of) {
  bool any = false;
  for (const KernelPlan& kernel : plan.kernels) {
    if (!a.kernel.empty() && kernel.tensor.name.find(a.kernel) == std::string::npos) continue;
    any = true;
    const auto text = text_of(kernel);
    if (!text) return fail_with(program, text.error());
    print(*text);
  }
  if (any) return 0;
  std::string names;
  for (const KernelPlan& kernel : plan.kernels) names += (names.empty() ? "" : ", ") + kernel.tensor.name;
  std::fputs(fmt::format("error: no kernel has `{}` in its name [command-line]\n  hint: kernels are {}\n", a.kernel, names).c_str(), stderr);
  return 1;
}

int build_program(const Arguments& a) {
  const Program program = load(a.file, {.settings = a.settings, .module_folders = {}});
  if (a.emit == "ast") print(ast::dump_ast(program.loaded.tree, program.loaded.tree.main));
  if (!show_diagnostics(program)) return 1;
  if (a.emit == "ast") return 0;
  if (a.emit == "model") {
    print(sema::dump_model(*program.model));
    return 0;
  }
  const std::string prefix = "ssa-after:";
  const std::string pass = a.emit.starts_with(prefix) ? a.emit.substr(prefix.size()) : "";
  CompileOptions options;
  if (!pass.empty()) {
    std::string names;
    bool known = false;
    for (const ir::Pass& p : ir::passes()) {
      known = known || p.name == pass;
      names += (names.empty() ? "" : ", ") + std::string(p.name);
    }
    if (!known) {
      std::fputs(fmt::format("error: `{}` is not a pass [command-line]\n  hint: passes are {}\n", pass, names).c_str(), stderr);
      return 2;
    }
    options.observer = [&](const std::string& kernel, std::string_view name, const ir::Function& f) {
      if (name == pass && (a.kernel.empty() || kernel.find(a.kernel) != std::string::npos)) print(ir::to_string(f));
    };
  }
  const auto plan = compile(*program.model, options);
  if (!plan) return fail_with(program, plan.error());
  if (!pass.empty()) return 0;
  if (a.emit == "graph") {
    print(graph::print(plan->graph));
    return 0;
  }
  if (a.emit == "ssa")
    return print_kernels(program, *plan, a, [](const KernelPlan& k) -> Result<std::string> { return ir::to_string(k.tensor); });
  if (a.emit == "llvm")
    return print_kernels(program, *plan, a, [](const KernelPlan& k) { return emit_llvm_text(k); });
  if (a.emit == "asm")
    return print_kernels(program, *plan, a, [](const KernelPlan& k) { return emit_assembly(k); });
#ifdef ASB_HAS_VULKAN
  if (a.emit == "spirv")
    return print_kernels(program, *plan, a, [](const KernelPlan& k) { return spirv::text_of(k); });
#endif
  if (a.emit.empty()) {
    size_t tensor = 0, scalar = 0;
    for (const KernelPlan& kernel : plan->kernels) {
      tensor += kernel.tensor.insts.size();
      scalar += kernel.scalar.insts.size();
    }
    auto backend = make_backend("llvm");
    if (!backend) return fail_with(program, backend.error());
    const auto kernels = (*backend)->compile(plan->kernels);
    if (!kernels) return fail_with(program, kernels.error());
    const CompileTimes times = (*backend)->compile_times();
    std::printf("%s: %zu kernels, %zu tensor and %zu scalar instructions; machine code in %s%s\n", a.file.c_str(),
                plan->kernels.size(), tensor, scalar, seconds_text(times.optimise + times.emit + times.link).c_str(),
                times.from_cache ? " (cached)" : "");
    return 0;
  }
#ifdef ASB_HAS_VULKAN
  const char* kinds = "ast, model, graph, ssa, ssa-after:PASS, llvm, asm or spirv";
#else
  const char* kinds = "ast, model, graph, ssa, ssa-after:PASS, llvm or asm; spirv is not built in";
#endif
  std::fputs(fmt::format("error: nothing is emitted as `{}` [command-line]\n  hint: use {}\n", a.emit, kinds).c_str(), stderr);
  return 2;
}

}  // namespace

void add_build(CLI::App& app, Chosen& chosen) {
  auto args = std::make_shared<Arguments>();
  CLI::App* build = app.add_subcommand(
      "build",
      "Compile a program, and print what it becomes at one border of the compiler.\n\n"
      "  asb build beam.asb                                       compile; how much, how long\n"
      "  asb build beam.asb --emit=graph                          nodes, spaces and rates\n"
      "  asb build beam.asb --emit=ssa --kernel=gradient          kernels with `gradient` in their name\n"
      "  asb build beam.asb --emit=ssa-after:expand               the same after one pass\n"
      "  asb build beam.asb --emit=llvm                           LLVM IR; also asm, spirv, ast, model");
  build->add_option("FILE", args->file, "the program (.asb)")->required();
  build->add_option("--emit", args->emit, "ast, model, graph, ssa, ssa-after:PASS, llvm, asm or spirv");
  build->add_option("--kernel", args->kernel, "only kernels with this in their name");
  build->add_option("--set", args->settings, "NAME=EXPR, as in `asb run`")->take_all()->allow_extra_args(false);
  build->callback([args, &chosen] { chosen = [args] { return build_program(*args); }; });
}

}  // namespace asb::tools
