// The look for negative curvature at the end of a solve: a stationary point is promised to be a
// minimum.
#pragma once

#include <atomic>

#include "runtime/linalg/conjugate_gradients.h"

namespace asb {

/// Entries in [-1, 1) that depend on their index alone: the start of every probe.
std::vector<double> fixed_noise(size_t n);

/// Runs conjugate gradients on H from fixed noise; status NegativeCurvature comes with the
/// direction. The noise has a share of every mode, which −g lacks where symmetry hides the unstable
/// one. A mode without stiffness (within 1e-10 of the largest) is not unstable: where one is met, a
/// second run starts from H times the noise, which has no share of such modes.
CgReport probe_curvature(const ApplyMatrix& H, Preconditioner* M, size_t n, int max_products,
                         const std::atomic<bool>* stop);

}  // namespace asb
