// Arrays that are learned, and LibTorch's Adam over them: see learner.cpp.
#pragma once

#include <memory>

#include "runtime/networks/learner.h"

namespace asb::networks {

std::unique_ptr<Learner> make_learner(NetworkPrecision precision);

}  // namespace asb::networks
