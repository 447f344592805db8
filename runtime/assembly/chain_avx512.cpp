// The arithmetic of assembly for machines with AVX-512.
#define ASB_CHAIN kChainForAvx512
#include "runtime/assembly/chain_kernels.inc"
