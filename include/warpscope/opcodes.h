/* SPIR-V opcodes that are newer than the SPIRV-Headers which Warpscope is built with, for passes that ask for them
 * beside those of <spirv/unified1/spirv.h>. Not in SpvOp: cast an SpvOp to uint16_t to compare. */
#ifndef WARPSCOPE_OPCODES_H
#define WARPSCOPE_OPCODES_H

/* Of SPV_KHR_untyped_pointers, SPV_KHR_cooperative_matrix, SPV_KHR_abort and SPV_EXT_shader_invocation_reorder, which are
 * newer than the headers. */
enum ws_newer_opcode {
    WS_OP_TYPE_UNTYPED_POINTER_KHR = 4417,
    WS_OP_COOPERATIVE_MATRIX_LOAD_KHR = 4457,
    WS_OP_COOPERATIVE_MATRIX_STORE_KHR = 4458,
    WS_OP_ABORT_KHR = 5121,
    WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT = 5310,
    WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT = 5311,
    WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT = 5312,
    WS_OP_REORDER_THREAD_WITH_HINT_EXT = 5314,
    WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT = 5315,
    WS_OP_HIT_OBJECT_TRACE_RAY_EXT = 5316,
    WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT = 5317,
    WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT = 5319,
};

#endif
