// See pickle.h. Opcodes of protocol 2 and the few of later ones that PyTorch writes; names as in Python's pickletools.
#include "runtime/io/pickle.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

namespace asb {
namespace {

enum Opcode : uint8_t {
  kMark = '(', kStop = '.', kPop = '0', kBinFloat = 'G', kBinInt = 'J', kBinInt1 = 'K', kBinInt2 = 'M', kNone = 'N',
  kBinPersistentId = 'Q', kReduce = 'R', kBinUnicode = 'X', kAppend = 'a', kBuild = 'b', kGlobal = 'c', kAppends = 'e',
  kBinGet = 'h', kLongBinGet = 'j', kBinPut = 'q', kLongBinPut = 'r', kSetItem = 's', kTuple = 't', kSetItems = 'u',
  kEmptyDictionary = '}', kEmptyList = ']', kEmptyTuple = ')', kProtocol = 0x80, kTuple1 = 0x85, kTuple2 = 0x86,
  kTuple3 = 0x87, kNewTrue = 0x88, kNewFalse = 0x89, kLong1 = 0x8a, kShortBinUnicode = 0x8c, kStackGlobal = 0x93,
  kMemoize = 0x94, kFrame = 0x95,
};

// A tuple may be used again and again: short ones keep the time linear in the bytes.
constexpr size_t kMostAxes = 64, kMostArguments = 16;

constexpr const char* kOrderedDictionary = "collections.OrderedDict";
constexpr const char* kRebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr const char* kRebuildParameter = "torch._utils._rebuild_parameter";

std::optional<NumberType> storage_type(std::string_view global) {
  static const std::pair<const char*, NumberType> kTypes[] = {
      {"torch.FloatStorage", NumberType::F32}, {"torch.DoubleStorage", NumberType::F64}, {"torch.HalfStorage", NumberType::F16},
      {"torch.BFloat16Storage", NumberType::BF16}, {"torch.LongStorage", NumberType::I64}, {"torch.IntStorage", NumberType::I32},
      {"torch.ShortStorage", NumberType::I16}, {"torch.CharStorage", NumberType::I8}, {"torch.ByteStorage", NumberType::U8}};
  for (const auto& [text, type] : kTypes)
    if (global == text) return type;
  return {};
}

bool is_known_global(std::string_view global) {
  return global == kOrderedDictionary || global == kRebuildTensor || global == kRebuildParameter || storage_type(global);
}

class Machine {
 public:
  Machine(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Result<Pickle> run() {
    while (!error_) {
      const uint8_t code = byte();
      if (error_) break;
      if (code == kStop) {
        const uint32_t root = pop();
        if (!error_) return Pickle{std::move(nodes_), root};
        break;
      }
      step(code);
    }
    return fail(std::move(*error_));
  }

 private:
  // What is read of the bytes. After an error all reads give zeros and nothing moves on.
  void broken(const std::string& what) {
    if (!error_)
      error_ = Error{"weights-damaged", fmt::format("`{}` is no state dictionary of PyTorch: {} at byte {} of its pickle", name_, what, at_),
                     "save it with `torch.save(model.state_dict(), path)`"};
  }
  std::string_view take(uint64_t count) {
    if (error_ || count > bytes_.size() - at_) {
      broken("the end comes too soon");
      return {};
    }
    const std::string_view result = bytes_.substr(at_, count);
    at_ += count;
    return result;
  }
  uint64_t unsigned_number(size_t size) {
    uint64_t value = 0;
    const std::string_view b = take(size);
    if (!b.empty()) std::memcpy(&value, b.data(), b.size());  // little-endian
    return value;
  }
  uint8_t byte() { return static_cast<uint8_t>(unsigned_number(1)); }
  std::string line() {
    const size_t end = bytes_.find('\n', at_);
    if (error_ || end == bytes_.npos) {
      broken("the end comes too soon");
      return {};
    }
    std::string result(take(end - at_));
    (void)take(1);
    return result;
  }

  // The stack
  void push(PickleNode node) {
    nodes_.push_back(std::move(node));
    stack_.push_back(static_cast<uint32_t>(nodes_.size() - 1));
  }
  void push(PickleKind kind) { push(PickleNode{.kind = kind}); }
  uint32_t pop() {
    if (error_ || stack_.size() <= floor()) {
      broken("the stack is empty");
      return 0;
    }
    const uint32_t top = stack_.back();
    stack_.pop_back();
    return top;
  }
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  std::vector<uint32_t> pop_to_mark() {
    if (error_ || marks_.empty()) {
      broken("there is no mark");
      return {};
    }
    std::vector<uint32_t> items(stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
    stack_.resize(marks_.back());
    marks_.pop_back();
    return items;
  }
  std::vector<uint32_t> pop_many(size_t count) {
    std::vector<uint32_t> items(count);
    for (size_t i = count; i-- > 0;) items[i] = pop();
    return items;
  }
  PickleNode* top(PickleKind kind, const char* what) {
    if (!error_ && stack_.size() > floor() && nodes_[stack_.back()].kind == kind) return &nodes_[stack_.back()];
    broken(what);
    return nullptr;
  }
  void push_tuple(std::vector<uint32_t> items) {
    if (!error_) push(PickleNode{.kind = PickleKind::Tuple, .items = std::move(items)});
  }
  void push_whole(int64_t value) { push(PickleNode{.kind = PickleKind::Whole, .whole = value}); }
  void extend(PickleKind kind, const std::vector<uint32_t>& items, const char* what) {
    if (error_) return;
    if (kind == PickleKind::Dictionary && items.size() % 2 != 0) return broken("a key has no value");
    if (PickleNode* node = top(kind, what)) node->items.insert(node->items.end(), items.begin(), items.end());
  }

  // The memo
  void put(uint64_t index) {
    if (error_ || stack_.size() <= floor()) return broken("the stack is empty");
    memo_[index] = stack_.back();
  }
  void get(uint64_t index) {
    const auto found = memo_.find(index);
    if (error_ || found == memo_.end()) return broken("nothing is kept under that number");
    stack_.push_back(found->second);
  }

  void global(const std::string& module, const std::string& attribute) {
    if (error_) return;
    const std::string full = module + "." + attribute;
    if (is_known_global(full)) return push(PickleNode{.kind = PickleKind::Global, .text = full});
    error_ = Error{"weights-untrusted", fmt::format("`{}` asks for `{}`, which no state dictionary needs; nothing of it was run", name_, full),
                   "save the weights alone, with `torch.save(model.state_dict(), path)`, or as .safetensors"};
  }

  // ('storage', type, key, location, number of numbers)
  void storage() {
    const uint32_t id = pop();
    if (error_) return;
    if (nodes_[id].kind != PickleKind::Tuple || nodes_[id].items.size() != 5) return broken("a storage isn't described as one");
    const std::vector<uint32_t> t = nodes_[id].items;
    const auto is = [&](size_t i, PickleKind kind) { return nodes_[t[i]].kind == kind; };
    if (!is(0, PickleKind::Text) || nodes_[t[0]].text != "storage" || !is(1, PickleKind::Global) || !is(2, PickleKind::Text) ||
        !is(4, PickleKind::Whole) || nodes_[t[4]].whole < 0)
      return broken("a storage isn't described as one");
    const std::optional<NumberType> type = storage_type(nodes_[t[1]].text);
    if (!type) return broken("a storage isn't described as one");
    push(PickleNode{.kind = PickleKind::Storage, .whole = nodes_[t[4]].whole, .text = nodes_[t[2]].text, .type = *type});
  }

  std::optional<std::vector<int64_t>> whole_numbers(uint32_t id) const {
    if (nodes_[id].kind != PickleKind::Tuple || nodes_[id].items.size() > kMostAxes) return {};
    std::vector<int64_t> result;
    for (const uint32_t i : nodes_[id].items) {
      if (nodes_[i].kind != PickleKind::Whole) return {};
      result.push_back(nodes_[i].whole);
    }
    return result;
  }

  // function(arguments)
  void reduce() {
    const uint32_t arguments = pop(), function = pop();
    if (error_) return;
    if (nodes_[function].kind != PickleKind::Global || nodes_[arguments].kind != PickleKind::Tuple) return broken("a call isn't one");
    if (nodes_[arguments].items.size() > kMostArguments) return broken("a call has too many arguments");
    const std::string& called = nodes_[function].text;
    const std::vector<uint32_t> a = nodes_[arguments].items;
    if (called == kOrderedDictionary && a.empty()) return push(PickleKind::Dictionary);
    if (called == kRebuildParameter && !a.empty() && nodes_[a[0]].kind == PickleKind::Tensor) return stack_.push_back(a[0]);
    if (called != kRebuildTensor || a.size() < 4) return broken(fmt::format("`{}` has other arguments than PyTorch gives it", called));
    const auto shape = whole_numbers(a[2]), strides = whole_numbers(a[3]);
    const bool fits = nodes_[a[0]].kind == PickleKind::Storage && nodes_[a[1]].kind == PickleKind::Whole && shape && strides && shape->size() == strides->size();
    if (!fits) return broken("a tensor isn't described as one");
    push(PickleNode{.kind = PickleKind::Tensor, .whole = nodes_[a[1]].whole, .items = {a[0]}, .shape = *shape, .strides = *strides});
  }

  void step(uint8_t code) {
    switch (code) {
      case kProtocol: if (const uint8_t version = byte(); version > 5) broken(fmt::format("protocol {}", version)); return;
      case kFrame: (void)take(8); return;
      case kMark: return marks_.push_back(stack_.size());
      case kPop: (void)pop(); return;
      case kNone: return push(PickleKind::None);
      case kNewTrue: return push_whole(1);
      case kNewFalse: return push_whole(0);
      case kBinInt: return push_whole(std::bit_cast<int32_t>(static_cast<uint32_t>(unsigned_number(4))));
      case kBinInt1: return push_whole(byte());
      case kBinInt2: return push_whole(static_cast<int64_t>(unsigned_number(2)));
      case kLong1: return long_number();
      case kBinFloat: (void)take(8); return push(PickleKind::Other);
      case kBinUnicode: return text(unsigned_number(4));
      case kShortBinUnicode: return text(byte());
      case kEmptyDictionary: return push(PickleKind::Dictionary);
      case kEmptyList: return push(PickleKind::List);
      case kEmptyTuple: return push(PickleKind::Tuple);
      case kTuple: return push_tuple(pop_to_mark());
      case kTuple1: return push_tuple(pop_many(1));
      case kTuple2: return push_tuple(pop_many(2));
      case kTuple3: return push_tuple(pop_many(3));
      case kAppend: { const auto items = pop_many(1); return extend(PickleKind::List, items, "there is no list to append to"); }
      case kAppends: { const auto items = pop_to_mark(); return extend(PickleKind::List, items, "there is no list to append to"); }
      case kSetItem: { const auto items = pop_many(2); return extend(PickleKind::Dictionary, items, "there is no dictionary to fill"); }
      case kSetItems: { const auto items = pop_to_mark(); return extend(PickleKind::Dictionary, items, "there is no dictionary to fill"); }
      case kBinPut: return put(byte());
      case kLongBinPut: return put(unsigned_number(4));
      case kMemoize: return put(memo_.size());
      case kBinGet: return get(byte());
      case kLongBinGet: return get(unsigned_number(4));
      case kGlobal: { const std::string module = line(); return global(module, line()); }
      case kStackGlobal: {
        const std::vector<uint32_t> names = pop_many(2);
        if (error_ || nodes_[names[0]].kind != PickleKind::Text || nodes_[names[1]].kind != PickleKind::Text) return broken("a name isn't text");
        return global(nodes_[names[0]].text, nodes_[names[1]].text);
      }
      case kBinPersistentId: return storage();
      case kReduce: return reduce();
      case kBuild:  // attributes of a dictionary: versions of modules, which mean nothing here
        (void)pop();
        (void)top(PickleKind::Dictionary, "attributes of what is no dictionary");
        return;
      default: return broken(fmt::format("opcode 0x{:02x}, which no state dictionary needs,", code));
    }
  }

  void text(uint64_t size) {
    const std::string_view t = take(size);
    if (!error_) push(PickleNode{.kind = PickleKind::Text, .text = std::string(t)});
  }

  void long_number() {  // two's complement, little-endian
    const uint8_t size = byte();
    if (size > 8) return broken("a whole number of more than 64 bits");
    uint64_t value = unsigned_number(size);
    if (size > 0 && size < 8 && value >> (8 * size - 1)) value |= ~uint64_t{0} << (8 * size);
    push_whole(std::bit_cast<int64_t>(value));
  }

  std::string_view bytes_;
  const std::string& name_;
  size_t at_ = 0;
  std::vector<PickleNode> nodes_ = {{}};  ///< node 0 stands for what isn't there
  std::vector<uint32_t> stack_;
  std::vector<size_t> marks_;
  std::unordered_map<uint64_t, uint32_t> memo_;
  std::optional<Error> error_;
};

class Writer {
 public:
  void op(uint8_t code) { out_ += static_cast<char>(code); }
  void number(uint64_t value, size_t size) { out_.append(reinterpret_cast<const char*>(&value), size); }
  void text(std::string_view t) {
    op(kBinUnicode);
    number(t.size(), 4);
    out_ += t;
  }
  void whole(int64_t value) {
    const auto u = static_cast<uint64_t>(value);
    if (u < 256) return op(kBinInt1), number(u, 1);
    if (u < 65536) return op(kBinInt2), number(u, 2);
    if (u <= INT32_MAX) return op(kBinInt), number(u, 4);
    op(kLong1);
    number(8, 1);
    number(u, 8);
  }
  void tuple(std::span<const int64_t> values) {
    op(kMark);
    for (const int64_t v : values) whole(v);
    op(kTuple);
  }
  void global(std::string_view module, std::string_view name) { out_ += fmt::format("c{}\n{}\n", module, name); }
  void empty_dictionary() {
    global("collections", "OrderedDict");
    op(kEmptyTuple);
    op(kReduce);
  }
  std::string& bytes() { return out_; }

 private:
  std::string out_;
};

}  // namespace

Result<Pickle> read_pickle(std::string_view bytes, const std::string& name) { return Machine(bytes, name).run(); }

std::string pickle_bytes(std::span<const NamedArray> arrays) {
  Writer w;
  w.op(kProtocol);
  w.op(2);
  w.empty_dictionary();
  w.op(kMark);
  for (size_t i = 0; i < arrays.size(); ++i) {
    const NamedArray& a = arrays[i];
    std::vector<int64_t> strides(a.shape.size(), 1);
    for (size_t k = strides.size(); k-- > 1;) strides[k - 1] = strides[k] * a.shape[k];
    w.text(a.name);
    w.global("torch._utils", "_rebuild_tensor_v2");
    w.op(kMark);
    w.op(kMark);
    w.text("storage");
    w.global("torch", a.is_f32 ? "FloatStorage" : "DoubleStorage");
    w.text(std::to_string(i));
    w.text("cpu");
    w.whole(static_cast<int64_t>(a.values.size()));
    w.op(kTuple);
    w.op(kBinPersistentId);
    w.whole(0);
    w.tuple(a.shape);
    w.tuple(strides);
    w.op(kNewFalse);  // requires_grad
    w.empty_dictionary();  // hooks
    w.op(kTuple);
    w.op(kReduce);
  }
  w.op(kSetItems);
  w.op(kStop);
  return std::move(w.bytes());
}

}  // namespace asb
