// A path is inside if its resolved form begins with the resolved folder, name by name.
#include "runtime/io/resolve_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace asb {

Result<std::string> resolve_path(const std::string& root_folder, std::string_view relative) {
  namespace fs = std::filesystem;
  if (relative.empty()) return fail("path-empty", "the path of a file is empty");
  if (relative.find('\0') != std::string_view::npos)
    return fail("path-empty", "a path holds a zero byte");
  const fs::path wanted(relative);
  if (wanted.is_absolute())
    return fail("path-absolute",
                fmt::format("`{}` is an absolute path; files are named relative to `{}`", relative,
                            root_folder),
                "move the file there, or give its folder with `--data`");
  std::error_code error;
  const fs::path root = fs::canonical(root_folder.empty() ? "." : root_folder, error);
  if (error)
    return fail("path-root",
                fmt::format("folder `{}` can't be opened: {}", root_folder, error.message()));
  const fs::path resolved = fs::weakly_canonical(root / wanted, error);
  if (error)
    return fail("path-unresolved", fmt::format("`{}` in `{}` can't be resolved: {}", relative,
                                               root_folder, error.message()));
  const auto [in_root, rest] =
      std::mismatch(root.begin(), root.end(), resolved.begin(), resolved.end());
  if (in_root != root.end())
    return fail("path-leaves-folder",
                fmt::format("`{}` leaves the folder `{}`: it is `{}`", relative, root.string(),
                            resolved.string()),
                "move the file there, or give its folder with `--data`");
  return resolved.string();
}

}  // namespace asb
