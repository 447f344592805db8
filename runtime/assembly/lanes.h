// Memory in the layout of abi/kernel.h: blocks of kLanes entities, 64-byte aligned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "abi/kernel.h"

namespace asb {

inline constexpr int kLanes = ASB_LANES;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) {}
  T* allocate(size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t(64))); }
  void deallocate(T* p, size_t) { ::operator delete(p, std::align_val_t(64)); }
  bool operator==(const AlignedAllocator&) const { return true; }
};

using AlignedVector = std::vector<double, AlignedAllocator<double>>;

constexpr int64_t blocks_for(int64_t entities) { return (entities + kLanes - 1) / kLanes; }

/// Of the numbers in a vector.
template <class T, class A>
size_t bytes_of(const std::vector<T, A>& v) {
  return v.size() * sizeof(T);
}

}  // namespace asb
