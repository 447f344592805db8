// The `asb` command: parses the command line and hands over to a subcommand.
#include <cstdio>
#include <exception>

#include "tools/commands.h"
#include "tools/console.h"

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
  asb::tools::Chosen chosen;
  asb::tools::add_run(app, chosen);
  asb::tools::add_check(app, chosen);
  asb::tools::add_build(app, chosen);
  asb::tools::add_doctor(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
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
