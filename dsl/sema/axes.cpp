// Axes: along which frames a declaration varies. Nothing is annotated; it follows from what is read.
#include <algorithm>

#include "dsl/sema/checker.h"
#include "dsl/sema/reach.h"

namespace asb::sema {

// Solves are in order, so those of the unknowns that this one reads are known.
const std::map<uint32_t, Span>& Checker::frames_of_unknown(model::UnknownId id) {
  if (const auto at = unknown_frames_.find(id.index); at != unknown_frames_.end()) return at->second;
  unknown_frames_[id.index];  // ends a circle, which was reported
  for (const model::Solve& solve : model_.solves) {
    if (std::ranges::find(solve.unknowns, id) == solve.unknowns.end()) continue;
    std::vector<ExprId> roots = {solve.objective, solve.work};
    for (const model::UnknownId u : solve.unknowns) roots.push_back(model_.unknowns[u].initial);
    for (const model::Fix& fix : model_.fixes)
      if (std::ranges::find(solve.unknowns, fix.unknown) != solve.unknowns.end()) roots.push_back(fix.value);
    const auto frames = frames_of(roots, solve.span);
    for (const model::UnknownId u : solve.unknowns) unknown_frames_[u.index] = frames;
  }
  return unknown_frames_[id.index];
}

std::map<uint32_t, Span> Checker::frames_of(std::vector<ExprId> roots, Span span) {
  const Reach reads = reach(model_, roots);
  std::map<uint32_t, Span> frames = reads.frames;
  for (const auto& [unknown, at] : reads.unknowns)
    for (const auto& [f, where] : frames_of_unknown(model::UnknownId(unknown))) frames.try_emplace(f, at);
  if (frames.size() > 1) {
    const auto first = frames.begin(), second = std::next(first);
    const auto name = [&](uint32_t f) { return model_.frames[model::FramesId(f)].name; };
    error(Kind::TwoFrameAxes, span, name(first->first), name(second->first))
        .label(first->second, fmt::format("one value per `{}`", name(first->first)))
        .label(second->second, fmt::format("one value per `{}`", name(second->first)));
  }
  return frames;
}

void Checker::check_axes() {
  const auto name = [&](uint32_t f) { return model_.frames[model::FramesId(f)].name; };
  for (const model::Solve& solve : model_.solves)
    for (const model::UnknownId u : solve.unknowns) frames_of_unknown(u);
  for (const model::Output& output : model_.outputs) frames_of({output.body}, output.span);
  for (const model::Show& show : model_.shows) frames_of({show.body}, show.span);
  for (const model::Field& field : model_.fields) frames_of({field.body}, field.span);
  for (const model::Nodal& nodal : model_.nodals) frames_of({nodal.body}, nodal.span);
  for (const model::Named& loss : model_.losses) frames_of({loss.body}, loss.span);
  for (const model::Advance& advance : model_.advances) frames_of({advance.value}, advance.span);

  const auto fixed = [&](std::vector<ExprId> roots, Span span, const std::string& what) {
    const Reach reads = reach(model_, roots);
    std::map<uint32_t, Span> frames = reads.frames;
    for (const auto& [unknown, at] : reads.unknowns)
      for (const auto& [f, where] : frames_of_unknown(model::UnknownId(unknown))) frames.try_emplace(f, at);
    if (!frames.empty())
      error(Kind::FrameVarying, span, what, name(frames.begin()->first))
          .label(frames.begin()->second, fmt::format("one value per `{}`", name(frames.begin()->first)));
    else if (!reads.unknowns.empty())
      error(Kind::FrameVarying, span, what, model_.unknowns[model::UnknownId(reads.unknowns.begin()->first)].name);
  };
  for (const model::Domain& domain : model_.domains)
    for (const model::Narrowing& narrowing : domain.narrowings)
      fixed({narrowing.where}, domain.span, fmt::format("the set `{}`", domain.text));
  for (const model::Param& param : model_.params)
    fixed({param.initial, param.lo, param.hi}, param.span, fmt::format("the value of `{}`", param.name));
  if (model_.time) fixed({model_.time->dt}, model_.time->span, "the time step");

  // A latent that --set gives a value is free of frames, and so may be what is learned elsewhere.
  const bool is_set = std::ranges::any_of(model_.latents, [&](const model::Latent& latent) {
    return std::ranges::any_of(options_.settings, [&](const Setting& s) { return s.name == latent.name; });
  });
  for (const model::Learn& learn : model_.learns) {
    const auto frames = frames_of({learn.objective}, learn.span);
    if (frames.size() > 1) continue;
    if (!frames.empty() && !learn.over)
      error(Kind::LearnWithoutOver, learn.span, name(frames.begin()->first));
    else if (learn.over && (frames.empty() || frames.begin()->first != learn.over.index) && !(is_set && frames.empty()))
      error(Kind::LearnOverNothing, learn.span, name(learn.over.index));
  }
}

}  // namespace asb::sema
