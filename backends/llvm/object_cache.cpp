// Files are called llvmcache-<key>: LLVM's pruner touches only such names.
#include "backends/llvm/object_cache.h"

#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/CachePruning.h>
#include <llvm/Support/Error.h>
#include <llvm/Support/SHA256.h>

#include <cstdlib>
#include <filesystem>

#include "base/atomic_file.h"

namespace asb::llvm_backend {
namespace {

constexpr std::string_view kMagic = "asb object 1\n";
constexpr size_t kDigestDigits = 64;
constexpr uint64_t kFolderLimit = uint64_t{256} << 20;  // bytes

std::string digest_of(const std::string& key, std::string_view object) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(key));
  hash.update(llvm::StringRef(object.data(), object.size()));
  return llvm::toHex(hash.final(), true);
}

}  // namespace

std::string sha256(std::string_view text) {
  llvm::SHA256 hash;
  hash.update(llvm::StringRef(text.data(), text.size()));
  return llvm::toHex(hash.final(), true);
}

std::string ObjectCache::path_of(const std::string& key) const { return folder_ + "/llvmcache-" + key; }

std::optional<std::string> ObjectCache::find(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = in_memory_.find(key); found != in_memory_.end()) return found->second;
  }
  std::error_code none;
  if (folder_.empty() || !std::filesystem::exists(path_of(key), none)) return std::nullopt;
  const Result<std::string> file = read_file(path_of(key));
  if (!file || file->size() < kMagic.size() + kDigestDigits || !file->starts_with(kMagic)) return std::nullopt;
  const std::string digest = file->substr(kMagic.size(), kDigestDigits);
  std::string object = file->substr(kMagic.size() + kDigestDigits);
  if (digest != digest_of(key, object)) return std::nullopt;
  // The pruner goes by the time of last use; not every file system keeps it by itself.
  std::filesystem::last_write_time(path_of(key), std::filesystem::file_time_type::clock::now(), none);
  const std::lock_guard lock(mutex_);
  in_memory_.emplace(key, object);
  return object;
}

void ObjectCache::store(const std::string& key, const std::string& object) {
  const std::lock_guard lock(mutex_);  // while writing too: write_file_atomically asks for the umask by setting it
  in_memory_.insert_or_assign(key, object);
  if (folder_.empty()) return;
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  std::string file(kMagic);
  file += digest_of(key, object);
  file += object;
  const Result<void> written = write_file_atomically(path_of(key), file);
  (void)written;
}

void ObjectCache::prune() const {
  if (folder_.empty()) return;
  llvm::CachePruningPolicy policy;
  policy.MaxSizePercentageOfAvailableSpace = 0;
  policy.MaxSizeBytes = kFolderLimit;
  llvm::pruneCache(folder_, policy);
}

std::string default_cache_folder() {
  const char* choice = std::getenv("ASB_CACHE");
  if (choice && std::string_view(choice) == "off") return {};
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg && *xdg) return std::string(xdg) + "/asb";
  if (const char* home = std::getenv("HOME"); home && *home) return std::string(home) + "/.cache/asb";
  return {};
}

}  // namespace asb::llvm_backend
