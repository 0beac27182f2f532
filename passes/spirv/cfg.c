#include "warpscope/spirv/cfg.h"

#include <spirv/unified1/spirv.h>

#include "warpscope/base/arena.h"
#include "warpscope/opcodes.h"

/* Where the targets of a terminator stand: `count` operands from `first` on, `stride` apart. */
struct targets {
    uint32_t first;
    uint32_t stride;
    uint32_t count;
};

uint32_t ws_cfg_find_block(const struct ws_module *module, const struct ws_function *function, uint32_t id)
{
    if (ws_module_definition(module, id) == NULL)
        return WS_NONE;
    uint32_t instruction = module->definitions[id];
    const struct ws_block *blocks = &module->blocks[function->block_first];
    uint32_t low = 0;
    uint32_t high = function->block_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (blocks[middle].first < instruction)
            low = middle + 1;
        else
            high = middle;
    }
    return low < function->block_count && blocks[low].first == instruction ? low : WS_NONE;
}

uint32_t ws_cfg_last_part(const struct ws_module *module, uint32_t block)
{
    while (module->blocks[block].is_cut)
        block++;
    return block;
}

const struct ws_instruction *ws_cfg_merge(const struct ws_module *module, const struct ws_block *block)
{
    if (block->end - block->first < 2)
        return NULL;
    const struct ws_instruction *before_last = &module->instructions[block->end - 2];
    return ws_opcode_is_merge(before_last->opcode) ? before_last : NULL;
}

/* Words of each literal of an OpSwitch, which are as wide as its selector; 0 when an instruction that is
 * not understood defines the selector. */
static uint32_t switch_literal_words(const struct ws_module *module, const struct ws_instruction *terminator)
{
    const struct ws_instruction *definition = ws_module_definition(module, ws_operand(module, terminator, 0));
    if (definition == NULL)
        return 0;
    const struct ws_instruction *type = ws_module_definition(module, ws_operand(module, definition, 0));
    if (type == NULL || type->opcode != SpvOpTypeInt)
        return 0;
    return ws_operand(module, type, 1) > 32 ? 2 : 1;
}

/* False for an instruction that is not known to end a block, or whose targets cannot be told. */
static bool find_targets(const struct ws_module *module, const struct ws_block *block,
                         struct targets *targets)
{
    const struct ws_instruction *terminator = &module->instructions[block->end - 1];
    *targets = (struct targets){0, 1, block->is_cut ? 1 : 0};
    if (block->is_cut)
        return true;
    switch (terminator->opcode) {
    case SpvOpBranch: targets->count = 1; return true;
    case SpvOpBranchConditional:
        targets->first = 1;
        targets->count = 2;
        return true;
    case SpvOpSwitch: {
        uint32_t words = switch_literal_words(module, terminator);
        if (words == 0)
            return false;
        /* Default, then pairs of literal and target: the targets are evenly spaced. */
        targets->first = 1;
        targets->stride = words + 1;
        targets->count = terminator->length < 3 ? 1 : 1 + (terminator->length - 3u) / targets->stride;
        return true;
    }
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpKill:
    case SpvOpTerminateInvocation:
    case SpvOpUnreachable:
    case SpvOpIgnoreIntersectionKHR:
    case SpvOpTerminateRayKHR:
    case SpvOpEmitMeshTasksEXT:
    case WS_OP_ABORT_KHR: return true;
    default: return false;
    }
}

/* Depth-first from the first block, without recursion: fills `order` and `position`. */
static bool order_blocks(struct ws_cfg *cfg, struct ws_arena *arena, struct ws_error *error)
{
    uint32_t count = cfg->block_count;
    uint32_t *stack = ws_arena_allocate(arena, count, sizeof(*stack));
    uint32_t *cursor = ws_arena_allocate(arena, count, sizeof(*cursor));
    cfg->order = ws_arena_allocate(arena, count, sizeof(*cfg->order));
    cfg->position = ws_arena_allocate(arena, count, sizeof(*cfg->position));
    if (stack == NULL || cursor == NULL || cfg->order == NULL || cfg->position == NULL)
        return ws_error_set(error, "out of memory for the control flow of a function");

    for (uint32_t block = 0; block < count; block++) {
        cursor[block] = cfg->successor_first[block];
        cfg->position[block] = WS_NONE;
    }
    uint32_t depth = 0;
    uint32_t finished = 0; /* finished blocks fill `order` from its end */
    stack[depth++] = 0;
    cfg->position[0] = 0;
    while (depth > 0) {
        uint32_t block = stack[depth - 1];
        if (cursor[block] == cfg->successor_first[block + 1]) {
            cfg->order[count - ++finished] = block;
            depth--;
            continue;
        }
        uint32_t next = cfg->successors[cursor[block]++];
        if (cfg->position[next] == WS_NONE) {
            cfg->position[next] = 0;
            stack[depth++] = next;
        }
    }
    cfg->order += count - finished;
    cfg->order_count = finished;
    for (uint32_t place = 0; place < finished; place++)
        cfg->position[cfg->order[place]] = place;
    return true;
}

bool ws_cfg_build(struct ws_cfg *cfg, struct ws_arena *arena, const struct ws_module *module,
                  uint32_t function_index, struct ws_error *error)
{
    const struct ws_function *function = &module->functions[function_index];
    const struct ws_block *blocks = &module->blocks[function->block_first];
    *cfg = (struct ws_cfg){.block_count = function->block_count};
    if (function->block_count == 0)
        return true;

    cfg->successor_first = ws_arena_allocate(arena, (size_t)cfg->block_count + 1, sizeof(uint32_t));
    if (cfg->successor_first == NULL)
        return ws_error_set(error, "out of memory for the control flow of a function");
    struct targets targets;
    uint32_t edge_count = 0;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        if (!find_targets(module, &blocks[block], &targets)) {
            cfg->opaque = true;
            return true;
        }
        cfg->successor_first[block] = edge_count;
        edge_count += targets.count;
    }
    cfg->successor_first[cfg->block_count] = edge_count;

    cfg->successors = ws_arena_allocate(arena, edge_count, sizeof(*cfg->successors));
    if (cfg->successors == NULL)
        return ws_error_set(error, "out of memory for the control flow of a function");
    uint32_t edge = 0;
    for (uint32_t block = 0; block < cfg->block_count; block++) {
        const struct ws_instruction *terminator = &module->instructions[blocks[block].end - 1];
        find_targets(module, &blocks[block], &targets);
        if (blocks[block].is_cut) {
            cfg->successors[edge++] = block + 1;
            continue;
        }
        for (uint32_t i = 0; i < targets.count; i++) {
            uint32_t id = ws_operand(module, terminator, targets.first + i * targets.stride);
            uint32_t target = ws_cfg_find_block(module, function, id);
            if (target == WS_NONE) {
                return ws_error_set(error, "word %u: a branch to %%%u, which is no block of its function",
                                    terminator->offset, id);
            }
            cfg->successors[edge++] = target;
        }
    }
    return order_blocks(cfg, arena, error);
}
