// What a command says while it works: to stderr, so that stdout holds results only.
#pragma once

#include <atomic>
#include <string>

#include "asb/program.h"

namespace asb::tools {

/// Set by Ctrl-C; a second Ctrl-C ends the process at once.
std::atomic<bool>& interrupted();
void catch_interrupts();

/// True if people watch stderr: then a line of progress may be overwritten in place.
bool is_terminal();

/// A finished line, and one that the next line replaces on a terminal (elsewhere it is not shown).
void line(const std::string& text);
void passing_line(const std::string& text);

/// Diagnostics of a program on stderr. True if it has no errors.
bool show_diagnostics(const Program& program);

std::string seconds_text(double seconds);

}  // namespace asb::tools
