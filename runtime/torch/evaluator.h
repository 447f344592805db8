// Networks by LibTorch: see evaluator.cpp.
#pragma once

#include <memory>

#include "runtime/networks/network_evaluator.h"

namespace asb::networks {

std::unique_ptr<NetworkEvaluator> make_evaluator(NetworkPrecision precision);

}  // namespace asb::networks
