// Keeps a program's files in its folder: every path that a program names goes through here.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace asb {

/// The path of `relative` under `root_folder`, with symbolic links resolved. Refuses absolute paths
/// and what leaves the folder, by `..` or by a link. The file itself need not exist.
[[nodiscard]] Result<std::string> resolve_path(const std::string& root_folder,
                                               std::string_view relative);

}  // namespace asb
