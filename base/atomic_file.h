// Outputs are written whole or not at all: temporary file, fsync, rename, fsync of the folder.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace asb {

/// Replaces `path` by `bytes`. On an error (disk full, no permission) the old file stays as it was.
[[nodiscard]] Result<void> write_file_atomically(const std::string& path, std::string_view bytes);

/// Reads a whole file of at most `limit` bytes.
[[nodiscard]] Result<std::string> read_file(const std::string& path, size_t limit = size_t{1} << 31);

}  // namespace asb
