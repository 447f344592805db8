// Exponent, Mantissa, ScaleByPowerOf2 on the bits of an f64, by 32-bit whole numbers: few devices have 64-bit ones.
// Subnormal operands are read as they are even where the device's arithmetic counts them as zero.
#pragma once

#include "backends/spirv/module.h"

namespace asb::spirv {

Id emit_exponent(Module& m, Id a);
Id emit_mantissa(Module& m, Id a);
Id emit_scale_by_power_of_2(Module& m, Id a, Id power);

/// A product or sum that must not be joined with another into one rounding.
Id emit_exact(Module& m, spv::Op op, Id type, Words operands);

}  // namespace asb::spirv
