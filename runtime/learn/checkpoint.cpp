// See checkpoint.h.
#include "runtime/learn/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "runtime/io/weights.h"
#include "runtime/learn/initial.h"

namespace asb {
namespace {

constexpr std::string_view kPrefix = "checkpoint.", kStart = "checkpoint.start.", kUnits = "checkpoint.units.";
constexpr const char* kChecksum = "checkpoint.checksum";

std::vector<double> halves(uint64_t hash) {  // f64 holds 32 bits exactly
  return {static_cast<double>(hash >> 32), static_cast<double>(hash & 0xffffffffu)};
}

uint64_t whole(const std::vector<double>& halves) {
  return static_cast<uint64_t>(halves[0]) << 32 | static_cast<uint64_t>(halves[1]);
}

std::string with_word(const std::string& path, const std::string& word) {
  const size_t dot = path.rfind('.');
  return path.substr(0, dot) + "." + word + path.substr(dot);
}

uint64_t checksum_of(std::span<const NamedArray> arrays) {
  uint64_t hash = hash_of("");
  for (const NamedArray& a : arrays) {
    if (a.name == kChecksum) continue;
    hash = hash_of(a.name, hash);
    hash = hash_of({reinterpret_cast<const char*>(a.values.data()), a.values.size() * sizeof(double)}, hash);
  }
  return hash;
}

NamedArray numbers(std::string name, std::vector<double> values) {
  const auto n = static_cast<int64_t>(values.size());
  return {std::move(name), {n}, std::move(values), false};
}

/// FRAME.SOLVE.PART of a start, or false.
bool read_start(const NamedArray& array, std::vector<std::map<uint32_t, Session::Start>>& starts) {
  const std::string_view text = std::string_view(array.name).substr(kStart.size());
  size_t frame = 0;
  uint32_t solve = 0;
  const char* end = text.data() + text.size();
  const auto f = std::from_chars(text.data(), end, frame);
  if (f.ec != std::errc() || f.ptr == end || frame > 100'000'000) return false;
  const auto s = std::from_chars(f.ptr + 1, end, solve);
  if (s.ec != std::errc() || end - s.ptr != 2) return false;
  if (starts.size() <= frame) starts.resize(frame + 1);
  Session::Start& start = starts[frame][solve];
  switch (s.ptr[1]) {
    case 'x': start.values = array.values; return true;
    case 'w': start.adjoint = array.values; return true;
    case 'r': start.force_scale = array.values.empty() ? 0 : array.values[0]; return true;
    default: return false;
  }
}

Result<Checkpoint> read_one(const std::string& path) {
  auto arrays = read_weights(path);
  if (!arrays) return fail(arrays.error());
  std::map<std::string, std::vector<double>> by_name;
  Checkpoint out;
  for (NamedArray& a : *arrays)
    if (a.name.starts_with(kPrefix)) by_name[a.name.substr(kPrefix.size())] = a.values;
  for (const auto& [name, size] : {std::pair{"stage", 1}, {"step", 1}, {"seed", 2}, {"program", 2}, {"data", 2}, {"machine", 2},
                                   {"tolerances", 4}, {"failures", 2}, {"rows", 1}, {"seconds", 1}, {"checksum", 2}})
    if (by_name[name].size() != static_cast<size_t>(size))
      return fail("checkpoint-incomplete", fmt::format("`{}` is not a checkpoint of a training: it has no `{}{}`", path, kPrefix, name),
                  "`--resume` needs what `asb train` wrote; `asb run --from` reads weights alone");
  if (whole(by_name["checksum"]) != checksum_of(*arrays))
    return fail("checkpoint-damaged", fmt::format("`{}` is damaged: its checksum differs", path), "train without `--resume` to begin anew");
  out.stage = static_cast<size_t>(by_name["stage"][0]);
  out.step = static_cast<int>(by_name["step"][0]);
  out.seed = whole(by_name["seed"]);
  out.program = whole(by_name["program"]);
  out.data = whole(by_name["data"]);
  out.machine = whole(by_name["machine"]);
  out.tolerances = by_name["tolerances"];
  out.failures = static_cast<int64_t>(by_name["failures"][0]);
  out.evaluations = static_cast<int64_t>(by_name["failures"][1]);
  out.rows = static_cast<int64_t>(by_name["rows"][0]);
  out.seconds = by_name["seconds"][0];
  for (NamedArray& a : *arrays) {
    if (a.name.starts_with(kStart)) {
      if (!read_start(a, out.starts)) return fail("checkpoint-incomplete", fmt::format("`{}` holds `{}`, which is no start of a frame", path, a.name));
    } else if (a.name.starts_with(kUnits)) {
      a.name = a.name.substr(kUnits.size());
      out.units.push_back(std::move(a));
    } else if (a.name.starts_with("optimiser.")) {
      out.optimiser.push_back(std::move(a));
    } else if (!a.name.starts_with(kPrefix)) {
      out.learned.push_back(std::move(a));
    }
  }
  return out;
}

}  // namespace

std::string checkpoint_before(const std::string& path) { return with_word(path, "before"); }

Result<void> write_checkpoint(const std::string& path, const Checkpoint& c) {
  std::vector<NamedArray> arrays = c.learned;
  arrays.insert(arrays.end(), c.optimiser.begin(), c.optimiser.end());
  for (NamedArray a : c.units) {
    a.name = std::string(kUnits) + a.name;
    arrays.push_back(std::move(a));
  }
  const auto add = [&](const char* name, std::vector<double> values) {
    arrays.push_back(numbers(std::string(kPrefix) + name, std::move(values)));
  };
  add("stage", {static_cast<double>(c.stage)});
  add("step", {static_cast<double>(c.step)});
  add("seed", halves(c.seed));
  add("program", halves(c.program));
  add("data", halves(c.data));
  add("machine", halves(c.machine));
  add("tolerances", c.tolerances);
  add("failures", {static_cast<double>(c.failures), static_cast<double>(c.evaluations)});
  add("rows", {static_cast<double>(c.rows)});
  add("seconds", {c.seconds});
  for (size_t f = 0; f < c.starts.size(); ++f)
    for (const auto& [solve, s] : c.starts[f]) {
      if (s.values.empty()) continue;
      const std::string name = fmt::format("start.{}.{}", f, solve);
      add((name + ".x").c_str(), s.values);
      if (!s.adjoint.empty()) add((name + ".w").c_str(), s.adjoint);
      add((name + ".r").c_str(), {s.force_scale});
    }
  // Arrays that are f32 in the file must be summed as they will be read.
  for (NamedArray& a : arrays)
    if (a.is_f32)
      for (double& v : a.values) v = static_cast<double>(static_cast<float>(v));
  add("checksum", halves(checksum_of(arrays)));
  // The new file is whole before names change, and at every moment a whole file has the name.
  const std::string fresh = with_word(path, "new"), before = checkpoint_before(path), link = before + ".new";
  if (auto written = write_weights(fresh, arrays); !written) return written;
  ::unlink(link.c_str());
  if (::link(path.c_str(), link.c_str()) == 0) (void)std::rename(link.c_str(), before.c_str());
  if (std::rename(fresh.c_str(), path.c_str()) != 0)
    return fail("file-write", fmt::format("can't write `{}`: {}", path, std::strerror(errno)));
  return {};
}

Result<Checkpoint> read_checkpoint(const std::string& path, const std::function<void(const std::string&)>& say) {
  auto newest = read_one(path);
  if (newest) return newest;
  auto before = read_one(checkpoint_before(path));
  if (!before) return newest;
  if (say) say(fmt::format("warning: {}; going on from the one before, `{}`", newest.error().message, checkpoint_before(path)));
  return before;
}

}  // namespace asb
