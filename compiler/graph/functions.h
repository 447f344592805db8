// Small surgery on functions as graph code needs it: their inputs against the list of what is passed.
#pragma once

#include <span>
#include <vector>

#include "compiler/ir/function.h"

namespace asb {

/// Renumbers inputs: new input i is old input order[i]; order names every input that is read.
ir::Function reorder_inputs(const ir::Function& function, std::span<const int32_t> order);

/// Numbers of the inputs that some instruction reads, ascending.
std::vector<int32_t> read_inputs(const ir::Function& function);

/// Drops inputs that no instruction reads, and their entries in `passed`.
template <class T>
ir::Function drop_unread_inputs(const ir::Function& function, std::vector<T>& passed) {
  const std::vector<int32_t> order = read_inputs(function);
  std::vector<T> kept;
  for (const int32_t i : order) kept.push_back(passed[i]);
  passed = std::move(kept);
  return reorder_inputs(function, order);
}

}  // namespace asb
