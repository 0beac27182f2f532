#include "warpscope/spirv/calls.h"

#include <stdlib.h>

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"

/* True for an instruction that parts a warp by itself; OpFunctionCall is judged by its callee instead.
 * One without a result is taken to part unless it is known not to: that leaves OpKill, OpUnreachable,
 * OpTraceRayKHR, OpDemoteToHelperInvocation and their like, and in the safe direction those newer than the
 * headers, of which no result is known either. */
static bool opcode_parts(SpvOp opcode)
{
    bool has_result = false;
    bool has_type = false;
    ws_opcode_results((uint16_t)opcode, &has_type, &has_result);
    if (has_result)
        return opcode == SpvOpReportIntersectionKHR; /* runs any-hit shaders, which may end the ray */
    switch ((uint32_t)opcode) {
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
    case WS_OP_HIT_OBJECT_RECORD_FROM_QUERY_EXT:
    case WS_OP_HIT_OBJECT_RECORD_MISS_EXT:
    case WS_OP_HIT_OBJECT_RECORD_MISS_MOTION_EXT:
    case WS_OP_HIT_OBJECT_SET_RECORD_INDEX_EXT:
    case WS_OP_HIT_OBJECT_RECORD_EMPTY_EXT:
    case WS_OP_HIT_OBJECT_GET_ATTRIBUTES_EXT:
    case SpvOpSetMeshOutputsEXT:
    case SpvOpWritePackedPrimitiveIndices4x8NV:
    case SpvOpCooperativeMatrixStoreNV:
    case SpvOpAssumeTrueKHR: return false;
    default: return true;
    }
}

/* Instructions with a function among their operands, newer than the headers. SPV_EXT_cooperative_matrix_maintenance1
 * has the first two under the same numbers. */
enum {
    OP_COOPERATIVE_MATRIX_REDUCE_NV = 5366,      /* CombineFunc */
    OP_COOPERATIVE_MATRIX_LOAD_TENSOR_NV = 5367, /* DecodeFunc, DecodeVectorFunc */
    OP_COOPERATIVE_MATRIX_PER_ELEMENT_NV = 5369, /* Func */
};

/* Whether the device may call a function that is an operand of the instruction. Those of which the headers know
 * no result may: then an operand that is a function is taken for one, and at worst a literal is. */
static bool may_call_back(uint16_t opcode)
{
    return opcode == OP_COOPERATIVE_MATRIX_REDUCE_NV || opcode == OP_COOPERATIVE_MATRIX_LOAD_TENSOR_NV ||
           opcode == OP_COOPERATIVE_MATRIX_PER_ELEMENT_NV ||
           (opcode_parts((SpvOp)opcode) && !ws_opcode_is_terminator(opcode));
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

/* Index of the function with that id; WS_NONE where it is none. */
static uint32_t find_function(const struct ws_module *module, uint32_t id)
{
    if (ws_module_definition(module, id) == NULL)
        return WS_NONE;
    uint32_t function = ws_module_function(module, module->definitions[id]);
    return function != WS_NONE && module->functions[function].id == id ? function : WS_NONE;
}

uint32_t ws_calls_callee(const struct ws_module *module, const struct ws_instruction *call)
{
    return find_function(module, ws_operand(module, call, 2));
}

/* Lists the functions that an instruction names; only counts them where `callbacks` is NULL. Returns how many. */
static uint32_t list_callbacks(const struct ws_module *module, const struct ws_instruction *instruction,
                               uint32_t *callbacks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; may_call_back(instruction->opcode) && i + 1u < instruction->length; i++) {
        const uint32_t function = find_function(module, ws_operand(module, instruction, i));
        if (function == WS_NONE)
            continue;
        if (callbacks != NULL)
            callbacks[count] = function;
        count++;
    }
    return count;
}

/* Lists the calls of one function and marks its blocks that part by themselves. */
static void collect_function(struct ws_calls *calls, const struct ws_module *module, const struct ws_cfg *cfg,
                             uint32_t index, uint32_t *edge, uint32_t *edge_blocks, uint32_t *callback)
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
            *callback += list_callbacks(module, instruction, &calls->callbacks[*callback]);
        }
    }
}

/* The calls between functions, from the side of the called. */
struct callers {
    uint32_t *head;   /* per function: the first call of it; WS_NONE */
    uint32_t *next;   /* per call: the next call of the same function */
    uint32_t *caller; /* per call: index of the function that makes it */
    uint32_t count;
};

static void note_calls(struct callers *callers, const struct ws_module *module, const struct ws_cfg *cfg,
                       uint32_t function)
{
    const struct ws_function *info = &module->functions[function];
    for (uint32_t b = 0; b < info->block_count && !cfg->opaque; b++) {
        const struct ws_block *block = &module->blocks[info->block_first + b];
        for (uint32_t i = block->first; i < block->end && cfg->position[b] != WS_NONE; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            const uint32_t callee =
                instruction->opcode == SpvOpFunctionCall ? ws_calls_callee(module, instruction) : WS_NONE;
            if (callee != WS_NONE) {
                callers->caller[callers->count] = function;
                callers->next[callers->count] = callers->head[callee];
                callers->head[callee] = callers->count++;
            }
        }
    }
}

static uint32_t count_calls(const struct ws_module *module)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->instruction_count; i++)
        count += module->instructions[i].opcode == SpvOpFunctionCall;
    return count;
}

bool ws_calls_mark_callers(const struct ws_module *module, const struct ws_cfg *cfgs, bool *marked)
{
    const uint32_t call_count = count_calls(module);
    struct callers callers = {.count = 0};
    if (call_count == 0)
        return true;
    callers.head = ws_arena_allocate(module->arena, module->function_count, sizeof(*callers.head));
    callers.next = ws_arena_allocate(module->arena, call_count, sizeof(*callers.next));
    callers.caller = ws_arena_allocate(module->arena, call_count, sizeof(*callers.caller));
    uint32_t *stack = ws_arena_allocate(module->arena, module->function_count, sizeof(*stack));
    if (callers.head == NULL || callers.next == NULL || callers.caller == NULL || stack == NULL)
        return false;
    uint32_t depth = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        callers.head[f] = WS_NONE;
        if (marked[f])
            stack[depth++] = f;
    }
    for (uint32_t f = 0; f < module->function_count; f++)
        note_calls(&callers, module, &cfgs[f], f);
    while (depth > 0) {
        for (uint32_t call = callers.head[stack[--depth]]; call != WS_NONE; call = callers.next[call]) {
            const uint32_t caller = callers.caller[call];
            if (!marked[caller])
                stack[depth++] = caller;
            marked[caller] = true;
        }
    }
    return true;
}

/* Carries the parting of functions to those that call them and to the blocks of these. `edge_blocks` has the block
 * of every call. */
static bool carry_parting(struct ws_calls *calls, const struct ws_module *module, const struct ws_cfg *cfgs,
                          const uint32_t *edge_blocks)
{
    const uint32_t edge_count = calls->callee_first[module->function_count];
    for (uint32_t edge = 0; edge < edge_count; edge++)
        if (calls->callees[edge] == WS_NONE)
            calls->function_parts[module->blocks[edge_blocks[edge]].function] = true;
    if (!ws_calls_mark_callers(module, cfgs, calls->function_parts))
        return false;
    for (uint32_t edge = 0; edge < edge_count; edge++)
        if (calls->callees[edge] == WS_NONE || calls->function_parts[calls->callees[edge]])
            calls->block_parts[edge_blocks[edge]] = true;
    return true;
}

/* Lists the blocks that call each function. */
static bool list_callers(struct ws_calls *calls, struct ws_arena *arena, uint32_t function_count,
                         const uint32_t *edge_blocks)
{
    const uint32_t edge_count = calls->callee_first[function_count];
    uint32_t *next = ws_arena_allocate(arena, function_count, sizeof(*next));
    calls->caller_first = ws_arena_allocate(arena, (size_t)function_count + 1, sizeof(*calls->caller_first));
    calls->caller_blocks = ws_arena_allocate(arena, edge_count, sizeof(*calls->caller_blocks));
    if (next == NULL || calls->caller_first == NULL || calls->caller_blocks == NULL)
        return false;
    for (uint32_t edge = 0; edge < edge_count; edge++)
        if (calls->callees[edge] != WS_NONE)
            calls->caller_first[calls->callees[edge] + 1]++;
    for (uint32_t f = 0; f < function_count; f++) {
        calls->caller_first[f + 1] += calls->caller_first[f];
        next[f] = calls->caller_first[f];
    }
    for (uint32_t edge = 0; edge < edge_count; edge++)
        if (calls->callees[edge] != WS_NONE)
            calls->caller_blocks[next[calls->callees[edge]]++] = edge_blocks[edge];
    return true;
}

/* Ranks the functions, those that nothing calls first. What calls itself, and what it calls, comes last in any order. */
static bool rank_functions(struct ws_calls *calls, struct ws_arena *arena, uint32_t function_count)
{
    uint32_t *waiting =
        ws_arena_allocate(arena, function_count, sizeof(*waiting)); /* calls by unranked ones */
    uint32_t *ranked = ws_arena_allocate(arena, function_count, sizeof(*ranked));
    calls->ranks = ws_arena_allocate(arena, function_count, sizeof(*calls->ranks));
    calls->by_rank = ranked;
    if (waiting == NULL || ranked == NULL || calls->ranks == NULL)
        return false;
    uint32_t count = 0;
    for (uint32_t f = 0; f < function_count; f++) {
        waiting[f] = calls->caller_first[f + 1] - calls->caller_first[f];
        if (waiting[f] == 0)
            ranked[count++] = f;
    }
    for (uint32_t next = 0; next < count; next++)
        for (uint32_t edge = calls->callee_first[ranked[next]]; edge < calls->callee_first[ranked[next] + 1];
             edge++)
            if (calls->callees[edge] != WS_NONE && --waiting[calls->callees[edge]] == 0)
                ranked[count++] = calls->callees[edge];
    for (uint32_t f = 0; f < function_count; f++)
        if (waiting[f] != 0)
            ranked[count++] = f;
    for (uint32_t rank = 0; rank < function_count; rank++)
        calls->ranks[ranked[rank]] = rank;
    return true;
}

bool ws_calls_build(struct ws_calls *calls, struct ws_arena *arena, const struct ws_module *module,
                    const struct ws_cfg *cfgs, struct ws_error *error)
{
    const uint32_t call_count = count_calls(module);
    uint32_t callback_count = 0;
    for (uint32_t b = 0; b < module->block_count; b++)
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++)
            callback_count += list_callbacks(module, &module->instructions[i], NULL);
    size_t function_count = module->function_count;
    calls->callee_first = ws_arena_allocate(arena, function_count + 1, sizeof(*calls->callee_first));
    calls->callees = ws_arena_allocate(arena, call_count, sizeof(*calls->callees));
    calls->callback_first = ws_arena_allocate(arena, function_count + 1, sizeof(*calls->callback_first));
    calls->callbacks = ws_arena_allocate(arena, callback_count, sizeof(*calls->callbacks));
    calls->block_parts = ws_arena_allocate(arena, module->block_count, sizeof(*calls->block_parts));
    calls->function_parts = ws_arena_allocate(arena, function_count, sizeof(*calls->function_parts));
    uint32_t *edge_blocks = ws_arena_allocate(arena, call_count, sizeof(*edge_blocks));
    if (calls->callee_first == NULL || calls->callees == NULL || calls->callback_first == NULL ||
        calls->callbacks == NULL || calls->block_parts == NULL || calls->function_parts == NULL ||
        edge_blocks == NULL)
        return ws_error_set(error, "out of memory for the calls of a module");

    uint32_t edge = 0;
    uint32_t callback = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        calls->callee_first[f] = edge;
        calls->callback_first[f] = callback;
        collect_function(calls, module, &cfgs[f], f, &edge, edge_blocks, &callback);
    }
    calls->callback_first[module->function_count] = callback;
    calls->callee_first[module->function_count] = edge;
    if (!carry_parting(calls, module, cfgs, edge_blocks) ||
        !list_callers(calls, arena, module->function_count, edge_blocks) ||
        !rank_functions(calls, arena, module->function_count))
        return ws_error_set(error, "out of memory for the calls of a module");
    return true;
}

/* Appends a function that is not marked yet. */
static void reach(uint32_t function, uint32_t *marks, uint32_t mark, uint32_t *reached, uint32_t *count)
{
    if (function != WS_NONE && marks[function] != mark) {
        marks[function] = mark;
        reached[(*count)++] = function;
    }
}

/* Appends what the functions from `next` on call. Breadth first: `reached` is its own queue. */
static uint32_t reach_callees(const struct ws_calls *calls, uint32_t *marks, uint32_t mark, uint32_t *reached,
                              uint32_t next, uint32_t count)
{
    for (; next < count; next++)
        for (uint32_t edge = calls->callee_first[reached[next]];
             edge < calls->callee_first[reached[next] + 1]; edge++)
            reach(calls->callees[edge], marks, mark, reached, &count);
    return count;
}

uint32_t ws_calls_reached(const struct ws_calls *calls, uint32_t root, uint32_t *marks, uint32_t mark,
                          uint32_t *reached)
{
    uint32_t count = 0;
    reach(root, marks, mark, reached, &count);
    return reach_callees(calls, marks, mark, reached, 0, count);
}

uint32_t ws_calls_add_callbacks(const struct ws_calls *calls, uint32_t *marks, uint32_t mark,
                                uint32_t *reached, uint32_t count)
{
    /* A callback may hold such an instruction too. */
    for (uint32_t next = 0, called = count; next < count; next++) {
        for (uint32_t edge = calls->callback_first[reached[next]];
             edge < calls->callback_first[reached[next] + 1]; edge++)
            reach(calls->callbacks[edge], marks, mark, reached, &count);
        count = reach_callees(calls, marks, mark, reached, called, count);
        called = count;
    }
    return count;
}

static int compare_ranks(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

void ws_calls_sort(const struct ws_calls *calls, uint32_t *functions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        functions[i] = calls->ranks[functions[i]];
    if (count > 1)
        qsort(functions, count, sizeof(*functions), compare_ranks);
    for (uint32_t i = 0; i < count; i++)
        functions[i] = calls->by_rank[functions[i]];
}
