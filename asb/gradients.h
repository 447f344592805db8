// Derivatives checked by Taylor slopes: what `asb grad` prints.
#pragma once

#include "asb/run.h"

namespace asb {

/// One line: the remainder of a Taylor polynomial along a random direction, over step lengths.
struct TaylorRow {
  std::string of, by;            ///< "fit" by "act (22 weights)"; "energy x" by "x"
  int order = 2;                 ///< expected: 2 with the gradient, 3 with the Hessian
  double slope = 0;              ///< of log remainder against log step; 0 if all are at rounding level
  bool at_rounding_level = false;
  bool good = false;
  std::vector<std::pair<double, double>> remainders;  ///< step, remainder
  double value = 0, derivative = 0;
};

struct GradientCheck {
  std::vector<TaylorRow> rows;
  std::vector<std::string> notes;
  bool good() const;
};

/// Every energy by its unknown (orders 2 and 3), every scalar output, loss and `learn` objective by every param, latent and
/// network, through all solves. Solves to 1e-11, adjoints to 1e-10, networks in f64; of frame 0 where there are frames.
[[nodiscard]] Result<GradientCheck> check_gradients(const Program& program, RunOptions options);

}  // namespace asb
