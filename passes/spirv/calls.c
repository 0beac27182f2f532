#include "passes/spirv/calls.h"

#include <spirv/unified1/spirv.h>

#include "passes/base/arena.h"

/* True for an instruction that parts a warp by itself; OpFunctionCall is judged by its callee instead.
 * One without a result is taken to part unless it is known not to: that leaves OpKill, OpUnreachable,
 * OpTraceRayKHR, OpDemoteToHelperInvocation and their like, and in the safe direction those newer than the
 * headers, of which no result is known either. */
static bool opcode_parts(SpvOp opcode)
{
    bool has_result = false;
    bool has_type = false;
    switch (opcode) {
    case SpvOpReportIntersectionKHR: return true; /* runs any-hit shaders, which may end the ray */
    case SpvOpNop:
    case SpvOpLine:
    case SpvOpNoLine:
    case SpvOpStore:
    case SpvOpCopyMemory:
    case SpvOpCopyMemorySized:
    case SpvOpImageWrite:
    case SpvOpEmitVertex:
    case SpvOpEndPrimitive:
    case SpvOpEmitStreamVertex:
    case SpvOpEndStreamPrimitive:
    case SpvOpControlBarrier:
    case SpvOpMemoryBarrier:
    case SpvOpAtomicStore:
    case SpvOpAtomicFlagClear:
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpLifetimeStart:
    case SpvOpLifetimeStop:
    case SpvOpRayQueryInitializeKHR:
    case SpvOpRayQueryTerminateKHR:
    case SpvOpRayQueryGenerateIntersectionKHR:
    case SpvOpRayQueryConfirmIntersectionKHR:
    case SpvOpHitObjectRecordHitMotionNV:
    case SpvOpHitObjectRecordHitWithIndexMotionNV:
    case SpvOpHitObjectRecordMissMotionNV:
    case SpvOpHitObjectRecordEmptyNV:
    case SpvOpHitObjectRecordHitNV:
    case SpvOpHitObjectRecordHitWithIndexNV:
    case SpvOpHitObjectRecordMissNV:
    case SpvOpHitObjectGetAttributesNV:
    case SpvOpSetMeshOutputsEXT:
    case SpvOpWritePackedPrimitiveIndices4x8NV:
    case SpvOpCooperativeMatrixStoreNV:
    case SpvOpAssumeTrueKHR: return false;
    default: ws_opcode_results((uint16_t)opcode, &has_type, &has_result); return !has_result;
    }
}

bool ws_instruction_calls(const struct ws_instruction *instruction)
{
    return instruction->opcode == SpvOpFunctionCall || opcode_parts((SpvOp)instruction->opcode);
}

/* What parts a warp but for what ends lanes. */
bool ws_instruction_repacks(const struct ws_instruction *instruction)
{
    switch ((SpvOp)instruction->opcode) {
    case SpvOpDemoteToHelperInvocation:
    case SpvOpIgnoreIntersectionNV:
    case SpvOpTerminateRayNV: return false;
    default: return opcode_parts((SpvOp)instruction->opcode) && !ws_opcode_is_terminator(instruction->opcode);
    }
}

uint32_t ws_calls_callee(const struct ws_module *module, const struct ws_instruction *call)
{
    uint32_t id = ws_operand(module, call, 2);
    if (ws_module_definition(module, id) == NULL)
        return WS_NONE;
    uint32_t function = ws_module_function(module, module->definitions[id]);
    return function != WS_NONE && module->functions[function].id == id ? function : WS_NONE;
}

/* Lists the calls of one function and marks its blocks that part by themselves. */
static void collect_function(struct ws_calls *calls, const struct ws_module *module, const struct ws_cfg *cfg,
                             uint32_t index, uint32_t *edge, uint32_t *edge_blocks)
{
    const struct ws_function *function = &module->functions[index];
    /* Nothing is known of the body of a declaration, nor of the paths of an opaque function. */
    calls->function_parts[index] = cfg->opaque || function->block_count == 0;
    for (uint32_t b = function->block_first; b < function->block_first + function->block_count; b++) {
        if (!cfg->opaque && cfg->position[b - function->block_first] == WS_NONE)
            continue;
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (instruction->opcode == SpvOpFunctionCall) {
                edge_blocks[*edge] = b;
                calls->callees[(*edge)++] = ws_calls_callee(module, instruction);
            } else if (opcode_parts((SpvOp)instruction->opcode)) {
                calls->block_parts[b] = true;
                calls->function_parts[index] = true;
            }
        }
    }
}

/* Carries the parting of functions to the blocks that call them and so to their functions, until nothing
 * changes. `edge_blocks` has the block of every call. */
static bool carry_parting(struct ws_calls *calls, struct ws_arena *arena, const struct ws_module *module,
                          const uint32_t *edge_blocks)
{
    uint32_t function_count = module->function_count;
    uint32_t edge_count = calls->callee_first[function_count];
    uint32_t *caller_head = ws_arena_allocate(arena, function_count, sizeof(*caller_head));
    uint32_t *caller_next = ws_arena_allocate(arena, edge_count, sizeof(*caller_next));
    uint32_t *stack = ws_arena_allocate(arena, function_count, sizeof(*stack));
    if (caller_head == NULL || caller_next == NULL || stack == NULL)
        return false;

    uint32_t depth = 0;
    for (uint32_t f = 0; f < function_count; f++) {
        caller_head[f] = WS_NONE;
        if (calls->function_parts[f])
            stack[depth++] = f;
    }
    for (uint32_t edge = 0; edge < edge_count; edge++) {
        uint32_t callee = calls->callees[edge];
        if (callee != WS_NONE) {
            caller_next[edge] = caller_head[callee];
            caller_head[callee] = edge;
            continue;
        }
        uint32_t caller = module->blocks[edge_blocks[edge]].function;
        calls->block_parts[edge_blocks[edge]] = true;
        if (!calls->function_parts[caller])
            stack[depth++] = caller;
        calls->function_parts[caller] = true;
    }
    while (depth > 0) {
        uint32_t callee = stack[--depth];
        for (uint32_t edge = caller_head[callee]; edge != WS_NONE; edge = caller_next[edge]) {
            uint32_t caller = module->blocks[edge_blocks[edge]].function;
            calls->block_parts[edge_blocks[edge]] = true;
            if (!calls->function_parts[caller])
                stack[depth++] = caller;
            calls->function_parts[caller] = true;
        }
    }
    return true;
}

bool ws_calls_build(struct ws_calls *calls, struct ws_arena *arena, const struct ws_module *module,
                    const struct ws_cfg *cfgs, struct ws_error *error)
{
    uint32_t call_count = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++)
        call_count += module->instructions[i].opcode == SpvOpFunctionCall;
    size_t function_count = module->function_count;
    calls->callee_first = ws_arena_allocate(arena, function_count + 1, sizeof(*calls->callee_first));
    calls->callees = ws_arena_allocate(arena, call_count, sizeof(*calls->callees));
    calls->block_parts = ws_arena_allocate(arena, module->block_count, sizeof(*calls->block_parts));
    calls->function_parts = ws_arena_allocate(arena, function_count, sizeof(*calls->function_parts));
    uint32_t *edge_blocks = ws_arena_allocate(arena, call_count, sizeof(*edge_blocks));
    if (calls->callee_first == NULL || calls->callees == NULL || calls->block_parts == NULL ||
        calls->function_parts == NULL || edge_blocks == NULL)
        return ws_error_set(error, "out of memory for the calls of a module");

    uint32_t edge = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        calls->callee_first[f] = edge;
        collect_function(calls, module, &cfgs[f], f, &edge, edge_blocks);
    }
    calls->callee_first[module->function_count] = edge;
    if (!carry_parting(calls, arena, module, edge_blocks))
        return ws_error_set(error, "out of memory for the calls of a module");
    return true;
}

uint32_t ws_calls_reached(const struct ws_calls *calls, uint32_t root, uint32_t *marks, uint32_t mark,
                          uint32_t *reached)
{
    /* Breadth first: `reached` is its own queue. */
    uint32_t count = 0;
    marks[root] = mark;
    reached[count++] = root;
    for (uint32_t next = 0; next < count; next++) {
        uint32_t caller = reached[next];
        for (uint32_t edge = calls->callee_first[caller]; edge < calls->callee_first[caller + 1]; edge++) {
            uint32_t callee = calls->callees[edge];
            if (callee != WS_NONE && marks[callee] != mark) {
                marks[callee] = mark;
                reached[count++] = callee;
            }
        }
    }
    return count;
}
