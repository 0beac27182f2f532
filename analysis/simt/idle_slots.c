#include "analysis/simt/idle_slots.h"

#include <stdlib.h>
#include <string.h>

/* One shader at work. */
struct booking {
    struct ws_idle_slots *idle;
    const struct ws_shader_run *run;
    const struct ws_module *module;
    double *
        useful; /* per block of the module: active slots of it, of all that is inside of it, and of what these
                       call */
};

double ws_block_run_lanes(const struct ws_block_run *block)
{
    return block->executions > 0 ? (double)block->active / (double)block->executions : 0;
}

/* 1 / fullness; 0 where the block did not run. */
static double thinness(const struct ws_block_run *block)
{
    return block->active > 0 ? (double)block->slots / (double)block->active : 0;
}

void ws_idle_slots_finish(struct ws_idle_slots *idle)
{
    free(idle->branches);
    free(idle->loops);
    free(idle->exits);
    memset(idle, 0, sizeof(*idle));
}

/* The active slots of a block by itself, and its share of what it calls. */
static double useful_of(const struct booking *booking, uint32_t block)
{
    const struct ws_module *module = booking->module;
    const struct ws_block_run *ran = &booking->run->blocks[block];
    double useful = (double)ran->instructions * (double)ran->active;
    for (uint32_t i = module->blocks[block].first; ran->active > 0 && i < module->blocks[block].end; ++i) {
        const uint32_t callee = ws_shader_run_callee(booking->run, i);
        if (callee != WS_NONE)
            useful += booking->useful[module->functions[callee].block_first] * (double)ran->active /
                      booking->run->called_lanes[callee];
    }
    return useful;
}

static void book(struct booking *booking, uint32_t begin, const struct ws_step *step, double slots)
{
    struct ws_idle_slots *idle = booking->idle;
    switch (step->kind) {
    case WS_STEP_BRANCH: idle->branches[begin + step->place] += slots; break;
    case WS_STEP_LOOP: idle->loops[begin + step->place] += slots; break;
    case WS_STEP_EXIT: idle->exits[begin + step->place] += slots; break;
    default: idle->other += slots; break;
    }
}

/* Books a function whose callees have been booked. */
static void book_function(struct booking *booking, uint32_t function)
{
    const struct ws_constructs *constructs = &booking->run->code->constructs[function];
    const uint32_t begin = booking->module->functions[function].block_first;
    const struct ws_block_run *blocks = booking->run->blocks + begin;
    double *useful = booking->useful + begin;
    /* Blocks stand behind their dominators, and so behind their outer blocks. */
    for (uint32_t i = constructs->block_count > 0 ? constructs->order_count : 0; i-- > 0;) {
        const uint32_t block = constructs->order[i];
        const struct ws_step *step = &constructs->steps[block];
        useful[block] += useful_of(booking, begin + block);
        booking->idle->active += (double)blocks[block].instructions * (double)blocks[block].active;
        booking->idle->all += (double)ws_block_run_slots(&blocks[block]);
        if (step->outer == WS_NONE)
            continue;
        useful[step->outer] += useful[block];
        if (blocks[block].active > 0 && blocks[step->outer].active > 0)
            book(booking, begin, step,
                 useful[block] * (thinness(&blocks[block]) - thinness(&blocks[step->outer])));
    }
    if (function == booking->run->entry_function && blocks[0].active > 0)
        booking->idle->partial = useful[0] * (thinness(&blocks[0]) - 1);
}

bool ws_idle_slots_find(struct ws_idle_slots *idle, const struct ws_shader_run *run)
{
    const struct ws_module *module = &run->code->code->module;
    struct booking booking = {.idle = idle, .run = run, .module = module};
    bool found = false;
    *idle = (struct ws_idle_slots){
        .branches = calloc((size_t)module->block_count + 1, sizeof(double)),
        .loops = calloc((size_t)module->block_count + 1, sizeof(double)),
        .exits = calloc((size_t)module->block_count + 1, sizeof(double)),
    };
    booking.useful = calloc((size_t)module->block_count + 1, sizeof(double));
    if (idle->branches == NULL || idle->loops == NULL || idle->exits == NULL || booking.useful == NULL)
        goto error;
    for (uint32_t i = run->function_count; i-- > 0;)
        if (module->functions[run->functions[i]].block_count > 0)
            book_function(&booking, run->functions[i]);
    found = true;
error:
    free(booking.useful);
    if (!found)
        ws_idle_slots_finish(idle);
    return found;
}
