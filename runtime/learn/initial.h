// First values of weights and latents: counter-based random numbers, so that a value depends on seed, name and place alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/plan/plan.h"

namespace asb {

/// A uniform number in [0, 1) from three counters; splitmix64 finalisers over their mix ([Steele2014]).
double counter_uniform(uint64_t seed, uint64_t stream, uint64_t index);

/// `count` values as `initial` says; `name` chooses the stream.
std::vector<double> initial_values(const plan::Initial& initial, size_t count, const std::string& name, uint64_t seed);

/// Frames in the order of one pass over all of them: a permutation of 0 .. n - 1 by seed, stage and pass.
std::vector<int> shuffled(int n, uint64_t seed, uint64_t stage, uint64_t pass);

/// 64-bit FNV-1a of a text, or of what came before it and the text.
uint64_t hash_of(std::string_view text, uint64_t before = 0xcbf29ce484222325ull);

}  // namespace asb
