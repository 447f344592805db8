// See console.h.
#include "tools/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

namespace asb::tools {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);
bool passing = false;

extern "C" void on_interrupt(int) {
  if (g_interrupted.exchange(true)) std::_Exit(130);
}

void clear_passing() {
  if (passing) std::fputs("\r\033[K", stderr);
  passing = false;
}

}  // namespace

std::atomic<bool>& interrupted() { return g_interrupted; }

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that leaves early is no reason to lose the files
}

bool is_terminal() {
  static const bool value = ::isatty(STDERR_FILENO) != 0;
  return value;
}

void line(const std::string& text) {
  clear_passing();
  std::fprintf(stderr, "%s\n", text.c_str());
}

void passing_line(const std::string& text) {
  if (!is_terminal()) return;
  clear_passing();
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  passing = true;
}

bool show_diagnostics(const Program& program) {
  const std::string text = program.diagnostics();
  if (!text.empty()) {
    clear_passing();
    std::fputs(text.c_str(), stderr);
  }
  return !program.loaded.diagnostics.has_errors();
}

std::string seconds_text(double s) {
  if (s < 1e-3) return fmt::format("{:.0f} µs", s * 1e6);
  if (s < 1) return fmt::format("{:.0f} ms", s * 1e3);
  return fmt::format("{:.2f} s", s);
}

}  // namespace asb::tools
