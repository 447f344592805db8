// Zip archives in memory, members stored as they are: what .pt files are made of.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

struct zip;

namespace asb {

/// Reads members of an archive. Sizes are checked against the archive before anything is allocated; checksums are checked.
class ZipReader {
 public:
  /// The bytes must outlive the reader. `name` is named in errors.
  [[nodiscard]] static Result<ZipReader> open(std::string_view bytes, std::string name);

  std::vector<std::string> members() const;
  bool has(const std::string& member) const;
  [[nodiscard]] Result<std::string> read(const std::string& member) const;

 private:
  using Handle = std::unique_ptr<struct zip, void (*)(struct zip*)>;
  ZipReader(Handle handle, size_t size, std::string name) : zip_(std::move(handle)), size_(size), name_(std::move(name)) {}

  Handle zip_;
  size_t size_;
  std::string name_;
};

/// An archive of (name, content), in this order; of equal names the last stays. Dates are fixed, so equal members are equal bytes.
[[nodiscard]] Result<std::string> zip_bytes(const std::vector<std::pair<std::string, std::string>>& members);

}  // namespace asb
