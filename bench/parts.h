// The parts of the table, each measured by its own file.
#pragma once

#include <vector>

#include "bench/roof.h"
#include "bench/table.h"

namespace asb::bench {

struct Settings {
  bool large = false;       ///< also what takes minutes
  double seconds = 0.15;    ///< spent on each kernel at least
};

Section roof_section(const Roof& roof);
Section compile_stages(const Settings& settings);
Section point_kernels(const Settings& settings, const Roof& roof);
std::vector<Section> elements(const Settings& settings, const Roof& roof);
std::vector<Section> solves(const Settings& settings);
std::vector<Section> learning(const Settings& settings);

}  // namespace asb::bench
