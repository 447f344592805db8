// Solves: what they determine, energies and works apart, their order.
#include <algorithm>

#include "dsl/sema/checker.h"
#include "dsl/sema/reach.h"

namespace asb::sema {

void Checker::check_solve(const ast::SolveDecl& decl, Span span) {
  model::Solve solve;
  solve.span = span;
  switch (decl.kind) {
    case ast::SolveKind::Minimizing: solve.kind = model::SolveKind::Minimise; break;
    case ast::SolveKind::Balancing: solve.kind = model::SolveKind::Balance; break;
    case ast::SolveKind::Stationary: solve.kind = model::SolveKind::Stationary; break;
  }
  for (const ast::Ident& name : decl.unknowns) {
    const auto found = named(name);
    if (!found) continue;
    if (!std::holds_alternative<ast::UnknownDecl>(tree_[*found].kind)) {
      if (!std::holds_alternative<ast::BrokenDecl>(tree_[*found].kind)) error(Kind::NotAnUnknown, name.span, name.text);
      continue;
    }
    if (!ensure(*found)) continue;
    const model::UnknownId id(info_[found->index].ref);
    const auto [at, fresh] = solved_.emplace(id.index, name.span);
    if (!fresh) {
      error(Kind::SolvedTwice, name.span, name.text).label(at->second, "solved here");
      return;
    }
    solve.unknowns.push_back(id);
  }
  context_.in_work = solve.kind == model::SolveKind::Balance;
  const Value objective = scalar_functional(decl.objective, "what `solve` works on");
  if (objective.is_error() || solve.unknowns.size() != decl.unknowns.size() || stopped_) return;
  const ExprId total = expr_of(objective);
  const Reach reads = reach(model_, {total});
  for (size_t k = 0; k < solve.unknowns.size(); ++k) {
    if (reads.unknowns.contains(solve.unknowns[k].index) || reads.has_virtual) continue;
    error(Kind::UnreadUnknown, objective.span, decl.unknowns[k].text).label(decl.unknowns[k].span, "solved for here");
    return;
  }
  if (reads.has_virtual && solve.kind != model::SolveKind::Balance) {
    error(Kind::WorkMinimised, objective.span);
    return;
  }
  if (solve.kind == model::SolveKind::Balance) {
    split_terms(total, false, solve.objective, solve.work);
    if (solve.work && virtual_degree(solve.work) != 1) {
      error(Kind::NotLinear, model_.exprs[solve.work].span);
      return;
    }
  } else {
    solve.objective = total;
  }
  if (decl.method) {
    solve.options = method(decl.method, solve.method, {"newton", "newton_cg", "projective", "lbfgs"});
    static constexpr std::string_view kKnown[] = {"tol", "iterations", "relative_to", "inversion", "memory"};
    for (const model::Option& option : solve.options) {
      if (std::ranges::find(kKnown, option.name) != std::end(kKnown)) continue;
      error(Kind::UnknownArgument, tree_[decl.method].span, solve.method, option.name)
          .with_hint("options are `tol`, `iterations`, `relative_to: start`, `inversion: refuse`, `memory`");
      return;
    }
  }
  model_.solves.add(std::move(solve));
}

void Checker::add_term(ExprId& sum, ExprId term, bool negated) {
  const Type type = model_.exprs[term].type;
  const Span span = model_.exprs[term].span;
  const Value t = of_node(term, type, span);
  if (!sum) {
    sum = negated ? call_node(Builtin::Negate, {t}, type, span).expr : term;
    return;
  }
  Type both = model_.exprs[sum].type;
  if (both.unit.free) both.unit = type.unit;
  sum = call_node(negated ? Builtin::Subtract : Builtin::Add, {of_node(sum, both, span), t}, both, span).expr;
}

// The terms of a sum, those with virtual(u) apart from the others.
void Checker::split_terms(ExprId expr, bool negated, ExprId& energy, ExprId& work) {
  const model::Expr e = model_.exprs[expr];
  if (!reach(model_, {expr}).has_virtual) return add_term(energy, expr, negated);
  if (e.kind == ExprKind::Call && e.builtin == Builtin::Negate) return split_terms(e.args[0], !negated, energy, work);
  if (e.kind == ExprKind::Call && (e.builtin == Builtin::Add || e.builtin == Builtin::Subtract)) {
    split_terms(e.args[0], negated, energy, work);
    return split_terms(e.args[1], negated != (e.builtin == Builtin::Subtract), energy, work);
  }
  if (e.kind == ExprKind::Let) {
    const model::Expr& body = model_.exprs[e.args[0]];
    const bool sum = body.kind == ExprKind::Call && (body.builtin == Builtin::Add || body.builtin == Builtin::Subtract);
    if (sum) return split_terms(e.args[0], negated, energy, work);
  }
  add_term(work, expr, negated);
}

namespace {

/// Degrees in virtual(u): 0, 1, or kNonlinear; a zero constant has any.
constexpr int kNonlinear = 2, kAny = -1;

int sum_of_degrees(int a, int b) {
  if (a == kAny || b == kAny) return kAny;
  return std::min(a + b, kNonlinear);
}
int common_degree(int a, int b) {
  if (a == kAny) return b;
  if (b == kAny) return a;
  return a == b ? a : kNonlinear;
}

}  // namespace

int Checker::virtual_degree(ExprId root) {
  std::map<uint32_t, int> known;
  const auto visit = [&](auto&& self, ExprId id) -> int {
    if (const auto at = known.find(id.index); at != known.end()) return at->second;
    const model::Expr& e = model_.exprs[id];
    std::vector<int> args;
    for (const ExprId arg : e.args) args.push_back(e.kind == ExprKind::Virtual ? 0 : self(self, arg));
    const bool constant = std::ranges::all_of(args, [](int d) { return d <= 0; });
    int degree = constant ? 0 : kNonlinear;
    if (e.kind == ExprKind::Number && e.number == 0) degree = kAny;
    else if (e.kind == ExprKind::Virtual) degree = 1;
    else if (!constant && e.kind == ExprKind::Call) {
      switch (e.builtin) {
        case Builtin::Negate: case Builtin::Transpose: case Builtin::Trace: case Builtin::Deviator: case Builtin::Sym:
        case Builtin::SymFromEntries: case Builtin::ToMatrix: case Builtin::Skew: case Builtin::CrossMatrix:
        case Builtin::Diag: case Builtin::Total:
          degree = args[0];
          break;
        case Builtin::Add: case Builtin::Subtract: case Builtin::Concat:
          degree = args[0];
          for (const int d : args) degree = common_degree(degree, d);
          break;
        case Builtin::Multiply: case Builtin::Dot: case Builtin::Outer: case Builtin::Cross: case Builtin::Hadamard:
        case Builtin::Inner:
          degree = sum_of_degrees(args[0], args[1]);
          break;
        case Builtin::Divide: degree = args[1] <= 0 ? args[0] : kNonlinear; break;
        default: break;
      }
    } else if (!constant) {
      switch (e.kind) {
        case ExprKind::Let: case ExprKind::Pick: case ExprKind::CellMean: degree = args[0]; break;
        case ExprKind::Reduce:
          degree = e.reduction == model::Reduction::Min || e.reduction == model::Reduction::Max ? kNonlinear : args[0];
          break;
        case ExprKind::Stack:
          degree = args[0];
          for (const int d : args) degree = common_degree(degree, d);
          break;
        case ExprKind::Select: degree = args[0] <= 0 ? common_degree(args[1], args[2]) : kNonlinear; break;
        default: break;
      }
    }
    return known[id.index] = degree;
  };
  return visit(visit, root);
}

// Dependency order: a solve comes after those whose unknowns it reads, in its objective or in values that it holds.
void Checker::order_solves() {
  const size_t n = model_.solves.size();
  std::map<uint32_t, size_t> solver;  // UnknownId → solve
  for (size_t s = 0; s < n; ++s)
    for (const model::UnknownId u : model_.solves[model::SolveId(static_cast<uint32_t>(s))].unknowns) solver[u.index] = s;
  std::vector<std::set<size_t>> needs(n);
  for (size_t s = 0; s < n; ++s) {
    const model::Solve& solve = model_.solves[model::SolveId(static_cast<uint32_t>(s))];
    std::vector<ExprId> roots = {solve.objective, solve.work};
    for (const model::UnknownId u : solve.unknowns) roots.push_back(model_.unknowns[u].initial);
    for (const model::Fix& fix : model_.fixes)
      if (std::ranges::find(solve.unknowns, fix.unknown) != solve.unknowns.end()) {
        roots.push_back(fix.value);
        for (const model::Narrowing& narrowing : model_.domains[fix.domain].narrowings) roots.push_back(narrowing.where);
      }
    for (const auto& [unknown, span] : reach(model_, roots).unknowns)
      if (const auto at = solver.find(unknown); at != solver.end() && at->second != s) needs[s].insert(at->second);
  }
  std::vector<size_t> order;
  std::vector<bool> placed(n, false);
  while (order.size() < n) {
    size_t next = n;
    for (size_t s = 0; s < n && next == n; ++s)
      if (!placed[s] && std::ranges::all_of(needs[s], [&](size_t d) { return placed[d]; })) next = s;
    if (next == n) {  // follow what is missing until a solve comes twice: those between are the circle
      size_t at = 0;
      while (placed[at]) ++at;
      std::vector<size_t> path;
      while (std::ranges::find(path, at) == path.end()) {
        path.push_back(at);
        at = *std::ranges::find_if(needs[at], [&](size_t d) { return !placed[d]; });
      }
      path.erase(path.begin(), std::ranges::find(path, at));
      std::string names, circle;
      for (const size_t s : path)
        for (const model::UnknownId u : model_.solves[model::SolveId(static_cast<uint32_t>(s))].unknowns) {
          names += (names.empty() ? "" : ", ") + model_.unknowns[u].name;
          circle += fmt::format("`{}` → ", model_.unknowns[u].name);
        }
      circle += fmt::format("`{}`", model_.unknowns[model_.solves[model::SolveId(static_cast<uint32_t>(path[0]))].unknowns[0]].name);
      Diagnostic& report =
          error(Kind::SolveCycle, model_.solves[model::SolveId(static_cast<uint32_t>(path[0]))].span, circle, names);
      for (size_t k = 1; k < path.size(); ++k)
        report.label(model_.solves[model::SolveId(static_cast<uint32_t>(path[k]))].span, "which reads this one's");
      return;
    }
    placed[next] = true;
    order.push_back(next);
  }
  Store<model::SolveId, model::Solve> sorted;
  for (const size_t s : order) sorted.add(model_.solves[model::SolveId(static_cast<uint32_t>(s))]);
  model_.solves = std::move(sorted);
}

void Checker::check_solved() {
  for (size_t i = 0; i < info_.size(); ++i) {
    const ast::Declaration& declaration = tree_[ast::DeclId(static_cast<uint32_t>(i))];
    const auto* unknown = std::get_if<ast::UnknownDecl>(&declaration.kind);
    if (!unknown || info_[i].state != State::Done || solved_.contains(info_[i].ref)) continue;
    error(Kind::UnsolvedUnknown, unknown->name.span, unknown->name.text);
  }
}

}  // namespace asb::sema
