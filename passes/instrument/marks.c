#include "passes/instrument/marks.h"

#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/flow/equivalence.h"
#include "passes/flow/reach.h"
#include "passes/instrument/fours.h"
#include "passes/instrument/marked_rows.h"
#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"

#define WORDS_MAX    16 /* of a region */
#define WORD_ROWS    WS_MARKED_ROWS_MAX
#define TURNS_JOINED 4  /* loops that are counted at once */
#define NEAR         32 /* loops that are looked at for that, and blocks before one that may end with it */

/* Marks of up to 32 rows, a bit for each. */
struct word {
    uint32_t variable;        /* 0 = it has none, since all lanes have just the bits `all` */
    uint32_t rows[WORD_ROWS]; /* per bit */
    uint32_t used;            /* bits that stand for a row */
    uint32_t all;             /* bits that all lanes have */
    uint32_t ahead[2]; /* bits of lanes that branch to the one or the other block next (LOOKING AHEAD) */
    bool called;       /* a function that was called left it */
};

struct region {
    struct word words[WORDS_MAX];
    uint32_t count;
};

/* What a function leaves to its callers. */
struct plain {
    uint32_t rows[WORD_ROWS]; /* per bit */
    uint32_t used;            /* 0 = it leaves nothing */
};

/* What a function leaves of the turns of a loop from which all lanes return that called it. */
struct left_turns {
    bool any;
    uint32_t again; /* the row of what all lanes run that end a turn */
    uint32_t end;   /* of where they return */
};

struct ws_marks {
    uint32_t *
        rows; /* per module->blocks: the row of the class that it leads; WS_NONE = it is not counted, or counted already */
    bool any;
    struct plain *plains;          /* per function */
    struct left_turns *left_turns; /* per function */

    /* Of the function at work. Blocks are indices within it. */
    uint32_t function;
    uint32_t first;
    const struct ws_cfg *cfg;
    const uint32_t *leaders;
    const uint32_t *contexts;
    bool *claimed; /* per block: it lies in a region, which has its class if it is of the region's context */
    bool *called;  /* per block: what plain functions leave there is in a region */
    uint32_t *nexts;   /* per block: the next of its class; WS_NONE = none */
    uint32_t *entries; /* per block: ways that lead to it */
    struct ws_reach reach;
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

static struct ws_cursor begin_of(const struct ws_runner *runner, uint32_t b)
{
    return ws_runner_prologue(runner->module, runner->marks->first + b);
}

/* Sets a bit of a variable where a block begins. */
static void put_mark(struct ws_runner *runner, uint32_t b, uint32_t variable, uint32_t bit)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_cursor cursor = begin_of(runner, b);
    ws_emit_store(editor, cursor, variable,
                  ws_emit_u32(editor, cursor, SpvOpBitwiseOr, ws_emit_load(editor, cursor, variable),
                              ws_constant_u32(editor, bit)));
}

/* What the call of a plain function left. */
static uint32_t take(struct ws_runner *runner, struct ws_cursor cursor)
{
    const uint32_t callee = ws_runner_link(runner, runner->marks->function, WS_PRIMITIVE_TAKE_MARKS);
    return callee != 0 ? ws_link_call(runner->editor, cursor, callee, NULL, 0) : 0;
}

static void count_rows(struct ws_runner *runner, struct ws_cursor cursor, const struct ws_marked_rows *marked)
{
    ws_marked_rows_count(runner, runner->marks->function, cursor, marked);
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
    return plain->used != 0 ? plain : NULL;
}

/* Whether what a block counts with others is kept in variables. Ranks are not known yet where an entry point begins. */
static bool is_kept(const struct ws_runner *runner, uint32_t b)
{
    const struct ws_marks *marks = runner->marks;
    return ws_runs_has_loop(runner, marks->first + b) ||
           (ws_runs_are_carried(runner) && (b != 0 || !runner->plan->functions[marks->function].entry));
}

#define SUMMED 8 /* rows that are added up over the lanes at once (primitives/marks.glsl) */

/* Whether a row is counted with those of a word by no more code: several sums are taken in a loop. */
static bool is_near(const struct word *word, uint32_t row)
{
    uint32_t first = WS_NONE, last = 0;
    for (uint32_t i = 0; i < WORD_ROWS; i++) {
        if ((word->used >> i & 1u) == 0)
            continue;
        first = word->rows[i] < first ? word->rows[i] : first;
        last = word->rows[i] > last ? word->rows[i] : last;
    }
    const uint32_t sums = (last - first) / SUMMED;
    const uint32_t end = (row > last ? row : last) - (row < first ? row : first);
    return end / SUMMED == sums || (sums != 0 && end < WORD_ROWS);
}

/* A word of what a function left that has room for a row which lanes need not mark. NULL where there is none. */
static struct word *called_word_of(struct region *region, uint32_t row, uint32_t *bit)
{
    for (uint32_t i = 0; i < region->count; i++) {
        struct word *word = &region->words[i];
        for (*bit = 0; *bit < WORD_ROWS && (word->used >> *bit & 1u) != 0;)
            ++*bit;
        if (word->called && *bit < WORD_ROWS && is_near(word, row))
            return word;
    }
    return NULL;
}

/* A word of the region that has room for a row of block `b`, in the bit that `bit` receives; NULL where none has. What is kept
 * takes bit after bit; elsewhere rows that follow each other are counted by one call, and those that lanes need not mark (not
 * `marked`) with what functions left. */
static struct word *find_word(struct ws_runner *runner, uint32_t b, uint32_t row, bool marked, uint32_t *bit)
{
    struct region *region = &runner->marks->region;
    const bool dense = is_kept(runner, b);
    for (uint32_t i = 0; i < region->count; i++) {
        struct word *word = &region->words[i];
        for (*bit = dense ? 0 : row % WORD_ROWS; *bit < WORD_ROWS && (word->used >> *bit & 1u) != 0;)
            *bit = dense ? *bit + 1 : WORD_ROWS;
        if (!word->called && *bit < WORD_ROWS && (dense || word->rows[*bit] == row))
            return word;
    }
    return dense || marked ? NULL : called_word_of(region, row, bit);
}

/* The same, or a new word. NULL where there is no room. */
static struct word *word_of(struct ws_runner *runner, uint32_t b, uint32_t row, bool marked, uint32_t *bit)
{
    struct region *region = &runner->marks->region;
    struct word *found = find_word(runner, b, row, marked, bit);
    if (found != NULL || region->count == WORDS_MAX)
        return found;
    struct word *word = &region->words[region->count++];
    *word = (struct word){0};
    for (uint32_t i = 0; i < WORD_ROWS; i++)
        word->rows[i] = row - row % WORD_ROWS + i;
    *bit = is_kept(runner, b) ? 0 : row % WORD_ROWS;
    return word;
}

/* Takes a row into the region, of a block whose lanes mark it; or with `all` of one that all lanes run. By itself such a row is
 * counted with less code (put_rest). */
static void add_row(struct ws_runner *runner, uint32_t b, uint32_t *row, bool all)
{
    uint32_t bit = 0;
    if (*row == WS_NONE)
        return;
    struct word *word = all && !is_kept(runner, b) ? find_word(runner, b, *row, false, &bit)
                                                   : word_of(runner, b, *row, !all, &bit);
    if (word == NULL)
        return;
    word->rows[bit] = *row;
    word->used |= 1u << bit;
    *row = WS_NONE;
    if (all) {
        word->all |= 1u << bit;
        return;
    }
    if (word->variable == 0)
        word->variable = ws_runner_add_variable(runner, runner->marks->function);
    put_mark(runner, b, word->variable, 1u << bit);
}

/* Takes the class that a block leads into the region. */
static void add_class(struct ws_runner *runner, uint32_t b)
{
    add_row(runner, b, &runner->marks->rows[runner->marks->first + b], false);
}

/* Takes what functions leave in a block into the region. False where there is nothing, or no room. */
static bool add_calls(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    struct region *region = &marks->region;
    const struct ws_block *block = &runner->module->blocks[marks->first + b];
    uint32_t calls = 0;
    for (uint32_t i = block->first; i < block->end; i++)
        calls += plain_callee(runner, i) != NULL;
    if (marks->called[b] || calls == 0 || calls > WORDS_MAX - region->count)
        return false;
    marks->called[b] = true;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct plain *plain = plain_callee(runner, i);
        if (plain == NULL)
            continue;
        const uint32_t variable = ws_runner_add_variable(runner, marks->function);
        const struct ws_cursor cursor = ws_cursor_after(runner->module, i);
        ws_emit_store(runner->editor, cursor, variable, take(runner, cursor));
        struct word *word = &region->words[region->count++];
        *word = (struct word){.variable = variable, .used = plain->used, .called = true};
        memcpy(word->rows, plain->rows, sizeof(word->rows));
    }
    return true;
}

/* Words that are counted in variables, packed: what functions leave takes the bits behind those of other words. */
struct packed {
    struct word words[WORDS_MAX];
    uint32_t values[WORDS_MAX]; /* ids */
    uint32_t bits[WORDS_MAX];   /* that are taken, from bit 0 on */
    uint32_t count;
};

static void pack(struct ws_runner *runner, struct ws_cursor cursor, const struct word *word, uint32_t value,
                 struct packed *packed)
{
    struct ws_editor *editor = runner->editor;
    const uint32_t first = ws_bits_first(word->used);
    const uint32_t bits = ws_bits_end(word->used) - first;
    uint32_t at = 0;
    while (at < packed->count && packed->bits[at] + bits > WORD_ROWS)
        at++;
    const uint32_t place = at < packed->count ? packed->bits[at] : 0;
    const uint32_t opcode = first > place ? SpvOpShiftRightLogical : SpvOpShiftLeftLogical;
    if (first != place)
        value = ws_emit_u32(editor, cursor, (uint16_t)opcode, value,
                            ws_constant_u32(editor, first > place ? first - place : place - first));
    struct word *to = &packed->words[at];
    if (at == packed->count) {
        *to = (struct word){0};
        packed->count++;
    } else {
        value = ws_emit_u32(editor, cursor, SpvOpBitwiseOr, packed->values[at], value);
    }
    packed->values[at] = value;
    packed->bits[at] = place + bits;
    to->used |= word->used >> first << place;
    to->all |= word->all >> first << place;
    memcpy(to->rows + place, word->rows + first, bits * sizeof(*to->rows));
}

/* Whether all lanes that run a block of a loop end the turn, so that a region there can have it (join_turn). */
static bool ends_turn(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loops *loops = ws_runs_loops(runner);
    const uint32_t index = loops->innermost[b];
    if (index == WS_NONE)
        return false;
    const uint32_t header = loops->list[index].header - marks->first;
    const struct ws_block_sum *sum = &runner->plan->functions[marks->function].sums[header];
    return sum->before != WS_NONE && marks->contexts[sum->again] == header && marks->contexts[b] == header &&
           ws_reach_comes_only_to(&marks->reach, &loops->list[index], b, sum->again);
}

/* ---- looking ahead ---- */

/* Whether the value that is looked at is the one that is branched by: each use of OpUndef may have another. */
static bool is_one_value(const struct ws_module *module, uint32_t condition)
{
    const struct ws_instruction *definition = ws_module_definition(module, condition);
    return definition != NULL && definition->opcode != SpvOpUndef;
}

/* The blocks that a block branches to by a condition, of which each has no other way to it: where the block ends it is known
 * which lanes run them. WS_NONE for one that is counted already or otherwise. Returns how many there are. */
static uint32_t find_ahead(const struct ws_runner *runner, uint32_t b, uint32_t nexts[2])
{
    const struct ws_marks *marks = runner->marks;
    const struct ws_module *module = runner->module;
    const struct ws_block *block = &module->blocks[marks->first + b];
    const struct ws_instruction *branch = &module->instructions[block->end - 1];
    uint32_t count = 0;
    nexts[0] = nexts[1] = WS_NONE;
    if (block->is_cut || branch->opcode != SpvOpBranchConditional ||
        !is_one_value(module, ws_operand(module, branch, 0)) ||
        runner->plan->calls.block_parts[marks->first + b])
        return 0;
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t next =
            ws_cfg_find_block(module, &module->functions[marks->function], ws_operand(module, branch, 1 + i));
        if (next == WS_NONE || marks->entries[next] != 1 || marks->contexts[next] != marks->contexts[b] ||
            marks->rows[marks->first + next] == WS_NONE)
            continue;
        nexts[i] = next;
        count++;
    }
    return count;
}

/* Takes these blocks into the region, which ends where block `b` does then. */
static void add_ahead(struct ws_runner *runner, const uint32_t nexts[2])
{
    struct ws_marks *marks = runner->marks;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t bit = 0;
        uint32_t *row = nexts[i] != WS_NONE ? &marks->rows[marks->first + nexts[i]] : NULL;
        struct word *word = row != NULL ? word_of(runner, nexts[i], *row, false, &bit) : NULL;
        if (word == NULL)
            continue;
        word->rows[bit] = *row;
        word->used |= 1u << bit;
        word->ahead[i] |= 1u << bit;
        *row = WS_NONE;
    }
}

static bool is_ahead(const struct region *region)
{
    for (uint32_t i = 0; i < region->count; i++)
        if ((region->words[i].ahead[0] | region->words[i].ahead[1]) != 0)
            return true;
    return false;
}

/* Lanes' bits of a word where block `b` counts it. */
static uint32_t value_of(struct ws_runner *runner, struct ws_cursor cursor, uint32_t b,
                         const struct word *word)
{
    struct ws_editor *editor = runner->editor;
    uint32_t value = ws_constant_u32(editor, word->all);
    if (word->variable != 0 && word->all != 0)
        value =
            ws_emit_u32(editor, cursor, SpvOpBitwiseOr, ws_emit_load(editor, cursor, word->variable), value);
    else if (word->variable != 0)
        value = ws_emit_load(editor, cursor, word->variable);
    if ((word->ahead[0] | word->ahead[1]) == 0)
        return value;
    const struct ws_block *block = &runner->module->blocks[runner->marks->first + b];
    const uint32_t choice[] = {ws_operand(runner->module, &runner->module->instructions[block->end - 1], 0),
                               ws_constant_u32(editor, word->ahead[0]),
                               ws_constant_u32(editor, word->ahead[1])};
    const uint32_t next = ws_emit(editor, cursor, SpvOpSelect, ws_type_u32(editor), choice, 3);
    return word->variable == 0 && word->all == 0 ? next
                                                 : ws_emit_u32(editor, cursor, SpvOpBitwiseOr, value, next);
}

/* Rows that are counted in variables in block `b`. */
static struct ws_fours begin_fours(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loops *loops = ws_runs_loops(runner);
    const uint32_t index = loops->innermost[b];
    struct ws_fours fours = {.before = WS_NONE};
    if (index == WS_NONE)
        return fours;
    const struct ws_loop *loop = &loops->list[index];
    const uint32_t header = loop->header - marks->first;
    const struct ws_block_sum *sum = &runner->plan->functions[marks->function].sums[header];
    fours.steady =
        sum->before != WS_NONE && marks->contexts[b] == header &&
        (b == header || b == sum->again || !ws_reach_comes_to(&marks->reach, loop, header, b, sum->again));
    if (fours.steady && ws_runs_is_entered_again(runner, index))
        fours.before = marks->first + sum->before;
    return fours;
}

/* Counts all of the region in a block of its class: where it begins, or where it ends if the region has what stands there. */
static void end_region(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    struct region *region = &marks->region;
    const bool in_loop = ws_runs_has_loop(runner, marks->first + b);
    const bool kept = is_kept(runner, b);
    struct packed packed = {.count = 0};
    struct ws_fours fours = begin_fours(runner, b);
    uint32_t nexts[2];
    const bool calls = !runner->plan->calls.block_parts[marks->first + b] && add_calls(runner, b);
    if (region->count == 0)
        return;
    if (find_ahead(runner, b, nexts) != 0) {
        for (uint32_t i = 0; i < 2; i++)
            nexts[i] = nexts[i] != WS_NONE && ends_turn(runner, nexts[i]) ? WS_NONE : nexts[i];
        add_ahead(runner, nexts);
    }
    const struct ws_cursor cursor = calls || is_ahead(region)
                                        ? ws_cursor_block_end(runner->module, marks->first + b)
                                        : begin_of(runner, b);
    add_row(runner, b, &marks->rows[marks->first + marks->leaders[b]], true);
    for (uint32_t i = 0; i < region->count && !editor->failed; i++) {
        const struct word *word = &region->words[i];
        const uint32_t value = value_of(runner, cursor, b, word);
        if (kept)
            pack(runner, cursor, word, value, &packed);
        else
            count_rows(runner, cursor, &(struct ws_marked_rows){word->rows, word->used, word->all, value});
        if (in_loop && word->variable != 0)
            ws_emit_store(editor, cursor, word->variable, ws_constant_u32(editor, 0));
    }
    for (uint32_t i = 0; i < packed.count && !editor->failed; i++) {
        const struct word *word = &packed.words[i];
        struct ws_marked_rows bits = {word->rows, word->used, word->all, packed.values[i]};
        bits.used = ws_fours_add(runner, marks->first + b, &bits, &fours);
        count_rows(runner, cursor, &bits);
    }
    ws_fours_put(runner, cursor, &fours);
    region->count = 0;
}

/* ---- regions ---- */

/* Takes what is between two blocks of a class that follow each other into the region. False where that cannot be. */
static bool add_segment(struct ws_runner *runner, uint32_t from, uint32_t to)
{
    struct ws_marks *marks = runner->marks;
    uint32_t nodes[WS_REACH_MAX];
    uint32_t count = 0;
    if (!ws_reach_between(&marks->reach, from, to, nodes, &count))
        return false;
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

/* Makes regions of the blocks of a class. One that is its whole class makes one with what functions leave in it. */
static void join_class(struct ws_runner *runner, uint32_t leader)
{
    struct ws_marks *marks = runner->marks;
    uint32_t from = leader;
    if (marks->nexts[from] == WS_NONE && marks->rows[marks->first + from] != WS_NONE &&
        !is_kept(runner, from))
        end_region(runner, from);
    for (uint32_t to = marks->nexts[from]; to != WS_NONE && !runner->editor->failed;
         to = marks->nexts[from]) {
        if (!add_segment(runner, from, to))
            end_region(runner, from);
        else if (marks->nexts[to] == WS_NONE)
            end_region(runner, to);
        from = to;
    }
}

/* ---- turns of loops ---- */

/* What is counted of a loop by the turns of lanes. */
struct turns {
    uint32_t merge;    /* where these all come to, together */
    uint32_t first;    /* row of bit 0 */
    uint32_t used;     /* bits of rows */
    uint32_t leaving;  /* of what lanes run that leave the loop */
    uint32_t variable; /* of turns */
    uint32_t marks;    /* of what lanes ran in their last one */
    bool again;        /* the loop is in another one */
};

/* Whether a block whose context is a turn of the loop is counted by turns: all lanes that end a turn run it, or all that run it
 * leave the loop. */
static bool has_turns(struct ws_runner *runner, const struct ws_loop *loop, uint32_t b, uint32_t first,
                      bool *leaves)
{
    struct ws_marks *marks = runner->marks;
    const uint32_t header = loop->header - marks->first;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    const uint32_t row = marks->rows[marks->first + b];
    if (marks->contexts[b] != header || row == WS_NONE || row - first >= WORD_ROWS)
        return false;
    *leaves = !ws_reach_comes_to(&marks->reach, loop, b, WS_NONE, again);
    return *leaves || b == header || b == again || !ws_reach_comes_to(&marks->reach, loop, header, b, again);
}

/* Whether what all lanes run that end a turn is all that is counted of the loop by turns, and other things are counted there in
 * each turn: then it costs nothing to count it with them. */
static bool is_with_others(struct ws_runner *runner, const struct ws_loop *loop, uint32_t first,
                           const uint32_t *nodes, uint32_t count)
{
    struct ws_marks *marks = runner->marks;
    const uint32_t header = loop->header - marks->first;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    bool others = false;
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_block *block = &runner->module->blocks[marks->first + nodes[i]];
        bool leaves = false;
        if (marks->contexts[nodes[i]] != header)
            continue;
        for (uint32_t j = block->first; j < block->end && !others; j++)
            others = plain_callee(runner, j) != NULL;
        if (has_turns(runner, loop, nodes[i], first, &leaves)) {
            if (marks->leaders[nodes[i]] != marks->leaders[again])
                return false;
        } else if (marks->rows[marks->first + nodes[i]] != WS_NONE) {
            others = true;
        }
    }
    return others;
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
        !ws_reach_in_turn(&marks->reach, loop, header, WS_NONE, nodes, count))
        return WS_NONE;
    for (uint32_t i = 0; i < *count; i++) {
        const uint32_t row = marks->rows[marks->first + nodes[i]];
        if (marks->contexts[nodes[i]] == header && row < first)
            first = row;
    }
    return first;
}

/* Has lanes count their turns of a loop, and mark what they run in the last one. False where nothing can be counted so. */
static bool mark_turns(struct ws_runner *runner, uint32_t index, struct turns *turns)
{
    struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    const struct ws_loop *loop = &ws_runs_loops(runner)->list[index];
    const uint32_t header = loop->header - marks->first;
    uint32_t nodes[WS_REACH_MAX];
    uint32_t count = 0;
    *turns = (struct turns){.first = first_of_turn(runner, index, nodes, &count)};
    if (turns->first == WS_NONE || is_with_others(runner, loop, turns->first, nodes, count))
        return false;
    turns->merge = loop->merge - marks->first;
    turns->again = loop->outer != WS_NONE;
    turns->variable = ws_runner_add_variable(runner, marks->function);
    turns->marks = ws_runner_add_variable(runner, marks->function);
    const struct ws_cursor begin = begin_of(runner, header);
    ws_emit_store(editor, begin, turns->variable,
                  ws_emit_u32(editor, begin, SpvOpIAdd, ws_emit_load(editor, begin, turns->variable),
                              ws_constant_u32(editor, 1)));
    ws_emit_store(editor, begin, turns->marks, ws_constant_u32(editor, 0));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *row = &marks->rows[marks->first + nodes[i]];
        bool leaves = false;
        if (!has_turns(runner, loop, nodes[i], turns->first, &leaves))
            continue;
        const uint32_t bit = 1u << (*row - turns->first);
        turns->used |= bit;
        turns->leaving |= leaves ? bit : 0;
        put_mark(runner, nodes[i], turns->marks, bit);
        *row = WS_NONE;
    }
    return turns->used != 0;
}

/* Counts loops, all of whose lanes are together at the merge block of the last one. */
static void put_turns(struct ws_runner *runner, const struct turns *const *list, uint32_t count)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_cursor cursor = begin_of(runner, list[count - 1]->merge);
    uint32_t arguments[5 * TURNS_JOINED];
    for (uint32_t i = 0; i < TURNS_JOINED; i++) {
        const bool is_there = i < count;
        const uint32_t none = ws_constant_u32(editor, 0);
        arguments[5 * i] = is_there ? ws_constant_u32(editor, list[i]->first) : none;
        arguments[5 * i + 1] = is_there ? ws_constant_u32(editor, list[i]->used) : none;
        arguments[5 * i + 2] = is_there ? ws_constant_u32(editor, list[i]->leaving) : none;
        arguments[5 * i + 3] = is_there ? ws_emit_load(editor, cursor, list[i]->variable) : none;
        arguments[5 * i + 4] = is_there ? ws_emit_load(editor, cursor, list[i]->marks) : none;
    }
    const uint32_t callee = ws_runner_link(runner, runner->marks->function, WS_PRIMITIVE_COUNT_TURNS);
    if (callee != 0)
        ws_link_call(editor, cursor, callee, arguments, 5 * TURNS_JOINED);
    for (uint32_t i = 0; i < count; i++)
        if (list[i]->again)
            ws_emit_store(editor, cursor, list[i]->variable, ws_constant_u32(editor, 0));
}

/* Whether all lanes that are together at block `from` are so at `to`, once each time. */
static bool stay_together(struct ws_marks *marks, uint32_t from, uint32_t to)
{
    uint32_t nodes[WS_REACH_MAX];
    uint32_t count = 0;
    return marks->leaders[from] == marks->leaders[to] &&
           marks->cfg->position[from] < marks->cfg->position[to] &&
           ws_reach_between(&marks->reach, from, to, nodes, &count);
}

/* Counts what it can by the turns of loops: those that follow each other together. */
static void put_loops(struct ws_runner *runner)
{
    const uint32_t count = ws_runs_loops(runner)->count;
    struct turns *all = ws_arena_allocate(runner->module->arena, count, sizeof(*all));
    const struct turns *joined[TURNS_JOINED];
    if (all == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a function");
        return;
    }
    for (uint32_t i = 0; i < count && !runner->editor->failed; i++)
        if (!mark_turns(runner, i, &all[i]))
            all[i].merge = WS_NONE;
    for (uint32_t i = 0; i < count && !runner->editor->failed; i++) {
        uint32_t together = 0;
        if (all[i].merge == WS_NONE)
            continue;
        joined[together++] = &all[i];
        for (uint32_t j = i + 1; j < count && j < i + NEAR && together < TURNS_JOINED; j++)
            if (all[j].merge != WS_NONE &&
                stay_together(runner->marks, joined[together - 1]->merge, all[j].merge))
                joined[together++] = &all[j];
        put_turns(runner, joined, together);
        for (uint32_t j = i; j < count; j++)
            for (uint32_t k = 0; k < together; k++)
                if (joined[k] == &all[j])
                    all[j].merge = WS_NONE;
    }
}

/* ---- turns of loops that lanes return from ---- */

static bool is_return(const struct ws_runner *runner, uint32_t b)
{
    const struct ws_block *block = &runner->module->blocks[runner->marks->first + b];
    const uint16_t opcode = runner->module->instructions[block->end - 1].opcode;
    return opcode == SpvOpReturn || opcode == SpvOpReturnValue;
}

/* The block in which all lanes return that call the function, out of loop `index`, which all of them begin; WS_NONE = that is
 * not so. */
static uint32_t find_end(const struct ws_runner *runner, uint32_t index)
{
    const struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    const uint32_t header = ws_runs_loops(runner)->list[index].header - marks->first;
    const struct ws_block_sum *sum = &runner->plan->functions[marks->function].sums[header];
    uint32_t end = WS_NONE;
    if (!ws_runs_leaves_by_return(runner, index) || sum->before == WS_NONE ||
        marks->leaders[sum->before] != marks->leaders[0] || marks->contexts[sum->again] != header ||
        runner->plan->calls.function_parts[marks->function] ||
        !ws_plan_has_takers(runner->plan, marks->function))
        return WS_NONE;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        if (cfg->successor_first[b] != cfg->successor_first[b + 1])
            continue;
        if (end != WS_NONE || !is_return(runner, b) || marks->contexts[b] != header)
            return WS_NONE;
        end = b;
    }
    return end;
}

/* Whether other things are counted in each turn of a loop than what lanes run in all turns but the last, and in that alone. */
static bool counts_others(struct ws_runner *runner, uint32_t index, uint32_t end)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loop *loop = &ws_runs_loops(runner)->list[index];
    const uint32_t header = loop->header - marks->first;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    uint32_t nodes[WS_REACH_MAX];
    uint32_t count = 0;
    if (!ws_reach_in_turn(&marks->reach, loop, header, WS_NONE, nodes, &count))
        return true;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t b = nodes[i];
        const struct ws_block *block = &runner->module->blocks[marks->first + b];
        for (uint32_t j = block->first; j < block->end; j++)
            if (plain_callee(runner, j) != NULL)
                return true;
        if (marks->contexts[b] == header && marks->rows[marks->first + b] != WS_NONE &&
            marks->leaders[b] != marks->leaders[again] && marks->leaders[b] != marks->leaders[end])
            return true;
    }
    return false;
}

/* Has lanes count their turns of a loop that they return from, for the callers of the function (LEFT TURNS). */
static void leave_turns(struct ws_runner *runner, uint32_t index)
{
    const struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    const uint32_t header = ws_runs_loops(runner)->list[index].header - marks->first;
    const uint32_t end = find_end(runner, index);
    if (end == WS_NONE || counts_others(runner, index, end))
        return;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    uint32_t *of_again = &marks->rows[marks->first + marks->leaders[again]];
    uint32_t *of_end = &marks->rows[marks->first + marks->leaders[end]];
    const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_LEAVE_TURNS);
    if (*of_again == WS_NONE || *of_end == WS_NONE || callee == 0)
        return;
    marks->left_turns[marks->function] = (struct left_turns){true, *of_again, *of_end};
    *of_again = *of_end = WS_NONE;
    const uint32_t variable = ws_runner_add_variable(runner, marks->function);
    const struct ws_cursor begin = begin_of(runner, header);
    const uint32_t before = ws_emit_load(editor, begin, variable);
    ws_emit_store(editor, begin, variable,
                  ws_emit_u32(editor, begin, SpvOpIAdd, before, ws_constant_u32(editor, 1)));
    const struct ws_cursor cursor = ws_cursor_block_end(runner->module, marks->first + end);
    const uint32_t turns = ws_emit_load(editor, cursor, variable);
    ws_link_call(editor, cursor, callee, &turns, 1);
}

/* Counts the turns that functions leave which are called in a block. */
static void put_left_turns(struct ws_runner *runner, uint32_t b)
{
    const struct ws_module *module = runner->module;
    const struct ws_marks *marks = runner->marks;
    const struct ws_block *block = &module->blocks[marks->first + b];
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ws_instruction *call = &module->instructions[i];
        const uint32_t function = call->opcode == SpvOpFunctionCall ? ws_calls_callee(module, call) : WS_NONE;
        if (function == WS_NONE || !marks->left_turns[function].any)
            continue;
        const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_COUNT_LEFT_TURNS);
        const uint32_t arguments[] = {ws_constant_u32(runner->editor, marks->left_turns[function].again),
                                      ws_constant_u32(runner->editor, marks->left_turns[function].end)};
        if (callee != 0)
            ws_link_call(runner->editor, ws_cursor_after(module, i), callee, arguments, 2);
    }
}

/* ---- what is counted by itself ---- */

/* Whether lanes may end a turn of the loop around a block without it. */
static bool may_be_passed_by(const struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loops *loops = ws_runs_loops(runner);
    const uint32_t index = loops->innermost[b];
    if (index == WS_NONE || loops->list[index].header == marks->first + b)
        return false;
    const struct ws_loop *loop = &loops->list[index];
    const uint32_t header = loop->header - marks->first;
    const uint32_t again = runner->plan->functions[marks->function].sums[header].again;
    return again != WS_NONE && again != b && ws_reach_comes_to(&marks->reach, loop, header, b, again);
}

/* Counts a class that is in no region where it begins, as in a loop. False where it cannot be counted so. */
static bool put_alone(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    if (may_be_passed_by(runner, b) &&
        ws_runs_count_bins(runner, marks->first + b, marks->rows[marks->first + b]))
        return true;
    struct ws_fours fours = begin_fours(runner, b);
    const uint32_t rows[WORD_ROWS] = {marks->rows[marks->first + b]};
    const struct ws_marked_rows bits = {rows, 1, 1, ws_constant_u32(runner->editor, 1)};
    if (ws_fours_add(runner, marks->first + b, &bits, &fours) != 0)
        return false;
    ws_fours_put(runner, begin_of(runner, b), &fours);
    return true;
}

/* Makes a region of what all lanes that run it end a turn of the loop with, where that is. */
static void join_turn(struct ws_runner *runner, uint32_t index)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_loop *loop = &ws_runs_loops(runner)->list[index];
    const uint32_t header = loop->header - marks->first;
    const struct ws_block_sum *sums = runner->plan->functions[marks->function].sums;
    const uint32_t again = sums[header].before != WS_NONE ? sums[header].again : WS_NONE;
    uint32_t nodes[WS_REACH_MAX];
    uint32_t count = 0;
    if (again == WS_NONE || marks->contexts[again] != header ||
        !ws_reach_in_turn(&marks->reach, loop, header, again, nodes, &count))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (marks->contexts[nodes[i]] == header && marks->rows[marks->first + nodes[i]] != WS_NONE &&
            ws_reach_comes_only_to(&marks->reach, loop, nodes[i], again))
            add_class(runner, nodes[i]);
    if (marks->region.count != 0)
        end_region(runner, again);
}

/* Makes a region of what all lanes that run it come to a block with, not far before it, where lanes of the function may end or
 * come apart: else the classes of blocks make regions. */
static void join_end(struct ws_runner *runner, uint32_t b)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    const struct ws_loops *loops = ws_runs_loops(runner);
    const uint32_t index = loops->innermost[b];
    const struct ws_loop *loop = index != WS_NONE ? &loops->list[index] : NULL;
    const uint32_t end = cfg->position[b];
    if (!runner->plan->calls.function_parts[marks->function] || marks->rows[marks->first + b] == WS_NONE ||
        is_kept(runner, b))
        return;
    for (uint32_t i = end > NEAR ? end - NEAR : 0; i < end && !runner->editor->failed; i++) {
        const uint32_t from = cfg->order[i];
        if (marks->contexts[from] == marks->contexts[b] && marks->rows[marks->first + from] != WS_NONE &&
            ws_reach_comes_only_to(&marks->reach, loop, from, b))
            add_class(runner, from);
    }
    if (marks->region.count != 0)
        end_region(runner, b);
}

/* Makes a region of a block and of what it branches to, where that leaves less to count than each by itself: where not all of
 * it can be counted where the turn ends. */
static void join_next(struct ws_runner *runner, uint32_t b)
{
    const struct ws_marks *marks = runner->marks;
    uint32_t nexts[2];
    uint32_t count = find_ahead(runner, b, nexts);
    bool ends = true;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < 2; i++)
        ends = ends && (nexts[i] == WS_NONE || ends_turn(runner, nexts[i]));
    count += marks->rows[marks->first + marks->leaders[b]] != WS_NONE;
    if (ends || count < (is_kept(runner, b) ? 2 : 3))
        return;
    add_ahead(runner, nexts);
    end_region(runner, b);
}

/* Counts what is in no region. */
static void put_rest(struct ws_runner *runner, bool may_sum)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    for (uint32_t i = 0; i < cfg->order_count && !runner->editor->failed; i++) {
        const uint32_t b = cfg->order[i];
        const struct ws_block *block = &runner->module->blocks[marks->first + b];
        const uint32_t row = marks->rows[marks->first + b];
        if (row != WS_NONE && !(may_sum && put_alone(runner, b)) &&
            !ws_runs_count(runner, marks->first + b, row)) {
            const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_COUNT_WARP);
            const uint32_t argument = ws_constant_u32(runner->editor, row);
            if (callee != 0)
                ws_link_call(runner->editor, ws_cursor_block_start(runner->module, marks->first + b), callee,
                             &argument, 1);
        }
        put_left_turns(runner, b);
        for (uint32_t j = block->first; j < block->end && !marks->called[b]; j++) {
            const struct plain *plain = plain_callee(runner, j);
            const struct ws_cursor cursor = ws_cursor_after(runner->module, j);
            if (plain != NULL)
                count_rows(runner, cursor,
                           &(struct ws_marked_rows){plain->rows, plain->used, 0, take(runner, cursor)});
        }
    }
}

/* ---- what functions leave ---- */

#define FOURS_LEFT 8 /* of rows, that all callers of a function count which counts something by itself too */

/* Takes what functions that are called in a block leave into what this one leaves. There is room for all (may_leave). */
static void leave_calls(struct ws_runner *runner, uint32_t b, uint32_t variable, uint32_t *bits)
{
    struct ws_marks *marks = runner->marks;
    struct ws_editor *editor = runner->editor;
    struct plain *plain = &marks->plains[marks->function];
    const struct ws_block *block = &runner->module->blocks[marks->first + b];
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct plain *callee = plain_callee(runner, i);
        if (callee == NULL)
            continue;
        const struct ws_cursor cursor = ws_cursor_after(runner->module, i);
        const uint32_t moved = ws_emit_u32(editor, cursor, SpvOpShiftLeftLogical, take(runner, cursor),
                                           ws_constant_u32(editor, *bits));
        ws_emit_store(
            editor, cursor, variable,
            ws_emit_u32(editor, cursor, SpvOpBitwiseOr, ws_emit_load(editor, cursor, variable), moved));
        const uint32_t width = ws_bits_end(callee->used);
        memcpy(plain->rows + *bits, callee->rows, width * sizeof(*plain->rows));
        plain->used |= callee->used << *bits;
        *bits += width;
    }
    marks->called[b] = true;
}

/* What a function may leave: rows of its first context. */
struct left {
    uint32_t own;   /* rows */
    uint32_t first; /* the least of them */
    uint32_t end;
    uint32_t taken; /* bits that functions leave to it */
    bool others;    /* it has rows of other contexts too */
};

static struct left find_left(const struct ws_runner *runner)
{
    const struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    struct left left = {.first = WS_NONE};
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const struct ws_block *block = &runner->module->blocks[marks->first + b];
        const bool is_first = marks->contexts[b] == marks->contexts[0];
        const uint32_t row = marks->rows[marks->first + b];
        uint32_t taken = 0;
        for (uint32_t j = block->first; j < block->end; j++)
            taken += plain_callee(runner, j) != NULL ? ws_bits_end(plain_callee(runner, j)->used) : 0;
        left.others = left.others || (!is_first && (row != WS_NONE || taken != 0));
        left.taken += is_first ? taken : 0;
        if (!is_first || row == WS_NONE)
            continue;
        left.own++;
        left.first = row < left.first ? row : left.first;
        left.end = row + 1 > left.end ? row + 1 : left.end;
    }
    return left;
}

/* Whether the lanes of an entry point come together only behind its function: they return at several places. */
static bool comes_together_behind(const struct ws_runner *runner)
{
    const struct ws_marks *marks = runner->marks;
    const struct ws_cfg *cfg = marks->cfg;
    bool several = false;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        if (cfg->successor_first[b] != cfg->successor_first[b + 1])
            continue;
        if (!is_return(runner, b))
            return false;
        several = several || marks->leaders[b] != marks->leaders[0];
    }
    return several;
}

/* Whether a function leaves marks to its callers, or that of an entry point its own to the code behind it. There each row has
 * the bit of its number, so that one call counts all. */
static bool may_leave(const struct ws_runner *runner, const struct left *left)
{
    const struct ws_marks *marks = runner->marks;
    const struct ws_calls *calls = &runner->plan->calls;
    const uint32_t callers = calls->caller_first[marks->function + 1] - calls->caller_first[marks->function];
    const bool entry = runner->plan->functions[marks->function].entry;
    if (!(entry ? !runner->barriers[marks->function] && comes_together_behind(runner)
                : ws_plan_has_takers(runner->plan, marks->function)))
        return false;
    for (uint32_t i = 0; i < marks->cfg->order_count; i++)
        if (calls->block_parts[marks->first + marks->cfg->order[i]])
            return false;
    const uint32_t count = left->own + left->taken;
    if (entry)
        return left->own > 1 && left->end - left->first <= WORD_ROWS;
    return count != 0 && count <= WORD_ROWS && (!left->others || (count + 3) / 4 * callers <= FOURS_LEFT);
}

/* Leaves what is of the function's first context. */
static void leave_marks(struct ws_runner *runner, const struct left *left)
{
    struct ws_marks *marks = runner->marks;
    const bool entry = runner->plan->functions[marks->function].entry;
    const struct ws_cfg *cfg = marks->cfg;
    struct plain *plain = &marks->plains[marks->function];
    const uint32_t callee = ws_runner_link(runner, marks->function, WS_PRIMITIVE_LEAVE_MARKS);
    const uint32_t variable = ws_runner_add_variable(runner, marks->function);
    uint32_t bits = 0;
    for (uint32_t i = 0; i < cfg->order_count && callee != 0; i++) {
        const uint32_t b = cfg->order[i];
        uint32_t *row = &marks->rows[marks->first + b];
        if (marks->contexts[b] != marks->contexts[0] || *row == WS_NONE)
            continue;
        const uint32_t bit = entry ? *row - left->first : bits++;
        put_mark(runner, b, variable, 1u << bit);
        plain->rows[bit] = *row;
        plain->used |= 1u << bit;
        *row = WS_NONE;
    }
    for (uint32_t i = 0; i < cfg->order_count && callee != 0 && !entry; i++)
        if (marks->contexts[cfg->order[i]] == marks->contexts[0])
            leave_calls(runner, cfg->order[i], variable, &bits);
    for (uint32_t i = 0; i < cfg->order_count && callee != 0; i++) {
        const uint32_t b = cfg->order[i];
        if (!is_return(runner, b))
            continue;
        const struct ws_cursor cursor = ws_cursor_block_end(runner->module, marks->first + b);
        const uint32_t argument = ws_emit_load(runner->editor, cursor, variable);
        ws_link_call(runner->editor, cursor, callee, &argument, 1);
    }
    if (!entry || callee == 0)
        return;
    struct ws_runner_wrap *wrap = &runner->wraps[marks->function];
    wrap->take_marks = ws_runner_link(runner, marks->function, WS_PRIMITIVE_TAKE_MARKS);
    wrap->count_marks = ws_runner_link(
        runner, marks->function, plain->used <= 0xff ? WS_PRIMITIVE_COUNT_FEW : WS_PRIMITIVE_COUNT_MARKS);
    wrap->first = left->first;
    wrap->used = plain->used;
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
    marks->region.count = 0;
    marks->contexts = ws_equivalence_contexts(arena, runner->module, function, cfg,
                                              runner->plan->calls.block_parts, &error);
    marks->claimed = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->claimed));
    marks->called = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->called));
    marks->nexts = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->nexts));
    marks->entries = ws_arena_allocate(arena, cfg->block_count, sizeof(*marks->entries));
    uint32_t *lasts = ws_arena_allocate(arena, cfg->block_count, sizeof(*lasts));
    if (marks->contexts == NULL || marks->claimed == NULL || marks->called == NULL || marks->nexts == NULL ||
        marks->entries == NULL || lasts == NULL)
        return ws_editor_fail(runner->editor, "out of memory for the counters of a function");
    for (uint32_t b = 0; b < cfg->block_count; b++)
        marks->nexts[b] = lasts[b] = WS_NONE;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const uint32_t leader = marks->leaders[b];
        if (lasts[leader] != WS_NONE)
            marks->nexts[lasts[leader]] = b;
        lasts[leader] = b;
        for (uint32_t j = cfg->successor_first[b]; j < cfg->successor_first[b + 1]; j++)
            marks->entries[cfg->successors[j]]++;
    }
    if (!ws_runs_begin(runner, function))
        return false;
    if (!ws_reach_init(&marks->reach, arena, cfg, marks->first, ws_runs_loops(runner),
                       runner->plan->calls.block_parts))
        return ws_editor_fail(runner->editor, "out of memory for the counters of a function");
    return true;
}

static void put_function(struct ws_runner *runner, uint32_t function)
{
    const struct ws_marks *marks = runner->marks;
    memset(runner->primitives, 0, sizeof(runner->primitives));
    if (!begin_function(runner, function))
        return;
    /* Marks of a block in a loop are cleared at each turn: the loops must be known. */
    const bool may_mark = !runner->options->without_sums && ws_runs_loops(runner)->left_out == 0;
    const struct left left = find_left(runner);
    if (may_mark && may_leave(runner, &left))
        leave_marks(runner, &left);
    if (may_mark) {
        for (uint32_t i = 0; i < ws_runs_loops(runner)->count && !runner->editor->failed; i++)
            leave_turns(runner, i);
        put_loops(runner);
        for (uint32_t i = 0; i < marks->cfg->order_count && !runner->editor->failed; i++) {
            const uint32_t b = marks->cfg->order[i];
            if (marks->leaders[b] == b && !marks->claimed[b])
                join_class(runner, b);
        }
    }
    for (uint32_t i = 0; may_mark && i < marks->cfg->order_count && !runner->editor->failed; i++)
        join_next(runner, marks->cfg->order[i]);
    for (uint32_t i = 0; may_mark && i < ws_runs_loops(runner)->count && !runner->editor->failed; i++)
        join_turn(runner, i);
    for (uint32_t i = marks->cfg->order_count; may_mark && i-- > 0 && !runner->editor->failed;)
        join_end(runner, marks->cfg->order[i]);
    put_rest(runner, may_mark);
    ws_runs_end(runner);
}

void ws_marks_put(struct ws_runner *runner)
{
    struct ws_marks *marks = runner->marks;
    const struct ws_module *module = runner->module;
    if (!marks->any || runner->editor->failed)
        return;
    marks->plains = ws_arena_allocate(module->arena, module->function_count, sizeof(*marks->plains));
    marks->left_turns = ws_arena_allocate(module->arena, module->function_count, sizeof(*marks->left_turns));
    if (marks->plains == NULL || marks->left_turns == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the counters of a module");
        return;
    }
    /* What is called comes first. */
    for (uint32_t i = module->function_count; i-- > 0 && !runner->editor->failed;) {
        const uint32_t function = runner->plan->calls.by_rank[i];
        if (runner->rows[function].walked && runner->plan->functions[function].refusal == NULL)
            put_function(runner, function);
    }
    if (!runner->editor->failed)
        ws_runs_put_ends(runner);
}
