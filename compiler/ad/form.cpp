// Kernels of a form: reverse for the gradient, forward over it for the Hessian, columns cut at the diagonal.
#include "compiler/ad/form.h"

namespace asb::ad {
namespace {

using ir::Builder;
using ir::Function;
using ir::Type;
using ir::ValueId;

/// A copy of the density's function that outputs are added to.
class Form {
 public:
  Form(const Density& density, DerivativeOptions options)
      : function_(density.function), builder_(function_, ir::Rules::Both), options_(options) {
    ASB_CHECK(!function_.expanded && !function_.outputs.empty() && function_.outputs[0].type.is_scalar(),
              "output 0 of a density is a scalar, before expand");
    psi_ = function_.outputs[0].values[0];
    function_.outputs.clear();
    for (int32_t i : density.locals) {
      names_.push_back(function_.inputs[i].name);
      rates_.push_back(function_.inputs[i].rate);
      locals_.push_back(builder_.input(i));
    }
  }

  void energy() { builder_.add_output("energy", psi_); }

  void gradient() {
    for (size_t k = 0; k < locals_.size(); ++k) builder_.add_output("gradient." + names_[k], gradients()[k]);
  }

  void hessian() {
    std::vector<ValueId> rows;
    int32_t n = 0, j = 0;
    for (ValueId y : locals_) n += builder_.type(y).entries();
    for (ValueId y : locals_)
      for (int32_t i = 0; i < builder_.type(y).entries(); ++i, ++j) {
        const Seed seed{y, basis(builder_, builder_.type(y), i)};
        const std::vector<ValueId> column = push_forward(builder_, {&seed, 1}, gradients(), options_);
        std::vector<ValueId> parts;
        for (ValueId c : column) parts.push_back(builder_.reshape(c, Type::vector(builder_.type(c).entries())));
        const ValueId whole = parts.size() == 1 ? parts[0] : builder_.concat(parts);
        rows.push_back(j == 0 ? whole : builder_.slice(whole, j, n - j));  // row j from the diagonal on, by symmetry
      }
    builder_.add_output("hessian", rows.size() == 1 ? rows[0] : builder_.concat(rows));
  }

  void product() {
    const std::vector<ValueId> result = push_forward(builder_, directions(), gradients(), options_);
    for (size_t k = 0; k < result.size(); ++k) builder_.add_output("product." + names_[k], result[k]);
  }

  void mixed(std::span<const int32_t> others) {
    const std::vector<Seed> w = directions();
    const ValueId slope = push_forward(builder_, w, {&psi_, 1}, options_)[0];
    const Seed seed{slope, builder_.constant(1)};
    std::vector<ValueId> wrt;
    for (int32_t i : others) wrt.push_back(builder_.input(i));
    const std::vector<ValueId> result = pull_back(builder_, {&seed, 1}, wrt, options_);
    for (size_t k = 0; k < result.size(); ++k)
      builder_.add_output("mixed." + function_.inputs[others[k]].name, result[k]);
  }

  Function take() { return std::move(function_); }

 private:
  std::span<const ValueId> gradients() {
    if (gradients_.empty()) {
      const Seed seed{psi_, builder_.constant(1)};
      gradients_ = pull_back(builder_, {&seed, 1}, locals_, options_);
    }
    return gradients_;
  }

  std::vector<Seed> directions() {
    std::vector<Seed> result;
    for (size_t k = 0; k < locals_.size(); ++k) {
      const Type type = builder_.type(locals_[k]);
      result.push_back({locals_[k], builder_.add_input("direction." + names_[k], type,
                                                       rates_[k] | ir::kAxisMesh | ir::kAxisDirection)});
    }
    return result;
  }

  Function function_;
  Builder builder_;
  DerivativeOptions options_;
  ValueId psi_;
  std::vector<std::string> names_;
  std::vector<ir::Rate> rates_;
  std::vector<ValueId> locals_, gradients_;
};

}  // namespace

Function form_function(const Density& density, unsigned outputs, DerivativeOptions options) {
  Form form(density, options);
  if (outputs & kEnergy) form.energy();
  if (outputs & kGradient) form.gradient();
  if (outputs & kHessian) form.hessian();
  if (outputs & kProduct) form.product();
  return form.take();
}

Function mixed_function(const Density& density, std::span<const int32_t> others, DerivativeOptions options) {
  Form form(density, options);
  form.mixed(others);
  return form.take();
}

}  // namespace asb::ad
