// Weight files: named arrays there and back. By the ending of the path: .safetensors, or .pt and .pth (a PyTorch state
// dictionary). Names of weights are paths such as `act.h[2].linear.weight`. Reading never runs what a file says: bytes
// are checked, then copied.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runtime/networks/learner.h"

namespace asb {

/// In the order of the file. Arrays of f16, bf16 and whole numbers become f64; all values are exact.
[[nodiscard]] Result<std::vector<NamedArray>> read_weights(const std::string& path);

/// Written whole or not at all; f32 where is_f32 says so (values are rounded), else f64. Names are unique.
[[nodiscard]] Result<void> write_weights(const std::string& path, std::span<const NamedArray> arrays);

/// The same from and to bytes; `name` gives the ending and is named in errors.
[[nodiscard]] Result<std::vector<NamedArray>> parse_weights(std::string_view bytes, const std::string& name);
[[nodiscard]] Result<std::string> weight_bytes(const std::string& name, std::span<const NamedArray> arrays);

}  // namespace asb
