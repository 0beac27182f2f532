/* Keeps a driver from writing out loops that it would write out wrong.
 *
 * Mesa 25.0 writes out a loop of a few turns and two tests as if only one of them ended it, where an unsigned number goes down
 * and code stands between the tests (passes/flow/trips.h). What passes put there is such code: a program that is right without
 * a layer would be wrong. LoopControl DontUnroll says that the loop stays a loop, which is all that is needed. */
#include <spirv/unified1/spirv.h>

#include "passes/flow/trips.h"
#include "passes/instrument/runner_state.h"
#include "warpscope/base/arena.h"

static bool is_unsigned_compare(uint16_t opcode)
{
    return opcode == SpvOpULessThan || opcode == SpvOpULessThanEqual || opcode == SpvOpUGreaterThan ||
           opcode == SpvOpUGreaterThanEqual;
}

/* Whether there is anything to look for: few functions have a loop and compare unsigned numbers. */
static bool may_have_one(const struct ws_module *module, const struct ws_function *function)
{
    bool loops = false;
    bool compares = false;
    for (uint32_t i = function->first; i < function->end; i++) {
        loops |= module->instructions[i].opcode == SpvOpLoopMerge;
        compares |= is_unsigned_compare(module->instructions[i].opcode);
    }
    return loops && compares;
}

/* Lists the blocks of a loop, with those of loops in it. */
static uint32_t list_blocks(const struct ws_loops *loops, const struct ws_cfg *cfg, uint32_t loop,
                            uint32_t *blocks)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        uint32_t around = loops->innermost[cfg->order[i]];
        while (around != WS_NONE && around != loop)
            around = loops->list[around].outer;
        if (around == loop)
            blocks[count++] = cfg->order[i];
    }
    return count;
}

/* A program's own wish to write the loop out is not followed. One with operands, such as a count, is left as it is. */
static void keep(struct ws_runner *runner, uint32_t merge)
{
    const struct ws_instruction *instruction = &runner->module->instructions[merge];
    const uint32_t control = ws_operand(runner->module, instruction, 2) & ~(uint32_t)SpvLoopControlUnrollMask;
    const uint32_t operands[] = {ws_operand(runner->module, instruction, 0),
                                 ws_operand(runner->module, instruction, 1),
                                 control | SpvLoopControlDontUnrollMask};
    if (instruction->length == 4)
        ws_editor_replace(runner->editor, merge, SpvOpLoopMerge, operands, 3);
}

void ws_runner_keep_loops(struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    struct ws_loops loops = {0};
    struct ws_trips trips;
    if (!may_have_one(module, &module->functions[function]))
        return;
    uint32_t *blocks = ws_arena_allocate(module->arena, cfg->block_count, sizeof(*blocks));
    if (blocks == NULL ||
        !ws_loops_find(&loops, module->arena, module, function, cfg, &runner->editor->error) ||
        !ws_trips_init(&trips, module->arena, module, function, cfg)) {
        ws_editor_fail(runner->editor, "out of memory for the loops of a function");
        return;
    }
    for (uint32_t i = 0; i < loops.count; i++) {
        const uint32_t count = list_blocks(&loops, cfg, i, blocks);
        if (ws_trips_are_written_wrong(&trips, &loops.list[i], blocks, count))
            keep(runner, loops.list[i].instruction);
    }
}
