// `asb check`: the front end alone.
#include <cstdio>

#include "asb/program.h"
#include "tools/commands.h"
#include "tools/console.h"

namespace asb::tools {

namespace {

struct Arguments {
  std::string file, format = "text";
  std::vector<std::string> settings;
};

int check_program(const Arguments& a) {
  const Program program = load(a.file, {.settings = a.settings, .module_folders = {}});
  const bool good = !program.loaded.diagnostics.has_errors();
  if (a.format == "json") {
    std::fputs(to_json(program.loaded.diagnostics, program.loaded.tree.files).c_str(), stdout);
    return good ? 0 : 1;
  }
  if (!show_diagnostics(program)) return 1;
  const model::Model& m = *program.model;
  std::printf("%s: no mistakes found; %zu energies, %zu solves, %zu outputs, %zu shows\n", a.file.c_str(), m.energies.size(),
              m.solves.size(), m.outputs.size(), m.shows.size());
  return 0;
}

}  // namespace

void add_check(CLI::App& app, Chosen& chosen) {
  auto args = std::make_shared<Arguments>();
  CLI::App* check = app.add_subcommand("check",
                                       "Look for mistakes: names, types, units, domains. Reads no data and solves nothing.\n\n"
                                       "  asb check beam.asb\n"
                                       "  asb check beam.asb --format json     for editors\n\n"
                                       "Exit code: 0 no mistakes; 1 mistakes.");
  check->add_option("FILE", args->file, "the program (.asb)")->required();
  check->add_option("--format", args->format, "text or json")->check(CLI::IsMember({"text", "json"}));
  check->add_option("--set", args->settings, "NAME=EXPR, as in `asb run`")->take_all()->allow_extra_args(false);
  check->callback([args, &chosen] { chosen = [args] { return check_program(*args); }; });
}

}  // namespace asb::tools
