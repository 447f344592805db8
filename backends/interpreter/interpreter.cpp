// Host buffers, and kernels that gather one entity's arguments, evaluate, and scatter its results.
#include "backends/interpreter/interpreter.h"

#include <fmt/format.h>

#include <algorithm>

namespace asb::interpreter {
namespace {

/// Where entry 0 of an entity's argument stands, and how far apart its entries are (abi/kernel.h).
struct Place {
  int64_t offset = 0, stride = 1;
};

Place place_of(int64_t entity, int32_t entries, bool per_entity) {
  if (!per_entity) return {};
  return {entity / ASB_LANES * entries * ASB_LANES + entity % ASB_LANES, ASB_LANES};
}

std::vector<Tensor> arguments_at(const ir::Function& function, const double* const* inputs, int64_t entity) {
  std::vector<Tensor> result;
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    const ir::Input& input = function.inputs[i];
    const int32_t n = input.type.entries();
    const Place place = place_of(entity, n, input.per_entity());
    Tensor t{input.type, std::vector<Number>(n)};
    for (int32_t k = 0; k < n; ++k) t.entries[k].value = inputs[i][place.offset + k * place.stride];
    result.push_back(std::move(t));
  }
  return result;
}

class HostBuffer final : public Buffer {
 public:
  explicit HostBuffer(size_t reals) : data_(reals) {}
  size_t size() const override { return data_.size(); }
  double* host() override { return data_.data(); }
  const std::vector<double>& data() const { return data_; }
  std::vector<double>& data() { return data_; }

 private:
  std::vector<double> data_;
};

class InterpretedKernel final : public Kernel {
 public:
  explicit InterpretedKernel(ir::Function function) : function_(std::move(function)) {}

  void run(const double* const* inputs, double* const* outputs, int64_t first, int64_t last) const override {
    for (int64_t entity = first * ASB_LANES; entity < last * ASB_LANES; ++entity) {
      const Evaluation result = evaluate(function_, arguments_at(function_, inputs, entity));
      for (size_t i = 0; i < result.outputs.size(); ++i) {
        const std::vector<Number>& entries = result.outputs[i].entries;
        const Place place = place_of(entity, static_cast<int32_t>(entries.size()), true);
        for (size_t k = 0; k < entries.size(); ++k)
          outputs[i][place.offset + static_cast<int64_t>(k) * place.stride] = entries[k].value;
      }
    }
  }

 private:
  ir::Function function_;
};

tl::unexpected<Error> out_of_range(size_t offset, size_t count, size_t size) {
  return fail("buffer-range", fmt::format("{} reals at {} leave a buffer of {}", count, offset, size));
}

class Interpreter final : public Backend {
 public:
  std::string name() const override { return "interpreter"; }
  std::string description() const override { return "interpreter of the tensor form, one entity at a time"; }
  bool is_host() const override { return true; }

  Result<std::vector<std::unique_ptr<Kernel>>> compile(std::span<const KernelPlan> kernels) override {
    std::vector<std::unique_ptr<Kernel>> result;
    for (const KernelPlan& plan : kernels) result.push_back(std::make_unique<InterpretedKernel>(plan.tensor));
    return result;
  }

  Result<std::unique_ptr<Buffer>> allocate(size_t reals) override { return std::make_unique<HostBuffer>(reals); }

  Result<void> upload(std::span<const double> from, Buffer& to, size_t offset) override {
    if (offset > to.size() || from.size() > to.size() - offset) return out_of_range(offset, from.size(), to.size());
    std::copy(from.begin(), from.end(), static_cast<HostBuffer&>(to).data().begin() + static_cast<ptrdiff_t>(offset));
    return {};
  }

  Result<void> download(const Buffer& from, std::span<double> to, size_t offset) override {
    if (offset > from.size() || to.size() > from.size() - offset) return out_of_range(offset, to.size(), from.size());
    const double* data = static_cast<const HostBuffer&>(from).data().data() + offset;
    std::copy(data, data + to.size(), to.begin());
    return {};
  }

  Result<void> launch(const Kernel& kernel, std::span<const Buffer* const> inputs, std::span<Buffer* const> outputs,
                      int64_t first, int64_t last) override {
    std::vector<const double*> in;
    std::vector<double*> out;
    for (const Buffer* b : inputs) in.push_back(static_cast<const HostBuffer*>(b)->data().data());
    for (Buffer* b : outputs) out.push_back(b->host());
    kernel.run(in.data(), out.data(), first, last);
    return {};
  }
};

}  // namespace

std::unique_ptr<Backend> make_interpreter() { return std::make_unique<Interpreter>(); }

std::optional<NonFiniteAt> find_first_non_finite(const ir::Function& function, const double* const* inputs,
                                                 int64_t first, int64_t last) {
  for (int64_t entity = first * ASB_LANES; entity < last * ASB_LANES; ++entity) {
    const Evaluation result = evaluate(function, arguments_at(function, inputs, entity));
    if (auto found = find_first_non_finite(function, result)) return NonFiniteAt{entity, std::move(*found)};
  }
  return {};
}

}  // namespace asb::interpreter
