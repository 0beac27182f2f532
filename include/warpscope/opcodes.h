/* SPIR-V opcodes that are newer than the SPIRV-Headers which Warpscope is built with, for passes that ask for them
 * beside those of <spirv/unified1/spirv.h>. Not in SpvOp: cast an SpvOp to uint16_t to compare. */
#ifndef WARPSCOPE_OPCODES_H
#define WARPSCOPE_OPCODES_H

/* The numbers are those of the SPIR-V registry (SPIRV-Headers, include/spirv/unified1/spirv.core.grammar.json). Of
 * SPV_KHR_untyped_pointers, SPV_KHR_cooperative_matrix, SPV_KHR_abort and SPV_EXT_shader_invocation_reorder, which are
 * newer than the headers. */
enum ws_newer_opcode {
    WS_OP_TYPE_UNTYPED_POINTER_KHR = 4417,
    WS_OP_UNTYPED_VARIABLE_KHR = 4418,
    WS_OP_UNTYPED_ACCESS_CHAIN_KHR = 4419,
    WS_OP_UNTYPED_IN_BOUNDS_ACCESS_CHAIN_KHR = 4420,
    WS_OP_UNTYPED_PTR_ACCESS_CHAIN_KHR = 4423,
    WS_OP_UNTYPED_IN_BOUNDS_PTR_ACCESS_CHAIN_KHR = 4424,
    WS_OP_UNTYPED_ARRAY_LENGTH_KHR = 4425,
    WS_OP_COOPERATIVE_MATRIX_LOAD_KHR = 4457,
    WS_OP_COOPERATIVE_MATRIX_STORE_KHR = 4458,
    WS_OP_ABORT_KHR = 5121,
    WS_OP_HIT_OBJECT_RECORD_FROM_QUERY_EXT = 5304,
    WS_OP_HIT_OBJECT_RECORD_MISS_EXT = 5305,
    WS_OP_HIT_OBJECT_RECORD_MISS_MOTION_EXT = 5306,
    WS_OP_HIT_OBJECT_GET_TRIANGLE_POSITIONS_EXT = 5307, /* the first of two with a result */
    WS_OP_HIT_OBJECT_GET_RAY_FLAGS_EXT = 5308,
    WS_OP_HIT_OBJECT_SET_RECORD_INDEX_EXT = 5309,
    WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT = 5310,
    WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT = 5311,
    WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT = 5312,
    WS_OP_TYPE_HIT_OBJECT_EXT = 5313,
    WS_OP_REORDER_THREAD_WITH_HINT_EXT = 5314,
    WS_OP_REORDER_THREAD_WITH_HIT_OBJECT_EXT = 5315,
    WS_OP_HIT_OBJECT_TRACE_RAY_EXT = 5316,
    WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT = 5317,
    WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT = 5318,
    WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT = 5319,
    WS_OP_HIT_OBJECT_GET_CURRENT_TIME_EXT = 5320,
    WS_OP_HIT_OBJECT_GET_ATTRIBUTES_EXT = 5321, /* has no result */
    WS_OP_HIT_OBJECT_GET_HIT_KIND_EXT = 5322,   /* from here to the T max all have one */
    WS_OP_HIT_OBJECT_GET_PRIMITIVE_INDEX_EXT = 5323,
    WS_OP_HIT_OBJECT_GET_GEOMETRY_INDEX_EXT = 5324,
    WS_OP_HIT_OBJECT_GET_INSTANCE_ID_EXT = 5325,
    WS_OP_HIT_OBJECT_GET_CUSTOM_INDEX_EXT = 5326,
    WS_OP_HIT_OBJECT_GET_RAY_TMAX_EXT = 5333,
    WS_OP_HIT_OBJECT_GET_RAY_TMIN_EXT = 5347, /* from here to IsMiss, too */
    WS_OP_HIT_OBJECT_IS_HIT_EXT = 5351,
    WS_OP_HIT_OBJECT_IS_MISS_EXT = 5352,
    WS_OP_RAW_ACCESS_CHAIN_NV = 5398,
};

/* What runs other shaders with a payload, or with data of a callable: entries of a list of opcodes, such as struct ws_pass's.
 * Whoever uses it includes <spirv/unified1/spirv.h>. */
#define WS_OPS_THAT_CALL_SHADERS                                                                             \
    SpvOpTraceRayKHR, SpvOpTraceNV, SpvOpTraceMotionNV, SpvOpTraceRayMotionNV, SpvOpExecuteCallableKHR,      \
        SpvOpExecuteCallableNV, SpvOpHitObjectTraceRayNV, SpvOpHitObjectTraceRayMotionNV,                    \
        SpvOpHitObjectExecuteShaderNV, WS_OP_HIT_OBJECT_TRACE_RAY_EXT,                                       \
        WS_OP_HIT_OBJECT_TRACE_RAY_MOTION_EXT, WS_OP_HIT_OBJECT_TRACE_REORDER_EXECUTE_EXT,                   \
        WS_OP_HIT_OBJECT_TRACE_MOTION_REORDER_EXECUTE_EXT, WS_OP_HIT_OBJECT_EXECUTE_SHADER_EXT,              \
        WS_OP_HIT_OBJECT_REORDER_EXECUTE_SHADER_EXT

#endif
