// The arithmetic of assembly for machines with AVX2 and FMA.
#define ASB_CHAIN kChainForAvx2
#include "runtime/assembly/chain_kernels.inc"
