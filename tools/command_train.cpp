// `asb train`: learns what a program names behind `learn`.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "asb/train.h"
#include "base/atomic_file.h"
#include "runtime/io/weights.h"
#include "runtime/learn/checkpoint.h"
#include "tools/commands.h"
#include "tools/console.h"

namespace asb::tools {
namespace {

struct Arguments {
  std::string file, out, backend = "llvm", data;
  std::vector<std::string> settings;
  int threads = 0, steps = -1;
  uint64_t seed = 0;
  std::string weights;
  bool resume = false, quiet = false;
  double checkpoint_seconds = 20;
};

std::string clock_text(double seconds) {
  const int s = static_cast<int>(seconds + 0.5);
  return s < 3600 ? fmt::format("{}:{:02}", s / 60, s % 60) : fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

void show_step(const LearnStep& s) {
  std::string parts;
  for (const auto& [name, value] : s.parts) parts += fmt::format(" {} {:.4g}", name, value);
  const std::string text =
      fmt::format("{} {:5}/{}: loss {:.6g}{}, |gradient| {:.2e}, rate {:.1e}, {:.1f} steps and {:.1f} adjoint iterations a frame{}, {} left",
                  s.stage, s.step + 1, s.steps, s.loss, parts.size() > 0 ? " (" + parts.substr(1) + ")" : "", s.gradient_norm, s.rate,
                  s.forward_iterations, s.adjoint_iterations, s.failed ? fmt::format(", {} skipped", s.failed) : "", clock_text(s.seconds_left));
  const bool last = s.step + 1 == s.steps;
  if (is_terminal() && !last && s.step % 50 != 0) passing_line(text);
  else if (last || s.step % 10 == 0) line(text);
}

/// The CSV log as JSON: one object a step, numbers as numbers.
std::string log_as_json(const std::string& csv) {
  std::istringstream lines(csv);
  std::string row;
  std::vector<std::string> names;
  nlohmann::json steps = nlohmann::json::array();
  while (std::getline(lines, row)) {
    std::vector<std::string> cells;
    std::istringstream text(row);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    if (names.empty()) {
      names = std::move(cells);
      continue;
    }
    nlohmann::json step;
    for (size_t i = 0; i < std::min(names.size(), cells.size()); ++i) {
      char* end = nullptr;
      const double number = std::strtod(cells[i].c_str(), &end);
      if (end != cells[i].c_str() && *end == '\0') step[names[i]] = number;
      else step[names[i]] = cells[i];
    }
    steps.push_back(std::move(step));
  }
  return nlohmann::json{{"format", "asb-training"}, {"version", 1}, {"steps", std::move(steps)}}.dump(1) + "\n";
}

/// training.json beside the log: all steps, those before a resume included.
Result<void> write_json_log(const std::string& csv_path, const std::string& path) {
  const auto csv = read_file(csv_path);
  if (!csv) return fail(csv.error());
  return write_file_atomically(path, log_as_json(*csv));
}

int train_program(const Arguments& a) {
  const Program program = load(a.file, {.settings = a.settings, .module_folders = {}});
  if (!show_diagnostics(program)) return 1;
  const std::string folder = a.out.empty() ? "./" + file_name(program.model->name) + ".out" : a.out;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  TrainOptions options;
  options.run.backend = a.backend;
  options.run.seed = a.seed;
  options.run.session.data_folder = a.data;
  options.learn.threads = a.threads;
  options.learn.steps = a.steps;
  options.learn.resume = a.resume;
  options.learn.checkpoint_seconds = a.checkpoint_seconds;
  options.learn.checkpoint = folder + "/checkpoint.safetensors";
  options.learn.log = folder + "/training.csv";
  options.learn.stop = &interrupted();
  if (!a.quiet) {
    options.run.session.say = [](const std::string& text) { line(text); };
    options.learn.say = [](const std::string& text) { line(text); };
    options.learn.progress = show_step;
  }
  if (a.resume && !std::filesystem::exists(options.learn.checkpoint) && !std::filesystem::exists(checkpoint_before(options.learn.checkpoint))) {
    line(fmt::format("error: there is no checkpoint `{}` [checkpoint-missing]\n  hint: train without `--resume` first", options.learn.checkpoint));
    return 1;
  }
  auto trained = train(program, options);
  if (!trained) {
    std::fputs(program.render_error(trained.error()).c_str(), stderr);
    return 1;
  }
  Result<void> extra = write_json_log(options.learn.log, folder + "/training.json");
  if (extra && !a.weights.empty()) extra = write_weights(a.weights, named_arrays(*trained->run.plan, *trained->run.tables));
  if (!extra) {
    std::fputs(program.render_error(extra.error()).c_str(), stderr);
    return 1;
  }
  if (trained->report.interrupted) {
    line(fmt::format("interrupted after {} steps; `asb train {} --resume` goes on", trained->report.steps, a.file));
    return 130;
  }
  for (const auto& [phase, seconds] : trained->report.times) line(fmt::format("{}: {}", phase, seconds_text(seconds)));
  for (const Note& n : trained->run.result.notes) line((n.warning ? "warning: " : "note: ") + n.text);
  for (const OutputResult& output : trained->run.result.outputs) {
    double sum = 0;
    for (const double v : output.values) sum += v / static_cast<double>(output.values.size());
    fmt::print("{} = {:.9g}{}{}\n", output.name, sum, output.unit.empty() ? "" : " " + output.unit,
               output.frames.empty() ? "" : fmt::format(" (mean of {} frames, from rest)", output.frames.size()));
  }
  const auto files = write_results(trained->run.result, {.folder = folder});
  if (!files) {
    std::fputs(program.render_error(files.error()).c_str(), stderr);
    return 1;
  }
  line(fmt::format("wrote {}: checkpoint.safetensors, training.csv, training.json and {} more", folder, files->size()));
  return 0;
}

}  // namespace

void add_train(CLI::App& app, Chosen& chosen) {
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "train",
      "Learn what a program names behind `learn`: networks, latents, params; stage after stage.\n\n"
      "  asb train starfish.asb                     learn, with a checkpoint every 20 s\n"
      "  asb train starfish.asb --resume            go on where it was stopped or killed\n"
      "  asb run   starfish.asb                     then: look at every frame\n\n"
      "Results go to NAME.out/: checkpoint.safetensors, training.csv, training.json, and what `asb run` writes.\n"
      "Exit code: 0 learned; 1 a mistake, or too many frames without an equilibrium; 130 interrupted.");
  command->add_option("FILE", args->file, "the program (.asb)")->required();
  command->add_option("--set", args->settings, "NAME=EXPR: replaces a param's value")->take_all()->allow_extra_args(false);
  command->add_option("--out", args->out, "folder of the results (default: ./NAME.out)");
  command->add_option("--data", args->data, "folder in which files are looked for first");
  command->add_option("--backend", args->backend, "llvm (default), vulkan or interpreter");
  command->add_option("--threads", args->threads, "frames solved side by side (default: all cores); results don't depend on it");
  command->add_option("--steps", args->steps, "steps of every stage, in place of the program's")->check(CLI::NonNegativeNumber);
  command->add_option("--seed", args->seed, "of initial values and batches (default 0)");
  command->add_option("--checkpoint-every", args->checkpoint_seconds, "seconds between checkpoints (default 20)");
  command->add_option("--weights", args->weights, "also write weights, latents and params there: .safetensors, .pt or .pth");
  command->add_flag("--resume", args->resume, "go on from the last checkpoint");
  command->add_flag("--quiet", args->quiet, "no progress");
  command->callback([args, &chosen] { chosen = [args] { return train_program(*args); }; });
}

}  // namespace asb::tools
