// Sums over vectors with the same bits for any number of threads: blocks of 4096, each summed in
// eight fixed lanes, their sums added by a fixed tree. Used wherever a minimiser or CG needs a norm
// or a product.
#pragma once

#include <cstddef>
#include <span>

namespace asb {

/// Length of the blocks that are summed apart. Part of the result's bits: never change it by
/// machine.
inline constexpr size_t kSumBlock = 4096;

/// Σ a_i.
double fixed_sum(std::span<const double> a);
/// Σ a_i b_i.
double dot(std::span<const double> a, std::span<const double> b);
/// √Σ a_i². Not guarded against overflow of the squares.
double norm(std::span<const double> a);
/// max |a_i|, 0 for an empty span; NaN if any entry is NaN.
double max_abs(std::span<const double> a);

/// y += alpha x.
void add_scaled(double alpha, std::span<const double> x, std::span<double> y);
/// y = x + beta y.
void scale_and_add(std::span<const double> x, double beta, std::span<double> y);
/// out = x + t d.
void move_along(std::span<const double> x, double t, std::span<const double> d,
                std::span<double> out);

}  // namespace asb
