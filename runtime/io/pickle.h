// Reads the pickle of a PyTorch state dictionary as data. A pickle is a program for a stack machine that may name any
// function of Python; this machine knows only what state dictionaries need, builds a tree, and runs nothing. Anything
// else is refused by name.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/io/weight_formats.h"

namespace asb {

enum class PickleKind : uint8_t { None, Whole, Text, Tuple, List, Dictionary, Global, Storage, Tensor, Other };

struct PickleNode {
  PickleKind kind = PickleKind::None;
  int64_t whole = 0;             ///< Whole; of a Storage: its number of numbers; of a Tensor: its offset in the storage
  std::string text = {};              ///< Text; of a Global: `module.name`; of a Storage: its key
  NumberType type = NumberType::F64;    ///< of a Storage
  std::vector<uint32_t> items = {};  ///< of a Tuple or List; of a Dictionary: key, value, key, value …; of a Tensor: its storage
  std::vector<int64_t> shape = {}, strides = {};  ///< of a Tensor
};

/// Nodes refer to each other by number; a hostile file may make cycles.
struct Pickle {
  std::vector<PickleNode> nodes;
  uint32_t root = 0;
};

/// `name` is named in errors. Memory and time are linear in the bytes.
[[nodiscard]] Result<Pickle> read_pickle(std::string_view bytes, const std::string& name);

/// The pickle of a state dictionary whose storages have the keys 0, 1, 2 …
std::string pickle_bytes(std::span<const NamedArray> arrays);

}  // namespace asb
