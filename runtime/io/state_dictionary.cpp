// .pt, .pth: what PyTorch's torch.save makes of a state dictionary since 1.6. A zip archive with one folder in it:
// data.pkl describes the tensors, data/0, data/1 … are their numbers. Nested dictionaries give names joined by dots.
#include <fmt/format.h>

#include <set>

#include "runtime/io/pickle.h"
#include "runtime/io/weight_formats.h"
#include "runtime/io/zip_archive.h"

namespace asb {
namespace {

constexpr int kDeepest = 16;
constexpr size_t kMostVisits = 1'000'000;
constexpr size_t kLongestPickle = size_t{16} << 20, kLongestName = 1024;
constexpr uint64_t kMostTimesTheFile = 16;  // tensors may share numbers, but not without end

class Reader {
 public:
  Reader(std::string_view bytes, const ZipReader& zip, const std::string& name)
      : zip_(zip), name_(name), numbers_left_(kMostTimesTheFile * bytes.size()) {}

  Result<std::vector<NamedArray>> run() {
    constexpr std::string_view kPickle = "/data.pkl";
    for (const std::string& member : zip_.members())
      if (member.ends_with(kPickle) && member.find('/') == member.size() - kPickle.size()) folder_ = member.substr(0, member.size() - kPickle.size() + 1);
    if (folder_.empty()) return damaged("it has no data.pkl");
    if (zip_.has(folder_ + "byteorder")) {
      const Result<std::string> order = zip_.read(folder_ + "byteorder");
      if (!order) return fail(order.error());
      if (*order != "little") return damaged(fmt::format("its numbers are `{}`-endian", *order));
    }
    const Result<std::string> pickle = zip_.read(folder_ + "data.pkl");
    if (!pickle) return fail(pickle.error());
    if (pickle->size() > kLongestPickle) return damaged(fmt::format("its data.pkl has {} bytes, more than {}", pickle->size(), kLongestPickle));
    Result<Pickle> tree = read_pickle(*pickle, name_);
    if (!tree) return fail(tree.error());
    tree_ = std::move(*tree);
    if (tree_.nodes[tree_.root].kind != PickleKind::Dictionary) return damaged("it holds no dictionary");
    if (Result<void> visited = visit(tree_.root, "", 0); !visited) return fail(visited.error());
    if (arrays_.empty()) return damaged("it holds no tensors");
    return std::move(arrays_);
  }

 private:
  tl::unexpected<Error> damaged(const std::string& what) const {
    return fail("weights-damaged", fmt::format("`{}` is no state dictionary of PyTorch: {}", name_, what), "save it with `torch.save(model.state_dict(), path)`");
  }

  /// Dictionaries and tensors; counters, options and the like are passed over.
  Result<void> visit(uint32_t id, const std::string& path, int depth) {
    const PickleNode& node = tree_.nodes[id];
    if (node.kind == PickleKind::Tensor) return tensor(node, path);
    if (node.kind != PickleKind::Dictionary) return {};
    if (depth == kDeepest) return damaged("its dictionaries nest too deep");
    for (size_t i = 0; i + 1 < node.items.size(); i += 2) {
      if (++visits_ > kMostVisits) return damaged("it has too many entries");
      const PickleNode& key = tree_.nodes[node.items[i]];
      if (key.kind != PickleKind::Text && key.kind != PickleKind::Whole) continue;
      const std::string part = key.kind == PickleKind::Text ? key.text : std::to_string(key.whole);
      if (part.size() > kLongestName) return damaged(fmt::format("it has a name of {} letters", part.size()));
      if (Result<void> r = visit(node.items[i + 1], path.empty() ? part : path + "." + part, depth + 1); !r) return r;
    }
    return {};
  }

  Result<void> tensor(const PickleNode& node, const std::string& path) {
    if (!names_.insert(path).second) return damaged(fmt::format("it has `{}` twice", path));
    const PickleNode& storage = tree_.nodes[node.items[0]];
    const auto stored = static_cast<uint64_t>(storage.whole);
    const auto count = count_of(node.shape, stored);
    if (!count || *count > numbers_left_) return damaged(fmt::format("`{}` of shape [{}] doesn't fit in its {} numbers", path, fmt::join(node.shape, ", "), stored));
    numbers_left_ -= *count;
    __int128 last = node.whole;  // the largest index that is read
    for (size_t i = 0; i < node.shape.size(); ++i) {
      if (node.strides[i] < 0) return damaged(fmt::format("`{}` has a negative stride", path));
      last += static_cast<__int128>(node.shape[i] - 1) * node.strides[i];
    }
    if (node.whole < 0 || (*count > 0 && last >= static_cast<__int128>(stored)))
      return damaged(fmt::format("`{}` reaches beyond its {} numbers", path, stored));
    const std::string member = folder_ + "data/" + storage.text;
    const Result<std::string> bytes = zip_.read(member);
    if (!bytes) return fail(bytes.error());
    const size_t size = size_of(storage.type);
    if (bytes->size() % size != 0 || bytes->size() / size != stored)
      return damaged(fmt::format("`{}` has {} bytes for {} numbers of {}", member, bytes->size(), stored, size));
    auto values = decode_numbers(gathered(*bytes, node, *count, size), storage.type);
    if (!values) return damaged(fmt::format("`{}` has whole numbers beyond 2^53", path));
    arrays_.push_back({path, node.shape, std::move(*values), storage.type == NumberType::F32});
    return {};
  }

  /// The bytes of a tensor's numbers in row-major order; the storage may have them transposed or apart.
  static std::string gathered(const std::string& bytes, const PickleNode& node, uint64_t count, size_t size) {
    std::string result;
    result.reserve(count * size);
    std::vector<int64_t> index(node.shape.size(), 0);
    for (uint64_t i = 0; i < count; ++i) {
      auto at = static_cast<uint64_t>(node.whole);
      for (size_t k = 0; k < index.size(); ++k) at += static_cast<uint64_t>(index[k] * node.strides[k]);
      result.append(bytes, at * size, size);
      for (size_t k = index.size(); k-- > 0 && ++index[k] == node.shape[k];) index[k] = 0;
    }
    return result;
  }

  const ZipReader& zip_;
  const std::string& name_;
  std::string folder_;
  Pickle tree_;
  std::vector<NamedArray> arrays_;
  std::set<std::string> names_;
  size_t visits_ = 0;
  uint64_t numbers_left_;
};

}  // namespace

Result<std::vector<NamedArray>> parse_state_dictionary(std::string_view bytes, const std::string& name) {
  const Result<ZipReader> zip = ZipReader::open(bytes, name);
  if (!zip) return fail(zip.error());
  return Reader(bytes, *zip, name).run();
}

Result<std::string> state_dictionary_bytes(std::span<const NamedArray> arrays) {
  std::vector<std::pair<std::string, std::string>> members;
  members.emplace_back("archive/data.pkl", pickle_bytes(arrays));
  members.emplace_back("archive/byteorder", "little");
  for (size_t i = 0; i < arrays.size(); ++i) members.emplace_back("archive/data/" + std::to_string(i), encode_numbers(arrays[i]));
  members.emplace_back("archive/version", "3\n");
  return zip_bytes(members);
}

}  // namespace asb
