// See forms.h. Works on the graph: an objective is a Reduce, or a map of reduces that is linear in them.
#include "compiler/graph/forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "compiler/ad/form.h"
#include "compiler/graph/functions.h"
#include "compiler/passes/kronecker.h"
#include "compiler/passes/passes.h"
#include "compiler/passes/pipeline.h"
#include "compiler/passes/rates.h"
#include "compiler/passes/split_by_rate.h"

namespace asb {

namespace {

using graph::NodeId;
using ir::Builder;
using ir::Function;
using ir::Type;
using ir::ValueId;

tl::unexpected<Error> outside(std::string what, Span span) {
  return fail("not-yet", fmt::format("{} can't be compiled yet", what),
              "an energy is a sum of integrals or sums whose bodies read the unknown through its value, gradient or corners",
              span);
}

class FormFinder {
 public:
  FormFinder(plan::Plan& plan, plan::Solve& solve) : plan_(plan), solve_(solve) {}
  Result<void> run();

 private:
  struct Term {
    NodeId reduce, coefficient;
  };
  const graph::Node& node(NodeId id) const { return plan_.graph.nodes[id]; }
  bool reads_unknown(NodeId id) const { return node(id).rate & ir::kAxisIteration; }
  Result<std::vector<Term>> terms();
  Result<plan::Form> form(const Term& term);
  Result<void> hoist(Function& density, std::vector<NodeId>& inputs, graph::SpaceId space);
  Result<void> kernels(plan::Form& form, const Function& density);
  Result<void> scalar_stiffness(plan::Form& form, const ad::Density& density);
  plan::BoundKernel bind(Function function, std::vector<plan::Arg> args);

  plan::Plan& plan_;
  plan::Solve& solve_;
};

Result<std::vector<FormFinder::Term>> FormFinder::terms() {
  const NodeId objective = solve_.objective;
  if (std::holds_alternative<graph::Reduce>(node(objective).kind)) return std::vector<Term>{{objective, {}}};
  const auto* map = std::get_if<graph::Map>(&node(objective).kind);
  if (!map) return outside("this objective", solve_.span);
  std::vector<Term> found;
  const Function& f = plan_.graph.functions[map->function];
  const std::vector<NodeId> inputs = node(objective).inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!reads_unknown(inputs[i])) continue;
    if (!std::holds_alternative<graph::Reduce>(node(inputs[i]).kind))
      return outside(fmt::format("an energy of `{}` itself", node(inputs[i]).name), solve_.span);
    Function copy = f;
    Builder b(copy);
    const ValueId slope = ad::derivative(b, f.outputs[map->output].values[0], b.input(static_cast<int32_t>(i)));
    if (ir::rates(copy)[slope.index] & ir::kAxisIteration)
      return outside("an energy that is a nonlinear function of a sum", node(inputs[i]).span);
    Term term{inputs[i], {}};
    if (!b.is_one(slope)) {
      copy.outputs.clear();
      b.add_output("coefficient", slope);
      std::vector<NodeId> read = inputs;
      copy = drop_unread_inputs(ir::remove_dead(copy), read);
      copy.name = fmt::format("coefficient_{}", plan_.graph.functions.size());
      ir::Rate rate = 0;
      for (const ir::Input& in : copy.inputs) rate |= in.rate;
      const auto id = plan_.graph.functions.add(std::move(copy));
      term.coefficient = plan_.graph.nodes.add({graph::Map{id, 0}, graph::kSingle, Type::scalar(), rate, read,
                                                "coefficient", node(inputs[i]).span});
    }
    found.push_back(term);
  }
  if (found.empty())
    return fail("objective-without-unknown", fmt::format("the energy of `solve {}` doesn't depend on `{}`", solve_.name, solve_.name),
                {}, solve_.span);
  return found;
}

/// Splits off what doesn't depend on the unknowns: first what is the same everywhere, then what is fixed per entity.
Result<void> FormFinder::hoist(Function& density, std::vector<NodeId>& inputs, graph::SpaceId space) {
  for (const bool per_entity : {false, true}) {
    const ir::Rate inner = per_entity ? ir::kAxisIteration : ir::kAxisIteration | ir::kAxisMesh;
    ir::Split split = ir::split_by_rate(density, inner);
    if (split.is_trivial()) continue;
    std::vector<NodeId> read = inputs;
    Function outer = drop_unread_inputs(ir::remove_dead(split.outer), read);
    outer.name = fmt::format("fixed_{}", plan_.graph.functions.size());
    const std::vector<ir::Output> outputs = outer.outputs;
    ir::Rate rate = 0;
    for (const ir::Input& in : outer.inputs) rate |= in.rate;
    const auto id = plan_.graph.functions.add(std::move(outer));
    for (size_t k = 0; k < outputs.size(); ++k)
      inputs.push_back(plan_.graph.nodes.add({graph::Map{id, static_cast<int32_t>(k)}, per_entity ? space : graph::kSingle,
                                              outputs[k].type, rate, read, outputs[k].name, {}}));
    density = std::move(split.inner);
  }
  density = drop_unread_inputs(ir::remove_dead(density), inputs);
  return {};
}

plan::BoundKernel FormFinder::bind(Function function, std::vector<plan::Arg> args) {
  function = drop_unread_inputs(ir::remove_dead(function), args);
  const plan::KernelId id(static_cast<uint32_t>(plan_.kernels.size()));
  plan_.kernels.push_back({std::move(function), {}});
  return {id, std::move(args)};
}

/// The outputs of `function` from `first` on, flattened and joined into one.
void join_outputs(Function& function, size_t first, const char* name) {
  Builder b(function);
  std::vector<ValueId> parts;
  for (size_t k = first; k < function.outputs.size(); ++k) {
    const Type& type = function.outputs[k].type;
    parts.push_back(b.reshape(function.outputs[k].values[0], Type::vector(type.entries())));
  }
  function.outputs.resize(first);
  b.add_output(name, parts.size() == 1 ? parts[0] : b.concat(parts));
}

Result<void> FormFinder::scalar_stiffness(plan::Form& form, const ad::Density& density) {
  if (form.locals.size() != 1) return {};
  Function f = density.function;
  Builder b(f);
  const ValueId y = b.input(density.locals[0]);
  const ad::Seed seed{f.outputs[0].values[0], b.constant(1)};
  const ValueId p = ad::pull_back(b, std::span(&seed, 1), std::span(&y, 1))[0];
  const ValueId H = ad::derivative(b, p, y, {.hold_minimisers = true});
  const Type type = b.type(y);
  const bool gradient = form.locals[0].kind == graph::GatherKind::Gradient;
  const int32_t n = type.rank == 0 ? 1 : type.dims[0], m = gradient ? 3 : 1;
  if (gradient && type.rank == 1) return {};  // a scalar unknown: its Hessian is its own factor
  f.outputs.clear();
  b.add_output("H", b.reshape(H, Type::real(std::vector<int32_t>{n, m, n, m})));
  const auto scalar = ir::run_pipeline(f);
  if (!scalar) return fail(scalar.error());
  const auto found = ir::is_scaled_identity_kronecker(*scalar, 0, n);
  if (!found || (found->rate & ir::kAxisIteration)) return {};
  std::vector<ValueId> C;
  for (int32_t J = 0; J < m; ++J)
    for (int32_t L = 0; L < m; ++L) C.push_back(b.entry(f.outputs[0].values[0], {0, J, 0, L}));
  f.outputs.clear();
  b.add_output("C", b.stack(C));
  f.name = form.name + "_scalar_stiffness";
  std::vector<plan::Arg> args{{plan::ArgKind::Local, 0}};
  for (size_t k = 0; k < form.operands.size(); ++k) args.push_back({plan::ArgKind::Operand, static_cast<int32_t>(k)});
  form.scalar_stiffness = bind(ir::share_subexpressions(f), std::move(args));
  // The structure was seen on scalars; in tensors the local may still stand in dead text.
  for (const plan::Arg& arg : form.scalar_stiffness.inputs)
    if (arg.kind == plan::ArgKind::Local) form.scalar_stiffness = {};
  return {};
}

/// The local 3×3 gradient whose determinant is the operand of an op with a domain: log, root, power, division.
int32_t guarded_determinant(const Function& f, size_t n_locals) {
  const auto strip = [&](ValueId v) {
    while (f[v].op == ir::Op::Copy || f[v].op == ir::Op::Envelope || f[v].op == ir::Op::Live) v = f[v].args[0];
    return v;
  };
  for (const ir::Inst& inst : f.insts) {
    ValueId operand;
    if (inst.op == ir::Op::Log || inst.op == ir::Op::Sqrt || inst.op == ir::Op::Pow) operand = inst.args[0];
    if (inst.op == ir::Op::Div) operand = inst.args[1];
    if (!operand) continue;
    operand = strip(operand);
    if (f[operand].op != ir::Op::Det) continue;
    const ValueId of = strip(f[operand].args[0]);
    if (f[of].op == ir::Op::Input && f[of].index < static_cast<int32_t>(n_locals) && f[of].type == Type::matrix(3, 3))
      return f[of].index;
  }
  return -1;
}

Result<void> FormFinder::kernels(plan::Form& form, const Function& density_function) {
  std::vector<int32_t> locals(form.locals.size());
  std::iota(locals.begin(), locals.end(), 0);
  const ad::Density density{density_function, locals};
  std::vector<plan::Arg> args;
  for (size_t k = 0; k < locals.size(); ++k) args.push_back({plan::ArgKind::Local, static_cast<int32_t>(k)});
  for (size_t k = 0; k < form.operands.size(); ++k) args.push_back({plan::ArgKind::Operand, static_cast<int32_t>(k)});

  const auto derived = [&](unsigned outputs, const char* suffix) {
    Function f = ad::form_function(density, outputs);
    f.name = form.name + "_" + suffix;
    return f;
  };
  form.energy = bind(derived(ad::kEnergy, "energy"), args);

  Function gradient = derived(ad::kEnergy | ad::kGradient, "gradient");
  join_outputs(gradient, 1, "gradient");
  form.gradient = bind(std::move(gradient), args);

  // Whether the Hessian is zero or constant shows on folded scalars.
  Function only_hessian = derived(ad::kHessian, "only_hessian");
  const auto scalars = ir::run_pipeline(only_hessian);
  if (!scalars) return fail(scalars.error());
  const auto rates = ir::rates(*scalars);
  form.is_linear = form.is_quadratic = true;
  for (const ValueId v : scalars->outputs[0].values) {
    const ir::Inst& inst = (*scalars)[v];
    form.is_linear = form.is_linear && inst.op == ir::Op::Constant && inst.number == 0;
    form.is_quadratic = form.is_quadratic && !(rates[v.index] & ir::kAxisIteration);
  }
  form.determinant_of = guarded_determinant(density_function, locals.size());
  form.has_minimiser =
      std::ranges::any_of(density_function.insts, [](const ir::Inst& i) { return i.op == ir::Op::Envelope; });
  if (form.is_linear) return {};

  Function hessian = derived(ad::kEnergy | ad::kGradient | ad::kHessian, "hessian");
  {  // energy, one gradient, hessian
    ir::Output h = hessian.outputs.back();
    hessian.outputs.pop_back();
    join_outputs(hessian, 1, "gradient");
    hessian.outputs.push_back(std::move(h));
  }
  form.hessian = bind(std::move(hessian), args);

  // Products: what doesn't read the direction is computed once per linearisation.
  Function product = derived(ad::kProduct, "product");
  join_outputs(product, 0, "product");
  std::vector<plan::Arg> product_args = args;
  for (size_t k = 0; k < locals.size(); ++k) product_args.push_back({plan::ArgKind::Direction, static_cast<int32_t>(k)});
  for (size_t k = args.size(); k < product.inputs.size(); ++k)
    product.inputs[k].rate = ir::kAxisMesh | ir::kAxisDirection;
  ir::Split split = ir::split_by_rate(ir::remove_copies(ir::share_subexpressions(product)), ir::kAxisDirection);
  if (!split.is_trivial()) {
    for (const ir::Output& output : split.outer.outputs) {
      form.linearised.push_back(output.type.entries());
      product_args.push_back({plan::ArgKind::Linearised, static_cast<int32_t>(form.linearised.size() - 1)});
    }
    split.outer.name = form.name + "_linearise";
    form.linearise = bind(std::move(split.outer), product_args);
    product = std::move(split.inner);
    for (size_t k = split.first_held; k < product.inputs.size(); ++k) product.inputs[k].rate |= ir::kAxisMesh;
  }
  product.name = form.name + "_product";
  form.product = bind(std::move(product), std::move(product_args));
  return scalar_stiffness(form, density);
}

Result<plan::Form> FormFinder::form(const Term& term) {
  const graph::Node reduce = node(term.reduce);
  plan::Form form;
  form.name = fmt::format("{}_{}", reduce.name, plan_.kernels.size());
  std::ranges::replace_if(form.name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
  form.reduction = std::get<graph::Reduce>(reduce.kind).kind;
  form.coefficient = term.coefficient;
  form.span = reduce.span;
  if (form.reduction == graph::Reduction::Min || form.reduction == graph::Reduction::Max)
    return outside("an energy that is a minimum or maximum over entities", reduce.span);
  const graph::Node integrand = node(reduce.inputs[0]);
  form.space = integrand.space;

  // The density over its inputs: a map, or the bare gather as it is.
  Function density;
  std::vector<NodeId> inputs;
  if (const auto* map = std::get_if<graph::Map>(&integrand.kind)) {
    density = plan_.graph.functions[map->function];
    inputs = integrand.inputs;
  } else {
    Builder b(density);
    b.add_output("value", b.add_input(integrand.name, integrand.type, integrand.rate | ir::kAxisMesh));
    inputs = {reduce.inputs[0]};
  }
  if (!density.outputs[0].type.is_scalar()) return outside("an energy that is not a scalar", reduce.span);
  density = ir::share_subexpressions(ir::fold_constants(density));
  if (auto hoisted = hoist(density, inputs, form.space); !hoisted) return fail(hoisted.error());

  // Locals first, operands after.
  std::vector<int32_t> order;
  for (const bool locals : {true, false})
    for (size_t i = 0; i < inputs.size(); ++i)
      if (reads_unknown(inputs[i]) == locals) order.push_back(static_cast<int32_t>(i));
  density = reorder_inputs(density, order);
  for (const int32_t i : order) {
    const graph::Node& in = node(inputs[i]);
    if (!reads_unknown(inputs[i])) {
      form.operands.push_back(inputs[i]);
      continue;
    }
    plan::Local local{.unknown = 0, .kind = graph::GatherKind::Value, .corner = 0, .type = in.type, .first = form.n_local};
    NodeId source = inputs[i];
    if (const auto* gather = std::get_if<graph::Gather>(&in.kind)) {
      local.kind = gather->kind;
      local.corner = gather->corner;
      source = in.inputs[0];
    }
    const auto* leaf = std::get_if<graph::Leaf>(&node(source).kind);
    if (!leaf || leaf->kind != graph::LeafKind::Unknown)
      return outside(fmt::format("an energy of `{}`, which is made from the unknown", in.name), reduce.span);
    const auto at = std::ranges::find(solve_.unknowns, plan::UnknownId(leaf->ref));
    local.unknown = static_cast<int32_t>(at - solve_.unknowns.begin());
    form.n_local += in.type.entries();
    form.locals.push_back(local);
  }
  if (auto made = kernels(form, density); !made) return fail(made.error());
  return form;
}

Result<void> FormFinder::run() {
  const auto found = terms();
  if (!found) return fail(found.error());
  for (const Term& term : *found) {
    auto made = form(term);
    if (!made) return fail(made.error());
    solve_.forms.push_back(std::move(*made));
  }
  return {};
}

}  // namespace

Result<void> find_forms(plan::Plan& plan) {
  for (plan::Solve& solve : plan.solves)
    if (auto done = FormFinder(plan, solve).run(); !done) return done;
  return {};
}

}  // namespace asb
