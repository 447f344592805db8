// See gradients.h.
#include "asb/gradients.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "runtime/learn/initial.h"

namespace asb {

bool GradientCheck::good() const {
  return std::ranges::all_of(rows, [](const TaylorRow& row) { return row.good; });
}

namespace {

/// Of |wᵀg| against the value.
constexpr double kLargestDefect = 1e-8;
/// Of sums, against the sum of what is added.
constexpr double kRounding = 100 * std::numeric_limits<double>::epsilon();

double slope_of(std::span<const std::pair<double, double>> points) {
  double mx = 0, my = 0, xy = 0, xx = 0;
  for (const auto& [x, y] : points) {
    mx += x / static_cast<double>(points.size());
    my += y / static_cast<double>(points.size());
  }
  for (const auto& [x, y] : points) {
    xy += (x - mx) * (y - my);
    xx += (x - mx) * (x - mx);
  }
  return xy / xx;
}

/// Fits the slope of remainders above `rounding`; at least three, or all are below. Those below `noise` may be left out at
/// the end, where they are what the solves left, and long steps at the start, which lie outside of the polynomial's reach.
void judge(TaylorRow& row, double rounding, double noise) {
  // The smallest remainder shows the noise of the solves where it is larger than they promise; of a wrong derivative it is the
  // last one, and leaving out its neighbours leaves its slope of 1.
  double smallest = row.remainders.front().second;
  for (const auto& [h, r] : row.remainders) smallest = std::min(smallest, r);
  const double floor = std::max(rounding, 4 * smallest);
  std::vector<std::pair<double, double>> points;
  for (const auto& [h, r] : row.remainders) {
    if (!(r > floor)) break;
    points.emplace_back(std::log(h), std::log(r));
  }
  if (points.size() < 3) {
    row.at_rounding_level = points.empty() || row.remainders.front().second <= 10 * std::max(floor, noise);
    row.good = row.at_rounding_level;
    return;
  }
  for (size_t end = points.size(); end >= 3; --end) {
    for (size_t first = 0; first + 3 <= end; ++first) {
      row.slope = slope_of(std::span(points).subspan(first, end - first));
      row.good = row.slope >= row.order - 0.1;
      if (row.good) return;
    }
    if (points[end - 1].second > std::log(noise)) break;
  }
  row.slope = slope_of(points);
}

std::vector<double> steps() {
  std::vector<double> h;
  for (int k = 0; k <= 10; ++k) h.push_back(std::pow(10.0, -1 - 0.4 * k));
  return h;
}

class Checker {
 public:
  explicit Checker(Run& run, int frame) : run_(run) {
    session_ = run.session->fork(frame);
    session_->set_tables(run.tables.get());
  }

  Result<void> energies(GradientCheck& check) {
    for (uint32_t s = 0; s < run_.plan->solves.size(); ++s) {
      auto objective = session_->objective(graph::SolveId(s));
      if (!objective) return fail(objective.error());
      SolveObjective& E = **objective;
      std::vector<double> x = E.free_values(), d(x.size()), g(x.size()), Hd(x.size());
      const double length = 1e-3 * E.diameter();
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] += 0.1 * length * (2 * counter_uniform(1, s, i) - 1);
        d[i] = length * (2 * counter_uniform(2, s, i) - 1);
      }
      const Evaluation at = E.gradient(x, g);
      E.linearise(x);
      E.product(d, Hd);
      double slope = 0, curvature = 0;
      for (size_t i = 0; i < d.size(); ++i) {
        slope += g[i] * d[i];
        curvature += d[i] * Hd[i];
      }
      TaylorRow first{.of = "energy of " + run_.plan->solves[s].name, .by = run_.plan->solves[s].name, .order = 2, .remainders = {}, .value = at.energy, .derivative = slope};
      TaylorRow second = first;
      second.order = 3;
      std::vector<double> moved(x.size());
      for (const double h : steps()) {
        for (size_t i = 0; i < x.size(); ++i) moved[i] = x[i] + h * d[i];
        const double change = E.energy(moved).energy - at.energy;
        first.remainders.emplace_back(h, std::abs(change - h * slope));
        second.remainders.emplace_back(h, std::abs(change - h * slope - 0.5 * h * h * curvature));
      }
      const double floor = kRounding * at.magnitude;
      judge(first, floor, floor);
      judge(second, floor, floor);
      check.rows.push_back(std::move(first));
      check.rows.push_back(std::move(second));
    }
    return {};
  }

  /// One row per param, latent and network that the scalar depends on.
  Result<void> scalar(const plan::Gradients& g, GradientCheck& check) {
    const auto base = session_->evaluate(g.value);
    if (!base) return fail(base.error());
    const double value = (*base)->data[0];
    for (uint32_t s = 0; s < run_.plan->solves.size(); ++s)
      if (const SolveOutcome* outcome = session_->outcome(graph::SolveId(s)); outcome && !outcome->report.converged())
        return fail("grad-not-solved", fmt::format("solve {} ended without an equilibrium: {}", run_.plan->solves[s].name, outcome->report.reason),
                    "derivatives through a solve need its equilibrium", run_.plan->solves[s].span);
    std::map<std::string, std::vector<const plan::Learned*>> groups;
    for (const plan::Learned& by : g.by) groups[group_of(by)].push_back(&by);
    for (const auto& [name, members] : groups) {
      std::vector<std::vector<double>> directions;
      double slope = 0;
      for (const plan::Learned* by : members) {
        const auto gradient = session_->evaluate(by->gradient);
        if (!gradient) return fail(gradient.error());
        directions.push_back(direction(*by));
        for (size_t i = 0; i < directions.back().size(); ++i) slope += (*gradient)->data[i] * directions.back()[i];
      }
      // The residual of the solves changes the value by |wᵀg| to first order.
      const double scale = std::max(std::abs(value), 1e-2 * session_->adjoint_reach());
      if (session_->adjoint_defect() > kLargestDefect * scale)
        return fail("grad-not-stationary",
                    fmt::format("the state isn't stationary enough to differentiate `{}`: residual forces change its {:.6g} by {:.1e}", g.of,
                                value, session_->adjoint_defect()),
                    "a solve that names its own `tol` needs a smaller one, 1e-11 say");
      TaylorRow row{.of = g.of, .by = name, .order = 2, .remainders = {}, .value = value, .derivative = slope};
      const double rounding = kRounding * std::max(std::abs(value), std::abs(slope));
      // What the residuals that the solves at moved values are allowed change: a bound, mostly far above what they do.
      const double noise = std::max(rounding, session_->adjoint_noise());
      for (const double h : steps()) {
        const auto moved = value_at(g.value, members, directions, h);
        if (!moved) return fail(moved.error());
        row.remainders.emplace_back(h, std::abs(*moved - value - h * slope));
      }
      restore(members);
      judge(row, rounding, noise);
      check.rows.push_back(std::move(row));
    }
    return {};
  }

 private:
  std::string group_of(const plan::Learned& by) const {
    switch (by.kind) {
      case plan::LearnedKind::Param: return run_.plan->params[by.ref].name;
      case plan::LearnedKind::Latent: return run_.plan->latents[by.ref].name;
      case plan::LearnedKind::Weight: return run_.plan->weights[by.ref].network;
    }
    ASB_UNREACHABLE("learned kind");
  }

  /// Present values of one leaf, as a vector that can be moved.
  std::vector<double> values(const plan::Learned& by) const {
    const auto now = session_->evaluate(by.leaf);
    ASB_CHECK(now.has_value(), "a leaf without values");
    return {(*now)->data.begin(), (*now)->data.end()};
  }

  std::vector<double> direction(const plan::Learned& by) const {
    std::vector<double> d = values(by);
    double scale = 0;
    for (const double v : d) scale = std::max(scale, std::abs(v));
    scale = scale > 0 ? 0.1 * scale : 0.1;
    const uint64_t stream = hash_of(group_of(by)) + by.ref;
    for (size_t i = 0; i < d.size(); ++i) d[i] = scale * (2 * counter_uniform(7, stream, i) - 1);
    if (d.size() == 1) d[0] = scale;
    if (by.kind == plan::LearnedKind::Param && run_.plan->params[by.ref].is_symmetric) {
      const int n = run_.plan->params[by.ref].type.dims[0];
      for (int i = 0; i < n; ++i)
        for (int j = 0; j < i; ++j) d[i * n + j] = d[j * n + i];
    }
    return d;
  }

  void put(const plan::Learned& by, const std::vector<double>& v) {
    Tables& t = *run_.tables;
    switch (by.kind) {
      case plan::LearnedKind::Param: t.params.resize(run_.plan->params.size()); t.params[by.ref] = v; break;
      case plan::LearnedKind::Weight: t.weights[by.ref] = v; break;
      case plan::LearnedKind::Latent:
        std::copy(v.begin(), v.end(), t.latents[by.ref].begin() + std::max(0, session_->frame()) * static_cast<int64_t>(v.size()));
        break;
    }
  }

  Result<double> value_at(graph::NodeId node, const std::vector<const plan::Learned*>& members,
                          const std::vector<std::vector<double>>& directions, double h) {
    if (base_.empty())
      for (const plan::Learned* by : members) base_.push_back(values(*by));
    for (size_t k = 0; k < members.size(); ++k) {
      std::vector<double> v = base_[k];
      for (size_t i = 0; i < v.size(); ++i) v[i] += h * directions[k][i];
      put(*members[k], v);
    }
    session_->set_tables(run_.tables.get());  // forgets what depends on them; solutions become starts
    const auto value = session_->evaluate(node);
    if (!value) return fail(value.error());
    return (*value)->data[0];
  }

  void restore(const std::vector<const plan::Learned*>& members) {
    for (size_t k = 0; k < members.size(); ++k) put(*members[k], base_[k]);
    base_.clear();
    session_->set_tables(run_.tables.get());
  }

  Run& run_;
  std::unique_ptr<Session> session_;
  std::vector<std::vector<double>> base_;
};

}  // namespace

Result<GradientCheck> check_gradients(const Program& program, RunOptions options) {
  options.gradients = true;
  options.precision = NetworkPrecision::F64;
  options.session.tolerance = std::min(options.session.tolerance, 1e-11);
  options.session.adjoint_tolerance = 1e-10;
  auto run = prepare_run(program, options);
  if (!run) return fail(run.error());
  Checker checker(*run, run->plan->frames.empty() ? -1 : 0);
  GradientCheck check;
  check.notes = run->plan->notes;
  if (auto done = checker.energies(check); !done) return fail(done.error());
  for (const plan::Gradients& g : run->plan->gradients)
    if (auto done = checker.scalar(g, check); !done) return fail(done.error());
  return check;
}

}  // namespace asb
