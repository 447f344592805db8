// Runs a scalar function at many entities through a host backend, from plain numbers, with the layout of abi/kernel.h.
#pragma once

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "backends/llvm/llvm_backend.h"

namespace asb::test {

/// [argument][entity][entry]; a uniform argument has one entity.
using Table = std::vector<std::vector<std::vector<double>>>;

inline int64_t blocks_of(size_t entities) { return static_cast<int64_t>((entities + ASB_LANES - 1) / ASB_LANES); }
inline size_t place(size_t entity, size_t entry, size_t entries) {
  return ((entity / ASB_LANES) * entries + entry) * ASB_LANES + entity % ASB_LANES;
}

inline std::unique_ptr<Backend> backend(LlvmOptions options = {.cache = false}) {
  Result<std::unique_ptr<Backend>> made = make_llvm_backend(std::move(options));
  EXPECT_TRUE(made.has_value()) << made.error().message;
  return made ? std::move(*made) : nullptr;
}

inline std::unique_ptr<Buffer> buffer(Backend& backend, size_t reals) {
  auto made = backend.allocate(reals);
  EXPECT_TRUE(made.has_value());
  return std::move(*made);
}

/// Outputs of a kernel; the last block is padded with copies of the last entity.
inline Table launch(Backend& backend, const ir::Function& function, const Table& inputs, size_t entities) {
  const KernelPlan plan{{}, function};
  auto compiled = backend.compile({&plan, 1});
  EXPECT_TRUE(compiled.has_value()) << (compiled ? "" : compiled.error().message);
  if (!compiled) return {};
  const size_t padded = static_cast<size_t>(blocks_of(entities)) * ASB_LANES;
  std::vector<std::unique_ptr<Buffer>> in, out;
  std::vector<const Buffer*> in_pointers;
  std::vector<Buffer*> out_pointers;
  for (size_t a = 0; a < inputs.size(); ++a) {
    const size_t n = inputs[a].at(0).size();
    const bool uniform = !function.inputs[a].per_entity();
    in.push_back(buffer(backend, uniform ? n : padded * n));
    for (size_t e = 0; e < (uniform ? 1 : padded); ++e)
      for (size_t k = 0; k < n; ++k)
        in.back()->host()[uniform ? k : place(e, k, n)] = inputs[a][std::min(e, inputs[a].size() - 1)][k];
    in_pointers.push_back(in.back().get());
  }
  for (const ir::Output& output : function.outputs) {
    out.push_back(buffer(backend, padded * output.values.size()));
    out_pointers.push_back(out.back().get());
  }
  EXPECT_TRUE(backend.launch(*(*compiled)[0], in_pointers, out_pointers, 0, blocks_of(entities)).has_value());
  Table result;
  for (size_t a = 0; a < function.outputs.size(); ++a) {
    const size_t n = function.outputs[a].values.size();
    result.emplace_back(entities, std::vector<double>(n));
    for (size_t e = 0; e < entities; ++e)
      for (size_t k = 0; k < n; ++k) result[a][e][k] = out[a]->host()[place(e, k, n)];
  }
  return result;
}

/// Names of CPUs whose code this machine runs, from "" (itself) down, so that every way of lowering an op is tried.
inline std::vector<std::string> runnable_cpus() {
  std::vector<std::string> names = {""};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq")) names.push_back("x86-64-v4");
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) names.push_back("x86-64-v3");
  if (__builtin_cpu_supports("sse4.2")) names.push_back("x86-64-v2");
  names.push_back("x86-64");
#endif
  return names;
}

}  // namespace asb::test
