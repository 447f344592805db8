// Functions, layers and networks. A call checks the body with the types of its arguments and inlines it; every parameter
// becomes a Let, so that d() may cut there. A function whose sizes are all given is also checked once by itself.
#include <algorithm>

#include "dsl/sema/checker.h"

namespace asb::sema {

bool is_special_form(std::string_view name);
std::string closest(std::string_view name, const std::vector<std::string>& candidates);

Value Checker::call(const ast::Call& call, Span span) {
  if (auto form = special_form(call, span)) return *form;
  const Found found = find(call.function.text, call.function.span, true);
  if (found.reported) return {};
  if (found.decl) return call_declaration(found.decl, call.arguments, span);
  if (auto value = builtin_call(call, span)) return *value;
  const std::string& name = call.function.text;
  for (const std::string_view loader : {"box", "voxels", "file", "embed", "boundary", "polyline", "sample", "positions",
                                        "files", "between", "gaussian", "uniform", "constant"}) {
    if (name != loader) continue;
    error(Kind::UnknownFunction, call.function.span, name)
        .with_hint(fmt::format("`{}` stands on the right of a declaration, as in `mesh m = box(…)`", name));
    return {};
  }
  unknown_name(Kind::UnknownFunction, call.function, suggest_callable(name));
  return {};
}

// Arguments by position and label, evaluated where the call stands. A layer also takes `name: "text"`.
bool Checker::match_arguments(const ast::FunctionDecl& function, const std::vector<ast::Argument>& arguments, Span span,
                              std::vector<std::optional<Value>>& values, std::string& layer_name) {
  const auto& parameters = function.parameters;
  values.assign(parameters.size(), std::nullopt);
  bool ok = true, unknown = false;
  size_t position = 0;
  for (const ast::Argument& argument : arguments) {
    size_t k = position;
    if (argument.label) {
      const auto at = std::ranges::find_if(parameters, [&](const auto& p) { return p.name.text == argument.label.text; });
      k = static_cast<size_t>(at - parameters.begin());
      if (at == parameters.end()) {
        if (function.kind == ast::FunctionKind::Layer && argument.label.text == "name") {
          const auto name = text_argument(argument.value, "`name`");
          if (!name) return false;
          layer_name = *name;
          continue;
        }
        std::vector<std::string> names;
        for (const auto& p : parameters) names.push_back(p.name.text);
        const std::string best = closest(argument.label.text, names);
        Diagnostic& report =
            error(Kind::UnknownArgument, argument.label.span, function.name.text, argument.label.text);
        report.label(function.name.span, "declared here");
        unknown = true;
        if (!best.empty()) report.with_hint(fmt::format("did you mean `{}`?", best));
        ok = false;
        continue;
      }
    } else if (position++ >= parameters.size()) {
      error(Kind::ArgumentCount, span, function.name.text, fmt::format("{}", parameters.size()), arguments.size())
          .label(function.name.span, "declared here");
      return false;
    }
    if (values[k]) {
      error(Kind::RepeatedArgument, tree_[argument.value].span, function.name.text, parameters[k].name.text);
      ok = false;
      continue;
    }
    Value value = operand(argument.value);
    if (value.is_error()) ok = false;
    value.span = tree_[argument.value].span;
    values[k] = std::move(value);
  }
  for (size_t k = 0; k < parameters.size(); ++k) {
    if (unknown || values[k] || parameters[k].initial || !parameters[k].name) continue;
    error(Kind::MissingArgument, span, function.name.text, parameters[k].name.text)
        .label(parameters[k].name.span, "declared here");
    ok = false;
  }
  return ok;
}

// Whether sizes can be inferred: `real[n, m]` takes a value with two axes, and `I` only where the sizes are known.
bool Checker::has_rank_of(const ast::Parameter& parameter, const Value& value, const std::string& function) {
  const ast::Type& type = tree_[parameter.type];
  const std::string what = fmt::format("`{}` of `{}`", parameter.name.text, function);
  if (value.is_number() && !type.sizes.empty() && value.type.dims.size() != type.sizes.size()) {
    error(Kind::TypeMismatch, value.span, what, spell_shape(value.type), text(type.span))
        .label(type.span, "declared here");
    return false;
  }
  if (!value.is_open()) return true;
  for (const ast::ExprId size : type.sizes) {
    const auto* name = std::get_if<ast::Name>(&tree_[size].kind);
    if (!name || find(name->name, tree_[size].span, false).local) continue;
    error(Kind::UnknownSize, value.span, value.kind == ValueKind::Identity ? "I" : "zero");
    return false;
  }
  return true;
}

// Binds parameters in the scope of the function: whole numbers first, since they may size the others.
bool Checker::bind_parameters(const ast::FunctionDecl& function, std::vector<std::optional<Value>>& values, Span span) {
  const auto& parameters = function.parameters;
  const auto is_int = [&](const ast::Parameter& p) { return p.type && tree_[p.type].name == "int"; };
  for (const bool ints : {true, false}) {
    for (size_t k = 0; k < parameters.size(); ++k) {
      const ast::Parameter& parameter = parameters[k];
      if (!parameter.name || is_int(parameter) != ints) continue;
      const bool given = values[k].has_value();
      Value value = given ? *values[k] : operand(parameter.initial);
      if (value.is_error()) return false;
      if (!parameter.type || !has_rank_of(parameter, value, function.name.text)) return false;
      const DeclaredType type = declared_type(parameter.type, &value);
      value = coerce(value, type, fmt::format("`{}` of `{}`", parameter.name.text, function.name.text));
      if (value.is_error()) return false;
      if (ints && !value.constant) {
        error(Kind::NotCompileTime, given ? value.span : span, fmt::format("`{}`", parameter.name.text));
        return false;
      }
      if (ints) value.expr = {};
      Value named = let_node(parameter.name.text, value, value.span);
      if (!bind(parameter.name, std::move(named))) return false;
    }
  }
  return true;
}

Value Checker::result_of(const ast::FunctionDecl& function) {
  Value value = operand(function.body);
  if (value.is_error() || !function.result) return value;
  return coerce(value, declared_type(function.result), fmt::format("the result of `{}`", function.name.text));
}

Value Checker::call_declaration(ast::DeclId id, const std::vector<ast::Argument>& arguments, Span span) {
  const auto* function = std::get_if<ast::FunctionDecl>(&tree_[id].kind);
  if (!function) return {};  // broken, reported by the parser
  if (function->kind == ast::FunctionKind::Network) return call_network(id, arguments, span);

  std::vector<std::optional<Value>> values;
  std::string layer_name;
  if (!match_arguments(*function, arguments, span, values, layer_name)) return {};
  const auto again = std::ranges::find_if(calls_, [&](const CallSite& c) { return c.function == id; });
  if (again != calls_.end()) {
    std::string cycle;
    bool known = false;
    for (auto at = again; at != calls_.end(); ++at) {
      known = !recursive_.insert(at->function).second || known;
      cycle += fmt::format("`{}` → ", std::get<ast::FunctionDecl>(tree_[at->function].kind).name.text);
    }
    if (!known) error(Kind::Recursion, span, function->name.text, cycle + fmt::format("`{}`", function->name.text));
    return {};
  }
  std::string path;
  if (function->kind == ast::FunctionKind::Layer) {
    if (!owner_) {
      error(Kind::LayerMisplaced, span, function->name.text);
      return {};
    }
    path = owner_->path;
  }
  Frame frame(*this);
  scope_base_ = locals_.size();
  module_ = tree_[id].module;
  context_ = Context{.place = Place::Function, .number = ++contexts_};
  context_.in_work = frame.context.in_work;
  calls_.push_back({id, span});
  if (function->kind == ast::FunctionKind::Layer && owner_->direct != span) {
    std::string name = layer_name;
    if (name.empty()) {
      const int n = owner_->counts[path + "." + function->name.text]++;
      name = n == 0 ? function->name.text : fmt::format("{}[{}]", function->name.text, n);
    }
    owner_->path = path + "." + name;
  }
  Value value;
  if (bind_parameters(*function, values, span)) value = result_of(*function);
  calls_.pop_back();
  if (function->kind == ast::FunctionKind::Layer) owner_->path = path;
  value.span = span;
  value.declared = {};
  return value;
}

// Once by itself, so that a function nobody calls is checked as well: its parameters stand for any value of their type.
void Checker::check_function(ast::DeclId id) {
  const auto& function = std::get<ast::FunctionDecl>(tree_[id].kind);
  if (is_special_form(function.name.text)) {
    error(Kind::ReservedName, function.name.span, function.name.text);
    return;
  }
  std::vector<std::string> generic;
  for (const ast::Parameter& p : function.parameters) {
    if (!p.type) return;
    if (tree_[p.type].name == "int") return;
    for (const ast::ExprId s : tree_[p.type].sizes)
      if (!std::holds_alternative<ast::Number>(tree_[s].kind)) return;
  }
  Frame frame(*this);
  scope_base_ = locals_.size();
  module_ = tree_[id].module;
  context_ = Context{.place = Place::Function, .number = ++contexts_};
  WeightOwner owner;
  const auto weights = model_.weights;
  if (function.kind == ast::FunctionKind::Layer) owner_ = &owner;
  calls_.push_back({id, Span{}});
  bool ok = true;
  for (size_t k = 0; k < function.parameters.size() && ok; ++k) {
    const ast::Parameter& p = function.parameters[k];
    DeclaredType type = declared_type(p.type);
    ok = type.ok;
    if (!ok) break;
    if (!type.has_unit) type.type.unit = free_unit();
    if (p.initial) coerce(operand(p.initial), type, fmt::format("the default of `{}`", p.name.text));
    const ExprId any = add({.kind = ExprKind::Parameter,
                            .type = type.type,
                            .span = p.name.span,
                            .args = {},
                            .ref = static_cast<uint32_t>(k),
                            .name = p.name.text});
    ok = bind(p.name, let_node(p.name.text, of_node(any, type.type, p.name.span), p.name.span));
  }
  if (ok) result_of(function);
  calls_.pop_back();
  model_.weights = weights;
}

// ------------------------------------------------------------------------------------------------ networks

void Checker::declare_network(ast::DeclId id) {
  const auto& function = std::get<ast::FunctionDecl>(tree_[id].kind);
  info_[id.index].state = State::Failed;
  if (is_special_form(function.name.text)) {
    error(Kind::ReservedName, function.name.span, function.name.text);
    return;
  }
  scope_base_ = locals_.size();
  context_ = Context{.place = Place::Function, .number = ++contexts_};
  model::Network network;
  network.name = function.name.text;
  network.span = tree_[id].span;
  WeightOwner owner;
  owner.network = model::NetworkId(static_cast<uint32_t>(model_.networks.size()));
  owner.path = function.name.text;
  if (std::holds_alternative<ast::Call>(tree_[function.body].kind)) owner.direct = tree_[function.body].span;
  model_.networks.add(network);  // its number is needed by its weights
  owner_ = &owner;
  for (size_t k = 0; k < function.parameters.size(); ++k) {
    const ast::Parameter& p = function.parameters[k];
    if (!p.type) return;
    DeclaredType type = declared_type(p.type);
    if (!type.ok) return;
    if (type.type.kind == TypeKind::Int || type.type.kind == TypeKind::Bool) {
      error(Kind::WrongOperand, p.name.span, fmt::format("the network `{}`", network.name), "real parameters",
            spell_shape(type.type));
      return;
    }
    if (!type.has_unit) type.type.unit = free_unit();
    network.parameters.push_back(p.name.text);
    network.parameter_types.push_back(type.type);
    const ExprId parameter = add({.kind = ExprKind::Parameter,
                                  .type = type.type,
                                  .span = p.name.span,
                                  .args = {},
                                  .ref = static_cast<uint32_t>(k),
                                  .name = p.name.text});
    if (!bind(p.name, of_node(parameter, type.type, p.name.span))) return;
  }
  Value value = result_of(function);
  if (value.is_error()) return;
  if (!value.is_number() || value.is_bool()) {
    error(Kind::UnknownSize, tree_[function.body].span, "I");
    return;
  }
  network.body = expr_of(value);
  network.weights = owner.weights;
  model_.networks[owner.network] = std::move(network);
  DeclInfo& info = info_[id.index];
  info.ref = owner.network.index;
  info.value = value;
  info.state = State::Done;
}

Value Checker::call_network(ast::DeclId id, const std::vector<ast::Argument>& arguments, Span span) {
  const auto& function = std::get<ast::FunctionDecl>(tree_[id].kind);
  std::vector<std::optional<Value>> values;
  std::string layer_name;
  if (!match_arguments(function, arguments, span, values, layer_name)) return {};
  if (!ensure(id)) return {};
  const uint32_t ref = info_[id.index].ref;
  const std::vector<Type> types = model_.networks[model::NetworkId(ref)].parameter_types;
  model::Expr expr{.kind = ExprKind::NetworkCall, .type = {}, .span = span};
  for (size_t k = 0; k < types.size(); ++k) {
    DeclaredType type{.type = types[k], .has_unit = false, .ok = true, .span = function.parameters[k].name.span};
    type.has_unit = !types[k].unit.free;
    const Value given = values[k] ? *values[k] : operand(function.parameters[k].initial);
    const Value v = coerce(given, type, fmt::format("`{}` of `{}`", function.parameters[k].name.text, function.name.text));
    if (v.is_error()) return {};
    expr.args.push_back(expr_of(v));
  }
  expr.type = info_[id.index].value.type;
  if (tree_[function.result].name.empty() == false) expr.type.unit = free_unit();
  expr.ref = ref;
  const Type type = expr.type;
  return of_node(add(std::move(expr)), type, span);
}

// zero, constant(a), uniform(a, b), gaussian(deviation: a), or a number.
std::optional<model::Initial> Checker::initialiser(ast::ExprId id) {
  model::Initial initial;
  const ast::Expr& expr = tree_[id];
  if (std::holds_alternative<ast::Missing>(expr.kind)) return std::nullopt;
  const auto* call = std::get_if<ast::Call>(&expr.kind);
  if (!call) {
    if (const auto* name = std::get_if<ast::Name>(&expr.kind); name && name->name == "zero") return initial;
    const auto a = compile_time_number(id, "an initial value");
    if (!a) return std::nullopt;
    if (*a != 0) initial = {.kind = "constant", .a = *a, .b = 0};
    return initial;
  }
  const std::string& name = call->function.text;
  const size_t count = name == "uniform" ? 2 : 1;
  if (name != "uniform" && name != "gaussian" && name != "constant" && name != "zero") {
    const auto a = compile_time_number(id, "an initial value");
    if (!a) return std::nullopt;
    return model::Initial{.kind = "constant", .a = *a, .b = 0};
  }
  initial.kind = name;
  if (name == "zero") return initial;
  if (call->arguments.size() != count) {
    error(Kind::ArgumentCount, expr.span, name, fmt::format("{}", count), call->arguments.size());
    return std::nullopt;
  }
  for (const ast::Argument& argument : call->arguments) {
    if (!argument.label || (name == "gaussian" && argument.label.text == "deviation")) continue;
    error(Kind::UnknownArgument, argument.label.span, name, argument.label.text);
    return std::nullopt;
  }
  const auto a = compile_time_number(call->arguments[0].value, "an initial value");
  if (!a) return std::nullopt;
  initial.a = *a;
  if (count == 2) {
    const auto b = compile_time_number(call->arguments[1].value, "an initial value");
    if (!b) return std::nullopt;
    initial.b = *b;
  }
  return initial;
}

Value Checker::local_weight(const ast::LocalWeight& weight, Span span) {
  const DeclaredType type = declared_type(weight.type);
  const auto initial = initialiser(weight.initial);
  if (!type.ok || !initial) return {};
  if (!owner_) {
    error(Kind::LayerMisplaced, span, weight.name.text);
    return {};
  }
  if (type.type.kind != TypeKind::Real) {
    error(Kind::WrongOperand, span, fmt::format("the weight `{}`", weight.name.text), "a `real[…]` type",
          spell_shape(type.type));
    return {};
  }
  Type free = type.type;
  free.unit = free_unit();
  const std::string path = fmt::format("{}.{}", owner_->path, weight.name.text);
  for (const model::WeightId other : owner_->weights) {
    if (model_.weights[other].path != path) continue;
    error(Kind::RepeatedWeight, span, path);
    return {};
  }
  const model::WeightId id = model_.weights.add(
      {.path = path, .type = free, .initial = *initial, .network = owner_->network, .span = span});
  owner_->weights.push_back(id);
  const ExprId node = add({.kind = ExprKind::Weight, .type = free, .span = weight.name.span, .args = {}, .ref = id.index});
  return of_node(node, free, weight.name.span);
}

}  // namespace asb::sema
