// See learn.h.
#include "runtime/learn/learn.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <thread>

#include "runtime/learn/checkpoint.h"
#include "runtime/learn/initial.h"
#include "runtime/learn/log.h"

namespace asb {
namespace {

/// Of |wᵀg| against the loss: what the residuals of the solves may change it by.
constexpr double kLargestDefect = 1e-2;
/// So many frames may fail whatever the budget.
constexpr double kFewFailures = 3;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double rate_at(const plan::Schedule& s, int step, int steps) {
  const double t = steps > 1 ? static_cast<double>(step) / (steps - 1) : 0;
  if (s.kind == "cosine") return s.last + 0.5 * (s.first - s.last) * (1 + std::cos(std::numbers::pi * t));
  if (s.kind == "linear") return s.first + (s.last - s.first) * t;
  return s.first;
}

/// What one frame gives: its losses and the gradients of everything learned.
struct FrameResult {
  bool good = false;
  Error error;
  double loss = 0;
  std::vector<double> parts;
  std::vector<std::vector<double>> gradients;  ///< per Learned
  std::map<uint32_t, Session::Start> starts;   ///< of the next time
  double forward_iterations = 0, adjoint_iterations = 0;
};

class Learning {
 public:
  Learning(const plan::Plan& plan, Session& session, Learner& learner, Tables& tables, const LearnOptions& options)
      : plan_(plan), session_(session), learner_(learner), tables_(tables), options_(options) {}

  Result<LearnReport> run();

 private:
  Result<void> prepare();
  Result<void> run_stage(size_t stage, int first_step);
  FrameResult evaluate(Session& worker, const plan::Learn& stage, int frame);
  FrameResult evaluate_from(Session& worker, const plan::Learn& stage, int frame, const std::map<uint32_t, Session::Start>& starts);
  Result<void> evaluate_once(Session& worker, const plan::Learn& stage, FrameResult& out);
  std::vector<FrameResult> evaluate_batch(const plan::Learn& stage, const std::vector<int>& batch);
  std::vector<int> batch_of(size_t stage, int step) const;
  void set_tolerances(size_t stage, int step);
  Result<void> take_step(const plan::Learn& stage, const std::vector<int>& batch, const std::vector<FrameResult>& results, LearnStep& step);
  Result<void> save(size_t stage, int step);
  Result<std::pair<size_t, int>> load();
  std::string name_of(const plan::Learned& what) const;
  std::vector<double>& table_of(const plan::Learned& what);
  double scale_of(const plan::Learned& what) const;
  void read_learned(const plan::Learn& stage);
  std::vector<std::string> names_of(const plan::Learn& stage) const;
  int steps_of(const plan::Learn& stage) const { return options_.steps >= 0 ? options_.steps : stage.steps; }
  Result<void> hash_data();
  std::vector<double> tolerances() const {
    return {options_.forward_early, options_.adjoint_early, options_.forward_late, options_.adjoint_late};
  }
  double seconds() const { return seconds_before_ + seconds_since(began_); }

  const plan::Plan& plan_;
  Session& session_;
  Learner& learner_;
  Tables& tables_;
  const LearnOptions& options_;
  int n_frames_ = 0;
  std::vector<std::unique_ptr<Session>> workers_;
  std::vector<std::map<uint32_t, Session::Start>> starts_;  ///< by frame (entry 0 without frames)
  std::vector<double> param_lo_, param_hi_, param_initial_;
  LearnReport report_;
  int64_t evaluations_ = 0;
  Clock::time_point began_ = Clock::now();
  double solve_seconds_ = 0, step_seconds_ = 0, save_seconds_ = 0;
  std::map<std::string, double> scales_;  ///< by name of what is learned
  double forward_ = 1e-4, adjoint_ = 1e-3;  ///< tolerances of this step
  uint64_t data_hash_ = 0;
  int64_t rows_ = 0;                      ///< of the log
  double seconds_before_ = 0;             ///< of the run that is resumed
  TrainingLog log_;
};

std::string Learning::name_of(const plan::Learned& what) const {
  switch (what.kind) {
    case plan::LearnedKind::Param: return plan_.params[what.ref].name;
    case plan::LearnedKind::Latent: return plan_.latents[what.ref].name;
    case plan::LearnedKind::Weight: return plan_.weights[what.ref].path;
  }
  ASB_UNREACHABLE("learned kind");
}

std::vector<double>& Learning::table_of(const plan::Learned& what) {
  switch (what.kind) {
    case plan::LearnedKind::Param: return tables_.params[what.ref];
    case plan::LearnedKind::Latent: return tables_.latents[what.ref];
    case plan::LearnedKind::Weight: return tables_.weights[what.ref];
  }
  ASB_UNREACHABLE("learned kind");
}

/// A param is learned as (p - lo)/(hi - lo), or p/|initial|: one unit of the optimiser is this much of the param.
double Learning::scale_of(const plan::Learned& what) const {
  if (what.kind != plan::LearnedKind::Param) return 1;
  const double lo = param_lo_[what.ref], hi = param_hi_[what.ref];
  if (std::isfinite(lo) && std::isfinite(hi) && hi > lo) return hi - lo;
  const double initial = std::abs(param_initial_[what.ref]);
  return initial > 0 ? initial : 1;
}

std::vector<std::string> Learning::names_of(const plan::Learn& stage) const {
  std::vector<std::string> names;
  for (const plan::Learned& what : stage.learned)
    if (what.gradient) names.push_back(name_of(what));
  return names;
}

Result<void> Learning::prepare() {
  const double inf = std::numeric_limits<double>::infinity();
  for (size_t p = 0; p < plan_.params.size(); ++p) {
    const auto number = [&](graph::NodeId node, double fallback) -> Result<double> {
      if (!node) return fallback;
      const auto value = session_.evaluate(node);
      if (!value) return fail(value.error());
      return (*value)->data[0];
    };
    const auto lo = number(plan_.params[p].lo, -inf), hi = number(plan_.params[p].hi, inf),
               initial = number(plan_.params[p].initial, 0);
    if (!lo || !hi || !initial) return fail((!lo ? lo : !hi ? hi : initial).error());
    param_lo_.push_back(*lo);
    param_hi_.push_back(*hi);
    param_initial_.push_back(*initial);
  }
  for (const plan::Learn& stage : plan_.learns) {
    if (stage.over >= 0) {
      const auto count = session_.frame_count(stage.over);
      if (!count) return fail(count.error());
      n_frames_ = std::max(n_frames_, *count);
    }
    for (const plan::Learned& what : stage.learned) {
      if (!what.gradient) continue;
      std::vector<double>& table = table_of(what);
      if (what.kind == plan::LearnedKind::Param && table.empty()) {
        const auto value = session_.evaluate(plan_.params[what.ref].initial);
        if (!value) return fail(value.error());
        table.assign((*value)->data.begin(), (*value)->data.end());
      }
      if (!scales_.emplace(name_of(what), scale_of(what)).second) continue;  // of an earlier stage
      NamedArray array{name_of(what), {static_cast<int64_t>(table.size())}, table, what.kind == plan::LearnedKind::Weight};
      for (double& v : array.values) v /= scale_of(what);
      learner_.add(array);
    }
  }
  starts_.resize(std::max(1, n_frames_));
  const int threads = options_.threads > 0 ? options_.threads : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const int workers = std::max(1, std::min(threads, n_frames_));
  for (int w = 0; w < workers; ++w) {
    workers_.push_back(session_.fork(-1));
    workers_.back()->be_quiet();
  }
  return hash_data();
}

/// Of bodies, names of frames, and data.
Result<void> Learning::hash_data() {
  const auto add = [&](const void* bytes, size_t n) { data_hash_ = hash_of({static_cast<const char*>(bytes), n}, data_hash_); };
  data_hash_ = hash_of("");
  for (uint32_t g = 0; g < plan_.geometries.size(); ++g) {
    const Body& body = session_.body(plan::GeometryId(g));
    const std::vector<Vec3>& points = body.is_mesh ? body.mesh.nodes : body.surface.vertices;
    add(points.data(), points.size() * sizeof(Vec3));
  }
  for (size_t f = 0; f < plan_.frames.size(); ++f) {
    const auto names = session_.frame_names(static_cast<int>(f));
    if (!names) return fail(names.error());
    for (const std::string& name : *names) add(name.data(), name.size() + 1);
  }
  for (uint32_t i = 0; i < plan_.graph.nodes.size(); ++i) {
    const graph::Node& node = plan_.graph.nodes[graph::NodeId(i)];
    const auto* leaf = std::get_if<graph::Leaf>(&node.kind);
    if (!leaf || leaf->kind != graph::LeafKind::Data || plan_.data[leaf->ref].value) continue;
    const int n = node.rate & ir::kAxisFrame ? n_frames_ : 1;
    for (int f = 0; f < n; ++f) {
      workers_[0]->set_frame(f);
      const auto values = workers_[0]->evaluate(graph::NodeId(i));
      if (!values) return fail(values.error());
      add((*values)->data.data(), (*values)->data.size() * sizeof(double));
    }
  }
  return {};
}

/// Weights are rounded to what the optimiser keeps (f32), so that tables and optimiser never disagree.
void Learning::read_learned(const plan::Learn& stage) {
  for (const plan::Learned& what : stage.learned) {
    if (!what.gradient) continue;
    std::vector<double> values = learner_.values(name_of(what));
    const double scale = scale_of(what);
    bool clipped = false;
    for (double& v : values) {
      v *= scale;
      if (what.kind != plan::LearnedKind::Param) continue;
      const double kept = std::clamp(v, param_lo_[what.ref], param_hi_[what.ref]);
      clipped = clipped || kept != v;
      v = kept;
    }
    if (clipped) {  // bounds hold by projection
      std::vector<double> back = values;
      for (double& v : back) v /= scale;
      learner_.set(name_of(what), back);
    }
    table_of(what) = std::move(values);
  }
}

std::vector<int> Learning::batch_of(size_t stage, int step) const {
  const plan::Learn& learn = plan_.learns[stage];
  if (learn.over < 0) return {-1};
  const int size = learn.batch > 0 ? std::min(learn.batch, n_frames_) : n_frames_;
  std::vector<int> batch;
  std::vector<int> order;
  int64_t pass = -1;
  for (int64_t at = int64_t{step} * size; at < int64_t{step + 1} * size; ++at) {
    if (at / n_frames_ != pass) {
      pass = at / n_frames_;
      order = shuffled(n_frames_, options_.seed, stage, static_cast<uint64_t>(pass));
    }
    batch.push_back(order[at % n_frames_]);
  }
  std::ranges::sort(batch);
  batch.erase(std::unique(batch.begin(), batch.end()), batch.end());  // a batch over the end of a pass
  return batch;
}

void Learning::set_tolerances(size_t stage, int step) {
  const bool late = stage + 1 == plan_.learns.size() && 4 * step >= 3 * steps_of(plan_.learns[stage]);
  forward_ = late ? options_.forward_late : options_.forward_early;
  adjoint_ = late ? options_.adjoint_late : options_.adjoint_early;
}

/// From the last solution, and if that fails from rest.
FrameResult Learning::evaluate(Session& worker, const plan::Learn& stage, int frame) {
  const auto& starts = starts_[std::max(0, frame)];
  FrameResult out = evaluate_from(worker, stage, frame, starts);
  if (!out.good && !starts.empty() && !(options_.stop && *options_.stop)) out = evaluate_from(worker, stage, frame, {});
  return out;
}

FrameResult Learning::evaluate_from(Session& worker, const plan::Learn& stage, int frame, const std::map<uint32_t, Session::Start>& starts) {
  FrameResult out;
  const auto failed = [&](Error error) {
    out.good = false;
    out.error = std::move(error);
    return out;
  };
  worker.set_frame(frame);
  worker.set_tables(&tables_);
  worker.starts() = starts;
  const int64_t adjoints = worker.adjoint_iterations();
  // The error of the loss by the residual of the solves, |wᵀg|, is known only after the adjoint. Where it is too large the
  // solve goes on once, a hundred times closer.
  double tolerance = forward_;
  for (int attempt = 0; attempt < 2; ++attempt, tolerance *= 1e-2) {
    worker.set_tolerances(tolerance, adjoint_);
    if (attempt > 0) worker.set_tables(&tables_);  // forgets; solutions become starts
    if (auto done = evaluate_once(worker, stage, out); !done) return failed(done.error());
    if (worker.adjoint_defect() <= kLargestDefect * std::abs(out.loss)) {
      out.good = true;
      break;
    }
  }
  if (!out.good)
    return failed({"frame-not-stationary",
                   fmt::format("the state is not stationary enough: residual forces change the loss {:.3g} by {:.1e}, more than {:.0f} %",
                               out.loss, worker.adjoint_defect(), 100 * kLargestDefect),
                   "a solve that names its own `tol` needs a smaller one", stage.span});
  out.adjoint_iterations = static_cast<double>(worker.adjoint_iterations() - adjoints);
  // The next start is this solution; a fork keeps it only when it turns away.
  for (uint32_t s = 0; s < plan_.solves.size(); ++s)
    if (const SolveOutcome* outcome = worker.outcome(graph::SolveId(s)))
      out.starts[s] = {outcome->values[0], worker.starts()[s].adjoint, outcome->report.force_scale};
  return out;
}

/// The loss, its parts and its gradients as the worker stands.
Result<void> Learning::evaluate_once(Session& worker, const plan::Learn& stage, FrameResult& out) {
  out.parts.clear();
  out.gradients.clear();
  const auto loss = worker.evaluate(stage.objective);
  if (!loss) return fail(loss.error());
  out.loss = (*loss)->data[0];
  for (uint32_t s = 0; s < plan_.solves.size(); ++s)
    if (const SolveOutcome* outcome = worker.outcome(graph::SolveId(s))) {
      if (!outcome->report.converged())
        return fail(Error{"frame-not-solved", fmt::format("solve {} ended without an equilibrium: {}", plan_.solves[s].name, outcome->report.reason), {}, stage.span});
      out.forward_iterations += outcome->report.iterations;
    }
  if (!std::isfinite(out.loss)) return fail(Error{"loss-not-finite", "the loss is not finite", {}, stage.span});
  for (const auto& [name, node] : stage.parts) {
    const auto part = worker.evaluate(node);
    if (!part) return fail(part.error());
    out.parts.push_back((*part)->data[0]);
  }
  for (const plan::Learned& what : stage.learned) {
    if (!what.gradient) {
      out.gradients.emplace_back();
      continue;
    }
    const auto gradient = worker.evaluate(what.gradient);
    if (!gradient) return fail(gradient.error());
    out.gradients.emplace_back((*gradient)->data.begin(), (*gradient)->data.end());
    for (const double g : out.gradients.back())
      if (!std::isfinite(g)) return fail(Error{"gradient-not-finite", fmt::format("the gradient by `{}` is not finite", name_of(what)), {}, stage.span});
  }
  return {};
}

std::vector<FrameResult> Learning::evaluate_batch(const plan::Learn& stage, const std::vector<int>& batch) {
  std::vector<FrameResult> results(batch.size());
  std::atomic<size_t> next = 0;
  const auto work = [&](size_t w) {
    tbb::task_arena alone(1);  // parallelism is over frames
    alone.execute([&] {
      for (size_t i = next++; i < batch.size(); i = next++) results[i] = evaluate(*workers_[w], stage, batch[i]);
    });
  };
  if (workers_.size() == 1 || batch.size() == 1) {
    for (size_t i = 0; i < batch.size(); ++i) results[i] = evaluate(*workers_[0], stage, batch[i]);
    return results;
  }
  std::vector<std::jthread> threads;
  for (size_t w = 0; w < std::min(workers_.size(), batch.size()); ++w) threads.emplace_back(work, w);
  threads.clear();
  return results;
}

Result<void> Learning::take_step(const plan::Learn& stage, const std::vector<int>& batch, const std::vector<FrameResult>& results,
                                 LearnStep& step) {
  int good = 0;
  for (const FrameResult& r : results) good += r.good;
  step.failed = static_cast<int>(results.size()) - good;
  step.parts.clear();
  for (const auto& [name, node] : stage.parts) step.parts.emplace_back(name, 0.0);
  std::vector<std::vector<double>> gradients;
  double squares = 0;
  for (size_t k = 0; k < stage.learned.size(); ++k) {
    const plan::Learned& what = stage.learned[k];
    if (!what.gradient) continue;
    std::vector<double> sum(table_of(what).size(), 0.0);
    for (size_t i = 0; i < results.size(); ++i) {  // in the order of frames
      if (!results[i].good) continue;
      const std::vector<double>& g = results[i].gradients[k];
      const bool row = what.kind == plan::LearnedKind::Latent && plan_.latents[what.ref].frames >= 0;
      const size_t at = row ? static_cast<size_t>(batch[i]) * g.size() : 0;
      for (size_t e = 0; e < g.size(); ++e) sum[at + e] += g[e] / good;
    }
    for (double& g : sum) {
      g *= scale_of(what);
      squares += g * g;
    }
    gradients.push_back(std::move(sum));
  }
  for (const FrameResult& r : results) {
    if (!r.good) continue;
    step.loss += r.loss / good;
    step.forward_iterations += r.forward_iterations / good;
    step.adjoint_iterations += r.adjoint_iterations / good;
    for (size_t p = 0; p < r.parts.size(); ++p) step.parts[p].second += r.parts[p] / good;
  }
  step.gradient_norm = std::sqrt(squares);
  if (good == 0) step.loss = step.gradient_norm = std::numeric_limits<double>::quiet_NaN();
  if (good > 0) learner_.step(step.rate, gradients);
  return {};
}

Result<void> Learning::save(size_t stage, int step) {
  if (options_.checkpoint.empty()) return {};
  const auto start = Clock::now();
  Checkpoint c{.stage = stage, .step = step, .seed = options_.seed, .program = options_.program_hash, .data = data_hash_,
               .machine = hash_of(options_.machine), .tolerances = tolerances(), .failures = report_.failures,
               .evaluations = evaluations_, .rows = rows_, .seconds = seconds(), .learned = named_arrays(plan_, tables_),
               .units = {}, .optimiser = learner_.state(), .starts = starts_};
  for (const auto& [name, scale] : scales_)
    if (scale != 1) {
      const std::vector<double> values = learner_.values(name);
      c.units.push_back({name, {static_cast<int64_t>(values.size())}, values, false});
    }
  auto written = write_checkpoint(options_.checkpoint, c);
  save_seconds_ += seconds_since(start);
  return written;
}

Result<std::pair<size_t, int>> Learning::load() {
  auto read = read_checkpoint(options_.checkpoint, options_.say);
  if (!read) return fail(read.error());
  Checkpoint& c = *read;
  const auto other = [&](const char* what) {
    return fail("checkpoint-other-program", fmt::format("`{}` was written {}", options_.checkpoint, what),
                "train without `--resume` to begin anew");
  };
  if (c.program != options_.program_hash) return other("by another program or with other settings");
  if (c.seed != options_.seed) return other("with another seed");
  if (c.data != data_hash_) return other("with other data");
  if (options_.say && (c.machine != hash_of(options_.machine) || c.tolerances != tolerances()))
    options_.say("note: the checkpoint comes from another machine, backend or tolerance: the last bits of the result may differ");
  report_.failures = c.failures;
  evaluations_ = c.evaluations;
  rows_ = c.rows;
  seconds_before_ = c.seconds;
  if (auto loaded = load_tables(plan_, c.learned, options_.checkpoint, tables_); !loaded) return fail(loaded.error());
  for (const plan::Learn& learn : plan_.learns)
    for (const plan::Learned& what : learn.learned) {
      if (!what.gradient) continue;
      const auto exact = std::ranges::find(c.units, name_of(what), &NamedArray::name);
      const std::vector<double>& values = exact != c.units.end() ? exact->values : table_of(what);
      if (values.size() != table_of(what).size()) return other("by a program with other sizes");
      learner_.set(name_of(what), values);
    }
  c.starts.resize(starts_.size());
  starts_ = std::move(c.starts);
  const auto at = std::pair(c.stage, c.step);
  if (at.first >= plan_.learns.size()) return at;
  if (auto restored = learner_.restore(c.optimiser); !restored) return fail(restored.error());
  return at;
}

Result<void> Learning::run_stage(size_t index, int first_step) {
  const plan::Learn& stage = plan_.learns[index];
  const int steps = steps_of(stage);
  const std::vector<std::string> names = names_of(stage);
  if (names.empty())
    return fail("nothing-to-learn", "the loss depends on nothing that this stage learns", "name what it depends on behind `learn`", stage.span);
  if (first_step == 0) learner_.begin(names, {});
  Clock::time_point saved = Clock::now();
  const Clock::time_point stage_began = Clock::now();
  for (int s = first_step; s < steps; ++s) {
    read_learned(stage);
    set_tolerances(index, s);
    const std::vector<int> batch = batch_of(index, s);
    LearnStep step{.stage = stage.name.empty() ? "learn" : stage.name, .step = s, .steps = steps, .loss = 0, .parts = {},
                   .gradient_norm = 0, .rate = rate_at(stage.rate, s, steps)};
    const auto start = Clock::now();
    const std::vector<FrameResult> results = evaluate_batch(stage, batch);
    solve_seconds_ += seconds_since(start);
    if (options_.stop && *options_.stop) {  // this step is not taken, nor are its starts: a resumed run takes it anew
      report_.interrupted = true;
      return save(index, s);
    }
    const auto failures = report_.failures + std::ranges::count_if(results, [](const FrameResult& r) { return !r.good; });
    const auto evaluations = evaluations_ + static_cast<int64_t>(batch.size());
    for (size_t i = 0; i < results.size(); ++i)
      if (!results[i].good && options_.say)
        options_.say(fmt::format("warning: step {}: {} is skipped: {}", s + 1, batch[i] < 0 ? "it" : fmt::format("frame {}", batch[i]),
                                 results[i].error.message));
    if (static_cast<double>(failures) > std::max(kFewFailures, options_.failure_budget * static_cast<double>(evaluations))) {
      Error error = std::ranges::find_if(results, [](const FrameResult& r) { return !r.good; })->error;
      if (auto kept = save(index, s); !kept) return kept;  // as it was before this step
      error.hint = fmt::format("{} of {} frame solves failed, the budget is {:.0f} %; a smaller rate may help{}{}", failures, evaluations,
                               100 * options_.failure_budget, error.hint.empty() ? "" : "; " + error.hint,
                               options_.checkpoint.empty() ? "" : fmt::format("; `{}` has what was learned until step {}", options_.checkpoint, s));
      return fail(std::move(error));
    }
    report_.failures = failures;
    evaluations_ = evaluations;
    for (size_t i = 0; i < results.size(); ++i)  // of a skipped one: from rest the next time
      starts_[std::max(0, batch[i])] = results[i].starts;
    const auto stepping = Clock::now();
    if (auto taken = take_step(stage, batch, results, step); !taken) return taken;
    step_seconds_ += seconds_since(stepping);
    step.seconds = seconds();
    step.seconds_left = seconds_since(stage_began) / (s - first_step + 1) * (steps - s - 1);
    log_.write(step);
    ++rows_;
    if (options_.progress) options_.progress(step);
    report_.history.push_back(std::move(step));
    ++report_.steps;
    if (seconds_since(saved) > options_.checkpoint_seconds) {
      read_learned(stage);
      if (auto kept = save(index, s + 1); !kept) return kept;
      saved = Clock::now();
    }
  }
  read_learned(stage);
  return save(index + 1, 0);
}

Result<LearnReport> Learning::run() {
  if (plan_.learns.empty())
    return fail("nothing-to-learn", "the program has no `learn`", "add one: `learn net, z minimizing fit over pose using adam(rate: 1e-3, steps: 600)`");
  if (auto ready = prepare(); !ready) return fail(ready.error());
  std::pair<size_t, int> at{0, 0};
  if (options_.resume) {
    const auto from = load();
    if (!from) return fail(from.error());
    at = *from;
    if (options_.say) options_.say(fmt::format("resuming at stage {}, step {}", at.first + 1, at.second + 1));
  }
  std::vector<std::string> parts;
  for (const plan::Learn& stage : plan_.learns)
    for (const auto& [name, node] : stage.parts)
      if (std::ranges::find(parts, name) == parts.end()) parts.push_back(name);
  if (auto opened = log_.open(options_.log, parts, rows_); !opened) return fail(opened.error());
  for (size_t stage = at.first; stage < plan_.learns.size() && !report_.interrupted; ++stage)
    if (auto done = run_stage(stage, stage == at.first ? at.second : 0); !done) return fail(done.error());
  // Frames run side by side: their phases are thread seconds, all else is wall time.
  Session::Phases phases;
  for (const auto& worker : workers_) {
    phases.solves += worker->phases().solves;
    phases.adjoints += worker->phases().adjoints;
    phases.networks += worker->phases().networks;
  }
  report_.times = {{"frames (wall)", solve_seconds_},        {"solves (threads)", phases.solves},
                   {"adjoints (threads)", phases.adjoints},  {"networks (threads)", phases.networks},
                   {"optimiser", step_seconds_},             {"checkpoints", save_seconds_}};
  return std::move(report_);
}

}  // namespace

Result<LearnReport> learn(const plan::Plan& plan, Session& session, Learner& learner, Tables& tables, const LearnOptions& options) {
  return Learning(plan, session, learner, tables, options).run();
}

}  // namespace asb
