// Compiled objects by key, in memory and on disk. A file carries the digest of its key and content: what doesn't match
// (cut off, altered, from another key) is treated as absent and written anew.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace asb::llvm_backend {

/// 64 hexadecimal digits.
std::string sha256(std::string_view text);

class ObjectCache {
 public:
  /// An empty folder: in memory only.
  explicit ObjectCache(std::string folder) : folder_(std::move(folder)) {}

  std::optional<std::string> find(const std::string& key);
  /// A folder that can't be written is no error: the object is made again next time.
  void store(const std::string& key, const std::string& object);
  /// Deletes what was unused longest, if the folder has grown past its limit; looks at most every twenty minutes.
  void prune() const;

  const std::string& folder() const { return folder_; }
  std::string path_of(const std::string& key) const;

 private:
  std::string folder_;
  std::mutex mutex_;
  std::map<std::string, std::string> in_memory_;
};

/// $XDG_CACHE_HOME/asb, else ~/.cache/asb; empty where there is neither, or ASB_CACHE=off.
std::string default_cache_folder();

}  // namespace asb::llvm_backend
