// The Model as text: every node once, numbered, then the declarations by those numbers. As long as the Model is, whatever
// it shares.
#include <fmt/format.h>

#include "base/overloaded.h"
#include "dsl/sema/check.h"
#include "dsl/sema/units.h"

namespace asb::sema {

using model::Expr;
using model::ExprId;
using model::ExprKind;
using model::Model;

namespace {

std::string_view builtin_name(model::Builtin builtin) {
  switch (builtin) {
#define ASB_BUILTIN(name, ...) \
  case model::Builtin::name: return #name;
#include "dsl/sema/builtins.def"
#undef ASB_BUILTIN
  }
  return "?";
}

std::string_view reduction_name(model::Reduction reduction) {
  switch (reduction) {
    case model::Reduction::Integral: return "integral";
    case model::Reduction::Mean: return "mean";
    case model::Reduction::Sum: return "sum";
    case model::Reduction::Min: return "min";
    case model::Reduction::Max: return "max";
  }
  return "?";
}

class Dump {
 public:
  explicit Dump(const Model& model) : model_(model) {}
  std::string run();

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  static std::string ref(ExprId id) { return id ? fmt::format("%{}", id.index) : "-"; }
  std::string refs(const std::vector<ExprId>& ids) const {
    std::string all;
    for (const ExprId id : ids) all += (all.empty() ? "" : ", ") + ref(id);
    return all;
  }
  std::string set(model::DomainId id) const { return id ? fmt::format(" on {}", domain(id)) : ""; }
  std::string domain(model::DomainId id) const;
  std::string call(const Expr& e) const;
  std::string_view geometry(model::GeometryId id) const { return id ? std::string_view(model_.geometries[id].name) : "-"; }
  static std::string options(const std::vector<model::Option>& list);
  void geometries();
  void declarations();
  void learning();

  const Model& model_;
  std::string text_;
};

std::string Dump::domain(model::DomainId id) const {
  const model::Domain& d = model_.domains[id];
  static constexpr std::string_view kNames[] = {"cells", "facets", "edges", "nodes", "vertices", "hinges", "points",
                                                "stencil", "pairs", "neighbours", "samples"};
  std::string text = fmt::format("{}.{}", geometry(d.of), kNames[static_cast<size_t>(d.kind)]);
  if (d.order != 1) text += fmt::format("(order: {})", d.order);
  if (d.samples) text += fmt::format("({})", d.samples);
  if (d.nodes_of) text += fmt::format(" of ({})", domain(d.nodes_of));
  for (const model::Narrowing& n : d.narrowings) {
    if (n.where) text += fmt::format(" where {}", ref(n.where));
    if (n.within) text += fmt::format(" within {}", geometry(n.within));
    if (n.tag) text += fmt::format(" tag \"{}\"", *n.tag);
  }
  if (!d.corners.empty()) text += fmt::format(" as ({})", fmt::join(d.corners, ", "));
  return text;
}

std::string Dump::call(const Expr& e) const {
  const std::string args = refs(e.args);
  const auto of = [&](std::string_view what, std::string_view name) {
    return fmt::format("{} {}{}", what, name, args.empty() ? "" : fmt::format("[{}]", args));
  };
  switch (e.kind) {
    case ExprKind::Number: return fmt::format("{}", e.number);
    case ExprKind::Identity: return "identity";
    case ExprKind::Param: return of("param", model_.params[model::ParamId(e.ref)].name);
    case ExprKind::Unknown: return of("unknown", model_.unknowns[model::UnknownId(e.ref)].name);
    case ExprKind::Field: return of("field", model_.fields[model::FieldId(e.ref)].name);
    case ExprKind::Nodal: return of("nodal", model_.nodals[model::NodalId(e.ref)].name);
    case ExprKind::Data: return of("data", model_.data[model::DataId(e.ref)].name);
    case ExprKind::Latent: return of("latent", model_.latents[model::LatentId(e.ref)].name);
    case ExprKind::State: return of("state", model_.states[model::StateId(e.ref)].name);
    case ExprKind::Weight: return of("weight", model_.weights[model::WeightId(e.ref)].path);
    case ExprKind::Parameter: return fmt::format("parameter {} ({})", e.ref, e.name);
    case ExprKind::Let: return fmt::format("let {} = {}", e.name, args);
    case ExprKind::RestPosition: return "X";
    case ExprKind::RestNormal: return "N";
    case ExprKind::Gradient: return fmt::format("grad({})", args);
    case ExprKind::DeformedNormal: return fmt::format("normal({})", args);
    case ExprKind::Virtual: return fmt::format("virtual({})", args);
    case ExprKind::Previous: return fmt::format("previous({}, {})", args, e.index);
    case ExprKind::At: return fmt::format("{} at corner {}", args, e.index);
    case ExprKind::CellMean: return fmt::format("cell_mean({})", args);
    case ExprKind::CellSize: return fmt::format("cell_size {}", geometry(model::GeometryId(e.ref)));
    case ExprKind::Call: return fmt::format("{}({})", builtin_name(e.builtin), args);
    case ExprKind::Stack: return fmt::format("[{}]", args);
    case ExprKind::Pick: return fmt::format("{}[{}]{}", args, fmt::join(e.indices, ", "), e.drop ? "" : " kept");
    case ExprKind::Select: return fmt::format("select({})", args);
    case ExprKind::Derivative: return fmt::format("d({})", args);
    case ExprKind::Minimal: return fmt::format("minimal {}({})", e.name, args);
    case ExprKind::Minimiser: return fmt::format("minimiser {} = {}", e.name, args);
    case ExprKind::Spectral: return fmt::format("spectral hole {}({})", e.ref, args);
    case ExprKind::Principal: return fmt::format("principal hole {}({})", e.ref, args);
    case ExprKind::Hole: return fmt::format("hole {}", e.ref);
    case ExprKind::NetworkCall: return fmt::format("network {}({})", model_.networks[model::NetworkId(e.ref)].name, args);
    case ExprKind::Reduce: {
      std::string text = fmt::format("{}{}({})", reduction_name(e.reduction), e.by_measure ? " by measure" : "", domain(e.domain));
      if (e.degree >= 0) text += fmt::format(" degree {}", e.degree);
      if (e.into >= 0) text += fmt::format(" into corner {}", e.into);
      return text + fmt::format(" {{ {} }}", args);
    }
    case ExprKind::Step: return "step";
    case ExprKind::Steps: return "steps";
    case ExprKind::TimeStep: return "dt";
    case ExprKind::RestBox: return fmt::format("rest box {} {}", geometry(model::GeometryId(e.ref)), e.index == 0 ? "centre" : "half");
    case ExprKind::Gap: return fmt::format("gap({})", args);
  }
  return "?";
}

std::string Dump::options(const std::vector<model::Option>& list) {
  std::string text;
  for (const model::Option& o : list)
    text += fmt::format(" {}: {}{}{}", o.name, o.word, o.word.empty() || !o.value ? "" : " ", o.value ? ref(o.value) : "");
  return text;
}

void Dump::geometries() {
  for (const model::Geometry& g : model_.geometries) {
    const std::string source = std::visit(
        Overloaded{[&](const model::BoxSource& s) {
                     return fmt::format("box [{}] m, cells [{}], {}", fmt::join(s.size, ", "), fmt::join(s.cells, ", "), s.element);
                   },
                   [&](const model::VoxelSource& s) {
                     return fmt::format("voxels {} cells {} {}{}", geometry(s.surface), s.cells, s.rule, s.split ? " split" : "");
                   },
                   [&](const model::FileSource& s) { return fmt::format("file \"{}\"", s.path); },
                   [&](const model::EmbedSource& s) { return fmt::format("embed {} in {}", geometry(s.surface), geometry(s.in)); },
                   [&](const model::BoundarySource& s) { return fmt::format("boundary {}", geometry(s.mesh)); },
                   [&](const model::OtherSource& s) {
                     std::string text = s.what;
                     for (const auto& [label, id] : s.geometries) text += fmt::format(" {}: {}", label, geometry(id));
                     for (const auto& [label, id] : s.arguments) text += fmt::format(" {}: {}", label, ref(id));
                     return text;
                   }},
        g.source);
    line("geometry {} = {}{}", g.name, source, g.has_unit && g.unit != 1 ? fmt::format(", unit {} m", g.unit) : "");
  }
}

void Dump::declarations() {
  for (const model::Param& p : model_.params) {
    const std::string bounds = p.lo ? fmt::format(" in [{}, {}]", ref(p.lo), ref(p.hi)) : "";
    line("param {}: {}{} = {}{}", p.name, spell(p.type), set(p.domain), ref(p.initial), bounds);
  }
  for (const model::Unknown& u : model_.unknowns)
    line("unknown {}: {}{} = {}", u.name, spell(u.type), set(u.domain), ref(u.initial));
  for (const model::Fix& f : model_.fixes) {
    const std::string components = f.components.empty() ? "" : fmt::format("[{}]", fmt::join(f.components, ", "));
    line("fix {}{}{} = {}{}", model_.unknowns[f.unknown].name, components, set(f.domain), ref(f.value), f.over ? " over" : "");
  }
  for (const model::Attach& a : model_.attaches) line("attach {} to {}", domain(a.points), ref(a.to));
  for (const model::Field& f : model_.fields)
    line("field {}: {}{} = {}", f.name, spell(f.type), f.at_nodes ? fmt::format(" at {}", domain(f.at_nodes)) : "", ref(f.body));
  for (const model::Nodal& n : model_.nodals) line("let {}: {}{} = {}", n.name, spell(n.type), set(n.domain), ref(n.body));
  for (const model::Named& n : model_.lets) line("let {} = {}", n.name, ref(n.body));
  for (const model::Named& n : model_.energies) line("energy {} = {}", n.name, ref(n.body));
  for (const model::Named& n : model_.works) line("work {} = {}", n.name, ref(n.body));
  for (const model::Solve& s : model_.solves) {
    std::string names;
    for (const model::UnknownId u : s.unknowns) names += (names.empty() ? "" : ", ") + model_.unknowns[u].name;
    const std::string_view kind = s.kind == model::SolveKind::Minimise ? "minimise" : s.kind == model::SolveKind::Balance ? "balance" : "stationary";
    line("solve {} {} energy {} work {} using {}{}", names, kind, ref(s.objective), ref(s.work), s.method.empty() ? "-" : s.method, options(s.options));
  }
  if (model_.time) line("time dt = {} for {} steps", ref(model_.time->dt), model_.time->steps);
  for (const model::State& s : model_.states) line("state {}: {}{} = {}", s.name, spell(s.type), set(s.domain), ref(s.initial));
  for (const model::Advance& a : model_.advances) line("advance {} = {}", model_.states[a.state].name, ref(a.value));
  for (const model::Output& o : model_.outputs) line("output {} = {}{}", o.name, ref(o.body), o.at_last_step ? " at last step" : "");
  for (const model::Show& s : model_.shows) line("show {}{} = {}", s.name, set(s.domain), ref(s.body));
}

void Dump::learning() {
  const auto per = [&](model::FramesId id, int32_t count) {
    return id ? fmt::format(" per {}", model_.frames[id].name) : count ? fmt::format(" per {}", count) : std::string();
  };
  const auto initial = [](const model::Initial& i) { return fmt::format("{}({}, {})", i.kind, i.a, i.b); };
  for (const model::Frames& f : model_.frames) line("frames {} = {}", f.name, f.count ? fmt::format("{}", f.count) : fmt::format("files(\"{}\")", f.pattern));
  for (const model::Data& d : model_.data)
    line("data {}: {}{}{} = {} \"{}\" {}", d.name, spell(d.type), set(d.domain), per(d.per, 0), d.loader, d.path, ref(d.value));
  for (const model::Latent& l : model_.latents) line("latent {}: {}{} = {}", l.name, spell(l.type), per(l.per, l.count), initial(l.initial));
  for (const model::Weight& w : model_.weights) line("weight {}: {} = {}", w.path, spell(w.type), initial(w.initial));
  for (const model::Network& n : model_.networks) {
    std::string parameters;
    for (size_t k = 0; k < n.parameters.size(); ++k)
      parameters += fmt::format("{}{}: {}", k ? ", " : "", n.parameters[k], spell(n.parameter_types[k]));
    line("network {}({}) = {}, {} weights", n.name, parameters, ref(n.body), n.weights.size());
  }
  for (const model::Named& n : model_.losses) line("loss {} = {}{}", n.name, ref(n.body), n.at_last_step ? " at last step" : "");
  for (const model::Learn& l : model_.learns) {
    std::string names;
    for (const auto& what : l.learned)
      names += (names.empty() ? "" : ", ") +
               std::visit(Overloaded{[&](model::ParamId id) { return model_.params[id].name; },
                                     [&](model::LatentId id) { return model_.latents[id].name; },
                                     [&](model::NetworkId id) { return model_.networks[id].name; },
                                     [&](model::WeightId id) { return model_.weights[id].path; },
                                     [&](model::UnknownId id) { return model_.unknowns[id].name; }},
                          what);
    line("learn {} {} minimise {}{} using {}{}", l.name.empty() ? "-" : l.name, names, ref(l.objective),
         l.over ? " over " + model_.frames[l.over].name : "", l.optimiser, options(l.options));
  }
}

std::string Dump::run() {
  line("model {}", model_.name);
  geometries();
  declarations();
  learning();
  for (uint32_t i = 0; i < model_.exprs.size(); ++i) {
    const Expr& e = model_.exprs[ExprId(i)];
    line("%{} = {} : {}", i, call(e), spell(e.type));
  }
  return text_;
}

}  // namespace

std::string dump_model(const Model& model) { return Dump(model).run(); }

}  // namespace asb::sema
