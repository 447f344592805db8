// Runs the `asb` command in a folder of its own and looks at what it says and leaves.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace asb::test {

/// How a command ended. A signal that ended it is 128 + its number, as in a shell.
struct Ended {
  int code = -1;
  std::string out, err;
};

struct HowToRun {
  std::string interrupt_at = {};   ///< SIGINT is sent once stderr holds this text
  std::string stdout_to = {};      ///< a file that takes stdout in place of Ended::out
  long largest_file = -1;          ///< bytes that one file may have, as on a full disk; -1: any
  double seconds = 60;             ///< it is ended after this time, code 124
};

/// A folder that is removed at the end of a test, and commands run in it.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;
  Workplace& operator=(const Workplace&) = delete;

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const;
  std::string read(const std::string& name) const;
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::vector<std::string> list(const std::string& name) const;  ///< names in a folder, sorted
  Ended asb(const std::vector<std::string>& arguments, const HowToRun& how = {}) const;

 private:
  std::filesystem::path folder_;
};

bool contains(const std::string& text, const std::string& part);
/// A file of the repository.
std::string source_file(const std::string& name);
std::string source_text(const std::string& name);

}  // namespace asb::test
