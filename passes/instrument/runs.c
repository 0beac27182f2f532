#include "passes/instrument/runs.h"

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

/* Each variable has code in each place where its loop is left, which drivers compile. */
#define PLACES_MAX 4  /* of one loop */
#define CALLS_MAX  24 /* variables times places, of one function */

/* A loop without barriers that is in no other such loop. */
struct home {
    bool barrier; /* it has one, or a loop in it: then the loops in it are homes of their own */
    bool fits;
    uint32_t places[PLACES_MAX]; /* where it is left: indices of instructions, before which the code stands */
    uint32_t place_count;
};

struct run {
    uint32_t home;
    uint32_t row;
    uint32_t variable;
    uint32_t rank; /* the variable of the rank; 0 = none */
};

/* Those of the function being walked. */
struct ws_runs {
    uint32_t function;
    struct ws_loops loops;
    struct home *homes; /* per loop; of those in homes unused */
    struct run list[CALLS_MAX];
    uint32_t count;
    uint32_t call_count;
};

/* The home around a block; WS_NONE = none. */
static uint32_t home_of(const struct ws_runs *runs, uint32_t block)
{
    uint32_t loop = runs->loops.innermost[block];
    if (loop == WS_NONE || runs->homes[loop].barrier)
        return WS_NONE;
    while (runs->loops.list[loop].outer != WS_NONE && !runs->homes[runs->loops.list[loop].outer].barrier)
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

bool ws_runs_have_barrier(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_module *module = runner->module;
    const struct ws_block *block = &module->blocks[index];
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

/* Notes the barriers of a block, for the loops around it. */
static void note_barriers(const struct ws_runner *runner, struct ws_runs *runs, uint32_t block)
{
    const uint32_t first = runner->module->functions[runs->function].block_first;
    uint32_t loop = runs->loops.innermost[block];
    if (loop == WS_NONE || !ws_runs_have_barrier(runner, first + block))
        return;
    for (; loop != WS_NONE && !runs->homes[loop].barrier; loop = runs->loops.list[loop].outer)
        runs->homes[loop].barrier = true;
}

/* Looks at a block of a home. */
static void look_at(const struct ws_runner *runner, struct ws_runs *runs, uint32_t loop, uint32_t b)
{
    const struct ws_cfg *cfg = &runner->plan->cfgs[runs->function];
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const struct ws_block *block = &runner->module->blocks[first + b];
    struct home *home = &runs->homes[loop];
    home->fits = home->fits && !runner->plan->calls.block_parts[first + b];
    if (cfg->successor_first[b] == cfg->successor_first[b + 1] &&
        runner->module->instructions[block->end - 1].opcode != SpvOpUnreachable)
        add_place(home, block->end - 1);
    for (uint32_t i = cfg->successor_first[b]; i < cfg->successor_first[b + 1]; i++)
        if (home_of(runs, cfg->successors[i]) != loop &&
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
        if (runs->loops.list[i].merge != WS_NONE)
            add_place(&runs->homes[i], module->blocks[runs->loops.list[i].merge].first);
    }
    for (uint32_t i = 0; i < cfg->order_count; i++)
        note_barriers(runner, runs, cfg->order[i]);
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t loop = home_of(runs, cfg->order[i]);
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

/* The loops of the function that the block is in. */
static struct ws_runs *runs_of(struct ws_runner *runner, uint32_t block)
{
    const uint32_t function = runner->module->blocks[block].function;
    if (runner->barriers == NULL && !find_barriers(runner))
        return NULL;
    if (runner->runs == NULL || runner->runs->function != function)
        runner->runs = find(runner, function);
    return runner->runs;
}

bool ws_runs_begin(struct ws_runner *runner, uint32_t function)
{
    return runs_of(runner, runner->module->functions[function].block_first) != NULL;
}

bool ws_runs_has_loop(const struct ws_runner *runner, uint32_t block)
{
    const uint32_t first = runner->module->functions[runner->runs->function].block_first;
    return runner->runs->loops.innermost[block - first] != WS_NONE;
}

const struct ws_loops *ws_runs_loops(const struct ws_runner *runner)
{
    return &runner->runs->loops;
}

bool ws_runs_leaves_by_merge(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_runs *runs = runner->runs;
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const struct ws_loop *loop = &runs->loops.list[index];
    return home_of(runs, loop->header - first) == index && runs->homes[index].fits &&
           loop->merge != WS_NONE && runs->homes[index].place_count == 1;
}

uint32_t ws_runs_variable(struct ws_runner *runner, uint32_t block, uint32_t row, uint32_t rank)
{
    struct ws_runs *runs = runner->runs;
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const uint32_t home = home_of(runs, block - first);
    if (home == WS_NONE || !runs->homes[home].fits || runs->count == CALLS_MAX ||
        runs->call_count + runs->homes[home].place_count > CALLS_MAX)
        return 0;
    const struct run run = {home, row, ws_runner_add_variable(runner, runs->function), rank};
    runs->list[runs->count++] = run;
    runs->call_count += runs->homes[home].place_count;
    return run.variable;
}

bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t variable = ws_runs_variable(runner, leader, row, 0);
    const uint32_t callee =
        variable != 0 ? ws_runner_link(runner, runner->runs->function, WS_PRIMITIVE_COUNT_RUN) : 0;
    if (callee == 0)
        return false;
    const struct ws_cursor cursor = ws_cursor_block_start(runner->module, leader);
    const uint32_t arguments[] = {ws_constant_u32(editor, row),
                                  ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &variable, 1)};
    const uint32_t store[] = {variable, ws_link_call(editor, cursor, callee, arguments, 2)};
    ws_emit(editor, cursor, SpvOpStore, 0, store, 2);
    return true;
}

/* Whether lanes may come to a home again within a call of the function. */
static bool is_again(const struct ws_runs *runs, uint32_t home)
{
    return runs->loops.list[home].outer != WS_NONE;
}

void ws_runs_end(struct ws_runner *runner)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_runs *runs = runner->runs;
    for (uint32_t i = 0; runs != NULL && i < runs->count; i++) {
        const struct run *run = &runs->list[i];
        const struct home *home = &runs->homes[run->home];
        const uint32_t callee = ws_runner_link(runner, runs->function,
                                               run->rank != 0 ? WS_PRIMITIVE_END_FOUR : WS_PRIMITIVE_END_RUN);
        for (uint32_t p = 0; callee != 0 && p < home->place_count; p++) {
            const struct ws_cursor cursor = ws_cursor_before(runner->module, home->places[p]);
            const uint32_t arguments[] = {
                ws_constant_u32(editor, run->row),
                ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &run->variable, 1),
                run->rank != 0 ? ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &run->rank, 1) : 0};
            ws_link_call(editor, cursor, callee, arguments, run->rank != 0 ? 3 : 2);
            const uint32_t store[] = {run->variable, ws_constant_u32(editor, 0)};
            if (is_again(runs, run->home))
                ws_emit(editor, cursor, SpvOpStore, 0, store, 2);
        }
    }
    runner->runs = NULL;
}
