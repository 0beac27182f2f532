#include "passes/instrument/runs.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

/* Each variable has code in each place where its loop is left, which drivers compile. */
#define PLACES_MAX 4  /* of one loop */
#define CALLS_MAX  24 /* variables times places, of one function */

/* An outermost loop. */
struct home {
    bool fits;
    uint32_t places[PLACES_MAX]; /* where it is left: indices of instructions, before which the code stands */
    uint32_t place_count;
};

struct run {
    uint32_t home;
    uint32_t row;
    uint32_t variable;
};

/* Those of the function being walked. */
struct ws_runs {
    uint32_t function;
    struct ws_loops loops;
    struct home *homes; /* per loop; of inner loops unused */
    struct run list[CALLS_MAX];
    uint32_t count;
    uint32_t call_count;
};

/* The outermost loop around a block; WS_NONE = none. */
static uint32_t outermost(const struct ws_runs *runs, uint32_t block)
{
    uint32_t loop = runs->loops.innermost[block];
    while (loop != WS_NONE && runs->loops.list[loop].outer != WS_NONE)
        loop = runs->loops.list[loop].outer;
    return loop;
}

static void add_place(struct home *home, uint32_t instruction)
{
    if (home->place_count == PLACES_MAX)
        home->fits = false;
    else
        home->places[home->place_count++] = instruction;
}

static bool has_barrier(const struct ws_runner *runner, const struct ws_block *block)
{
    const struct ws_module *module = runner->module;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ws_instruction *instruction = &module->instructions[i];
        if (instruction->opcode == SpvOpControlBarrier)
            return true;
        const uint32_t callee =
            instruction->opcode == SpvOpFunctionCall ? ws_calls_callee(module, instruction) : WS_NONE;
        if (callee != WS_NONE && runner->barriers[callee])
            return true;
    }
    return false;
}

/* Looks at a block of an outermost loop. */
static void look_at(const struct ws_runner *runner, struct ws_runs *runs, uint32_t loop, uint32_t b)
{
    const struct ws_cfg *cfg = &runner->plan->cfgs[runs->function];
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const struct ws_block *block = &runner->module->blocks[first + b];
    struct home *home = &runs->homes[loop];
    home->fits = home->fits && !runner->plan->calls.block_parts[first + b] && !has_barrier(runner, block);
    if (cfg->successor_first[b] == cfg->successor_first[b + 1] &&
        runner->module->instructions[block->end - 1].opcode != SpvOpUnreachable)
        add_place(home, block->end - 1);
    for (uint32_t i = cfg->successor_first[b]; i < cfg->successor_first[b + 1]; i++)
        if (outermost(runs, cfg->successors[i]) != loop &&
            first + cfg->successors[i] != runs->loops.list[loop].merge)
            home->fits = false;
}

/* Finds the loops of a function. Without memory the editor fails. */
static struct ws_runs *find(struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    struct ws_runs *runs = ws_arena_allocate(module->arena, 1, sizeof(*runs));
    if (runs == NULL ||
        !ws_loops_find(&runs->loops, module->arena, module, function, cfg, &runner->editor->error)) {
        ws_editor_fail(runner->editor, "out of memory for the loops of a function");
        return NULL;
    }
    runs->function = function;
    runs->homes = ws_arena_allocate(module->arena, runs->loops.count, sizeof(*runs->homes));
    if (runs->homes == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the loops of a function");
        return NULL;
    }
    for (uint32_t i = 0; i < runs->loops.count; i++) {
        runs->homes[i].fits = true;
        if (runs->loops.list[i].outer == WS_NONE && runs->loops.list[i].merge != WS_NONE)
            add_place(&runs->homes[i], module->blocks[runs->loops.list[i].merge].first);
    }
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t loop = outermost(runs, cfg->order[i]);
        if (loop != WS_NONE)
            look_at(runner, runs, loop, cfg->order[i]);
    }
    return runs;
}

/* Per function: whether it may come to a barrier. Without memory the editor fails. */
static bool find_barriers(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    runner->barriers = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner->barriers));
    for (uint32_t i = 0; runner->barriers != NULL && i < module->instruction_count; i++)
        if (module->instructions[i].opcode == SpvOpControlBarrier)
            runner->barriers[ws_module_function(module, i)] = true;
    return (runner->barriers != NULL &&
            ws_calls_mark_callers(module, runner->plan->cfgs, runner->barriers)) ||
           ws_editor_fail(runner->editor, "out of memory for the functions of a module");
}

uint32_t ws_runner_add_variable(struct ws_runner *runner, uint32_t function)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_module *module = runner->module;
    const uint32_t pointee[] = {SpvStorageClassFunction, ws_type_u32(editor)};
    const uint32_t type = ws_global_find(editor, SpvOpTypePointer, 0, pointee, 2);
    const uint32_t operands[] = {type, ws_editor_id(editor), SpvStorageClassFunction,
                                 ws_constant_u32(editor, 0)};
    const uint32_t label = module->blocks[module->functions[function].block_first].first;
    ws_editor_insert_first(editor, label, SpvOpVariable, operands, 4);
    return operands[1];
}

bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t function = runner->module->blocks[leader].function;
    const uint32_t first = runner->module->functions[function].block_first;
    if (runner->barriers == NULL && !find_barriers(runner))
        return false;
    if (runner->runs == NULL || runner->runs->function != function)
        runner->runs = find(runner, function);
    struct ws_runs *runs = runner->runs;
    const uint32_t home = runs == NULL ? WS_NONE : outermost(runs, leader - first);
    if (home == WS_NONE || !runs->homes[home].fits || runs->count == CALLS_MAX ||
        runs->call_count + runs->homes[home].place_count > CALLS_MAX)
        return false;
    const uint32_t callee = ws_runner_link(runner, function, WS_PRIMITIVE_COUNT_RUN);
    if (callee == 0)
        return false;
    const struct run run = {home, row, ws_runner_add_variable(runner, function)};
    const struct ws_cursor cursor = ws_cursor_block_start(runner->module, leader);
    const uint32_t arguments[] = {ws_constant_u32(editor, row),
                                  ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &run.variable, 1)};
    const uint32_t store[] = {run.variable, ws_link_call(editor, cursor, callee, arguments, 2)};
    ws_emit(editor, cursor, SpvOpStore, 0, store, 2);
    runs->list[runs->count++] = run;
    runs->call_count += runs->homes[home].place_count;
    return true;
}

void ws_runs_end(struct ws_runner *runner)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_runs *runs = runner->runs;
    for (uint32_t i = 0; runs != NULL && i < runs->count; i++) {
        const struct run *run = &runs->list[i];
        const struct home *home = &runs->homes[run->home];
        const uint32_t callee = ws_runner_link(runner, runs->function, WS_PRIMITIVE_END_RUN);
        for (uint32_t p = 0; callee != 0 && p < home->place_count; p++) {
            const struct ws_cursor cursor = ws_cursor_before(runner->module, home->places[p]);
            const uint32_t arguments[] = {
                ws_constant_u32(editor, run->row),
                ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &run->variable, 1)};
            ws_link_call(editor, cursor, callee, arguments, 2);
        }
    }
    runner->runs = NULL;
}
