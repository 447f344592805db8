// `asb run`: solves a program and shows what it found.
#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "asb/run.h"
#include "tools/commands.h"
#include "tools/console.h"

namespace asb::tools {
namespace {

struct Arguments {
  std::string file, out, backend = "llvm", device, data, from;
  std::vector<std::string> settings;
  int threads = 0;
  double tolerance = 1e-8;
  int max_iterations = 200;
  bool no_files = false, quiet = false;
};

std::string number_text(double v) { return fmt::format("{:.9g}", v); }

std::string value_text(const OutputResult& output, size_t first, size_t count) {
  if (count == 1) return number_text(output.values[first]);
  std::string text = "[";
  for (size_t i = 0; i < count; ++i) text += (i ? ", " : "") + number_text(output.values[first + i]);
  return text + "]";
}

/// False if stdout doesn't take them.
bool print_outputs(const RunResult& result) {
  std::string text;
  for (const OutputResult& output : result.outputs) {
    size_t count = 1;
    for (const int64_t n : output.shape) count *= static_cast<size_t>(n);
    const std::string unit = output.unit.empty() ? "" : " " + output.unit;
    for (size_t f = 0; f * count < output.values.size(); ++f) {
      const std::string frame = output.frames.empty() ? "" : fmt::format(" [{}]", output.frames[f]);
      text += fmt::format("{}{} = {}{}\n", output.name, frame, value_text(output, f * count, count), unit);
    }
  }
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

/// Before hours of solving: whether `folder`, or the folder that it will be made in, can be written.
Result<void> can_write_into(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  fs::path there = fs::absolute(folder, ignored).lexically_normal();
  while (!there.empty() && !fs::exists(there, ignored) && there != there.root_path()) there = there.parent_path();
  const bool is_folder = fs::is_directory(there, ignored);
  if (is_folder && ::access(there.c_str(), W_OK | X_OK) == 0) return {};
  return fail("file-write",
              fmt::format("can't write into `{}`: {}", folder,
                          is_folder ? std::strerror(errno) : fmt::format("`{}` is not a folder", there.string())),
              "`--out` names another folder, `--no-files` writes none");
}

void print_solves(const RunResult& result) {
  for (const SolveResult& s : result.solves) {
    line(fmt::format("solve {}: {} by {}", s.name, s.status, s.method));
    line(fmt::format("  {}", s.sentence));
  }
}

int run_program(const Arguments& a) {
  Program program = load(a.file, {.settings = a.settings, .module_folders = {}});
  if (!show_diagnostics(program)) return 1;

  const std::string folder = a.out.empty() ? "./" + file_name(program.model->name) + ".out" : a.out;
  if (!a.no_files)
    if (const auto writable = can_write_into(folder); !writable) {
      std::fputs(program.render_error(writable.error()).c_str(), stderr);
      return 1;
    }
  RunOptions options;
  options.backend = a.backend;
  options.device = a.device;
  options.session.data_folder = a.data;
  options.session.threads = a.threads;
  options.session.tolerance = a.tolerance;
  options.session.max_iterations = a.max_iterations;
  options.session.stop = &interrupted();
  options.from = a.from;
  if (const std::string learned = folder + "/checkpoint.safetensors";
      a.from.empty() && !program.model->learns.empty() && std::filesystem::exists(learned)) {
    options.from = learned;
    if (!a.quiet) line(fmt::format("learned values from `{}`", learned));
  }
  if (!a.quiet) {
    options.session.say = [](const std::string& text) { line(text); };
    options.session.step = [](const std::string& solve, const SolveStep& step) {
      const std::string text = fmt::format("  {} {:3}: energy {: .9e} J, |g| {:.2e} N, step {:.3g}, {} inner", solve,
                                           step.iteration, step.energy, step.gradient, step.step, step.inner);
      is_terminal() ? passing_line(text) : line(text);
    };
  }
  auto done = run(program, options);
  if (!done) {
    std::fputs(program.render_error(done.error()).c_str(), stderr);
    return 1;
  }
  const RunResult& result = done->result;
  if (!a.quiet) print_solves(result);
  for (const Note& n : result.notes) line((n.warning ? "warning: " : "note: ") + n.text);
  const bool printed = print_outputs(result);
  const int print_error = errno;
  if (!a.no_files) {
    const ReportOptions report{.folder = folder};
    const auto files = write_results(result, report);
    if (!files) {
      std::fputs(program.render_error(files.error()).c_str(), stderr);
      return 1;
    }
    if (!a.quiet) {
      std::string names;
      for (const std::string& path : *files) names += (names.empty() ? "" : ", ") + path.substr(path.rfind('/') + 1);
      line(fmt::format("wrote {}: {}", report.folder, names));
    }
  }
  if (!printed) {
    line(fmt::format("error: can't write the outputs: {} [file-write]", std::strerror(print_error)));
    return 1;
  }
  if (interrupted()) {
    line("interrupted: what is shown is the state until then");
    return 130;
  }
  const bool finite = std::ranges::all_of(result.outputs, [](const OutputResult& o) {
    return std::ranges::all_of(o.values, [](double v) { return std::isfinite(v); });
  });
  return done->converged() && finite ? 0 : 3;
}

}  // namespace

void add_run(CLI::App& app, Chosen& chosen) {
  auto args = std::make_shared<Arguments>();
  CLI::App* run = app.add_subcommand(
      "run",
      "Solve a program and show the result: outputs on the terminal; files and report.html in NAME.out/.\n\n"
      "  asb run beam.asb\n"
      "  asb run beam.asb --set E=2e5 --set 'nu=0.3'      a bare number is in SI of the declared unit\n"
      "  asb run beam.asb --set 'E=200 kPa' --out soft    an expression of the language\n"
      "  asb run starfish.asb --data ~/meshes             where file(\"…\") finds its files\n"
      "  asb run starfish.asb --from trained.pt           learned values from a checkpoint or weight file\n"
      "  asb run starfish.asb --set z='mix(z[1], z[5], 0.5)'   a shape in between\n\n"
      "Exit code: 0 solved; 1 a mistake in the program or its data; 3 no equilibrium was found, or an\n"
      "output is not finite (files are written all the same); 130 interrupted by Ctrl-C, with what there was until then.");
  run->add_option("FILE", args->file, "the program (.asb)")->required();
  run->add_option("--set", args->settings, "NAME=EXPR: replaces a param's value")->take_all()->allow_extra_args(false);
  run->add_option("--out", args->out, "folder of the results (default: ./NAME.out)");
  run->add_option("--data", args->data, "folder in which file(\"…\") looks first");
  run->add_option("--from", args->from,
                  "checkpoint or weight file, .safetensors or .pt (default: NAME.out/checkpoint.safetensors if it is there)");
  run->add_option("--backend", args->backend, "llvm (default), vulkan or interpreter");
  run->add_option("--device", args->device, "part of the name of a Vulkan device");
  run->add_option("--threads", args->threads, "threads (default: all cores); results don't depend on it")
      ->check(CLI::Range(1, 1024));
  run->add_option("--tol", args->tolerance, "tolerance of solves, of forces before they cancel (default 1e-8)")
      ->check(CLI::Validator(
          [](const std::string& text) -> std::string {
            double v = 0;
            return CLI::detail::lexical_cast(text, v) && v >= 1e-15 && v <= 1 ? "" : "`" + text + "` is not a number from 1e-15 to 1";
          },
          ""));
  run->add_option("--iterations", args->max_iterations, "most steps of one solve (default 200)")
      ->check(CLI::PositiveNumber);
  run->add_flag("--no-files", args->no_files, "print outputs only");
  run->add_flag("--quiet", args->quiet, "no progress");
  run->callback([args, &chosen] { chosen = [args] { return run_program(*args); }; });
}

}  // namespace asb::tools
