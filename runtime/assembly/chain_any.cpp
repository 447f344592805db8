// The arithmetic of assembly for every machine.
#define ASB_CHAIN kChainForAny
#include "runtime/assembly/chain_kernels.inc"
