// The door of the LibTorch plug-in: the one symbol that open_torch looks up in it.
#pragma once

#include "runtime/networks/learner.h"

namespace asb {

/// Changes whenever network_evaluator.h, learner.h or function.h do: a plug-in of another build isn't entered.
constexpr int kNetworkPlugInVersion = 1;
constexpr const char* kNetworkPlugInEntry = "asb_open_networks";

extern "C" {
/// Gives false, and nothing else, to a caller of another version.
using OpenNetworks = bool(int version, NetworkPrecision precision, Result<NetworkEngine>* engine);
}

}  // namespace asb
