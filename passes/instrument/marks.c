#include "passes/instrument/marks.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/instrument/runner_state.h"
#include "passes/spirv/equivalence.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

#define NODES_MAX 256 /* between two blocks of a class; beyond that they are in no region */
#define WORDS_MAX 16  /* of a region */
#define WORD_ROWS 32u

/* Marks of up to 32 rows: bit i of the variable stands for row first + i. */
struct word {
    uint32_t variable; /* 0 = it has none, since all lanes have just the bits `all` */
    uint32_t first;
    uint32_t used;
    uint32_t all;
    bool called; /* a plain function left it */
};

struct region {
    struct word words[WORDS_MAX];
    uint32_t count;
};

/* What callers know of a function. */
struct plain {
    bool is_plain;
    uint32_t first;
    uint32_t used; /* 0 = it leaves nothing */
};

struct ws_marks {
    uint32_t *
        rows; /* per module->blocks: the row of the class that it leads; WS_NONE = it is not counted, or counted already */
    bool any;
    struct plain *plains; /* per function */

    /* Of the function at work. Blocks are indices within it. */
    uint32_t function;
    uint32_t first;
    const struct ws_cfg *cfg;
    const uint32_t *leaders;
    const uint32_t *contexts;
    bool *claimed; /* per block: it lies in a region, which has its class if it is of the region's context */
    bool *called;  /* per block: what plain functions leave there is in a region */
    uint32_t *nexts; /* per block: the next of its class; WS_NONE = none */
    uint32_t *seen;  /* per block: the search that met it */
    uint32_t search;
    struct region region;
};

struct ws_marks *ws_marks_create(const struct ws_module *module)
{
    struct ws_marks *marks = ws_arena_allocate(module->arena, 1, sizeof(*marks));
    if (marks == NULL)
        return NULL;
    marks->rows = ws_arena_allocate(module->arena, module->block_count, sizeof(*marks->rows));
    if (marks->rows == NULL)
        return NULL;
    for (uint32_t b = 0; b < module->block_count; b++)
        marks->rows[b] = WS_NONE;
    return marks;
}

void ws_marks_note(struct ws_marks *marks, uint32_t leader, uint32_t row)
{
    marks->rows[leader] = row;
    marks->any = true;
}

/* ---- code ---- */

static uint32_t load(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable)
{
    return ws_emit(editor, cursor, SpvOpLoad, ws_type_u32(editor), &variable, 1);
}

static void store(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable, uint32_t value)
{
    const uint32_t operands[] = {variable, value};
    ws_emit(editor, cursor, SpvOpStore, 0, operands, 2);
}

static uint32_t operate(struct ws_editor *editor, struct ws_cursor cursor, uint16_t opcode, uint32_t left,
                        uint32_t right)
{
    const uint32_t operands[] = {left, right};
    return ws_emit(editor, cursor, opcode, ws_type_u32(editor), operands, 2);
}

static struct ws_cursor begin_of(const struct ws_runner *runner, uint32_t b)
{
    return ws_runner_prologue(runner->module, runner->marks->first + b);
}

/* Sets a bit of a variable where a block begins. */
static void put_mark(struct ws_runner *runner, uint32_t b, uint32_t variable, uint32_t bit)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_cursor cursor = begin_of(runner, b);
    store(editor, cursor, variable,
          operate(editor, cursor, SpvOpBitwiseOr, load(editor, cursor, variable),
                  ws_constant_u32(editor, bit)));
}

/* What the call of a plain function left. */
static uint32_t take(struct ws_runner *runner, struct ws_cursor cursor)
{
    const uint32_t callee = ws_runner_link(runner, runner->marks->function, WS_PRIMITIVE_TAKE_MARKS);
    return callee != 0 ? ws_link_call(runner->editor, cursor, callee, NULL, 0) : 0;
}

static void put_count(struct ws_runner *runner, struct ws_cursor cursor, uint32_t first, uint32_t used,
                      uint32_t marks)
{
    const uint32_t callee = ws_runner_link(runner, runner->marks->function, WS_PRIMITIVE_COUNT_MARKS);
    const uint32_t arguments[] = {ws_constant_u32(runner->editor, first),
                                  ws_constant_u32(runner->editor, used), marks};
    if (callee != 0 && used != 0)
        ws_link_call(runner->editor, cursor, callee, arguments, 3);
}

/* The rank of lanes where a block of a loop begins, and the variable that has the one of the turn before. */
struct rank {
    uint32_t value; /* 0 = not there yet */
    uint32_t variable;
};

/* Counts rows of a word in variables, where a block of a loop begins. Returns the bits of those that have none. */
static uint32_t put_runs(struct ws_runner *runner, uint32_t b, const struct word *word, uint32_t marks,
                         struct rank *rank)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t function = runner->marks->function;
    const struct ws_cursor cursor = begin_of(runner, b);
    const uint32_t ranks = ws_runner_link(runner, function, WS_PRIMITIVE_RANK);
    const uint32_t sums = ws_runner_link(runner, function, WS_PRIMITIVE_SUM_MARKS);
    const uint32_t counts = ws_runner_link(runner, function, WS_PRIMITIVE_COUNT_FOUR);
    uint32_t left = 0;
    for (uint32_t i = 0; i < WORD_ROWS && ranks != 0 && sums != 0 && counts != 0; i += 4) {
        const uint32_t four = word->used & 0xfu << i;
        if (four == 0)
            continue;
        if (rank->variable == 0)
            rank->variable = ws_runner_add_variable(runner, function);
        const uint32_t variable =
            ws_runs_variable(runner, runner->marks->first + b, word->first + i, rank->variable);
        if (variable == 0) {
            left |= four;
            continue;
        }
        if (rank->value == 0)
            rank->value = ws_link_call(editor, cursor, ranks, NULL, 0);
        const uint32_t shift[] = {marks, ws_constant_u32(editor, i)};
        const uint32_t arguments[] = {ws_constant_u32(editor, word->first + i),
                                      load(editor, cursor, variable), load(editor, cursor, rank->variable),
                                      rank->value, ws_link_call(editor, cursor, sums, shift, 2)};
        store(editor, cursor, variable, ws_link_call(editor, cursor, counts, arguments, 5));
    }
    return left;
}

/* ---- what counts ---- */

/* The plain function that the instruction calls, if it leaves anything; NULL = none. */
static const struct plain *plain_callee(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_instruction *instruction = &runner->module->instructions[index];
    const uint32_t callee =
        instruction->opcode == SpvOpFunctionCall ? ws_calls_callee(runner->module, instruction) : WS_NONE;
    if (callee == WS_NONE)
        return NULL;
    const struct plain *plain = &runner->marks->plains[callee];
    return plain->is_plain && plain->used != 0 ? plain : NULL;
}

/* The word of a region that has a row; NULL where there is no room for it. */
static struct word *word_of(struct region *region, uint32_t row)
{
    const uint32_t first = row - row % WORD_ROWS;
    for (uint32_t i = 0; i < region->count; i++)
        if (!region->words[i].called && region->words[i].first == first)
            return &region->words[i];
    if (region->count == WORDS_MAX)
        return NULL;
    region->words[region->count] = (struct word){.first = first};
    return &region->words[region->count++];
}

/* Takes the class that a block leads into the region. */
static void add_class(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    uint32_t *row = &marks->rows[marks->first + b];
    struct word *word = *row != WS_NONE ? word_of(&marks->region, *row) : NULL;
    if (word == NULL)
        return;
    if (word->variable == 0)
        word->variable = ws_runner_add_variable(runner, marks->function);
    word->used |= 1u << *row % WORD_ROWS;
    put_mark(runner, b, word->variable, 1u << *row % WORD_ROWS);
    *row = WS_NONE;
}

/* Takes what plain functions leave in a block into the region. */
static void add_calls(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    struct region *region = &marks->region;
    const struct ws_block *block = &runner->module->blocks[marks->first + b];
    uint32_t calls = 0;
    for (uint32_t i = block->first; i < block->end; i++)
        calls += plain_callee(runner, i) != NULL;
    if (calls == 0 || calls > WORDS_MAX - region->count)
        return;
    marks->called[b] = true;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct plain *plain = plain_callee(runner, i);
        if (plain == NULL)
            continue;
        const uint32_t variable = ws_runner_add_variable(runner, marks->function);
        const struct ws_cursor cursor = ws_cursor_after(runner->module, i);
        store(runner->editor, cursor, variable, take(runner, cursor));
        region->words[region->count++] = (struct word){variable, plain->first, plain->used, 0, true};
    }
}

/* Counts all of the region where a block of its class begins. */
static void end_region(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    struct region *region = &marks->region;
    const bool in_loop = ws_runs_has_loop(runner, marks->first + b);
    uint32_t *row = &marks->rows[marks->first + marks->leaders[b]];
    const struct ws_cursor cursor = begin_of(runner, b);
    struct rank rank = {0, 0};
    if (region->count == 0)
        return;
    struct word *own = *row != WS_NONE ? word_of(region, *row) : NULL;
    if (own != NULL) {
        own->all |= 1u << *row % WORD_ROWS;
        own->used |= own->all;
        *row = WS_NONE;
    }
    for (uint32_t i = 0; i < region->count && !editor->failed; i++) {
        const struct word *word = &region->words[i];
        uint32_t value = ws_constant_u32(editor, word->all);
        if (word->variable != 0 && word->all != 0)
            value = operate(editor, cursor, SpvOpBitwiseOr, load(editor, cursor, word->variable), value);
        else if (word->variable != 0)
            value = load(editor, cursor, word->variable);
        put_count(runner, cursor, word->first, in_loop ? put_runs(runner, b, word, value, &rank) : word->used,
                  value);
        if (in_loop && word->variable != 0)
            store(editor, cursor, word->variable, ws_constant_u32(editor, 0));
    }
    if (rank.value != 0)
        store(editor, cursor, rank.variable, rank.value);
    region->count = 0;
}

/* ---- regions ---- */

/* Finds what is between two blocks of a class that follow each other. False where it cannot be in a region. `nodes` has room
 * for NODES_MAX. */
static bool find_between(struct ws_runner *runner, uint32_t from, uint32_t to, uint32_t *nodes,
                         uint32_t *count)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    const uint32_t search = ++marks->search;
    uint32_t block = from;
    *count = 0;
    for (uint32_t at = 0;; at++) {
        for (uint32_t i = cfg->successor_first[block]; i < cfg->successor_first[block + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            if (next == to || marks->seen[next] == search)
                continue;
            if (*count == NODES_MAX || cfg->position[next] <= cfg->position[from] ||
                ws_runs_have_barrier(runner, marks->first + next))
                return false;
            marks->seen[next] = search;
            nodes[(*count)++] = next;
        }
        if (at == *count)
            return true;
        block = nodes[at];
    }
}

/* Takes what is between two blocks of a class that follow each other into the region. False where that cannot be. */
static bool add_segment(struct ws_runner *runner, uint32_t from, uint32_t to)
{
    struct ws_marks *marks = runner->marks;
    uint32_t nodes[NODES_MAX];
    uint32_t count = 0;
    if (!find_between(runner, from, to, nodes, &count))
        return false;
    if (!ws_runs_have_barrier(runner, marks->first + from))
        add_calls(runner, from);
    for (uint32_t i = 0; i < count; i++) {
        if (marks->contexts[nodes[i]] != marks->contexts[from])
            continue;
        add_class(runner, nodes[i]);
        add_calls(runner, nodes[i]);
        marks->claimed[nodes[i]] = true;
    }
    return true;
}

/* Makes regions of the blocks of a class. */
static void join_class(struct ws_runner *runner, uint32_t leader)
{
    struct ws_marks *marks = runner->marks;
    uint32_t from = leader;
    for (uint32_t to = marks->nexts[from]; to != WS_NONE && !runner->editor->failed;
         to = marks->nexts[from]) {
        if (!add_segment(runner, from, to))
            end_region(runner, from);
        else if (marks->nexts[to] == WS_NONE || ws_runs_have_barrier(runner, marks->first + to))
            end_region(runner, to);
        from = to;
    }
}

/* ---- turns of loops ---- */

/* Finds the blocks of a loop that control comes to from one of them in a turn, that one first, without passing `without`. False
 * where there are too many. `nodes` has room for NODES_MAX. */
static bool find_turn(struct ws_marks *marks, const struct ws_loop *loop, uint32_t from, uint32_t without,
                      uint32_t *nodes, uint32_t *count)
{
    const struct ws_cfg *cfg = marks->cfg;
    const uint32_t search = ++marks->search;
    *count = 1;
    nodes[0] = from;
    for (uint32_t at = 0; at < *count; at++) {
        for (uint32_t i = cfg->successor_first[nodes[at]]; i < cfg->successor_first[nodes[at] + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            if (next == without || marks->seen[next] == search || marks->first + next == loop->header ||
                marks->first + next == loop->merge)
                continue;
            if (*count == NODES_MAX)
                return false;
            marks->seen[next] = search;
            nodes[(*count)++] = next;
        }
    }
    return true;
}

static bool comes_to(struct ws_marks *marks, const struct ws_loop *loop, uint32_t from, uint32_t without,
                     uint32_t to)
{
    uint32_t nodes[NODES_MAX];
    uint32_t count = 0;
    if (!find_turn(marks, loop, from, without, nodes, &count))
        return true;
    for (uint32_t i = 0; i < count; i++)
        if (nodes[i] == to)
            return true;
    return false;
}

/* Takes a class whose context is a turn of the loop, if all lanes that end a turn run it, or all that run it leave the loop. */
static void add_turns(struct ws_runner *runner, const struct ws_loop *loop, uint32_t b, struct word *word,
                      uint32_t *leaving)
{
    struct ws_marks *marks = runner->marks;
    const uint32_t header = loop->header - marks->first;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    uint32_t *row = &marks->rows[marks->first + b];
    const uint32_t bit = *row - word->first;
    if (bit >= WORD_ROWS)
        return;
    const bool leaves = !comes_to(marks, loop, b, WS_NONE, again);
    if (!leaves && b != header && b != again && comes_to(marks, loop, header, b, again))
        return;
    word->used |= 1u << bit;
    *leaving |= leaves ? 1u << bit : 0;
    put_mark(runner, b, word->variable, 1u << bit);
    *row = WS_NONE;
}

/* The least row of what may be counted by the turns of a loop, whose blocks `nodes` receives; WS_NONE = there is none. */
static uint32_t first_of_turn(const struct ws_runner *runner, uint32_t index, uint32_t *nodes,
                              uint32_t *count)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loop *loop = &ws_runs_loops(runner)->list[index];
    const uint32_t header = loop->header - marks->first;
    const uint32_t before = runner->plan->functions[marks->function].sums[header].before;
    uint32_t first = WS_NONE;
    if (before == WS_NONE || !ws_runs_leaves_by_merge(runner, index) ||
        marks->leaders[loop->merge - marks->first] != marks->leaders[before] ||
        !find_turn(marks, loop, header, WS_NONE, nodes, count))
        return WS_NONE;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t row = marks->rows[marks->first + nodes[i]];
        if (marks->contexts[nodes[i]] == header && row < first)
            first = row;
    }
    return first;
}

/* Counts classes of a loop by the turns of lanes, where it is left: if these all come to its merge block then, together. */
static void put_turns(struct ws_runner *runner, uint32_t index)
{
    struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    const struct ws_loop *loop = &ws_runs_loops(runner)->list[index];
    const uint32_t header = loop->header - marks->first;
    uint32_t nodes[NODES_MAX];
    uint32_t count = 0;
    uint32_t leaving = 0;
    struct word word = {.first = first_of_turn(runner, index, nodes, &count)};
    const uint32_t callee =
        word.first != WS_NONE ? ws_runner_link(runner, marks->function, WS_PRIMITIVE_COUNT_TURNS) : 0;
    if (callee == 0)
        return;
    const uint32_t turns = ws_runner_add_variable(runner, marks->function);
    const struct ws_cursor begin = begin_of(runner, header);
    word.variable = ws_runner_add_variable(runner, marks->function);
    store(editor, begin, turns,
          operate(editor, begin, SpvOpIAdd, load(editor, begin, turns), ws_constant_u32(editor, 1)));
    store(editor, begin, word.variable, ws_constant_u32(editor, 0));
    for (uint32_t i = 0; i < count; i++)
        if (marks->contexts[nodes[i]] == header && marks->rows[marks->first + nodes[i]] != WS_NONE)
            add_turns(runner, loop, nodes[i], &word, &leaving);
    const struct ws_cursor cursor = begin_of(runner, loop->merge - marks->first);
    const uint32_t arguments[] = {ws_constant_u32(editor, word.first), ws_constant_u32(editor, word.used),
                                  ws_constant_u32(editor, leaving), load(editor, cursor, turns),
                                  load(editor, cursor, word.variable)};
    if (word.used != 0)
        ws_link_call(editor, cursor, callee, arguments, 5);
    if (loop->outer != WS_NONE)
        store(editor, cursor, turns, ws_constant_u32(editor, 0));
}

/* Counts what is in no region. */
static void put_rest(struct ws_runner *runner)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    for (uint32_t i = 0; i < cfg->order_count && !runner->editor->failed; i++) {
        const uint32_t b = cfg->order[i];
        const struct ws_block *block = &runner->module->blocks[marks->first + b];
        const uint32_t row = marks->rows[marks->first + b];
        if (row != WS_NONE && !ws_runs_count(runner, marks->first + b, row)) {
            const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_COUNT_WARP);
            const uint32_t argument = ws_constant_u32(runner->editor, row);
            if (callee != 0)
                ws_link_call(runner->editor, ws_cursor_block_start(runner->module, marks->first + b), callee,
                             &argument, 1);
        }
        for (uint32_t j = block->first; j < block->end && !marks->called[b]; j++) {
            const struct plain *plain = plain_callee(runner, j);
            const struct ws_cursor cursor = ws_cursor_after(runner->module, j);
            if (plain != NULL)
                put_count(runner, cursor, plain->first, plain->used, take(runner, cursor));
        }
    }
}

/* ---- plain functions ---- */

/* Makes the function plain if it is. */
static bool make_plain(struct ws_runner *runner)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    struct plain *plain = &marks->plains[marks->function];
    uint32_t first = WS_NONE;
    uint32_t last = 0;
    if (!ws_plan_has_takers(runner->plan, marks->function) || runner->barriers[marks->function])
        return false;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const uint32_t row = marks->rows[marks->first + b];
        if (runner->plan->calls.block_parts[marks->first + b])
            return false;
        if (row == WS_NONE)
            continue;
        if (marks->contexts[b] != marks->contexts[0])
            return false;
        first = row < first ? row : first;
        last = row > last ? row : last;
    }
    if (first != WS_NONE && last - first >= WORD_ROWS)
        return false;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t row = marks->rows[marks->first + cfg->order[i]];
        plain->used |= row == WS_NONE ? 0 : 1u << (row - first);
    }
    plain->first = first;
    plain->is_plain = true;
    return true;
}

static bool is_return(const struct ws_runner *runner, uint32_t b)
{
    const struct ws_block *block = &runner->module->blocks[runner->marks->first + b];
    const uint16_t opcode = runner->module->instructions[block->end - 1].opcode;
    return opcode == SpvOpReturn || opcode == SpvOpReturnValue;
}

static void put_plain(struct ws_runner *runner)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    const struct plain *plain = &marks->plains[marks->function];
    const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_LEAVE_MARKS);
    const uint32_t variable = ws_runner_add_variable(runner, marks->function);
    for (uint32_t i = 0; i < cfg->order_count && callee != 0; i++) {
        const uint32_t b = cfg->order[i];
        uint32_t *row = &marks->rows[marks->first + b];
        if (*row != WS_NONE)
            put_mark(runner, b, variable, 1u << (*row - plain->first));
        *row = WS_NONE;
        if (!is_return(runner, b))
            continue;
        const struct ws_cursor cursor = ws_cursor_block_end(runner->module, marks->first + b);
        const uint32_t argument = load(runner->editor, cursor, variable);
        ws_link_call(runner->editor, cursor, callee, &argument, 1);
    }
}

/* ---- all functions ---- */

/* Finds what is to be known of the blocks of a function. */
static bool begin_function(struct ws_runner *runner, uint32_t function)
{
    struct ws_marks *marks = runner->marks;
    struct ws_arena *arena = runner->module->arena;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    struct ws_error error;
    marks->function = function;
    marks->first = runner->module->functions[function].block_first;
    marks->cfg = cfg;
    marks->leaders = runner->plan->functions[function].leaders;
    marks->search = 0;
    marks->region.count = 0;
    marks->contexts = ws_equivalence_contexts(arena, runner->module, function, cfg,
                                              runner->plan->calls.block_parts, &error);
    marks->claimed = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->claimed));
    marks->called = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->called));
    marks->nexts = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->nexts));
    marks->seen = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->seen));
    uint32_t *lasts = ws_arena_allocate(arena, cfg->block_count, sizeof(*lasts));
    if (marks->contexts == NULL || marks->claimed == NULL || marks->called == NULL || marks->nexts == NULL ||
        marks->seen == NULL || lasts == NULL)
        return ws_editor_fail(runner->editor, "out of memory for the counters of a function");
    for (uint32_t b = 0; b < cfg->block_count; b++)
        marks->nexts[b] = lasts[b] = WS_NONE;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const uint32_t leader = marks->leaders[b];
        if (lasts[leader] != WS_NONE)
            marks->nexts[lasts[leader]] = b;
        lasts[leader] = b;
    }
    return ws_runs_begin(runner, function);
}

static void put_function(struct ws_runner *runner, uint32_t function)
{
    const struct ws_marks *marks = runner->marks;
    memset(runner->primitives, 0, sizeof(runner->primitives));
    if (!begin_function(runner, function))
        return;
    /* Marks of a block in a loop are cleared at each turn: the loops must be known. */
    const bool may_mark = !runner->options->without_sums && ws_runs_loops(runner)->left_out == 0;
    if (may_mark && make_plain(runner)) {
        if (marks->plains[function].used != 0)
            put_plain(runner);
    } else if (may_mark) {
        for (uint32_t i = 0; i < ws_runs_loops(runner)->count && !runner->editor->failed; i++)
            put_turns(runner, i);
        for (uint32_t i = 0; i < marks->cfg->order_count && !runner->editor->failed; i++) {
            const uint32_t b = marks->cfg->order[i];
            if (marks->leaders[b] == b && !marks->claimed[b])
                join_class(runner, b);
        }
    }
    put_rest(runner);
    ws_runs_end(runner);
}

void ws_marks_put(struct ws_runner *runner)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_module *module = runner->module;
    if (!marks->any || runner->editor->failed)
        return;
    marks->plains = ws_arena_allocate(module->arena, module->function_count, sizeof(*marks->plains));
    if (marks->plains == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
        return;
    }
    /* What is called comes first. */
    for (uint32_t i = module->function_count; i-- > 0 && !runner->editor->failed;) {
        const uint32_t function = runner->plan->calls.by_rank[i];
        if (runner->rows[function].walked && runner->plan->functions[function].refusal == NULL)
            put_function(runner, function);
    }
}
