// The `asb` command: parses the command line and hands over to a subcommand.
#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "tools/commands.h"
#include "tools/console.h"

namespace asb::tools {
namespace {

/// Says what is wrong with the command line, and where to read on. Exit code 2.
int command_line_error(const CLI::App& app, const std::string& first, const std::string& what) {
  std::string names;
  bool known = false;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names += (names.empty() ? "" : ", ") + command->get_name();
    known = known || command->get_name() == first;
  }
  const bool option = first.starts_with("-");
  std::string message = what;
  if (first.empty()) message = "a command is missing";
  else if (!known && !option) message = fmt::format("there is no command `{}`", first);
  std::fputs(fmt::format("error: {} [command-line]\n  hint: {}\n", message,
                         known ? fmt::format("`asb {} --help` shows how", first)
                               : fmt::format("commands are {}; `asb --help` shows how", names)).c_str(),
             stderr);
  return 2;
}

}  // namespace
}  // namespace asb::tools

int main(int argc, char** argv) {
  CLI::App app{
      "ASB: a language and compiler for actuated soft bodies.\n\n"
      "A program says what a body is: its energy, what moves it, what is unknown. ASB derives every\n"
      "gradient and Hessian, compiles them, and solves for equilibrium.\n\n"
      "  asb run examples/beam/beam.asb              solve, and show the result\n"
      "  asb run beam.asb --set E=2e5                with another stiffness\n"
      "  asb check beam.asb                          only look for mistakes\n"
      "  asb build beam.asb --emit=ssa               see what a kernel becomes\n\n"
      "The language: docs/language.md."};
  app.name("asb");
  app.set_version_flag("--version", "asb " ASB_VERSION);
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "help of all commands");
  asb::tools::Chosen chosen;
  asb::tools::add_run(app, chosen);
  asb::tools::add_train(app, chosen);
  asb::tools::add_grad(app, chosen);
  asb::tools::add_check(app, chosen);
  asb::tools::add_build(app, chosen);
  asb::tools::add_doctor(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    return asb::tools::command_line_error(app, argc > 1 ? argv[1] : "", e.what());
  }
  asb::tools::catch_interrupts();
  try {
    return chosen();
  } catch (const std::bad_alloc&) {
    std::fputs("error: the machine has too little memory for this [out-of-memory]\n", stderr);
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "internal error: %s; please report this\n", e.what());
    return 1;
  }
}
