// See initial.h.
#include "runtime/learn/initial.h"

#include <cmath>
#include <numbers>
#include <numeric>

namespace asb {
namespace {

uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

}  // namespace

uint64_t hash_of(std::string_view text, uint64_t before) {
  uint64_t h = before;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return h;
}

double counter_uniform(uint64_t seed, uint64_t stream, uint64_t index) {
  const uint64_t bits = mix(mix(mix(seed + 0x9e3779b97f4a7c15ull) ^ stream) + index * 0x9e3779b97f4a7c15ull);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

std::vector<double> initial_values(const plan::Initial& initial, size_t count, const std::string& name, uint64_t seed) {
  std::vector<double> values(count, 0.0);
  const uint64_t stream = hash_of(name);
  for (size_t i = 0; i < count; ++i) {
    if (initial.kind == "constant") values[i] = initial.a;
    if (initial.kind == "uniform") values[i] = initial.a + (initial.b - initial.a) * counter_uniform(seed, stream, i);
    if (initial.kind == "gaussian") {  // Box and Muller
      const double u = 1 - counter_uniform(seed, stream, 2 * i), v = counter_uniform(seed, stream, 2 * i + 1);
      values[i] = initial.a * std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
    }
  }
  return values;
}

std::vector<int> shuffled(int n, uint64_t seed, uint64_t stage, uint64_t pass) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) {  // Fisher and Yates
    const int j = static_cast<int>(counter_uniform(seed, mix(stage) ^ pass, static_cast<uint64_t>(i)) * (i + 1));
    std::swap(order[i], order[j]);
  }
  return order;
}

}  // namespace asb
