/* The instructions that load, store or change memory, for passes on accesses (pass.h, ws_visit_access_count). Each pass that
 * includes this has a list of its own, since passes may be plug-ins, which link nothing. */
#ifndef WARPSCOPE_ACCESS_OPCODES_H
#define WARPSCOPE_ACCESS_OPCODES_H

#include <stdint.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/opcodes.h"

static const uint16_t ws_access_opcodes[] = {
    SpvOpLoad,
    SpvOpStore,
    SpvOpCopyMemory,
    SpvOpCopyMemorySized,
    SpvOpAtomicLoad,
    SpvOpAtomicStore,
    SpvOpAtomicExchange,
    SpvOpAtomicCompareExchange,
    SpvOpAtomicCompareExchangeWeak,
    SpvOpAtomicIIncrement,
    SpvOpAtomicIDecrement,
    SpvOpAtomicIAdd,
    SpvOpAtomicISub,
    SpvOpAtomicSMin,
    SpvOpAtomicUMin,
    SpvOpAtomicSMax,
    SpvOpAtomicUMax,
    SpvOpAtomicAnd,
    SpvOpAtomicOr,
    SpvOpAtomicXor,
    SpvOpAtomicFMinEXT,
    SpvOpAtomicFMaxEXT,
    SpvOpAtomicFAddEXT,
    SpvOpCooperativeMatrixLoadNV,
    SpvOpCooperativeMatrixStoreNV,
    WS_OP_COOPERATIVE_MATRIX_LOAD_KHR,
    WS_OP_COOPERATIVE_MATRIX_STORE_KHR,
    SpvOpImageRead,
    SpvOpImageWrite,
    SpvOpImageFetch,
    SpvOpImageGather,
    SpvOpImageDrefGather,
    SpvOpImageSampleImplicitLod,
    SpvOpImageSampleExplicitLod,
    SpvOpImageSampleDrefImplicitLod,
    SpvOpImageSampleDrefExplicitLod,
    SpvOpImageSampleProjImplicitLod,
    SpvOpImageSampleProjExplicitLod,
    SpvOpImageSampleProjDrefImplicitLod,
    SpvOpImageSampleProjDrefExplicitLod,
    SpvOpImageSparseSampleImplicitLod,
    SpvOpImageSparseSampleExplicitLod,
    SpvOpImageSparseSampleDrefImplicitLod,
    SpvOpImageSparseSampleDrefExplicitLod,
    SpvOpImageSparseFetch,
    SpvOpImageSparseGather,
    SpvOpImageSparseDrefGather,
    SpvOpImageSparseRead,
};

/* Why one of them without accesses that are followed (ws_visit_access_count) is left out: one clause. */
static inline const char *ws_access_left_out(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpCooperativeMatrixLoadNV:
    case SpvOpCooperativeMatrixStoreNV:
    case WS_OP_COOPERATIVE_MATRIX_LOAD_KHR:
    case WS_OP_COOPERATIVE_MATRIX_STORE_KHR:
        return "cooperative matrices: only the device knows which lane touches what";
    default: return "it touches memory in a way that is not known";
    }
}

#endif
