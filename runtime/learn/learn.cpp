// See learn.h.
#include "runtime/learn/learn.h"

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <numbers>
#include <thread>

#include "base/atomic_file.h"
#include "runtime/io/weights.h"
#include "runtime/learn/initial.h"

namespace asb {
namespace {

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
  void write_log(const LearnStep& step);

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
  std::ofstream log_;
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
  for (auto& worker : workers_)
    worker->set_tolerances(late ? options_.forward_late : options_.forward_early, late ? options_.adjoint_late : options_.adjoint_early);
}

FrameResult Learning::evaluate(Session& worker, const plan::Learn& stage, int frame) {
  FrameResult out;
  const auto failed = [&](Error error) {
    out.error = std::move(error);
    return out;
  };
  worker.set_frame(frame);
  worker.set_tables(&tables_);
  auto& starts = starts_[std::max(0, frame)];
  worker.starts() = starts;
  const int64_t adjoints = worker.adjoint_iterations();
  const auto loss = worker.evaluate(stage.objective);
  if (!loss) return failed(loss.error());
  out.loss = (*loss)->data[0];
  if (!std::isfinite(out.loss)) return failed({"loss-not-finite", "the loss is not finite", {}, stage.span});
  for (uint32_t s = 0; s < plan_.solves.size(); ++s)
    if (const SolveOutcome* outcome = worker.outcome(graph::SolveId(s))) {
      if (!outcome->report.converged())
        return failed({"frame-not-solved", fmt::format("solve {} ended without an equilibrium: {}", plan_.solves[s].name, outcome->report.reason), {}, stage.span});
      out.forward_iterations += outcome->report.iterations;
    }
  for (const auto& [name, node] : stage.parts) {
    const auto part = worker.evaluate(node);
    if (!part) return failed(part.error());
    out.parts.push_back((*part)->data[0]);
  }
  for (const plan::Learned& what : stage.learned) {
    if (!what.gradient) {
      out.gradients.emplace_back();
      continue;
    }
    const auto gradient = worker.evaluate(what.gradient);
    if (!gradient) return failed(gradient.error());
    out.gradients.emplace_back((*gradient)->data.begin(), (*gradient)->data.end());
    for (const double g : out.gradients.back())
      if (!std::isfinite(g)) return failed({"gradient-not-finite", fmt::format("the gradient by `{}` is not finite", name_of(what)), {}, stage.span});
  }
  out.adjoint_iterations = static_cast<double>(worker.adjoint_iterations() - adjoints);
  // The next start is this solution; a fork keeps it only when it turns away.
  for (uint32_t s = 0; s < plan_.solves.size(); ++s)
    if (const SolveOutcome* outcome = worker.outcome(graph::SolveId(s)))
      starts[s] = {outcome->values[0], worker.starts()[s].adjoint, outcome->report.force_scale};
  out.good = true;
  return out;
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
  if (good > 0) learner_.step(step.rate, gradients);
  return {};
}

void Learning::write_log(const LearnStep& step) {
  if (options_.log.empty()) return;
  if (!log_.is_open()) {
    log_.open(options_.log, options_.resume ? std::ios::app : std::ios::trunc);
    if (log_.tellp() == std::streampos(0)) {
      log_ << "stage,step,loss";
      for (const auto& [name, value] : step.parts) log_ << ',' << name;
      log_ << ",gradient_norm,rate,forward_iterations,adjoint_iterations,failed,seconds\n";
    }
  }
  log_ << step.stage << ',' << step.step << ',' << fmt::format("{:.17g}", step.loss);
  for (const auto& [name, value] : step.parts) log_ << ',' << fmt::format("{:.17g}", value);
  log_ << fmt::format(",{:.6g},{:.6g},{:.3g},{:.3g},{},{:.3f}\n", step.gradient_norm, step.rate, step.forward_iterations,
                      step.adjoint_iterations, step.failed, step.seconds);
  log_.flush();
}

Result<void> Learning::save(size_t stage, int step) {
  if (options_.checkpoint.empty()) return {};
  const auto start = Clock::now();
  std::vector<NamedArray> arrays = named_arrays(plan_, tables_);
  for (NamedArray& a : learner_.state()) arrays.push_back(std::move(a));
  const auto number = [&](const std::string& name, std::vector<double> values) {
    arrays.push_back({name, {static_cast<int64_t>(values.size())}, std::move(values), false});
  };
  number("checkpoint.stage", {static_cast<double>(stage)});
  number("checkpoint.step", {static_cast<double>(step)});
  number("checkpoint.seed", {static_cast<double>(options_.seed)});
  number("checkpoint.program", {static_cast<double>(options_.program_hash >> 32), static_cast<double>(options_.program_hash & 0xffffffffu)});
  number("checkpoint.failures", {static_cast<double>(report_.failures), static_cast<double>(evaluations_)});
  for (size_t f = 0; f < starts_.size(); ++f)
    for (const auto& [solve, s] : starts_[f]) {
      if (s.values.empty()) continue;
      const std::string name = fmt::format("checkpoint.start.{}.{}", f, solve);
      number(name + ".x", s.values);
      number(name + ".w", s.adjoint);
      number(name + ".r", {s.force_scale});
    }
  if (::access(options_.checkpoint.c_str(), F_OK) == 0)  // the last two are kept
    (void)std::rename(options_.checkpoint.c_str(), (options_.checkpoint + ".before.safetensors").c_str());
  auto written = write_weights(options_.checkpoint, arrays);
  save_seconds_ += seconds_since(start);
  return written;
}

Result<std::pair<size_t, int>> Learning::load() {
  auto arrays = read_weights(options_.checkpoint);
  if (!arrays) arrays = read_weights(options_.checkpoint + ".before.safetensors");
  if (!arrays) return fail(arrays.error());
  std::map<std::string, const NamedArray*> by_name;
  for (const NamedArray& a : *arrays) by_name[a.name] = &a;
  const auto numbers = [&](const std::string& name) -> std::vector<double> {
    const auto found = by_name.find(name);
    return found == by_name.end() ? std::vector<double>{} : found->second->values;
  };
  const std::vector<double> program = numbers("checkpoint.program"), stage = numbers("checkpoint.stage"), step = numbers("checkpoint.step"),
                            seed = numbers("checkpoint.seed"), failures = numbers("checkpoint.failures");
  if (program.size() != 2 || stage.size() != 1 || step.size() != 1 || seed.size() != 1 || failures.size() != 2)
    return fail("checkpoint-incomplete", fmt::format("`{}` is not a checkpoint of a training", options_.checkpoint));
  const uint64_t hash = (static_cast<uint64_t>(program[0]) << 32) | static_cast<uint64_t>(program[1]);
  if (hash != options_.program_hash || seed[0] != static_cast<double>(options_.seed))
    return fail("checkpoint-other-program", fmt::format("`{}` was written by another program, other settings or another seed", options_.checkpoint),
                "train without `--resume` to begin anew");
  report_.failures = static_cast<int64_t>(failures[0]);
  evaluations_ = static_cast<int64_t>(failures[1]);
  if (auto loaded = load_tables(plan_, options_.checkpoint, tables_); !loaded) return fail(loaded.error());
  for (const plan::Learn& learn : plan_.learns)
    for (const plan::Learned& what : learn.learned) {
      if (!what.gradient) continue;
      std::vector<double> values = table_of(what);
      for (double& v : values) v /= scale_of(what);
      learner_.set(name_of(what), values);
    }
  for (size_t f = 0; f < starts_.size(); ++f)
    for (uint32_t s = 0; s < plan_.solves.size(); ++s) {
      const std::string name = fmt::format("checkpoint.start.{}.{}", f, s);
      const std::vector<double> x = numbers(name + ".x"), r = numbers(name + ".r");
      if (!x.empty() && r.size() == 1) starts_[f][s] = {x, numbers(name + ".w"), r[0]};
    }
  const auto at = std::pair(static_cast<size_t>(stage[0]), static_cast<int>(step[0]));
  if (at.first >= plan_.learns.size()) return at;
  const std::vector<std::string> names = names_of(plan_.learns[at.first]);
  learner_.begin(names, {});
  std::vector<NamedArray> state;
  for (const NamedArray& a : *arrays)
    if (a.name.starts_with("optimiser.")) state.push_back(a);
  if (auto restored = learner_.restore(state); !restored) return fail(restored.error());
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
    if (options_.stop && *options_.stop) {  // this step is not taken: the checkpoint is that of the last one
      report_.interrupted = true;
      return save(index, s);
    }
    evaluations_ += static_cast<int64_t>(batch.size());
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].good) continue;
      ++report_.failures;
      starts_[std::max(0, batch[i])].clear();  // from rest the next time
      if (options_.say) options_.say(fmt::format("warning: step {}: frame {} is skipped: {}", s, batch[i], results[i].error.message));
    }
    if (report_.failures > std::max(3.0, options_.failure_budget * static_cast<double>(evaluations_)) ||
        std::ranges::none_of(results, [](const FrameResult& r) { return r.good; })) {
      Error error = std::ranges::find_if(results, [](const FrameResult& r) { return !r.good; })->error;
      if (auto kept = save(index, s); !kept) return kept;
      error.hint = fmt::format("{} of {} frame solves failed, more than the budget of {:.0f} %; a smaller rate may help{}", report_.failures,
                               evaluations_, 100 * options_.failure_budget, error.hint.empty() ? "" : "; " + error.hint);
      return fail(std::move(error));
    }
    const auto stepping = Clock::now();
    if (auto taken = take_step(stage, batch, results, step); !taken) return taken;
    step_seconds_ += seconds_since(stepping);
    step.seconds = seconds_since(began_);
    step.seconds_left = seconds_since(stage_began) / (s - first_step + 1) * (steps - s - 1);
    write_log(step);
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
    if (options_.say) options_.say(fmt::format("resuming at stage {}, step {}", at.first + 1, at.second));
  }
  for (size_t stage = at.first; stage < plan_.learns.size() && !report_.interrupted; ++stage)
    if (auto done = run_stage(stage, stage == at.first ? at.second : 0); !done) return fail(done.error());
  report_.times = {{"frames: solves, adjoints, networks", solve_seconds_}, {"optimiser", step_seconds_}, {"checkpoints", save_seconds_}};
  return std::move(report_);
}

}  // namespace

Result<LearnReport> learn(const plan::Plan& plan, Session& session, Learner& learner, Tables& tables, const LearnOptions& options) {
  return Learning(plan, session, learner, tables, options).run();
}

}  // namespace asb
