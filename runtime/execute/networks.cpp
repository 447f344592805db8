// Networks and frames of a session: batches for the network evaluator, files of frames, data of the current frame.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <filesystem>

#include "runtime/execute/session.h"
#include "runtime/io/read_surface.h"
#include "runtime/io/resolve_path.h"
#include "runtime/minimise/descent.h"

namespace asb {

namespace {

/// Lanes → entity after entity; padding included (it repeats an entity).
std::vector<double> by_entity(const Values& v) {
  const int n = v.type.entries();
  const int64_t blocks = static_cast<int64_t>(v.data.size()) / (n * kLanes);
  std::vector<double> out(v.data.size());
  for (int64_t b = 0; b < blocks; ++b)
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < kLanes; ++l) out[(b * kLanes + l) * n + k] = v.data[(b * n + k) * kLanes + l];
  return out;
}

Values from_entities(const ir::Type& type, std::span<const double> values) {
  const int n = type.entries();
  const int64_t blocks = static_cast<int64_t>(values.size()) / (n * kLanes);
  Values out{type, false, AlignedVector(values.size())};
  for (int64_t b = 0; b < blocks; ++b)
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < kLanes; ++l) out.data[(b * n + k) * kLanes + l] = values[(b * kLanes + l) * n + k];
  return out;
}

}  // namespace

Result<Values> Session::network(const graph::Node& node, const graph::Network& network) {
  if (!options_.networks)
    return fail("no-networks", fmt::format("`{}` is a network, and nothing here evaluates networks", node.name),
                "install LibTorch: `apt-get install libtorch-dev`, then build again", node.span);
  const ir::Function& function = plan_.graph.functions[network.function];
  const size_t n_inputs = function.inputs.size();
  std::vector<std::vector<double>> held;
  std::vector<NetworkInput> inputs;
  held.reserve(n_inputs + 1);
  int64_t n = 1;
  const auto batch = [&](graph::NodeId id) -> Result<NetworkInput> {
    const auto value = evaluate(id);
    if (!value) return fail(value.error());
    if ((*value)->single) return NetworkInput{(*value)->data, false};
    held.push_back(by_entity(**value));
    n = static_cast<int64_t>(held.back().size()) / (*value)->type.entries();
    return NetworkInput{held.back(), true};
  };
  for (size_t i = 0; i < n_inputs; ++i) {
    const auto in = batch(node.inputs[i]);
    if (!in) return fail(in.error());
    inputs.push_back(*in);
  }
  const ir::Type& out_type = function.outputs[0].type;
  if (network.pulled < 0) {
    std::vector<double> output(n * out_type.entries());
    {
      const PhaseTimer timer(phases_.networks);
      if (auto done = options_.networks->forward(function, inputs, n, output); !done) return fail(done.error());
    }
    if (node.space == graph::kSingle) return Values{out_type, true, AlignedVector(output.begin(), output.end())};
    return from_entities(out_type, output);
  }

  // All cotangents that are wanted come from one call.
  const graph::NodeId bar_node = node.inputs[n_inputs];
  auto& pulls = pulls_[{network.function.index, bar_node.index}];
  if (pulls.empty()) {
    const auto bar = batch(bar_node);
    if (!bar) return fail(bar.error());
    std::vector<double> spread;  // a cotangent that is the same everywhere
    std::span<const double> bar_values = bar->values;
    if (!bar->per_entity && n > 1) {
      for (int64_t e = 0; e < n; ++e) spread.insert(spread.end(), bar->values.begin(), bar->values.end());
      bar_values = spread;
    }
    std::vector<std::vector<double>> cotangents(n_inputs);
    std::vector<std::span<double>> wanted(n_inputs);
    for (size_t i = 0; i < n_inputs; ++i) {
      if (!(plan_.graph.nodes[node.inputs[i]].rate & (ir::kAxisParams | ir::kAxisFrame))) continue;  // X: nobody asks
      cotangents[i].resize(function.inputs[i].type.entries() * (inputs[i].per_entity ? n : 1));
      wanted[i] = cotangents[i];
    }
    {
      const PhaseTimer timer(phases_.networks);
      if (auto done = options_.networks->pull_back(function, inputs, n, bar_values, wanted); !done) return fail(done.error());
    }
    for (size_t i = 0; i < n_inputs; ++i) {
      const ir::Type& type = function.inputs[i].type;
      if (inputs[i].per_entity) pulls.push_back(from_entities(type, cotangents[i]));
      else pulls.push_back({type, true, AlignedVector(cotangents[i].begin(), cotangents[i].end())});
    }
  }
  if (pulls[network.pulled].data.empty())
    return fail("not-yet", fmt::format("the derivative of `{}` by a fixed input is not executed yet", node.name), {}, node.span);
  return pulls[network.pulled];
}

Result<std::vector<std::string>> Session::frame_names(int index) {
  const plan::Frames& frames = plan_.frames[index];
  std::vector<std::string> names;
  if (frames.pattern.empty()) {
    for (int i = 0; i < frames.count; ++i) names.push_back(std::to_string(i));
    return names;
  }
  namespace fs = std::filesystem;
  const fs::path pattern(frames.pattern);
  const std::string folder = pattern.parent_path().empty() ? "." : pattern.parent_path().string();
  std::string searched;
  for (const std::string& root : {options_.data_folder, options_.program_folder}) {
    if (root.empty()) continue;
    const auto found = resolve_path(root, folder);
    if (!found) {
      if (root == options_.program_folder) return fail(Error{found.error().name, found.error().message, found.error().hint, frames.span});
      continue;
    }
    searched = *found;
    std::error_code bad;
    for (const auto& entry : fs::directory_iterator(*found, bad))
      if (entry.is_regular_file(bad) && fnmatch(pattern.filename().c_str(), entry.path().filename().c_str(), 0) == 0)
        names.push_back((fs::path(folder) / entry.path().filename()).string());
    if (!names.empty()) break;
  }
  if (names.empty())
    return fail("no-frames", fmt::format("no file matches `{}`", frames.pattern),
                searched.empty() ? "the folder doesn't exist" : fmt::format("`{}` was searched", searched), frames.span);
  std::ranges::sort(names);  // byte order
  return names;
}

Result<int> Session::frame_count(int index) {
  const auto names = frame_names(index);
  if (!names) return fail(names.error());
  return static_cast<int>(names->size());
}

Result<const std::vector<double>*> Session::data_of_frame(uint32_t ref) {
  if (parent_) {  // files are read once for all forks
    const std::lock_guard lock(parent_->shared_);
    const int mine = parent_->frame_;
    parent_->frame_ = frame_;
    const auto found = parent_->data_of_frame(ref);
    parent_->frame_ = mine;
    return found;
  }
  const plan::Data& data = plan_.data[ref];
  const int frame = data.frames >= 0 ? frame_ : -1;
  if (data.frames >= 0 && frame < 0)
    return fail("no-frame", fmt::format("`{}` has a value per frame, and no frame is chosen", data.name), {}, data.span);
  auto& slot = data_[{ref, frame}];
  if (!slot.empty()) return &slot;
  if (data.loader != "positions")
    return fail("not-yet", fmt::format("`{}`: arrays from files are not read yet", data.name),
                "positions(frames) reads the vertices of surfaces", data.span);
  const auto names = frame_names(data.frames);
  if (!names) return fail(names.error());
  Surface surface;
  Error last;
  for (const std::string& root : {options_.data_folder, options_.program_folder}) {
    if (root.empty()) continue;
    const auto path = resolve_path(root, (*names)[frame]);
    auto read = path ? read_surface(*path, data.unit) : Result<Surface>(fail(path.error()));
    if (read) {
      surface = std::move(*read);
      last = {};
      break;
    }
    last = read.error();
  }
  if (surface.vertices.empty()) {
    last.span = data.span;
    return fail(std::move(last));
  }
  const auto where = space(data.space);
  if (!where) return fail(where.error());
  if (surface.vertices.size() != (*where)->ids.size())
    return fail("frame-size", fmt::format("`{}` has {} vertices, `{}` has {}", (*names)[frame], surface.vertices.size(),
                                          plan_.graph.spaces[data.space].text, (*where)->ids.size()),
                "every frame needs the vertices of the rest surface in the same order", data.span);
  for (const Vec3& v : surface.vertices) slot.insert(slot.end(), v.begin(), v.end());
  return &slot;
}

}  // namespace asb
