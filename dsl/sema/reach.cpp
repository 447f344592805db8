// See reach.h.
#include "dsl/sema/reach.h"

namespace asb::sema {

using model::ExprId;
using model::ExprKind;

Reach reach(const model::Model& model, const std::vector<ExprId>& roots) {
  Reach result;
  std::vector<uint8_t> seen(model.exprs.size(), 0), seen_domain(model.domains.size(), 0);
  std::vector<ExprId> open;
  const auto visit = [&](ExprId id) {
    if (id && !seen[id.index]) {
      seen[id.index] = 1;
      open.push_back(id);
    }
  };
  const auto visit_domain = [&](auto&& self, model::DomainId id) -> void {
    if (!id || seen_domain[id.index]) return;
    seen_domain[id.index] = 1;
    const model::Domain& domain = model.domains[id];
    for (const model::Narrowing& narrowing : domain.narrowings) visit(narrowing.where);
    self(self, domain.nodes_of);
  };
  for (const ExprId root : roots) visit(root);
  while (!open.empty()) {
    const model::Expr& e = model.exprs[open.back()];
    open.pop_back();
    switch (e.kind) {
      case ExprKind::Previous: continue;
      case ExprKind::Unknown: result.unknowns.try_emplace(e.ref, e.span); break;
      case ExprKind::Field:
        visit(model.fields[model::FieldId(e.ref)].body);
        visit_domain(visit_domain, model.fields[model::FieldId(e.ref)].at_nodes);
        break;
      case ExprKind::Nodal: visit(model.nodals[model::NodalId(e.ref)].body); break;
      case ExprKind::Data: {
        const model::Data& data = model.data[model::DataId(e.ref)];
        if (data.per && e.args.empty()) result.frames.try_emplace(data.per.index, e.span);
        break;
      }
      case ExprKind::Latent: {
        const model::Latent& latent = model.latents[model::LatentId(e.ref)];
        if (latent.per && e.args.empty()) result.frames.try_emplace(latent.per.index, e.span);
        break;
      }
      case ExprKind::Virtual: result.has_virtual = true; continue;  // a test function, not the unknown's value
      case ExprKind::Reduce: visit_domain(visit_domain, e.domain); break;
      default: break;
    }
    for (const ExprId arg : e.args) visit(arg);
  }
  return result;
}

}  // namespace asb::sema
