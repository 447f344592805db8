// Forms against the graph: the fast pattern (kernels in local variables, B chained outside) must give what the chain rule
// between nodes gives, which knows nothing of forms.
#include <gtest/gtest.h>

#include <cmath>

#include "asb/run.h"
#include "runtime/learn/initial.h"

namespace asb {
namespace {

constexpr double kAgreement = 1e-12;  // of the largest entry: both sum the same terms in other orders

void expect_close(const std::vector<double>& a, const std::vector<double>& b, const char* what) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0, difference = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    largest = std::max(largest, std::abs(a[i]));
    difference = std::max(difference, std::abs(a[i] - b[i]));
  }
  EXPECT_GT(largest, 0) << what;
  EXPECT_LE(difference, kAgreement * largest) << what;
}

void check(const std::string& path) {
  const Program program = load(path);
  ASSERT_TRUE(program) << program.diagnostics();
  RunOptions options;
  options.gradients = true;
  auto run = prepare_run(program, options);
  ASSERT_TRUE(run.has_value()) << run.error().message;
  const plan::Solve& solve = run->plan->solves[0];
  auto objective = run->session->objective(graph::SolveId(0));
  ASSERT_TRUE(objective.has_value()) << objective.error().message;
  SolveObjective& E = **objective;

  std::vector<double> x = E.free_values(), v(x.size()), g(x.size()), Hv(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    x[i] += 1e-4 * E.diameter() * (2 * counter_uniform(3, 0, i) - 1);
    v[i] = E.diameter() * (2 * counter_uniform(4, 0, i) - 1);
  }
  (void)E.gradient(x, g);
  E.linearise(x);
  E.product(v, Hv);

  std::vector<double> full(E.full(x).begin(), E.full(x).end()), direction(full.size(), 0.0);
  E.scatter_free(v, direction);
  run->session->give(solve.unknowns[0], full, direction);
  for (const bool product : {false, true}) {
    const auto nodal = run->session->node_major(product ? solve.graph_product : solve.graph_gradient);
    ASSERT_TRUE(nodal.has_value()) << nodal.error().message;
    std::vector<double> free(x.size());
    E.gather_free(*nodal, free);
    expect_close(product ? Hv : g, free, product ? "Hessian-vector product" : "gradient");
  }
}

TEST(FormsAgainstTheGraph, GiveTheSameGradientAndProductForTheBeam) { check(ASB_SOURCE_FOLDER "/examples/beam/beam.asb"); }
TEST(FormsAgainstTheGraph, GiveTheSameGradientAndProductForTheStarfish) { check(ASB_SOURCE_FOLDER "/examples/starfish/forward.asb"); }

}  // namespace
}  // namespace asb
