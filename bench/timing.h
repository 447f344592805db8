// Wall time as the minimum of many repetitions: on a machine that others use too, only the undisturbed run tells.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <vector>

namespace asb::bench {

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Smallest time of each body [s]. They take turns, so that a disturbance meets all of them and ratios hold.
inline std::vector<double> best_of(const std::vector<std::function<void()>>& bodies, double seconds_each = 0.15,
                                   int at_least = 3) {
  std::vector<double> best(bodies.size(), std::numeric_limits<double>::infinity());
  for (const auto& body : bodies) body();
  const double start = now();
  for (int round = 0; round < at_least || now() - start < seconds_each * static_cast<double>(bodies.size()); ++round)
    for (size_t k = 0; k < bodies.size(); ++k) {
      const double begin = now();
      bodies[k]();
      best[k] = std::min(best[k], now() - begin);
    }
  return best;
}

}  // namespace asb::bench
