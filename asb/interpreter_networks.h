// Networks by the interpreter: the oracle of the LibTorch evaluator, and what runs programs with small networks where
// LibTorch isn't installed. f64; obvious and slow.
#pragma once

#include <memory>

#include "runtime/networks/network_evaluator.h"

namespace asb {

std::unique_ptr<NetworkEvaluator> make_interpreter_networks();

}  // namespace asb
