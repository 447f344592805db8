// See process.h.
#include "tests/tools/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace asb::test {

namespace fs = std::filesystem;

Workplace::Workplace() {
  std::string name = (fs::temp_directory_path() / "asb_tools_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
}

Workplace::~Workplace() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

void Workplace::write(const std::string& name, const std::string& text) const {
  std::ofstream(folder_ / name, std::ios::binary) << text;
}

std::string Workplace::read(const std::string& name) const {
  std::ifstream file(folder_ / name, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Workplace::list(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder_ / name)) names.push_back(entry.path().filename());
  std::ranges::sort(names);
  return names;
}

Ended Workplace::asb(const std::vector<std::string>& arguments, const HowToRun& how) const {
  int out[2], err[2];
  if (::pipe(out) != 0 || ::pipe(err) != 0) throw std::runtime_error("no pipes");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(folder_.c_str()) != 0) ::_exit(126);
    const int to = how.stdout_to.empty() ? out[1] : ::open(how.stdout_to.c_str(), O_WRONLY);
    ::dup2(to, STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    for (const int fd : {out[0], out[1], err[0], err[1]}) ::close(fd);
    if (how.largest_file >= 0) {
      std::signal(SIGXFSZ, SIG_IGN);  // a write past the limit fails, as on a full disk
      const rlimit limit{static_cast<rlim_t>(how.largest_file), static_cast<rlim_t>(how.largest_file)};
      ::setrlimit(RLIMIT_FSIZE, &limit);
    }
    std::vector<std::string> words = {ASB_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  ::close(out[1]);
  ::close(err[1]);
  Ended ended;
  bool interrupted = how.interrupt_at.empty(), late = false;
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(how.seconds);
  pollfd open[2] = {{out[0], POLLIN, 0}, {err[0], POLLIN, 0}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    ::poll(open, 2, 100);
    for (int k = 0; k < 2; ++k) {
      if (open[k].fd < 0 || open[k].revents == 0) continue;
      char buffer[4096];
      const ssize_t n = ::read(open[k].fd, buffer, sizeof buffer);
      if (n > 0) (k == 0 ? ended.out : ended.err).append(buffer, static_cast<size_t>(n));
      else open[k].fd = -1;
    }
    if (!interrupted && contains(ended.err, how.interrupt_at)) {
      ::kill(child, SIGINT);
      interrupted = true;
    }
    if (!late && std::chrono::steady_clock::now() > end) {
      ::kill(child, SIGKILL);
      late = true;
    }
  }
  ::close(out[0]);
  ::close(err[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ended.code = late ? 124 : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

std::string source_file(const std::string& name) { return std::string(ASB_SOURCE_FOLDER) + "/" + name; }

std::string source_text(const std::string& name) {
  std::ifstream file(source_file(name));
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace asb::test
