#include "warpscope/spirv/cuts.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"
#include "warpscope/spirv/calls.h"

static const char *const no_memory = "out of memory to cut the blocks of a module";

/* Whether the instruction itself may end lanes of the shader that runs it. A plain return ends none: it leads back
 * to the caller. */
static bool may_end_lanes(uint16_t opcode)
{
    switch (opcode) {
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpDemoteToHelperInvocation:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpIgnoreIntersectionNV:
    case SpvOpTerminateRayKHR:
    case SpvOpTerminateRayNV:
    case SpvOpReportIntersectionKHR:
    case SpvOpEmitMeshTasksEXT:
    case WS_OP_ABORT_KHR: return true;
    default: return false;
    }
}

/* Whether control flow reaches block `block` of module->blocks. */
static bool is_reached(const struct ws_module *module, const struct ws_cfg *cfgs, uint32_t block)
{
    const uint32_t function = module->blocks[block].function;
    const struct ws_cfg *cfg = &cfgs[function];
    return !cfg->opaque && cfg->position[block - module->functions[function].block_first] != WS_NONE;
}

/* Whether the function may end lanes, but for what the functions that it calls do. */
static bool ends_by_itself(const struct ws_module *module, const struct ws_cfg *cfgs, uint32_t function)
{
    const struct ws_function *info = &module->functions[function];
    if (cfgs[function].opaque || info->block_count == 0)
        return true;
    for (uint32_t b = info->block_first; b < info->block_first + info->block_count; b++) {
        if (!is_reached(module, cfgs, b))
            continue;
        for (uint32_t i = module->blocks[b].first; i < module->blocks[b].end; i++) {
            const struct ws_instruction *instruction = &module->instructions[i];
            if (may_end_lanes(instruction->opcode) ||
                (instruction->opcode == SpvOpFunctionCall && ws_calls_callee(module, instruction) == WS_NONE))
                return true;
        }
    }
    return false;
}

/* Whether the instruction cuts its block; `ends` says of each function whether it may end lanes. A terminator does
 * not: nothing of the block stands behind it. */
static bool cuts(const struct ws_module *module, const bool *ends, const struct ws_instruction *instruction)
{
    if (instruction->opcode != SpvOpFunctionCall)
        return may_end_lanes(instruction->opcode) && !ws_opcode_is_terminator(instruction->opcode);
    const uint32_t callee = ws_calls_callee(module, instruction);
    return callee == WS_NONE || ends[callee];
}

/* Appends the parts of a block to `blocks`. Returns how many. */
static uint32_t cut_block(const struct ws_module *module, const bool *ends, const struct ws_block *block,
                          struct ws_block *blocks)
{
    uint32_t count = 0;
    struct ws_block part = *block;
    for (uint32_t i = block->first; i + 1 < block->end; i++) {
        if (cuts(module, ends, &module->instructions[i])) {
            part.end = i + 1;
            part.is_cut = true;
            blocks[count++] = part;
            part.first = i + 1;
        }
    }
    part.end = block->end;
    part.is_cut = false;
    blocks[count++] = part;
    return count;
}

/* How many blocks the module has once it is cut. */
static uint32_t count_blocks(const struct ws_module *module, const struct ws_cfg *cfgs, const bool *ends)
{
    uint32_t count = module->block_count;
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        for (uint32_t i = block->first; i + 1 < block->end && is_reached(module, cfgs, b); i++)
            count += cuts(module, ends, &module->instructions[i]);
    }
    return count;
}

/* Cuts the blocks of every function, and makes the graphs anew of those that have more blocks now. */
static bool cut_functions(struct ws_module *module, struct ws_cfg *cfgs, const bool *ends, uint32_t room,
                          struct ws_error *error)
{
    struct ws_block *blocks = ws_arena_allocate(module->arena, room, sizeof(*blocks));
    struct ws_function *functions =
        ws_arena_allocate(module->arena, module->function_count, sizeof(*functions));
    if (blocks == NULL || functions == NULL)
        return ws_error_set(error, "%s", no_memory);
    uint32_t count = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        const struct ws_function *function = &module->functions[f];
        functions[f] = *function;
        functions[f].block_first = count;
        for (uint32_t b = function->block_first; b < function->block_first + function->block_count; b++)
            if (is_reached(module, cfgs, b))
                count += cut_block(module, ends, &module->blocks[b], &blocks[count]);
            else
                blocks[count++] = module->blocks[b];
        functions[f].block_count = count - functions[f].block_first;
    }
    module->blocks = blocks;
    module->block_count = count;
    module->functions = functions;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (functions[f].block_count != cfgs[f].block_count &&
            !ws_cfg_build(&cfgs[f], module->arena, module, f, error))
            return false;
    return true;
}

struct ws_cfg *ws_cuts_make(struct ws_module *module, struct ws_error *error)
{
    struct ws_cfg *cfgs = ws_arena_allocate(module->arena, module->function_count, sizeof(*cfgs));
    bool *ends = ws_arena_allocate(module->arena, module->function_count, sizeof(*ends));
    if (cfgs == NULL || ends == NULL) {
        ws_error_set(error, "%s", no_memory);
        return NULL;
    }
    for (uint32_t f = 0; f < module->function_count; f++)
        if (!ws_cfg_build(&cfgs[f], module->arena, module, f, error))
            return NULL;
    for (uint32_t f = 0; f < module->function_count; f++)
        ends[f] = ends_by_itself(module, cfgs, f);
    if (!ws_calls_mark_callers(module, cfgs, ends)) {
        ws_error_set(error, "%s", no_memory);
        return NULL;
    }
    const uint32_t count = count_blocks(module, cfgs, ends);
    if (count != module->block_count && !cut_functions(module, cfgs, ends, count, error))
        return NULL;
    return cfgs;
}
