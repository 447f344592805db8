// Tables of learned values: their first values, and their names in files.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/io/weights.h"
#include "runtime/learn/initial.h"
#include "runtime/learn/learn.h"

namespace asb {

Result<Tables> initial_tables(const plan::Plan& plan, Session& session, uint64_t seed) {
  Tables tables;
  tables.params.resize(plan.params.size());
  for (const plan::Latent& latent : plan.latents) {
    int rows = latent.count;
    if (latent.frames >= 0) {
      const auto count = session.frame_count(latent.frames);
      if (!count) return fail(count.error());
      rows = *count;
    }
    tables.latents.push_back(
        initial_values(latent.initial, static_cast<size_t>(rows) * latent.type.entries(), latent.name, seed));
  }
  for (const plan::Weight& weight : plan.weights)
    tables.weights.push_back(initial_values(weight.initial, weight.type.entries(), weight.path, seed));
  return tables;
}

std::vector<NamedArray> named_arrays(const plan::Plan& plan, const Tables& tables) {
  std::vector<NamedArray> arrays;
  const auto shape_of = [](const ir::Type& type) { return std::vector<int64_t>(type.dims.begin(), type.dims.begin() + type.rank); };
  for (size_t i = 0; i < tables.weights.size(); ++i)
    arrays.push_back({plan.weights[i].path, shape_of(plan.weights[i].type), tables.weights[i], false});
  for (size_t i = 0; i < tables.latents.size(); ++i) {
    std::vector<int64_t> shape = shape_of(plan.latents[i].type);
    shape.insert(shape.begin(), static_cast<int64_t>(tables.latents[i].size()) / plan.latents[i].type.entries());
    arrays.push_back({plan.latents[i].name, shape, tables.latents[i], false});
  }
  for (size_t i = 0; i < tables.params.size(); ++i)
    if (!tables.params[i].empty())
      arrays.push_back({plan.params[i].name, shape_of(plan.params[i].type), tables.params[i], false});
  return arrays;
}

Result<void> load_tables(const plan::Plan& plan, const std::string& path, Tables& tables, std::span<const std::string> keep) {
  const auto arrays = read_weights(path);
  if (!arrays) return fail(arrays.error());
  return load_tables(plan, *arrays, path, tables, keep);
}

Result<void> load_tables(const plan::Plan& plan, std::span<const NamedArray> arrays, const std::string& path, Tables& tables,
                         std::span<const std::string> keep) {
  size_t used = 0;
  const auto take = [&](const std::string& name, std::vector<double>& into, size_t expected) -> Result<void> {
    for (const NamedArray& a : arrays) {
      if (a.name != name) continue;
      if (expected && a.values.size() != expected)
        return fail("weights-shape", fmt::format("`{}` has {} numbers in `{}`, the program has {}", name, a.values.size(), path, expected),
                    "the file belongs to another program, or to other widths");
      into = a.values;
      ++used;
    }
    return {};
  };
  for (size_t i = 0; i < plan.weights.size(); ++i) {
    const size_t before = used;
    if (auto r = take(plan.weights[i].path, tables.weights[i], plan.weights[i].type.entries()); !r) return r;
    if (used == before)
      return fail("weights-missing", fmt::format("`{}` holds no array `{}`", path, plan.weights[i].path),
                  "the file belongs to another program, or names its weights otherwise");
  }
  for (size_t i = 0; i < plan.latents.size(); ++i)
    if (auto r = take(plan.latents[i].name, tables.latents[i], tables.latents[i].size()); !r) return r;
  for (size_t i = 0; i < plan.params.size(); ++i)
    if (std::ranges::find(keep, plan.params[i].name) == keep.end())
      if (auto r = take(plan.params[i].name, tables.params[i], plan.params[i].type.entries()); !r) return r;
  return {};
}

}  // namespace asb
