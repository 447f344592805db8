// `asb grad`: are the derivatives right?
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "asb/gradients.h"
#include "tools/commands.h"
#include "tools/console.h"

namespace asb::tools {
namespace {

struct Arguments {
  std::string file, backend = "llvm", data, from, format = "text";
  std::vector<std::string> settings;
  bool no_torch = false;
};

void print_json(const GradientCheck& check) {
  nlohmann::json rows = nlohmann::json::array();
  for (const TaylorRow& r : check.rows) {
    nlohmann::json remainders = nlohmann::json::array();
    for (const auto& [h, value] : r.remainders) remainders.push_back({h, value});
    rows.push_back({{"of", r.of}, {"by", r.by}, {"order", r.order}, {"slope", r.slope}, {"at_rounding_level", r.at_rounding_level},
                    {"good", r.good}, {"value", r.value}, {"derivative", r.derivative}, {"remainders", remainders}});
  }
  fmt::print("{}\n", nlohmann::json{{"good", check.good()}, {"rows", rows}, {"notes", check.notes}}.dump(1));
}

int check_derivatives(const Arguments& a) {
  const Program program = load(a.file, {.settings = a.settings, .module_folders = {}});
  if (!show_diagnostics(program)) return 1;
  RunOptions options;
  options.backend = a.backend;
  options.from = a.from;
  options.torch = !a.no_torch;
  options.session.data_folder = a.data;
  options.session.stop = &interrupted();
  const auto check = check_gradients(program, options);
  if (!check) {
    std::fputs(program.render_error(check.error()).c_str(), stderr);
    return 1;
  }
  if (a.format == "json") {
    print_json(*check);
    return check->good() ? 0 : 4;
  }
  fmt::print("{:24} {:20} {:>14} {:>8} {:>7}\n", "of", "by", "derivative", "expected", "slope");
  for (const TaylorRow& r : check->rows)
    fmt::print("{:24} {:20} {:14.6e} {:8} {:>7} {}\n", r.of, r.by, r.derivative, r.order,
               r.at_rounding_level ? "exact" : fmt::format("{:.2f}", r.slope), r.good ? "" : "WRONG");
  for (const std::string& note : check->notes) line("note: " + note);
  if (!check->good()) line("some derivatives are wrong");
  return check->good() ? 0 : 4;
}

}  // namespace

void add_grad(CLI::App& app, Chosen& chosen) {
  auto args = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "grad",
      "Check derivatives by Taylor slopes, through all solves: every energy by its unknown (slopes 2 and 3), every output,\n"
      "loss and `learn` objective by every param, latent and network (slope 2).\n\n"
      "  asb grad beam.asb\n"
      "  asb grad starfish.asb --format json\n\n"
      "Exit code: 0 all right; 4 some are wrong; 1 a mistake in the program or its data.");
  command->add_option("FILE", args->file, "the program (.asb)")->required();
  command->add_option("--set", args->settings, "NAME=EXPR: replaces a param's value")->take_all()->allow_extra_args(false);
  command->add_option("--data", args->data, "folder in which files are looked for first");
  command->add_option("--from", args->from, "checkpoint or weight file (default: initial weights)");
  command->add_option("--backend", args->backend, "llvm (default), vulkan or interpreter");
  command->add_option("--format", args->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  command->add_flag("--no-torch", args->no_torch, "networks in the interpreter");
  command->callback([args, &chosen] { chosen = [args] { return check_derivatives(*args); }; });
}

}  // namespace asb::tools
