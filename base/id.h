// Typed indices: Id<Tag> is four bytes, explicit in both directions; Store<Id, T> owns what it names.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace asb {

template <class Tag>
struct Id {
  static constexpr uint32_t kNone = 0xffffffffu;
  uint32_t index = kNone;
  constexpr Id() = default;
  constexpr explicit Id(uint32_t i) : index(i) {}
  constexpr explicit operator bool() const { return index != kNone; }
  constexpr auto operator<=>(const Id&) const = default;
};

/// A growing array addressed by one kind of id. References into it are void after add().
template <class IdType, class T>
class Store {
 public:
  IdType add(T value) {
    items_.push_back(std::move(value));
    return IdType(static_cast<uint32_t>(items_.size() - 1));
  }
  T& operator[](IdType id) {
    ASB_CHECK(id.index < items_.size(), "id out of range");
    return items_[id.index];
  }
  const T& operator[](IdType id) const {
    ASB_CHECK(id.index < items_.size(), "id out of range");
    return items_[id.index];
  }
  size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }

 private:
  std::vector<T> items_;
};

}  // namespace asb

template <class Tag>
struct std::hash<asb::Id<Tag>> {
  size_t operator()(asb::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.index); }
};
