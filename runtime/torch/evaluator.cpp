// Evaluates a network and pulls cotangents back through it, in three steps:
//   1. what is uniform (weights, modulated weights, latents), once, in f64;
//   2. chunks of entities, in the chosen precision: values, then autograd to the inputs and to the uniform values used;
//   3. the sums of these cotangents over chunks (f64, in order), through step 1.
// Nothing is kept between calls: pull_back computes the values again. A chunk's tensors are of some 100 kB, so that they
// stay in cache and memory doesn't grow with the number of entities.
#include "runtime/torch/evaluator.h"

#include <fmt/format.h>
#include <omp.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/version.h>

#include <algorithm>
#include <optional>

#include "base/check.h"
#include "runtime/torch/operations.h"

namespace asb::networks {
namespace {

using at::Tensor;
using ir::Function;
using ir::Inst;
using ir::Op;
using ir::ValueId;

constexpr int64_t kChunkNumbers = int64_t{1} << 21;  ///< of all values of a chunk together

/// One OpenMP thread for LibTorch in this scope: tasks are parallel, not what is inside them.
class OneThread {
 public:
  OneThread() : saved_(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~OneThread() { omp_set_num_threads(saved_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int saved_;
};

/// What is known of each instruction before anything is evaluated.
struct Facts {
  bool used = false;      ///< the output rests on it
  bool batched = false;
  bool wanted = false;    ///< depends on an input whose cotangent is asked for
  bool chosen = false;    ///< a side of a choice rests on it: Note [Guarded slopes]
  bool boundary = false;  ///< uniform, used by a batched instruction
  uint32_t last_use = 0;
  ValueId product;        ///< of an Add: the MatMul that it is fused with
  bool fused = false;     ///< of a MatMul: done by its Add
};

class Evaluation {
 public:
  Evaluation(const Function& function, std::span<const NetworkInput> inputs, at::ScalarType precision)
      : function_(function), inputs_(inputs), precision_(precision), facts_(function.insts.size()),
        values_(function.insts.size()), cast_(function.insts.size()), leaves_(inputs.size()), first_(inputs.size()) {}

  void find_facts(std::span<const std::span<double>> cotangents) {
    facts_[out().index].used = true;
    for (size_t i = facts_.size(); i-- > 0;) {
      if (!facts_[i].used) continue;
      const Inst& inst = function_.insts[i];
      for (size_t k = 0; k < inst.args.size(); ++k) {
        Facts& operand = facts_[inst.args[k].index];
        const bool is_choice = inst.op == Op::Min || inst.op == Op::Max || (inst.op == Op::Select && k > 0);
        if (!operand.used) operand.last_use = static_cast<uint32_t>(i);
        operand.used = true;
        operand.chosen |= is_choice || facts_[i].chosen;
      }
    }
    std::vector<int> uses(facts_.size(), 0);
    for (size_t i = 0; i < facts_.size(); ++i) {
      Facts& fact = facts_[i];
      const Inst& inst = function_.insts[i];
      if (!fact.used) continue;
      if (inst.op == Op::Input) {
        if (!first_[inst.index]) first_[inst.index] = ValueId(static_cast<uint32_t>(i));
        fact.batched = inputs_[inst.index].per_entity;
        fact.wanted = !cotangents.empty() && !cotangents[inst.index].empty();
      }
      for (ValueId arg : inst.args) {
        fact.batched |= facts_[arg.index].batched;
        fact.wanted |= facts_[arg.index].wanted;
        ++uses[arg.index];
      }
      for (ValueId arg : inst.args) facts_[arg.index].boundary |= fact.batched && !facts_[arg.index].batched;
      entries_ += fact.batched ? inst.type.entries() : 0;
    }
    ++uses[out().index];
    for (size_t i = 0; i < facts_.size(); ++i)
      if (facts_[i].used && function_.insts[i].op == Op::Add) fuse(i, uses);
  }

  bool is_uniform() const { return !facts_[out().index].batched; }
  ValueId out() const { return function_.outputs[0].values[0]; }
  int64_t chunk() const {
    return std::clamp<int64_t>(kChunkNumbers / std::max<int64_t>(1, entries_), 64, 1 << 16) / 64 * 64;
  }

  /// Step 1.
  void uniform_values() {
    for (size_t i = 0; i < facts_.size(); ++i) {
      const Inst& inst = function_.insts[i];
      if (!facts_[i].used || facts_[i].batched) continue;
      if (inst.op == Op::Input) values_[i] = {input(i, 0, 1, at::kDouble), false};
      else values_[i] = applied(i, at::kDouble, {});
      if (facts_[i].boundary) {
        Tensor leaf = values_[i].tensor.detach();
        if (leaf.scalar_type() != at::kBool) leaf = leaf.to(precision_);
        if (facts_[i].wanted) leaf.requires_grad_();
        cast_[i] = {leaf, false};
      }
    }
  }

  /// Step 2, values: the output of entities [begin, end), or the uniform output.
  Tensor values_of(int64_t begin, int64_t end) {
    const int64_t count = end - begin;
    for (size_t i = 0; i < facts_.size(); ++i) {
      const Inst& inst = function_.insts[i];
      const Facts& fact = facts_[i];
      if (!fact.used || !fact.batched || fact.fused) continue;
      if (inst.op == Op::Input) values_[i] = {input(i, begin, count, precision_), true};
      else values_[i] = applied(i, precision_, count);
      for (ValueId arg : inst.args) release(arg, i);
      if (fact.product)
        for (ValueId arg : function_[fact.product].args) release(arg, i);
    }
    return values_[out().index].tensor;
  }

  const Tensor& leaf(size_t input) const { return leaves_[input]; }
  bool depends_on(size_t input) const { return leaves_[input].defined(); }

  /// Uniform values that chunks use and that depend on wanted inputs.
  std::vector<ValueId> borders() const {
    std::vector<ValueId> result;
    for (uint32_t i = 0; i < facts_.size(); ++i)
      if (facts_[i].boundary && facts_[i].wanted && cast_[i].tensor.is_floating_point()) result.push_back(ValueId(i));
    return result;
  }
  const Tensor& cast(ValueId id) const { return cast_[id.index].tensor; }
  const Tensor& uniform(ValueId id) const { return values_[id.index].tensor; }

 private:
  // W h + b in one product, if the product is used here only and b is uniform.
  void fuse(size_t i, const std::vector<int>& uses) {
    for (size_t k = 0; k < 2; ++k) {
      const ValueId product = function_.insts[i].args[k], bias = function_.insts[i].args[1 - k];
      const Inst& inst = function_[product];
      if (inst.op != Op::MatMul || uses[product.index] != 1 || facts_[bias.index].batched) continue;
      const bool fits = function_[inst.args[0]].type.rank == 2 && function_[inst.args[1]].type.rank == 1 &&
                        !facts_[inst.args[0].index].batched && facts_[inst.args[1].index].batched;
      if (!fits || function_[bias].type.rank != 1) continue;
      facts_[i].product = product;
      facts_[product.index].fused = true;
      uint32_t& last = facts_[inst.args[1].index].last_use;
      last = std::max(last, static_cast<uint32_t>(i));
      return;
    }
  }

  void release(ValueId arg, size_t user) {
    const bool is_kept = arg == out() || function_[arg].op == Op::Input;
    if (facts_[arg.index].batched && facts_[arg.index].last_use == user && !is_kept) values_[arg.index] = {};
  }

  const Value& operand(ValueId id, bool batched) const {
    return batched && !facts_[id.index].batched ? cast_[id.index] : values_[id.index];
  }

  Value applied(size_t i, at::ScalarType precision, std::optional<int64_t> count) const {
    const Inst& inst = function_.insts[i];
    const bool batched = count.has_value();
    if (facts_[i].product) {
      const Inst& product = function_[facts_[i].product];
      const ValueId bias = inst.args[inst.args[0] == facts_[i].product ? 1 : 0];
      return affine(operand(product.args[0], batched), operand(product.args[1], batched), operand(bias, batched));
    }
    std::vector<Value> operands;
    for (ValueId arg : inst.args) operands.push_back(operand(arg, batched));
    return apply({function_, ValueId(static_cast<uint32_t>(i)), operands, count.value_or(1), precision,
                  facts_[i].chosen && facts_[i].wanted});
  }

  /// An input as a tensor, with a leaf under it if its cotangent is wanted.
  Tensor input(size_t i, int64_t begin, int64_t count, at::ScalarType precision) {
    const Inst& inst = function_.insts[i];
    if (first_[inst.index].index != i) return values_[first_[inst.index].index].tensor;
    const NetworkInput& given = inputs_[inst.index];
    const int64_t entries = inst.type.entries();
    const double* first = given.values.data() + begin * entries;
    // from_blob takes no const pointer; the tensor is only read.
    Tensor t = at::from_blob(const_cast<double*>(first), shape_of(inst.type, given.per_entity, count), at::kDouble);
    if (inst.type.kind == ir::Kind::Bool) return t.ne(0);
    t = t.to(precision);
    if (!facts_[i].wanted) return t;
    leaves_[inst.index] = t.requires_grad_();
    return t.view_as(t);  // not the leaf itself: a border may be an input
  }

  const Function& function_;
  std::span<const NetworkInput> inputs_;
  at::ScalarType precision_;
  std::vector<Facts> facts_;
  std::vector<Value> values_;  ///< uniform: f64, kept; batched: of the running chunk
  std::vector<Value> cast_;    ///< borders in the precision of chunks
  std::vector<Tensor> leaves_;   ///< of wanted inputs
  std::vector<ValueId> first_;   ///< instruction that makes an input
  int64_t entries_ = 0;
};

void copy_out(const Tensor& from, double* to) {
  const Tensor t = from.detach().to(at::kDouble).contiguous();
  std::copy_n(t.data_ptr<double>(), t.numel(), to);
}

Tensor rows_of(std::span<const double> all, const ir::Type& type, int64_t begin, int64_t count) {
  double* first = const_cast<double*>(all.data()) + begin * type.entries();
  return at::from_blob(first, shape_of(type, true, count), at::kDouble);
}

std::vector<Tensor> gradients(const std::vector<Tensor>& of, const std::vector<Tensor>& bars,
                              const std::vector<Tensor>& wrt) {
  return torch::autograd::grad(of, wrt, bars, /*retain_graph=*/false, /*create_graph=*/false, /*allow_unused=*/true);
}

class TorchEvaluator final : public NetworkEvaluator {
 public:
  explicit TorchEvaluator(NetworkPrecision precision)
      : precision_(precision == NetworkPrecision::F32 ? at::kFloat : at::kDouble) {}

  std::string description() const override {
    return fmt::format("LibTorch {}, {}, 1 thread a task, malloc thresholds raised", TORCH_VERSION,
                       precision_ == at::kFloat ? "f32" : "f64");
  }

  Result<void> forward(const Function& function, std::span<const NetworkInput> inputs, int64_t n,
                       std::span<double> output) override {
    check_sizes(function, inputs, n, output.size());
    return guarded(function, [&] {
      const at::AutoGradMode none(false);
      Evaluation evaluation(function, inputs, precision_);
      evaluation.find_facts({});
      evaluation.uniform_values();
      const int64_t entries = function.outputs[0].type.entries();
      if (evaluation.is_uniform()) {
        for (int64_t i = 0; i < n; ++i) copy_out(evaluation.uniform(evaluation.out()), output.data() + i * entries);
        return;
      }
      const int64_t chunk = evaluation.chunk();
      for (int64_t begin = 0; begin < n; begin += chunk)
        copy_out(evaluation.values_of(begin, std::min(n, begin + chunk)), output.data() + begin * entries);
    });
  }

  Result<void> pull_back(const Function& function, std::span<const NetworkInput> inputs, int64_t n,
                         std::span<const double> bar, std::span<const std::span<double>> cotangents) override {
    check_sizes(function, inputs, n, bar.size());
    ASB_CHECK(cotangents.size() == inputs.size(), "one cotangent, perhaps empty, for each input of a network");
    for (size_t i = 0; i < cotangents.size(); ++i)
      ASB_CHECK(cotangents[i].empty() || cotangents[i].size() == inputs[i].values.size(), "a cotangent has the size of its input");
    return guarded(function, [&] {
      const at::AutoGradMode on(true);
      Evaluation evaluation(function, inputs, precision_);
      evaluation.find_facts(cotangents);
      evaluation.uniform_values();
      for (const std::span<double> cotangent : cotangents) std::ranges::fill(cotangent, 0.0);
      if (n == 0) return;
      std::vector<ValueId> borders = evaluation.borders();
      std::vector<Tensor> sums;
      for (ValueId id : borders) sums.push_back(at::zeros_like(evaluation.uniform(id)).detach());
      const ir::Type& type = function.outputs[0].type;
      if (evaluation.is_uniform()) {
        borders = {evaluation.out()};
        sums = {rows_of(bar, type, 0, n).sum(0)};
      } else {
        for (int64_t begin = 0, chunk = evaluation.chunk(); begin < n; begin += chunk)
          pull_chunk_back(evaluation, inputs, bar, type, begin, std::min(n, begin + chunk), borders, sums, cotangents);
      }
      pull_uniform_back(evaluation, inputs, borders, sums, cotangents);
    });
  }

 private:
  static void check_sizes(const Function& function, std::span<const NetworkInput> inputs, int64_t n, size_t output) {
    ASB_CHECK(!function.expanded && !function.outputs.empty(), "a network is a tensor-stage function with an output");
    ASB_CHECK(inputs.size() == function.inputs.size(), "number of inputs differs from the network");
    for (size_t i = 0; i < inputs.size(); ++i)
      ASB_CHECK(inputs[i].values.size() ==
                    static_cast<size_t>(function.inputs[i].type.entries() * (inputs[i].per_entity ? n : 1)),
                "size of an input differs from the network");
    ASB_CHECK(output == static_cast<size_t>(n * function.outputs[0].type.entries()), "size of a network's output");
  }

  // Step 2, cotangents.
  void pull_chunk_back(Evaluation& evaluation, std::span<const NetworkInput> inputs, std::span<const double> bar,
                       const ir::Type& type, int64_t begin, int64_t end, const std::vector<ValueId>& borders,
                       std::vector<Tensor>& sums, std::span<const std::span<double>> cotangents) const {
    const Tensor value = evaluation.values_of(begin, end);
    if (!value.requires_grad()) return;
    std::vector<Tensor> wrt;
    for (ValueId id : borders) wrt.push_back(evaluation.cast(id));
    std::vector<size_t> per_entity;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].per_entity && evaluation.depends_on(i)) per_entity.push_back(i);
    for (size_t i : per_entity) wrt.push_back(evaluation.leaf(i));
    const std::vector<Tensor> found = gradients({value}, {rows_of(bar, type, begin, end - begin).to(precision_)}, wrt);
    for (size_t k = 0; k < borders.size(); ++k)
      if (found[k].defined()) sums[k] += found[k].to(at::kDouble);
    for (size_t k = 0; k < per_entity.size(); ++k) {
      const Tensor& g = found[borders.size() + k];
      if (g.defined()) copy_out(g, cotangents[per_entity[k]].data() + begin * (g.numel() / (end - begin)));
    }
  }

  // Step 3.
  static void pull_uniform_back(const Evaluation& evaluation, std::span<const NetworkInput> inputs,
                                const std::vector<ValueId>& borders, const std::vector<Tensor>& sums,
                                std::span<const std::span<double>> cotangents) {
    std::vector<Tensor> of, bars, wrt;
    std::vector<size_t> found_for;
    for (size_t k = 0; k < borders.size(); ++k) {
      if (!evaluation.uniform(borders[k]).requires_grad()) continue;
      of.push_back(evaluation.uniform(borders[k]));
      bars.push_back(sums[k]);
    }
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (inputs[i].per_entity || !evaluation.depends_on(i)) continue;
      wrt.push_back(evaluation.leaf(i));
      found_for.push_back(i);
    }
    if (of.empty() || wrt.empty()) return;
    const std::vector<Tensor> found = gradients(of, bars, wrt);
    for (size_t k = 0; k < found.size(); ++k)
      if (found[k].defined()) copy_out(found[k], cotangents[found_for[k]].data());
  }

  /// Runs it on one thread; what LibTorch throws becomes an Error.
  template <class Work>
  static Result<void> guarded(const Function& function, Work work) {
    for (const Inst& inst : function.insts)
      if (!is_known(inst.op))
        return fail("network-op", fmt::format("`{}` in network `{}` can't be evaluated by LibTorch", ir::info(inst.op).text, function.name),
                    "apply it to the network's result, outside of the network", inst.span);
    try {
      const OneThread one;
      work();
      return {};
    } catch (const c10::Error& error) {
      return fail("network-failed", fmt::format("LibTorch failed in network `{}`: {}", function.name, error.what_without_backtrace()));
    } catch (const std::exception& error) {
      return fail("network-failed", fmt::format("LibTorch failed in network `{}`: {}", function.name, error.what()));
    }
  }

  at::ScalarType precision_;
};

}  // namespace

std::unique_ptr<NetworkEvaluator> make_evaluator(NetworkPrecision precision) {
  return std::make_unique<TorchEvaluator>(precision);
}

}  // namespace asb::networks
