// Frames, data, latents, and learn.
#include <algorithm>
#include <cmath>

#include "dsl/sema/checker.h"

namespace asb::sema {

void Checker::declare_frames(ast::DeclId id, const ast::FramesDecl& decl, Span span) {
  model::Frames frames{.name = decl.name.text, .pattern = {}, .count = 0, .span = span};
  const ast::Expr& value = tree_[decl.value];
  if (const auto* call = std::get_if<ast::Call>(&value.kind); call && call->function.text == "files") {
    if (!argument_count(*call, 1, 1, value.span)) return;
    const auto pattern = text_argument(call->arguments[0].value, "a pattern");
    if (!pattern) return;
    frames.pattern = *pattern;
  } else {
    const auto n = compile_time_int(decl.value, "the number of frames");
    if (!n) return;
    if (*n < 1 || *n > 100'000'000) {
      error(Kind::BadSize, value.span, *n);
      return;
    }
    frames.count = static_cast<int32_t>(*n);
  }
  info_[id.index].ref = model_.frames.add(std::move(frames)).index;
  info_[id.index].state = State::Done;
}

// data q: T [on D] [per f] = file("…", unit: 1 mm) | positions(f, unit: …) | expression.
void Checker::declare_data(ast::DeclId id, const ast::DataDecl& decl, Span span) {
  DeclaredType type = declared_type(decl.type);
  model::Data data{.name = decl.name.text, .type = {}, .domain = {}, .per = {}, .loader = {}, .path = {}, .value = {}, .span = span};
  Value set;
  if (decl.domain) {
    set = set_of(decl.domain);
    if (set.is_error() || !whole_set(set, "data")) return;
    data.domain = set.domain;
  }
  if (decl.per) {
    const Value per = expression(decl.per);
    if (per.is_error()) return;
    if (per.kind != ValueKind::Frames) {
      error(Kind::NeedsFrames, per.span, text(per.span));
      return;
    }
    data.per = model::FramesId(per.ref);
  }
  if (!type.ok) return;
  data.type = type.type;
  if (!type.has_unit) data.type.unit = free_unit();
  const ast::Expr& value = tree_[decl.value];
  const auto* call = std::get_if<ast::Call>(&value.kind);
  const Setting* given = setting(decl.name.text);
  if (call && (call->function.text == "file" || call->function.text == "positions") && !given) {
    data.loader = call->function.text;
    for (const ast::Argument& argument : call->arguments) {
      if (argument.label.text == "unit") {
        const Value unit = number(argument.value);
        if (unit.is_error()) return;
        if (!unit.is_scalar() || !unit.constant) {
          error(Kind::NotCompileTime, unit.span, "`unit`");
          return;
        }
        if (type.has_unit && type.type.unit != unit.type.unit) {
          error(Kind::WrongUnit, unit.span, fmt::format("`{}`", data.name), quoted(unit.type.unit), quoted(type.type.unit));
          return;
        }
        data.type.unit = unit.type.unit;
        data.value = number_node(*unit.constant, unit.type, unit.span);  // one of the file's numbers is this
      } else if (argument.label) {
        error(Kind::UnknownArgument, argument.label.span, data.loader, argument.label.text)
            .with_hint("`file(\"goal.npy\", unit: 1 mm)`, `positions(pose, unit: 1 mm)`");
        return;
      } else if (data.loader == "positions") {
        const Value frames = expression(argument.value);
        if (frames.is_error()) return;
        if (frames.kind != ValueKind::Frames) {
          error(Kind::NeedsFrames, frames.span, text(frames.span));
          return;
        }
        if (!data.per || data.per.index != frames.ref) {
          error(Kind::NeedsFrames, frames.span, text(frames.span))
              .with_hint(fmt::format("it has a value per frame: `data {}: … per {} = …`", data.name, text(frames.span)));
          return;
        }
      } else {
        const auto path = text_argument(argument.value, "a path");
        if (!path) return;
        data.path = *path;
      }
    }
    if (data.loader == "file" && data.path.empty()) {
      error(Kind::MissingArgument, value.span, "file", "path");
      return;
    }
    if (data.loader == "positions" && (data.type.dims != std::vector<int32_t>{3} || !data.domain)) {
      error(Kind::TypeMismatch, value.span, fmt::format("`{}`", data.name), "vec3", spell_shape(data.type))
          .with_hint("positions are a `vec3` on the vertices of a surface");
      return;
    }
  } else {
    const Value v = initial_value(given ? given->value : decl.value, type, set, fmt::format("the value of `{}`", data.name));
    if (v.is_error()) return;
    data.type.unit = v.type.unit;
    data.value = expr_of(v);
  }
  info_[id.index].ref = model_.data.add(std::move(data)).index;
  info_[id.index].state = State::Done;
}

void Checker::declare_latent(ast::DeclId id, const ast::LatentDecl& decl, Span span) {
  DeclaredType type = declared_type(decl.type);
  model::Latent latent{.name = decl.name.text, .type = {}, .per = {}, .count = 0, .initial = {}, .span = span};
  const Value per = expression(decl.per);
  if (per.is_error() || !type.ok) return;
  if (per.kind == ValueKind::Frames) {
    latent.per = model::FramesId(per.ref);
  } else {
    const auto n = compile_time_int(decl.per, "the number of rows");
    if (!n) return;
    if (*n < 1 || *n > kMaxEntries) {
      error(Kind::BadSize, per.span, *n);
      return;
    }
    latent.count = static_cast<int32_t>(*n);
  }
  if (type.type.kind != TypeKind::Real && type.type.kind != TypeKind::Sym) {
    error(Kind::WrongOperand, type.span, fmt::format("the latent `{}`", latent.name), "a real type", spell_shape(type.type));
    return;
  }
  const auto initial = initialiser(decl.initial);
  if (!initial) return;
  latent.initial = *initial;
  latent.type = type.type;
  if (!type.has_unit) latent.type.unit = free_unit();
  info_[id.index].ref = model_.latents.add(std::move(latent)).index;
  info_[id.index].state = State::Done;
  // --set z=…: one value for every frame; `z[i]` in it is still the table.
  if (const Setting* given = setting(decl.name.text)) {
    DeclaredType shape = type;
    Value value = initial_value(given->value, shape, {}, fmt::format("the value of `{}`", decl.name.text));
    if (value.is_error()) return;
    value.type.unit = type.has_unit ? type.type.unit : free_unit();
    value.bare = false;
    value.constant.reset();
    info_[id.index].value = let_node(decl.name.text, value, given->span);
  }
}

void Checker::check_learn(const ast::LearnDecl& decl, Span span) {
  model::Learn learn{.name = decl.stage.text, .learned = {}, .objective = {}, .over = {}, .optimiser = {}, .options = {}, .span = span};
  for (const ast::Ident& name : decl.what) {
    if (!name) return;
    const Found network = find(name.text, name.span, true);
    Found found = find(name.text, name.span, false);
    if (network.reported || found.reported) return;
    if (network.decl) found.decl = network.decl;
    if (!found.decl) {
      unknown_name(Kind::UnknownName, name, suggest_value(name.text));
      return;
    }
    const ast::DeclKind& kind = tree_[found.decl].kind;
    if (!ensure(found.decl)) return;
    const DeclInfo& info = info_[found.decl.index];
    const auto* function = std::get_if<ast::FunctionDecl>(&kind);
    if (std::holds_alternative<ast::ParamDecl>(kind)) learn.learned.push_back(model::ParamId(info.ref));
    else if (std::holds_alternative<ast::LatentDecl>(kind)) learn.learned.push_back(model::LatentId(info.ref));
    else if (function && function->kind == ast::FunctionKind::Network) learn.learned.push_back(model::NetworkId(info.ref));
    else if (std::holds_alternative<ast::LetDecl>(kind) && !info.weights.empty())
      for (const model::WeightId w : info.weights) learn.learned.push_back(w);
    else {
      error(Kind::NotLearnable, name.span, name.text, describe(kind));
      return;
    }
  }
  if (decl.over) {
    const auto found = named(decl.over);
    if (!found || !ensure(*found)) return;
    if (!std::holds_alternative<ast::FramesDecl>(tree_[*found].kind)) {
      error(Kind::NeedsFrames, decl.over.span, decl.over.text);
      return;
    }
    learn.over = model::FramesId(info_[found->index].ref);
  }
  {
    Frame frame(*this);
    context_.sums_unchecked = true;
    const Value objective = scalar_functional(decl.objective, "what `learn` minimises");
    if (objective.is_error()) return;
    learn.objective = expr_of(objective);
  }
  learn.options = method(decl.method, learn.optimiser, {"adam", "lbfgs", "sgd"});
  if (learn.optimiser.empty()) return;
  for (const model::Option& option : learn.options) {
    static constexpr std::string_view kKnown[] = {"rate", "steps", "batch", "memory", "decay", "beta1", "beta2", "tol", "clip"};
    if (std::ranges::find(kKnown, option.name) != std::end(kKnown)) continue;
    error(Kind::UnknownArgument, tree_[decl.method].span, learn.optimiser, option.name)
        .with_hint("options are `rate`, `steps`, `batch`, `memory`, `decay`, `beta1`, `beta2`, `tol`, `clip`");
    return;
  }
  model_.learns.push_back(std::move(learn));
}

}  // namespace asb::sema
