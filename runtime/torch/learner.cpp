// Named arrays as LibTorch tensors, learned by torch::optim::Adam ([Kingma2015] Alg. 1). Arrays that say so are f32 in an
// f32 run; latents and params are f64. Adam is entry by entry on one thread, so the same gradients give the same bits.
//
// State of the optimiser, by array, all exact in f64: optimiser.NAME.position (in the order of begin()), .step, .exp_avg
// and .exp_avg_sq; once: optimiser.adam = (beta1, beta2, epsilon).
#include "runtime/torch/learner.h"

#include <fmt/format.h>
#include <torch/optim/adam.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/check.h"

namespace asb::networks {
namespace {

using at::Tensor;
using torch::optim::AdamParamState;

const std::string kPrefix = "optimiser.";

std::vector<double> numbers_of(const Tensor& tensor) {
  const Tensor t = tensor.detach().to(at::kDouble).contiguous();
  return {t.data_ptr<double>(), t.data_ptr<double>() + t.numel()};
}

Tensor tensor_of(std::span<const double> values, at::IntArrayRef shape, at::ScalarType type) {
  const Tensor seen = at::from_blob(const_cast<double*>(values.data()), shape, at::kDouble);  // only read
  return seen.to(type, /*non_blocking=*/false, /*copy=*/true);
}

class AdamLearner final : public Learner {
 public:
  explicit AdamLearner(NetworkPrecision precision) : precision_(precision) {}

  void add(const NamedArray& initial) override {
    const bool is_f32 = initial.is_f32 && precision_ == NetworkPrecision::F32;
    Tensor t = tensor_of(initial.values, initial.shape, is_f32 ? at::kFloat : at::kDouble);
    ASB_CHECK(static_cast<size_t>(t.numel()) == initial.values.size(), "size of a learned array");
    ASB_CHECK(arrays_.emplace(initial.name, t.requires_grad_()).second, "an array is added once");
  }

  std::vector<double> values(const std::string& name) const override { return numbers_of(array(name)); }

  void set(const std::string& name, std::span<const double> values) override {
    const Tensor& t = array(name);
    ASB_CHECK(static_cast<size_t>(t.numel()) == values.size(), "size of a learned array");
    const at::AutoGradMode none(false);
    t.copy_(tensor_of(values, t.sizes(), t.scalar_type()));
  }

  void begin(std::span<const std::string> names, const AdamOptions& options) override {
    names_.assign(names.begin(), names.end());
    std::vector<Tensor> learned;
    for (const std::string& name : names_) learned.push_back(array(name));
    adam_.emplace(learned, torch::optim::AdamOptions().betas({options.beta1, options.beta2}).eps(options.epsilon));
  }

  void step(double rate, std::span<const std::vector<double>> gradients) override {
    ASB_CHECK(adam_ && gradients.size() == names_.size(), "one gradient for each array of the running stage");
    for (size_t i = 0; i < names_.size(); ++i) {
      const Tensor& t = array(names_[i]);
      ASB_CHECK(gradients[i].size() == static_cast<size_t>(t.numel()), "size of a gradient");
      t.mutable_grad() = tensor_of(gradients[i], t.sizes(), t.scalar_type());
    }
    options().lr(rate);
    adam_->step();
  }

  std::vector<NamedArray> state() const override {
    std::vector<NamedArray> result;
    if (!adam_) return result;
    const auto& [beta1, beta2] = options().betas();
    result.push_back({kPrefix + "adam", {3}, {beta1, beta2, options().eps()}});
    for (size_t i = 0; i < names_.size(); ++i) {
      const Tensor& t = array(names_[i]);
      const std::string name = kPrefix + names_[i];
      const auto found = adam_->state().find(key_of(t));
      const auto* kept = found == adam_->state().end() ? nullptr : static_cast<const AdamParamState*>(found->second.get());
      const auto moment = [&](const char* part, const Tensor* m) {
        result.push_back({name + part, t.sizes().vec(), m ? numbers_of(*m) : std::vector<double>(t.numel(), 0.0),
                          t.scalar_type() == at::kFloat});
      };
      result.push_back({name + ".position", {1}, {static_cast<double>(i)}});
      result.push_back({name + ".step", {1}, {kept ? static_cast<double>(kept->step()) : 0.0}});
      moment(".exp_avg", kept ? &kept->exp_avg() : nullptr);
      moment(".exp_avg_sq", kept ? &kept->exp_avg_sq() : nullptr);
    }
    return result;
  }

  /// All is checked before anything changes.
  Result<void> restore(std::span<const NamedArray> state) override {
    std::map<std::string, const NamedArray*> parts;
    for (const NamedArray& a : state)
      if (a.name.starts_with(kPrefix)) parts[a.name.substr(kPrefix.size())] = &a;
    if (parts.empty()) {
      adam_.reset();
      names_.clear();
      return {};
    }
    const auto adam = parts.find("adam");
    if (adam == parts.end() || adam->second->values.size() != 3) return damaged("adam");
    std::vector<std::string> names(std::ranges::count_if(parts, [](const auto& p) { return p.first.ends_with(".position"); }));
    for (const auto& [part, values] : parts) {
      if (!part.ends_with(".position")) continue;
      const std::string name = part.substr(0, part.rfind('.'));
      const auto known = arrays_.find(name);
      if (known == arrays_.end())
        return fail("optimiser-state", fmt::format("the optimiser's state has `{}`, which isn't learned here", name),
                    "resume with the program that wrote it");
      const auto size = static_cast<size_t>(known->second.numel());
      const double at = values->values.size() == 1 ? values->values[0] : -1;
      if (!(at >= 0 && at < static_cast<double>(names.size())) || !names[static_cast<size_t>(at)].empty()) return damaged(part);
      names[static_cast<size_t>(at)] = name;
      for (const auto& [end, expected] : {std::pair{".step", size_t{1}}, {".exp_avg", size}, {".exp_avg_sq", size}}) {
        const auto found = parts.find(name + end);
        if (found == parts.end() || found->second->values.size() != expected) return damaged(name + end);
      }
    }
    if (parts.size() != 1 + 4 * names.size()) return damaged("*.position");
    const std::vector<double>& o = adam->second->values;
    begin(names, {.beta1 = o[0], .beta2 = o[1], .epsilon = o[2]});
    for (const std::string& name : names) {
      const double steps = parts[name + ".step"]->values[0];
      if (steps == 0) continue;
      const Tensor& t = array(name);
      auto kept = std::make_unique<AdamParamState>();
      kept->step(static_cast<int64_t>(steps));
      kept->exp_avg(tensor_of(parts[name + ".exp_avg"]->values, t.sizes(), t.scalar_type()));
      kept->exp_avg_sq(tensor_of(parts[name + ".exp_avg_sq"]->values, t.sizes(), t.scalar_type()));
      adam_->state()[key_of(t)] = std::move(kept);
    }
    return {};
  }

 private:
  static tl::unexpected<Error> damaged(const std::string& part) {
    return fail("optimiser-state", fmt::format("the optimiser's state lacks `{}{}` or has it in another size", kPrefix, part),
                "resume with the program that wrote it");
  }
  static std::string key_of(const Tensor& t) { return c10::guts::to_string(t.unsafeGetTensorImpl()); }  // as torch::optim does

  const Tensor& array(const std::string& name) const {
    const auto found = arrays_.find(name);
    ASB_CHECK(found != arrays_.end(), "a learned array has been added");
    return found->second;
  }
  torch::optim::AdamOptions& options() const {
    return static_cast<torch::optim::AdamOptions&>(adam_->param_groups()[0].options());
  }

  NetworkPrecision precision_;
  std::map<std::string, Tensor> arrays_;
  std::vector<std::string> names_;  ///< of the running stage
  mutable std::optional<torch::optim::Adam> adam_;
};

}  // namespace

std::unique_ptr<Learner> make_learner(NetworkPrecision precision) { return std::make_unique<AdamLearner>(precision); }

}  // namespace asb::networks
