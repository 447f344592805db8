// The check as a whole: order of the parts, limits, what a report says about calls, and leaving out unused nodes.
#include "dsl/sema/check.h"

#include <pthread.h>

#include <algorithm>

#include "dsl/sema/checker.h"
#include "dsl/sema/reach.h"

namespace asb::sema {

Diagnostic& Checker::in_calls(Diagnostic& diagnostic) {
  constexpr size_t kShown = 4;
  size_t shown = 0;
  for (size_t i = calls_.size(); i > 0 && shown < kShown; --i) {
    const CallSite& site = calls_[i - 1];
    if (!site.span) continue;
    const auto& function = std::get<ast::FunctionDecl>(tree_[site.function].kind);
    diagnostic.note(fmt::format("in the call of `{}` at {}", function.name.text, tree_.files.place(site.span)));
    ++shown;
  }
  return diagnostic;
}

// Counts one more expression; false once a limit was reached.
bool Checker::spend(Span span) {
  if (stopped_) return false;
  if (++work_ > kMaxWork) {
    stopped_ = true;
    error(Kind::TooLarge, span, fmt::format("{} expressions", kMaxWork));
  } else if (depth_ >= kMaxDepth) {
    stopped_ = true;
    error(Kind::TooDeep, span, kMaxDepth);
  }
  return !stopped_;
}

namespace {

/// Leaves only nodes that something refers to; arguments stay before what uses them.
void leave_out_unused(model::Model& model) {
  std::vector<uint8_t> used(model.exprs.size(), 0);
  std::vector<ExprId> open;
  const auto visit = [&](ExprId id) {
    if (id && !used[id.index]) {
      used[id.index] = 1;
      open.push_back(id);
    }
  };
  for_each_root(model, [&](ExprId& id) { visit(id); });
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    for (const ExprId arg : model.exprs[id].args) visit(arg);
  }
  Store<ExprId, model::Expr> kept;
  std::vector<ExprId> moved(model.exprs.size());
  for (uint32_t i = 0; i < model.exprs.size(); ++i) {
    if (!used[i]) continue;
    model::Expr expr = std::move(model.exprs[ExprId(i)]);
    for (ExprId& arg : expr.args) arg = moved[arg.index];
    moved[i] = kept.add(std::move(expr));
  }
  for_each_root(model, [&](ExprId& id) {
    if (id) id = moved[id.index];
  });
  model.exprs = std::move(kept);
}

}  // namespace

CheckResult Checker::run() {
  if (!tree_.main) return {};
  info_.resize(tree_.declarations.size());
  model_.name = tree_[tree_.main].name;
  model_.documentation = tree_[tree_.main].doc;
  module_ = tree_.main;
  collect_names();
  check_settings();
  for (const ast::ModuleId module : tree_.order) {
    module_ = module;
    for (const ast::DeclId decl : tree_[module].declarations) {
      if (stopped_) break;
      const auto* function = std::get_if<ast::FunctionDecl>(&tree_[decl].kind);
      if (function && function->kind != ast::FunctionKind::Network) check_function(decl);
      else if (!std::holds_alternative<ast::UseDecl>(tree_[decl].kind)) ensure(decl);
    }
  }
  if (!stopped_) {
    check_solved();
    order_solves();
    if (!sink_.has_errors()) check_axes();
  }
  if (sink_.has_errors()) return {};
  leave_out_unused(model_);
  return {std::move(model_)};
}

// On a stack of its own: depth is limited by kMaxDepth, not by how much of the caller's stack is left.
CheckResult check(const ast::SyntaxTree& tree, DiagnosticSink& sink, const CheckOptions& options) {
  struct Job {
    const ast::SyntaxTree& tree;
    DiagnosticSink& sink;
    const CheckOptions& options;
    CheckResult result;
  } job{tree, sink, options, {}};
  const auto body = [](void* argument) -> void* {
    Job& job = *static_cast<Job*>(argument);
    job.result = Checker(job.tree, job.sink, job.options).run();
    return nullptr;
  };
  constexpr size_t kStackBytes = size_t{256} << 20;  // address space; pages are taken as they are touched
  pthread_attr_t attributes;
  pthread_t thread;
  ASB_CHECK(pthread_attr_init(&attributes) == 0, "thread attributes");
  ASB_CHECK(pthread_attr_setstacksize(&attributes, kStackBytes) == 0, "stack of the checker");
  ASB_CHECK(pthread_create(&thread, &attributes, body, &job) == 0, "thread of the checker");
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  return std::move(job.result);
}

}  // namespace asb::sema
