// The cache of compiled objects: hits, and everything that must not be one.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "backends/llvm/cache_key.h"
#include "backends/llvm/object_cache.h"
#include "base/atomic_file.h"
#include "compiler/ir/builder.h"
#include "tests/backends/llvm/launch.h"

namespace asb::test {
namespace {

using ir::Function;
using ir::Type;
using llvm_backend::cache_key;
using llvm_backend::ObjectCache;

/// A folder that is gone afterwards.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "asb-cache-XXXXXX";
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }
  std::vector<std::string> objects() const {
    std::vector<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(path_))
      if (file.path().filename().string().starts_with("llvmcache-")) found.push_back(file.path());
    return found;
  }

 private:
  std::string path_;
};

Function adds(double number) {
  Function f;
  f.name = "adds";
  f.expanded = true;
  ir::Builder b(f);
  b.add_output("y", b.add(b.add_input("x", Type::scalar(), ir::kAxisMesh), b.constant(number)));
  return f;
}

/// Value at x = 1 and whether no code had to be made.
std::pair<double, bool> run(const std::string& folder, const Function& function, LlvmOptions options = {}) {
  options.cache_folder = folder;
  const auto llvm = backend(options);
  const Table outputs = launch(*llvm, function, {{{1.0}}}, 1);
  return {outputs[0][0][0], llvm->compile_times().from_cache};
}

TEST(ObjectCache, TheSecondProcessFindsTheCodeOfTheFirst) {
  const Folder folder;
  EXPECT_EQ(run(folder.path(), adds(2)), std::pair(3.0, false));
  EXPECT_EQ(folder.objects().size(), 1u);
  EXPECT_EQ(run(folder.path(), adds(2)), std::pair(3.0, true));
}

TEST(ObjectCache, AnotherKernelCpuOrOptionIsAMiss) {
  const Folder folder;
  run(folder.path(), adds(2));
  EXPECT_EQ(run(folder.path(), adds(5)), std::pair(6.0, false));
  EXPECT_FALSE(run(folder.path(), adds(2), {.lanes = 2}).second);
  EXPECT_FALSE(run(folder.path(), adds(2), {.optimisation = 1}).second);
  EXPECT_FALSE(run(folder.path(), adds(2), {.contract = true}).second);
}

TEST(ObjectCache, DamagedFilesAreIgnoredAndWrittenAnew) {
  const Folder folder;
  run(folder.path(), adds(2));
  const std::string path = folder.objects().at(0);
  const std::string good = *read_file(path);
  for (size_t at : {size_t{0}, size_t{40}, good.size() / 2, good.size() - 1}) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x20);
    ASSERT_TRUE(write_file_atomically(path, bad).has_value());
    EXPECT_EQ(run(folder.path(), adds(2)), std::pair(3.0, false)) << "byte " << at;
  }
  ASSERT_TRUE(write_file_atomically(path, std::string_view(good).substr(0, good.size() / 3)).has_value());
  EXPECT_EQ(run(folder.path(), adds(2)), std::pair(3.0, false)) << "cut off";
  EXPECT_EQ(*read_file(path), good);
}

TEST(ObjectCache, AFileUnderAnotherKeyIsNoHit) {
  const Folder folder;
  run(folder.path(), adds(2));
  const std::string two = folder.objects().at(0);
  const std::string content = *read_file(two);
  std::filesystem::remove(two);
  run(folder.path(), adds(5));
  ASSERT_TRUE(write_file_atomically(folder.objects().at(0), content).has_value());
  EXPECT_EQ(run(folder.path(), adds(5)), std::pair(6.0, false));
}

TEST(ObjectCache, TheEnvironmentRefusesIt) {
  const Folder folder;
  run(folder.path(), adds(2));
  setenv("ASB_CACHE", "off", 1);
  EXPECT_FALSE(run(folder.path(), adds(2)).second);
  unsetenv("ASB_CACHE");
  EXPECT_TRUE(run(folder.path(), adds(2)).second);
}

TEST(ObjectCache, AFolderThatCannotBeWrittenCostsOnlyTime) {
  EXPECT_EQ(run("/proc/no-such-place", adds(2)), std::pair(3.0, false));
}

TEST(ObjectCache, OneBackendRemembersWithoutADisk) {
  const auto llvm = backend();
  launch(*llvm, adds(2), {{{1.0}}}, 1);
  EXPECT_FALSE(llvm->compile_times().from_cache);
  launch(*llvm, adds(2), {{{1.0}}}, 1);
  EXPECT_TRUE(llvm->compile_times().from_cache);
}

TEST(CacheKey, SeesWhatChangesCodeAndNothingElse) {
  const Function f = adds(2);
  Function g = f;
  g.insts[0].span = {0, 1, 2};
  EXPECT_EQ(cache_key(f, "cpu"), cache_key(g, "cpu"));
  EXPECT_NE(cache_key(f, "cpu"), cache_key(f, "other"));
  g.inputs[0].rate = ir::kAxisParams;  // uniform now: another load
  EXPECT_NE(cache_key(f, "cpu"), cache_key(g, "cpu"));
  EXPECT_NE(cache_key(adds(0.0), "cpu"), cache_key(adds(-0.0), "cpu"));
  Function h = f;
  h.outputs[0].values[0] = ir::ValueId(0);
  EXPECT_NE(cache_key(f, "cpu"), cache_key(h, "cpu"));
}

}  // namespace
}  // namespace asb::test
