// The subcommands of `asb`. Each adds itself to the command line and returns an exit code when chosen:
// 0 done; 1 the program or its data are wrong; 2 the command line is wrong; 3 a solve found no equilibrium; 130 interrupted.
#pragma once

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>

namespace asb::tools {

using Chosen = std::function<int()>;

void add_run(CLI::App& app, Chosen& chosen);
void add_check(CLI::App& app, Chosen& chosen);
void add_build(CLI::App& app, Chosen& chosen);
void add_grad(CLI::App& app, Chosen& chosen);
void add_train(CLI::App& app, Chosen& chosen);
void add_doctor(CLI::App& app, Chosen& chosen);

}  // namespace asb::tools
