// See scalar_factor.h.
#include "runtime/linalg/scalar_factor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "runtime/linalg/symmetric_matrix.h"

namespace asb {
namespace {

/// A pivot below this share of its diagonal entry is round-off. Between it and the smallest honest
/// ratio, about (h/L)² times the contrast of stiffnesses, lie several orders of magnitude.
constexpr double kSingularPivot = 1e-13;

std::string component_name(int c, int n_components) {
  return n_components <= 3 ? std::string(1, "xyz"[c]) : fmt::format("component {}", c);
}

/// Names the connected part that holds row `column` of the restricted matrix.
tl::unexpected<Error> floating_part(const SymmetricMatrix& part, std::span<const int32_t> nodes,
                                    int64_t column, const std::string& component) {
  const std::vector<int32_t> parts = connected_parts(part);
  const auto size = std::count(parts.begin(), parts.end(), parts[column]);
  return fail(
      "solve-floating-part",
      fmt::format(
          "a connected part of {} nodes (node {} among them) is held by nothing along `{}`; the "
          "stiffness has {} rows and is singular there",
          size, nodes[column], component, part.n),
      "fix some of its nodes, attach it to something fixed, or remove it");
}

}  // namespace

Result<std::unique_ptr<ScalarFactor>> ScalarFactor::make(const SymmetricMatrix& K,
                                                         std::span<const int32_t> free_index,
                                                         int n_components) {
  ASB_CHECK(free_index.size() == static_cast<size_t>(K.n) * static_cast<size_t>(n_components),
            "one free index per node and component");
  std::unique_ptr<ScalarFactor> result(new ScalarFactor);
  // 1. Components with equal masks share a group.
  std::vector<std::vector<uint8_t>> masks;
  for (int c = 0; c < n_components; ++c) {
    std::vector<uint8_t> mask(K.n);
    for (int32_t a = 0; a < K.n; ++a)
      mask[a] = free_index[static_cast<size_t>(a) * n_components + c] >= 0;
    if (std::find(mask.begin(), mask.end(), 1) == mask.end()) continue;
    const auto known = std::find(masks.begin(), masks.end(), mask);
    if (known == masks.end()) {
      masks.push_back(std::move(mask));
      result->groups_.emplace_back().components = {c};
    } else {
      result->groups_[static_cast<size_t>(known - masks.begin())].components.push_back(c);
    }
  }
  // 2. One factor per group.
  double diagonal_sum = 0;
  for (size_t g = 0; g < masks.size(); ++g) {
    Group& group = result->groups_[g];
    const SymmetricMatrix part = restrict_to(K, masks[g]);
    std::vector<int32_t> nodes;
    for (int32_t a = 0; a < K.n; ++a)
      if (masks[g][a] != 0) nodes.push_back(a);
    for (const int c : group.components)
      for (const int32_t a : nodes)
        group.place.push_back(free_index[static_cast<size_t>(a) * n_components + c]);
    group.values.resize(group.place.size());
    result->n_free_ += group.place.size();
    diagonal_sum += asb::mean_diagonal(part) * static_cast<double>(group.place.size());

    const Result<FactorStatus> status = group.factor.factor(part);
    if (!status) return fail(status.error());
    int64_t column = status->column;
    if (!*status || group.factor.smallest_pivot_ratio(&column) < kSingularPivot)
      return floating_part(part, nodes, column,
                           component_name(group.components.front(), n_components));
  }
  if (result->n_free_ > 0)
    result->mean_diagonal_ = diagonal_sum / static_cast<double>(result->n_free_);
  return result;
}

void ScalarFactor::apply(std::span<const double> r, std::span<double> z) {
  ASB_CHECK(r.size() == n_free_ && z.size() == n_free_, "vectors of free values");
  for (Group& group : groups_) {
    for (size_t i = 0; i < group.place.size(); ++i) group.values[i] = r[group.place[i]];
    const auto solved =
        group.factor.solve(group.values, group.values, static_cast<int>(group.components.size()));
    ASB_CHECK(solved.has_value(), "solve with a factor of the scalar stiffness (memory)");
    for (size_t i = 0; i < group.place.size(); ++i) z[group.place[i]] = group.values[i];
  }
}

size_t ScalarFactor::bytes() const {
  size_t sum = 0;
  for (const Group& group : groups_) sum += group.factor.statistics().bytes;
  return sum;
}

std::vector<FactorStatistics> ScalarFactor::statistics() const {
  std::vector<FactorStatistics> all;
  for (const Group& group : groups_) all.push_back(group.factor.statistics());
  return all;
}

}  // namespace asb
