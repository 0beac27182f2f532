#include "passes/instrument/runs.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

/* Each variable has code in each place where its loop is left, which drivers compile. */
#define PLACES_MAX 4           /* of one loop */
#define CALLS_MAX  WS_RUNS_MAX /* variables times places, of one function */

#define CARRIED_MAX 24 /* variables of one module, which are live from their function's first call on */

/* A loop without barriers that is in no other such loop. */
struct home {
    bool barrier; /* it has one, or a loop in it: then the loops in it are homes of their own */
    bool fits;
    uint32_t places[PLACES_MAX]; /* where it is left: indices of instructions, before which the code stands */
    uint32_t place_count;
};

struct run {
    uint32_t home;
    uint32_t variable;
    uint32_t high; /* the second variable of one that is kept in bins; 0 = it is not */
    struct ws_runs_rows rows;
    struct ws_runs_rank rank; /* that of its place; all 0 = none */
    uint32_t place;           /* how many others of its place are before it */
};

/* A place whose lanes have the ranks with which their entry point began. */
struct begun {
    uint32_t function;
    bool carried;
    struct ws_runs_rank rank;
};

/* What is kept until entry points return, and what is known from where they begin. */
struct ws_carried {
    bool possible; /* in this module */
    bool *again;   /* per function: it may be called more than once in an invocation */
    bool *looped;  /* per function: because of a loop */
    struct run list[CARRIED_MAX];
    uint32_t functions[CARRIED_MAX];
    uint32_t count;
    struct begun *begun;
    uint32_t begun_count;
    uint32_t begun_capacity;
};

/* Those of the function being walked. */
struct ws_runs {
    bool carried;
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

/* Whether the block may come to a barrier. */
static bool has_barrier(const struct ws_runner *runner, uint32_t index)
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
    if (loop == WS_NONE || !has_barrier(runner, first + block))
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

/* Whether all lanes of each entry point come to a return of its function, without a barrier. */
static bool is_smooth(const struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (runner->barriers[f] || runner->plan->calls.function_parts[f] ||
            runner->plan->functions[f].called_back)
            return false;
    for (uint32_t b = 0; b < module->block_count; b++) {
        const struct ws_block *block = &module->blocks[b];
        const struct ws_cfg *cfg = &runner->plan->cfgs[block->function];
        const uint32_t index = b - module->functions[block->function].block_first;
        const uint16_t end = module->instructions[block->end - 1].opcode;
        if (cfg->successor_first[index] == cfg->successor_first[index + 1] && end != SpvOpReturn &&
            end != SpvOpReturnValue && end != SpvOpUnreachable)
            return false;
    }
    return true;
}

/* Finds which functions may be called more than once in an invocation. Without memory the editor fails. */
static bool find_again(struct ws_runner *runner, struct ws_carried *carried)
{
    const struct ws_module *module = runner->module;
    const struct ws_calls *calls = &runner->plan->calls;
    struct ws_loops loops;
    uint32_t known = WS_NONE; /* the function whose loops these are */
    carried->again = ws_arena_allocate(module->arena, module->function_count, sizeof(*carried->again));
    carried->looped = ws_arena_allocate(module->arena, module->function_count, sizeof(*carried->looped));
    const bool is_there = carried->again != NULL && carried->looped != NULL;
    for (uint32_t i = 0; is_there && i < module->function_count; i++) {
        const uint32_t f = calls->by_rank[i];
        const uint32_t first = calls->caller_first[f];
        carried->again[f] = calls->caller_first[f + 1] - first > 1;
        for (uint32_t c = first; c < calls->caller_first[f + 1] && !carried->looped[f]; c++) {
            const uint32_t block = calls->caller_blocks[c];
            const uint32_t caller = module->blocks[block].function;
            if (caller != known && !ws_loops_find(&loops, module->arena, module, caller,
                                                  &runner->plan->cfgs[caller], &runner->editor->error))
                return ws_editor_fail(runner->editor, "out of memory for the loops of a function");
            known = caller;
            carried->looped[f] = carried->looped[caller] ||
                                 loops.innermost[block - module->functions[caller].block_first] != WS_NONE;
            carried->again[f] = carried->again[f] || carried->again[caller] || carried->looped[f];
        }
    }
    return is_there || ws_editor_fail(runner->editor, "out of memory for the functions of a module");
}

/* Whether an entry point adds what is carried where its function returns. */
static bool takes_carried(const struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    uint32_t returns = 0;
    for (uint32_t i = 0; i < cfg->order_count; i++)
        returns += cfg->successor_first[cfg->order[i]] == cfg->successor_first[cfg->order[i] + 1];
    return runner->plan->functions[function].refusal == NULL && runner->rows[function].walked &&
           returns <= PLACES_MAX && module->functions[function].block_first != WS_NONE;
}

/* Whether the variables of a function are kept until entry points return. */
static bool may_carry(struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    if (runner->carried == NULL) {
        struct ws_carried *carried = ws_arena_allocate(runner->module->arena, 1, sizeof(*carried));
        if (carried == NULL)
            return ws_editor_fail(runner->editor, "out of memory for the functions of a module");
        carried->possible = is_smooth(runner) && find_again(runner, carried);
        runner->carried = carried;
    }
    if (!runner->carried->possible)
        return false;
    if (plan->entry) /* what is kept is added where its other functions' is */
        return runner->carried->count != 0 && takes_carried(runner, function);
    if (!runner->carried->again[function])
        return false;
    for (uint32_t i = 0; i < plan->entry_point_count; i++) {
        const struct ws_instrument_plan_entry *entry = &runner->plan->entries[plan->entry_points[i]];
        if (!entry->wanted || !takes_carried(runner, entry->functions[0]))
            return false;
    }
    return ws_plan_has_takers(runner->plan, function);
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
    runs->carried = may_carry(runner, function);
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

/* Per function: whether it may come to a barrier. A barrier outside of functions, which is invalid, counts for none.
 * Without memory the editor fails. */
static bool find_barriers(struct ws_runner *runner)
{
    const struct ws_module *module = runner->module;
    runner->barriers = ws_arena_allocate(module->arena, module->function_count, sizeof(*runner->barriers));
    for (uint32_t f = 0; runner->barriers != NULL && f < module->function_count; f++)
        for (uint32_t i = module->functions[f].first; i < module->functions[f].end; i++)
            if (module->instructions[i].opcode == SpvOpControlBarrier)
                runner->barriers[f] = true;
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

uint32_t ws_runs_function(const struct ws_runner *runner)
{
    return runner->runs->function;
}

bool ws_runs_are_carried(const struct ws_runner *runner)
{
    return runner->runs->carried;
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

bool ws_runs_leaves_by_return(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_runs *runs = runner->runs;
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const struct ws_loop *loop = &runs->loops.list[index];
    return home_of(runs, loop->header - first) == index && loop->outer == WS_NONE &&
           runs->homes[index].fits && loop->merge == WS_NONE &&
           !(runs->carried && runner->carried->looped[runs->function]);
}

bool ws_runs_is_entered_again(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_runs *runs = runner->runs;
    const uint32_t first = runner->module->functions[runs->function].block_first;
    return runs->carried || home_of(runs, runs->loops.list[index].header - first) != index;
}

/* Whether lanes may come to a home again within a call of the function. Then it is in a loop with barriers. */
static bool is_again(const struct ws_runs *runs, uint32_t home)
{
    return runs->loops.list[home].outer != WS_NONE;
}

/* A variable of the invocation, 0 at first; 0 after a failure. */
static uint32_t add_private(struct ws_runner *runner)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t pointee[] = {SpvStorageClassPrivate, ws_type_u32(editor)};
    return ws_link_private(editor, ws_global_find(editor, SpvOpTypePointer, 0, pointee, 2),
                           ws_constant_u32(editor, 0));
}

static uint32_t add_variable(struct ws_runner *runner)
{
    return runner->runs->carried ? add_private(runner)
                                 : ws_runner_add_variable(runner, runner->runs->function);
}

/* Whether lanes have in the function the ranks with which their entry point began (RANKS). */
static bool has_first_ranks(const struct ws_runner *runner, uint32_t function)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[function];
    for (uint32_t i = 0; i < plan->entry_point_count; i++) {
        const uint32_t entry = runner->plan->entries[plan->entry_points[i]].functions[0];
        if (runner->barriers[entry] || runner->plan->calls.function_parts[entry])
            return false;
    }
    return !plan->called_back;
}

/* Adds the variables of a place. */
static bool add_rank(struct ws_runner *runner, struct ws_runs_rank *rank)
{
    struct ws_carried *carried = runner->carried;
    const struct ws_runs *runs = runner->runs;
    *rank = (struct ws_runs_rank){.mine = add_variable(runner), .left = add_variable(runner)};
    if (!has_first_ranks(runner, runs->function)) {
        rank->full = add_variable(runner);
        return true;
    }
    struct begun *begun = ws_arena_grow(runner->module->arena, carried->begun, carried->begun_count,
                                        &carried->begun_capacity, sizeof(*begun));
    if (begun == NULL)
        return ws_editor_fail(runner->editor, "out of memory for the counters of a module");
    carried->begun = begun;
    begun[carried->begun_count++] = (struct begun){runs->function, runs->carried, *rank};
    return true;
}

/* Adds a run of a block. NULL where it can have none. */
static struct run *add_run(struct ws_runner *runner, uint32_t block, struct ws_runs_rows rows,
                           struct ws_runs_rank *rank)
{
    struct ws_runs *runs = runner->runs;
    struct ws_carried *carried = runner->carried;
    const uint32_t first = runner->module->functions[runs->function].block_first;
    const uint32_t home = runs->carried ? WS_NONE : home_of(runs, block - first);
    if (runs->carried ? carried->count == CARRIED_MAX
                      : home == WS_NONE || !runs->homes[home].fits || runs->count == CALLS_MAX ||
                            runs->call_count + runs->homes[home].place_count > CALLS_MAX)
        return NULL;
    if (runs->carried && block == first && runner->plan->functions[runs->function].entry)
        return NULL; /* it would count before it has its ranks */
    if (rank != NULL && rank->mine == 0 && !add_rank(runner, rank))
        return NULL;
    const struct ws_runs_rank none = {0};
    struct run run = {
        .home = home, .variable = add_variable(runner), .rows = rows, .rank = rank != NULL ? *rank : none};
    run.place = rank != NULL ? rank->count++ : 0;
    if (runs->carried) {
        carried->functions[carried->count] = runs->function;
        carried->list[carried->count] = run;
        return &carried->list[carried->count++];
    }
    runs->list[runs->count] = run;
    runs->call_count += runs->homes[home].place_count;
    return &runs->list[runs->count++];
}

uint32_t ws_runs_variable(struct ws_runner *runner, uint32_t block, struct ws_runs_rows rows,
                          struct ws_runs_rank *rank)
{
    const struct run *run = add_run(runner, block, rows, rank);
    return run != NULL ? run->variable : 0;
}

bool ws_runs_count(struct ws_runner *runner, uint32_t leader, uint32_t row)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t variable = ws_runs_variable(runner, leader, (struct ws_runs_rows){row, 0}, NULL);
    const uint32_t callee =
        variable != 0 ? ws_runner_link(runner, runner->runs->function, WS_PRIMITIVE_COUNT_RUN) : 0;
    if (callee == 0)
        return false;
    const struct ws_cursor cursor = ws_cursor_block_start(runner->module, leader);
    const uint32_t kept = ws_emit_load(editor, cursor, variable);
    const uint32_t arguments[] = {ws_constant_u32(editor, row), kept};
    ws_emit_store(editor, cursor, variable, ws_link_call(editor, cursor, callee, arguments, 2));
    return true;
}

bool ws_runs_count_bins(struct ws_runner *runner, uint32_t leader, uint32_t row)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t function = runner->runs->function;
    struct run *run = add_run(runner, leader, (struct ws_runs_rows){row, 0}, NULL);
    const uint32_t callee = run != NULL ? ws_runner_link(runner, function, WS_PRIMITIVE_COUNT_BINS) : 0;
    const uint32_t take = callee != 0 ? ws_runner_link(runner, function, WS_PRIMITIVE_TAKE_BINS_HIGH) : 0;
    if (take == 0)
        return false;
    run->high = add_variable(runner);
    const struct ws_cursor cursor = ws_runner_prologue(runner->module, leader);
    const uint32_t low = ws_emit_load(editor, cursor, run->variable);
    const uint32_t high = ws_emit_load(editor, cursor, run->high);
    const uint32_t arguments[] = {ws_constant_u32(editor, row), low, high};
    ws_emit_store(editor, cursor, run->variable, ws_link_call(editor, cursor, callee, arguments, 3));
    ws_emit_store(editor, cursor, run->high, ws_link_call(editor, cursor, take, NULL, 0));
    return true;
}

#define JOINED      4 /* runs that one call adds */
#define BINS_JOINED 2 /* of those that are kept in bins */

/* What lanes own of the rows of a run. */
static uint32_t put_owned(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                          const struct run *run)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t callee = ws_runner_link(runner, function, WS_PRIMITIVE_OWNED);
    const uint32_t arguments[] = {ws_emit_load(editor, cursor, run->rank.mine),
                                  ws_emit_load(editor, cursor, run->rank.left),
                                  ws_constant_u32(editor, run->place % 4)};
    return callee != 0 ? ws_link_call(editor, cursor, callee, arguments, 3) : 0;
}

/* Adds what is left in runs. */
static void put_end(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                    const struct run *const *list, uint32_t count)
{
    struct ws_editor *editor = runner->editor;
    const bool is_four = list[0]->rank.mine != 0;
    uint32_t arguments[4 * JOINED];
    const uint32_t callee =
        ws_runner_link(runner, function, is_four ? WS_PRIMITIVE_ADD_FOURS : WS_PRIMITIVE_END_RUN);
    if (callee == 0)
        return;
    for (uint32_t i = 0; i < 4 * JOINED; i++)
        arguments[i] = ws_constant_u32(editor, 0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t kept = ws_emit_load(editor, cursor, list[i]->variable);
        arguments[4 * i] = ws_constant_u32(editor, list[i]->rows.first);
        arguments[4 * i + 1] = is_four ? ws_constant_u32(editor, list[i]->rows.offsets) : kept;
        arguments[4 * i + 2] = kept;
        arguments[4 * i + 3] = is_four ? put_owned(runner, function, cursor, list[i]) : kept;
    }
    ws_link_call(editor, cursor, callee, arguments, is_four ? 4 * JOINED : 2);
}

/* Adds what is left in runs that are kept in bins. */
static void put_end_of_bins(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                            const struct run *const *list, uint32_t count)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t callee = ws_runner_link(runner, function, WS_PRIMITIVE_END_BINS);
    uint32_t arguments[3 * BINS_JOINED];
    for (uint32_t i = 0; i < 3 * BINS_JOINED; i++)
        arguments[i] = ws_constant_u32(editor, 0);
    for (uint32_t i = 0; i < count; i++) {
        arguments[3 * i] = ws_constant_u32(editor, list[i]->rows.first);
        arguments[3 * i + 1] = ws_emit_load(editor, cursor, list[i]->variable);
        arguments[3 * i + 2] = ws_emit_load(editor, cursor, list[i]->high);
    }
    if (callee != 0)
        ws_link_call(editor, cursor, callee, arguments, 3 * BINS_JOINED);
}

/* Adds what is left in runs: with one call four of those that count four rows, or two that are kept in bins. */
static void put_list(struct ws_runner *runner, uint32_t function, struct ws_cursor cursor,
                     const struct run *const *list, uint32_t count)
{
    const struct run *fours[JOINED];
    const struct run *bins[BINS_JOINED];
    uint32_t four_count = 0, bins_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (list[i]->high != 0)
            bins[bins_count++] = list[i];
        else if (list[i]->rank.mine != 0)
            fours[four_count++] = list[i];
        else
            put_end(runner, function, cursor, &list[i], 1);
        if (four_count == JOINED || (i + 1 == count && four_count != 0)) {
            put_end(runner, function, cursor, fours, four_count);
            four_count = 0;
        }
        if (bins_count == BINS_JOINED || (i + 1 == count && bins_count != 0)) {
            put_end_of_bins(runner, function, cursor, bins, bins_count);
            bins_count = 0;
        }
    }
}

static void clear(struct ws_runner *runner, struct ws_cursor cursor, uint32_t variable)
{
    if (variable != 0)
        ws_emit_store(runner->editor, cursor, variable, ws_constant_u32(runner->editor, 0));
}

/* Clears runs of a home that lanes may come to again, and what their places have of ranks: nothing is kept over a barrier. */
static void clear_list(struct ws_runner *runner, struct ws_cursor cursor, const struct run *const *list,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        clear(runner, cursor, list[i]->variable);
        clear(runner, cursor, list[i]->high);
        if (list[i]->place != 0)
            continue;
        clear(runner, cursor, list[i]->rank.mine);
        clear(runner, cursor, list[i]->rank.left);
        clear(runner, cursor, list[i]->rank.full);
    }
}

void ws_runs_end(struct ws_runner *runner)
{
    const struct ws_runs *runs = runner->runs;
    const struct run *list[CALLS_MAX];
    for (uint32_t h = 0; runs != NULL && h < runs->loops.count; h++) {
        const struct home *home = &runs->homes[h];
        uint32_t count = 0;
        for (uint32_t i = 0; i < runs->count; i++)
            if (runs->list[i].home == h)
                list[count++] = &runs->list[i];
        for (uint32_t p = 0; p < home->place_count && count != 0; p++) {
            const struct ws_cursor cursor = ws_cursor_before(runner->module, home->places[p]);
            put_list(runner, runs->function, cursor, list, count);
            if (is_again(runs, h))
                clear_list(runner, cursor, list, count);
        }
    }
    runner->runs = NULL;
}

/* Whether an entry point has this function, and reaches the other one. */
static bool leads_to(const struct ws_runner *runner, uint32_t function, uint32_t other)
{
    const struct ws_instrument_plan_function *plan = &runner->plan->functions[other];
    for (uint32_t i = 0; i < plan->entry_point_count; i++)
        if (runner->plan->entries[plan->entry_points[i]].functions[0] == function)
            return true;
    return false;
}

/* Puts the code where the function of an entry point begins, which finds the lanes of a warp. */
static void put_full(struct ws_runner *runner, uint32_t function)
{
    const struct ws_carried *carried = runner->carried;
    bool wanted = false;
    for (uint32_t i = 0; i < carried->begun_count; i++)
        wanted = wanted || leads_to(runner, function, carried->begun[i].function);
    if (wanted)
        ws_runner_put_begin(runner, function, WS_PRIMITIVE_FIND_FULL);
}

/* Has a place know its lanes from where the function begins. */
static void put_rank(struct ws_runner *runner, uint32_t function, const struct ws_runs_rank *rank)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t block = runner->module->functions[function].block_first;
    const struct ws_cursor cursor = ws_runner_prologue(runner->module, block);
    const uint32_t mine = ws_runner_link(runner, function, WS_PRIMITIVE_FIRST_MINE);
    const uint32_t left = ws_runner_link(runner, function, WS_PRIMITIVE_FIRST_LEFT);
    if (mine == 0 || left == 0)
        return;
    const uint32_t first[] = {rank->mine, ws_link_call(editor, cursor, mine, NULL, 0)};
    ws_emit(editor, cursor, SpvOpStore, 0, first, 2);
    const uint32_t second[] = {rank->left, ws_link_call(editor, cursor, left, NULL, 0)};
    ws_emit(editor, cursor, SpvOpStore, 0, second, 2);
}

/* Adds what is carried where the function of an entry point returns. */
static void put_carried(struct ws_runner *runner, uint32_t function)
{
    const struct ws_module *module = runner->module;
    const struct ws_carried *carried = runner->carried;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    const struct run *list[CARRIED_MAX];
    uint32_t count = 0;
    for (uint32_t r = 0; r < carried->count; r++)
        if (leads_to(runner, function, carried->functions[r]))
            list[count++] = &carried->list[r];
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const struct ws_block *block =
            &module->blocks[module->functions[function].block_first + cfg->order[i]];
        if (module->instructions[block->end - 1].opcode == SpvOpReturn)
            put_list(runner, function, ws_cursor_before(module, block->end - 1), list, count);
    }
}

void ws_runs_put_ends(struct ws_runner *runner)
{
    const struct ws_carried *carried = runner->carried;
    for (uint32_t f = 0; carried != NULL && f < runner->module->function_count; f++) {
        const bool is_entry = runner->plan->functions[f].entry && runner->rows[f].walked;
        memset(runner->primitives, 0, sizeof(runner->primitives));
        if (is_entry)
            put_full(runner, f);
        for (uint32_t i = 0; i < carried->begun_count; i++) {
            const struct begun *begun = &carried->begun[i];
            if (begun->carried ? is_entry && leads_to(runner, f, begun->function) : begun->function == f)
                put_rank(runner, f, &begun->rank);
        }
        if (is_entry)
            put_carried(runner, f);
    }
}
