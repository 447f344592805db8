// Packs tables into arguments and back.
#include "tests/backends/agreement/launch.h"

#include <algorithm>
#include <map>

#include "backends/interpreter/interpreter.h"
#include "backends/llvm/llvm_backend.h"
#include "backends/vulkan/vulkan_backend.h"

namespace asb::test {
namespace {

size_t place(size_t entity, size_t entry, size_t entries) {
  return ((entity / ASB_LANES) * entries + entry) * ASB_LANES + entity % ASB_LANES;
}

Opened make(const std::string& name) {
  if (name == "interpreter") return {interpreter::make_interpreter(), {}};
  Result<std::unique_ptr<Backend>> made =
      name == "llvm" ? make_llvm_backend({.cache = false})
                     : make_vulkan_backend({.always_stage = name == "vulkan-staged", .host_call_bytes = 20000});
  if (!made) return {nullptr, made.error().message};
  return {std::move(*made), {}};
}

/// Arguments as the runtime packs them.
std::vector<double> packed(const ir::Input& input, const std::vector<std::vector<double>>& values, size_t padded) {
  const size_t n = values.at(0).size();
  if (!input.per_entity()) return values[0];
  std::vector<double> result(padded * n);
  for (size_t e = 0; e < padded; ++e)
    for (size_t k = 0; k < n; ++k) result[place(e, k, n)] = values[std::min(e, values.size() - 1)][k];
  return result;
}

/// Copies of arguments, each at a multiple of 64 bytes.
class AlignedArguments {
 public:
  explicit AlignedArguments(const std::vector<std::vector<double>>& arguments) {
    for (const auto& values : arguments) {
      storage_.emplace_back(values.size() / ASB_LANES + 1);
      pointers_.push_back(storage_.back().data()->reals);
      std::copy(values.begin(), values.end(), pointers_.back());
    }
  }
  double* const* pointers() const { return pointers_.data(); }
  void copy_back(std::vector<std::vector<double>>& arguments) const {
    for (size_t i = 0; i < arguments.size(); ++i) std::copy_n(pointers_[i], arguments[i].size(), arguments[i].begin());
  }

 private:
  struct alignas(64) Block {
    double reals[ASB_LANES];
  };
  std::vector<std::vector<Block>> storage_;
  std::vector<double*> pointers_;
};

void run_on_buffers(Backend& backend, const Kernel& kernel, const std::vector<std::vector<double>>& inputs,
                    std::vector<std::vector<double>>& outputs, int64_t blocks) {
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<const Buffer*> in;
  std::vector<Buffer*> out;
  for (const auto& values : inputs) {
    auto buffer = backend.allocate(values.size());
    ASSERT_TRUE(buffer.has_value()) << buffer.error().message;
    ASSERT_TRUE(backend.upload(values, **buffer).has_value());
    in.push_back(buffer->get());
    buffers.push_back(std::move(*buffer));
  }
  for (const auto& values : outputs) {
    auto buffer = backend.allocate(values.size());
    ASSERT_TRUE(buffer.has_value()) << buffer.error().message;
    out.push_back(buffer->get());
    buffers.push_back(std::move(*buffer));
  }
  const Result<void> done = backend.launch(kernel, in, out, 0, blocks);
  ASSERT_TRUE(done.has_value()) << done.error().message;
  for (size_t i = 0; i < outputs.size(); ++i) ASSERT_TRUE(backend.download(*out[i], outputs[i]).has_value());
}

}  // namespace

const std::vector<std::string>& backend_names() {
  static const std::vector<std::string> names = {"interpreter", "llvm", "vulkan", "vulkan-staged"};
  return names;
}

Opened open_backend(const std::string& name) {
  static std::map<std::string, Opened> opened;
  if (!opened.contains(name)) opened[name] = make(name);
  return opened[name];
}

int64_t blocks_of(size_t entities) { return static_cast<int64_t>((entities + ASB_LANES - 1) / ASB_LANES); }

Table launch(Backend& backend, const KernelPlan& plan, const Table& inputs, size_t entities, Way way) {
  const ir::Function& function = plan.scalar;
  auto compiled = backend.compile({&plan, 1});
  EXPECT_TRUE(compiled.has_value()) << (compiled ? "" : compiled.error().message);
  if (!compiled) return {};
  const Kernel& kernel = *compiled->at(0);
  const int64_t blocks = blocks_of(entities);
  const size_t padded = static_cast<size_t>(blocks) * ASB_LANES;
  std::vector<std::vector<double>> in, out;
  for (size_t a = 0; a < inputs.size(); ++a) in.push_back(packed(function.inputs[a], inputs[a], padded));
  for (const ir::Output& output : function.outputs) out.emplace_back(padded * output.values.size(), -77.0);
  if (way == Way::Buffers) {
    run_on_buffers(backend, kernel, in, out, blocks);
  } else {
    const AlignedArguments from(in), to(out);
    // Two ranges, as tasks of a solver would have them.
    kernel.run(from.pointers(), to.pointers(), blocks / 2, blocks);
    kernel.run(from.pointers(), to.pointers(), 0, blocks / 2);
    to.copy_back(out);
  }
  Table result;
  for (size_t a = 0; a < function.outputs.size(); ++a) {
    const size_t n = function.outputs[a].values.size();
    result.emplace_back(entities, std::vector<double>(n));
    for (size_t e = 0; e < entities; ++e)
      for (size_t k = 0; k < n; ++k) result[a][e][k] = out[a][place(e, k, n)];
  }
  return result;
}

}  // namespace asb::test
