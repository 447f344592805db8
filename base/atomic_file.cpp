// See atomic_file.h.
#include "base/atomic_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace asb {
namespace {

tl::unexpected<Error> system_error(const char* name, const char* what, const std::string& path) {
  return fail(name, fmt::format("{} `{}`: {}", what, path, std::strerror(errno)));
}

/// fsync of the folder makes the rename itself durable; not every file system offers it.
void sync_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  (void)::fsync(fd);
  ::close(fd);
}

}  // namespace

Result<void> write_file_atomically(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkstemp(temporary.data());
  if (fd < 0) return system_error("file-write", "can't write", path);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  bool good = ::fchmod(fd, 0666 & ~mask) == 0;
  for (size_t done = 0; good && done < bytes.size();) {
    const ssize_t n = ::write(fd, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    good = n > 0;
    if (good) done += static_cast<size_t>(n);
  }
  good = good && ::fsync(fd) == 0;
  const int saved = errno;
  good = ::close(fd) == 0 && good;
  if (!good || ::rename(temporary.c_str(), path.c_str()) != 0) {
    if (!good) errno = saved;
    const auto error = system_error("file-write", "can't write", path);
    ::unlink(temporary.c_str());
    return error;
  }
  sync_folder(path);
  return {};
}

Result<std::string> read_file(const std::string& path, size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return system_error("file-read", "can't open", path);
  struct stat info = {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    return fail("file-read", fmt::format("`{}` is not a regular file", path));
  }
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      const auto error = system_error("file-read", "can't read", path);
      ::close(fd);
      return error;
    }
    if (n == 0) break;
    bytes.append(buffer, static_cast<size_t>(n));
    if (bytes.size() > limit) {
      ::close(fd);
      return fail("file-read", fmt::format("`{}` is larger than {} bytes", path, limit));
    }
  }
  ::close(fd);
  return bytes;
}

}  // namespace asb
