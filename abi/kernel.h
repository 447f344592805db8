/* The C interface of generated kernels. Under everything: generated code, backends and runtime share it. */
#ifndef ASB_ABI_KERNEL_H
#define ASB_ABI_KERNEL_H

#include <stdint.h>

/* Entities come in blocks of ASB_LANES; the last block is padded with copies of the last entity, so there are no
 * remainder loops. A per-entity argument of n entries is stored as blocks of n×ASB_LANES reals:
 *   entry k of entity i stands at data[((i / ASB_LANES) * n + k) * ASB_LANES + i % ASB_LANES],
 * and starts at a multiple of 64 bytes, so that every vector of it is aligned to its own size.
 * A uniform argument of n entries is n reals. Booleans are reals, 1 or 0. */
enum { ASB_LANES = 8 };

/* inputs[i], outputs[i]: start of argument i (block 0). The kernel computes blocks first .. last (half open).
 * Outputs are always per entity. Inputs and outputs don't overlap. */
typedef void (*asb_kernel)(const double* const* inputs, double* const* outputs, int64_t first, int64_t last);

#endif
