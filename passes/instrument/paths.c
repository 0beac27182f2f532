#include "passes/instrument/paths.h"

#include <stdlib.h>
#include <string.h>

#include <spirv/unified1/spirv.h>

#include "passes/flow/equivalence.h"
#include "passes/flow/trips.h"
#include "passes/instrument/runner_state.h"
#include "passes/spirv/types.h"
#include "warpscope/base/arena.h"
#include "warpscope/spirv/calls.h"

/* Bounds of a region: what would be beyond one is put by itself. */
#define BITS_MAX    32 /* of a word that is no loop's */
#define LOOPS_MAX   4
#define TURNS_SITES 2 /* of a loop: of groups that came once, and more often */
#define STEPS_MAX   256
#define CALLS_MAX   64
#define SETS_MAX    (BITS_MAX * (LOOPS_MAX + 1))
#define NODES_MAX   256
#define CALLEE_BITS 12 /* of a plain function, nested ones included: its callers have room for others */

/* While a region is being made, tags have the slot where the word will be: 0 = the region's, 1 and up = a loop's. */
struct step {
    uint32_t number;
    uint32_t tag;
};

/* A block where lanes set a bit. */
struct set {
    uint32_t slot;
    uint32_t bit;
    uint32_t block;
};

/* A call of a plain function, whose bits are bits `base` and up. */
struct call {
    uint32_t slot;
    uint32_t base;
    uint32_t instruction;
};

struct region {
    struct step steps[STEPS_MAX];
    uint32_t step_count;
    struct set sets[SETS_MAX];
    uint32_t set_count;
    struct call calls[CALLS_MAX];
    uint32_t call_count;
    uint32_t loops[LOOPS_MAX]; /* indices of loops */
    uint32_t loop_count;
    uint32_t bits[LOOPS_MAX + 1]; /* per slot: how many are in use */
    bool full;                    /* something was beyond a bound */
    bool shared; /* a step is of a plain function, whose places may be steps of other paths too */
};

/* What callers know of a function. */
struct plain {
    bool is_plain;
    uint32_t bits;
    struct step *steps; /* tags: WS_STEP_ALL or a bit */
    uint32_t step_count;
};

/* A loop. */
struct turns {
    bool looked_at;
    bool fits;
    uint32_t *blocks; /* of the loop, in order */
    uint32_t count;
};

struct ws_paths {
    uint32_t *numbers; /* per module->blocks: that of the record where the block begins; WS_NONE */
    bool *parted;      /* per module->blocks: something else is appended in it */
    struct plain *plains;
    uint64_t reserved;     /* sites that calls of plain functions may need for paths of their own */
    struct region *region; /* the one being made */
    struct region spare;   /* as it was */

    /* Of the function at work. Blocks are indices within it. */
    uint32_t function;
    uint32_t first;
    const struct ws_cfg *cfg;
    const uint32_t *leaders;
    uint32_t *contexts;
    struct ws_loops loops;
    struct ws_trips trips;
    struct turns *turns; /* per loop */
    bool *done;          /* per block: it is in a region */
    bool *called;        /* per block: its plain calls are in a region */
    uint32_t *bit_stamps;
    uint32_t *tags;  /* likewise: the tag of its steps */
    uint32_t *steps; /* and the first of these; WS_NONE */
    uint32_t stamp;
    uint32_t *marks;      /* per block: the search that met it */
    uint32_t *loop_marks; /* likewise, of the search in a loop */
    uint32_t mark;
};

struct ws_paths *ws_paths_create(const struct ws_module *module)
{
    struct ws_paths *paths = ws_arena_allocate(module->arena, 1, sizeof(*paths));
    if (paths == NULL)
        return NULL;
    paths->numbers = ws_arena_allocate(module->arena, module->block_count, sizeof(*paths->numbers));
    paths->parted = ws_arena_allocate(module->arena, module->block_count, sizeof(*paths->parted));
    if (paths->numbers == NULL || paths->parted == NULL)
        return NULL;
    for (uint32_t b = 0; b < module->block_count; b++)
        paths->numbers[b] = WS_NONE;
    return paths;
}

void ws_paths_note(struct ws_paths *paths, uint32_t block, uint32_t number)
{
    paths->numbers[block] = number;
}

void ws_paths_part(struct ws_paths *paths, uint32_t block)
{
    paths->parted[block] = true;
}

bool ws_paths_is_parted(const struct ws_paths *paths, uint32_t block)
{
    return paths->parted[block];
}

/* ---- what may be in a region ---- */

/* The plain function that the instruction calls; NULL = none. */
static const struct plain *plain_callee(const struct ws_runner *runner,
                                        const struct ws_instruction *instruction)
{
    const uint32_t callee =
        instruction->opcode == SpvOpFunctionCall ? ws_calls_callee(runner->module, instruction) : WS_NONE;
    return callee != WS_NONE && runner->paths->plains[callee].is_plain ? &runner->paths->plains[callee]
                                                                       : NULL;
}

/* Whether nothing is appended in the block but where it begins, and all its lanes go through it. */
static bool is_quiet(const struct ws_runner *runner, uint32_t b)
{
    const struct ws_paths *paths = runner->paths;
    const struct ws_block *block = &runner->module->blocks[paths->first + b];
    if (paths->parted[paths->first + b] || runner->plan->calls.block_parts[paths->first + b])
        return false;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct ws_instruction *instruction = &runner->module->instructions[i];
        if (ws_instruction_calls(instruction) && plain_callee(runner, instruction) == NULL)
            return false;
    }
    return true;
}

static int compare_positions(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left;
    const uint32_t b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* Sorts blocks into the order in which lanes come by them. */
static void sort_blocks(const struct ws_paths *paths, uint32_t *blocks, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        blocks[i] = paths->cfg->position[blocks[i]];
    qsort(blocks, count, sizeof(*blocks), compare_positions);
    for (uint32_t i = 0; i < count; i++)
        blocks[i] = paths->cfg->order[blocks[i]];
}

/* Whether a loop may be in a region; finds its blocks. */
static bool loop_fits(struct ws_runner *runner, uint32_t index)
{
    struct ws_paths *paths = runner->paths;
    const struct ws_loop *loop = &paths->loops.list[index];
    const struct ws_cfg *cfg = paths->cfg;
    struct turns *turns = &paths->turns[index];
    const uint32_t header = loop->header - paths->first;
    if (turns->looked_at)
        return turns->fits;
    turns->looked_at = true;
    uint32_t blocks[NODES_MAX];
    uint32_t count = 0;
    const uint32_t mark = ++paths->mark;
    paths->loop_marks[header] = mark;
    blocks[count++] = header;
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t b = blocks[at];
        if (!is_quiet(runner, b) || paths->contexts[b] != header || paths->done[b] ||
            cfg->successor_first[b] == cfg->successor_first[b + 1])
            return false;
        for (uint32_t i = cfg->successor_first[b]; i < cfg->successor_first[b + 1]; i++) {
            const uint32_t next = cfg->successors[i];
            if (next == header || paths->first + next == loop->merge || paths->loop_marks[next] == mark)
                continue;
            if (paths->loops.innermost[next] != index || cfg->position[next] <= cfg->position[header] ||
                count == NODES_MAX)
                return false;
            paths->loop_marks[next] = mark;
            blocks[count++] = next;
        }
    }
    turns->blocks = ws_arena_allocate(runner->module->arena, count, sizeof(*turns->blocks));
    if (turns->blocks == NULL)
        return ws_editor_fail(runner->editor, "out of memory for the loops of a function");
    for (uint32_t i = 0; i < count; i++)
        turns->blocks[i] = blocks[i];
    sort_blocks(paths, turns->blocks, count);
    turns->count = count;
    turns->fits = loop->merge != WS_NONE;
    return turns->fits;
}

/* The blocks to which control flow goes on from a node: from a loop to its merge block. */
static uint32_t successors_of(const struct ws_paths *paths, uint32_t node, uint32_t *merge,
                              const uint32_t **next)
{
    const struct ws_cfg *cfg = paths->cfg;
    const uint32_t loop = paths->loops.header_of[node];
    if (loop == WS_NONE) {
        *next = &cfg->successors[cfg->successor_first[node]];
        return cfg->successor_first[node + 1] - cfg->successor_first[node];
    }
    *merge = paths->loops.list[loop].merge - paths->first;
    *next = merge;
    return 1;
}

/* Whether a block may be between two blocks of the class of `from`, or a loop that begins with it. */
static bool node_fits(struct ws_runner *runner, uint32_t from, uint32_t node)
{
    const struct ws_paths *paths = runner->paths;
    const uint32_t loop = paths->loops.header_of[node];
    if (paths->done[node] || paths->leaders[node] == paths->leaders[from])
        return false;
    return loop != WS_NONE ? loop_fits(runner, loop)
                           : paths->contexts[node] == paths->contexts[from] && is_quiet(runner, node);
}

/* Finds what is between two blocks of a class, in order: blocks, and of loops their headers. False where something of it cannot
 * be in a region. `nodes` has room for NODES_MAX. */
static bool find_between(struct ws_runner *runner, uint32_t from, uint32_t to, uint32_t *nodes,
                         uint32_t *count)
{
    struct ws_paths *paths = runner->paths;
    const struct ws_cfg *cfg = paths->cfg;
    const uint32_t mark = ++paths->mark;
    const uint32_t *next = &cfg->successors[cfg->successor_first[from]];
    uint32_t next_count = cfg->successor_first[from + 1] - cfg->successor_first[from];
    uint32_t merge = 0;
    *count = 0;
    for (uint32_t at = 0;; at++) {
        for (uint32_t i = 0; i < next_count; i++) {
            if (next[i] == to || paths->marks[next[i]] == mark)
                continue;
            if (*count == NODES_MAX || cfg->position[next[i]] <= cfg->position[from])
                return false;
            paths->marks[next[i]] = mark;
            nodes[(*count)++] = next[i];
        }
        if (at == *count)
            break;
        if (!node_fits(runner, from, nodes[at]))
            return false;
        next_count = successors_of(paths, nodes[at], &merge, &next);
        if (next_count == 0)
            return false;
    }
    sort_blocks(paths, nodes, *count);
    return true;
}

/* ---- regions ---- */

static void begin_region(struct ws_paths *paths)
{
    struct region *region = paths->region;
    region->step_count = region->set_count = region->call_count = region->loop_count = 0;
    for (uint32_t i = 0; i <= LOOPS_MAX; i++)
        region->bits[i] = 0;
    region->full = region->shared = false;
    paths->stamp++;
}

static void add_step(struct region *region, uint32_t number, uint32_t tag)
{
    if (region->step_count == STEPS_MAX)
        region->full = true;
    else
        region->steps[region->step_count++] = (struct step){number, tag};
}

/* How many bits the word of a slot has room for. */
static uint32_t bits_max(uint32_t slot)
{
    return slot == 0 ? BITS_MAX : WS_TURNS_BITS_MARKED;
}

/* The one block of a loop from which control flow comes to a block of it, on one way; WS_NONE. */
static uint32_t block_before(const struct ws_paths *paths, const struct turns *turns, uint32_t b)
{
    const struct ws_cfg *cfg = paths->cfg;
    uint32_t before = WS_NONE;
    for (uint32_t i = 0; i < turns->count; i++) {
        const uint32_t from = turns->blocks[i];
        for (uint32_t j = cfg->successor_first[from]; j < cfg->successor_first[from + 1]; j++) {
            if (cfg->successors[j] != b)
                continue;
            if (before != WS_NONE)
                return WS_NONE;
            before = from;
        }
    }
    return before;
}

/* How many ways lead out of a loop. */
static uint32_t count_exits(const struct ws_paths *paths, uint32_t index)
{
    const struct turns *turns = &paths->turns[index];
    const struct ws_cfg *cfg = paths->cfg;
    uint32_t exits = 0;
    for (uint32_t i = 0; i < turns->count; i++)
        for (uint32_t j = cfg->successor_first[turns->blocks[i]];
             j < cfg->successor_first[turns->blocks[i] + 1]; j++)
            exits += paths->first + cfg->successors[j] == paths->loops.list[index].merge;
    return exits;
}

/* The tag of a class of a loop that needs no bit, since its lanes are the rest of another's: all that come by a branch of two
 * ways but those that take the other way, and either have a bit for that or leave the loop, in their last turn, which they do
 * there alone. WS_STEP_ALL: it is none. */
static uint32_t rest_tag(const struct ws_paths *paths, uint32_t leader, uint32_t slot)
{
    const struct ws_cfg *cfg = paths->cfg;
    const uint32_t index = paths->region->loops[slot - 1];
    const struct turns *turns = &paths->turns[index];
    const uint32_t from = block_before(paths, turns, leader);
    if (from == WS_NONE || leader == turns->blocks[0] ||
        cfg->successor_first[from + 1] - cfg->successor_first[from] != 2)
        return WS_STEP_ALL;
    const uint32_t *ways = &cfg->successors[cfg->successor_first[from]];
    const uint32_t other = ways[0] == leader ? ways[1] : ways[0];
    const uint32_t base = paths->leaders[from];
    if (paths->bit_stamps[base] != paths->stamp || paths->steps[base] == WS_NONE)
        return WS_STEP_ALL;
    if (paths->first + other == paths->loops.list[index].merge)
        return count_exits(paths, index) == 1 ? WS_STEP_REST(slot, WS_STEP_LAST, paths->steps[base])
                                              : WS_STEP_ALL;
    const uint32_t tag = paths->tags[paths->leaders[other]];
    if (block_before(paths, turns, other) != from ||
        paths->bit_stamps[paths->leaders[other]] != paths->stamp || WS_STEP_BASE(tag) != WS_NONE ||
        WS_STEP_BIT(tag) == WS_STEP_TURN)
        return WS_STEP_ALL;
    return WS_STEP_REST(slot, WS_STEP_BIT(tag), paths->steps[base]);
}

/* The tag for what the lanes of a block come by, of a step that is added now. Its class has a bit, or is the rest of another's
 * lanes. */
static uint32_t class_tag(struct ws_paths *paths, uint32_t b, uint32_t slot)
{
    struct region *region = paths->region;
    const uint32_t leader = paths->leaders[b];
    if (paths->bit_stamps[leader] != paths->stamp) {
        paths->tags[leader] = slot > 0 ? rest_tag(paths, leader, slot) : WS_STEP_ALL;
        if (paths->tags[leader] == WS_STEP_ALL) {
            if (region->bits[slot] == bits_max(slot) || region->set_count == SETS_MAX) {
                region->full = true;
                return WS_STEP_ALL;
            }
            region->sets[region->set_count++] = (struct set){slot, region->bits[slot], b};
            paths->tags[leader] = WS_STEP(slot, region->bits[slot]++);
        }
        paths->bit_stamps[leader] = paths->stamp;
        paths->steps[leader] = WS_NONE;
    }
    if (paths->steps[leader] == WS_NONE)
        paths->steps[leader] = region->step_count;
    return paths->tags[leader];
}

/* The plain calls of a block. `all`: all lanes of the region come by. Returns the last that is to be told of; WS_NONE. */
static uint32_t add_calls(struct ws_runner *runner, uint32_t b, uint32_t slot, bool all)
{
    struct ws_paths *paths = runner->paths;
    struct region *region = paths->region;
    const struct ws_block *block = &runner->module->blocks[paths->first + b];
    uint32_t last = WS_NONE;
    for (uint32_t i = block->first; i < block->end; i++) {
        const struct plain *callee = plain_callee(runner, &runner->module->instructions[i]);
        if (callee == NULL || callee->step_count == 0)
            continue;
        const uint32_t base = region->bits[slot];
        if (base + callee->bits > bits_max(slot) || region->call_count == CALLS_MAX) {
            region->full = true;
            break;
        }
        last = i;
        region->bits[slot] += callee->bits;
        if (callee->bits > 0)
            region->calls[region->call_count++] = (struct call){slot, base, i};
        region->shared = true;
        for (uint32_t s = 0; s < callee->step_count; s++) {
            const uint32_t bit = callee->steps[s].tag;
            add_step(region, callee->steps[s].number,
                     bit != WS_STEP_ALL ? WS_STEP(slot, base + bit)
                     : all              ? WS_STEP_ALL
                                        : class_tag(paths, b, slot));
        }
    }
    return last;
}

static void add_place(struct ws_paths *paths, uint32_t b, uint32_t slot, bool all)
{
    const uint32_t number = paths->numbers[paths->first + b];
    if (number != WS_NONE)
        add_step(paths->region, number, all ? WS_STEP_ALL : class_tag(paths, b, slot));
}

static void add_loop(struct ws_runner *runner, uint32_t index)
{
    struct ws_paths *paths = runner->paths;
    struct region *region = paths->region;
    const struct turns *turns = &paths->turns[index];
    if (region->loop_count == LOOPS_MAX) {
        region->full = true;
        return;
    }
    const uint32_t steps = region->step_count;
    const uint32_t sets = region->set_count;
    const uint32_t slot = 1 + region->loop_count;
    region->loops[region->loop_count++] = index;
    /* The header runs in each turn. */
    const uint32_t header = paths->leaders[turns->blocks[0]];
    paths->bit_stamps[header] = paths->stamp;
    paths->tags[header] = WS_STEP(slot, WS_STEP_TURN);
    paths->steps[header] = WS_NONE;
    for (uint32_t i = 0; i < turns->count; i++) {
        add_place(paths, turns->blocks[i], slot, false);
        add_calls(runner, turns->blocks[i], slot, false);
    }
    if (region->step_count == steps) { /* nothing is to be told of it */
        region->loop_count--;
        region->set_count = sets;
        region->bits[slot] = 0;
    }
}

/* Adds what is behind the beginning of `from` up to that of `to`, which are of one class. False where it does not fit; then
 * the region is as it was. */
static bool add_segment(struct ws_runner *runner, uint32_t from, uint32_t to)
{
    struct ws_paths *paths = runner->paths;
    struct region *region = paths->region;
    uint32_t nodes[NODES_MAX];
    uint32_t count;
    if (!find_between(runner, from, to, nodes, &count))
        return false;
    struct region *before = &paths->spare;
    *before = *region;
    const bool calls = !paths->called[from] && is_quiet(runner, from);
    if (calls)
        add_calls(runner, from, 0, true);
    for (uint32_t i = 0; i < count; i++) {
        if (paths->loops.header_of[nodes[i]] != WS_NONE) {
            add_loop(runner, paths->loops.header_of[nodes[i]]);
        } else {
            add_place(paths, nodes[i], 0, false);
            add_calls(runner, nodes[i], 0, false);
        }
    }
    add_place(paths, to, 0, true);
    if (region->full) {
        *region = *before;
        return false;
    }
    paths->called[from] = paths->called[from] || calls;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t loop = paths->loops.header_of[nodes[i]];
        paths->done[nodes[i]] = paths->called[nodes[i]] = true;
        for (uint32_t j = 0; loop != WS_NONE && j < paths->turns[loop].count; j++)
            paths->done[paths->turns[loop].blocks[j]] = paths->called[paths->turns[loop].blocks[j]] = true;
    }
    paths->done[to] = true;
    return true;
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

static void store_or(struct ws_editor *editor, struct ws_cursor cursor, uint32_t variable, uint32_t value)
{
    const uint32_t operands[] = {load(editor, cursor, variable), value};
    store(editor, cursor, variable,
          ws_emit(editor, cursor, SpvOpBitwiseOr, ws_type_u32(editor), operands, 2));
}

static struct ws_cursor begin_of(const struct ws_runner *runner, uint32_t b)
{
    return ws_runner_prologue(runner->module, runner->paths->first + b);
}

/* Sets the bits of a region's blocks and calls in the variables of the slots. */
static void put_bits(struct ws_runner *runner, const uint32_t *variables)
{
    const struct region *region = runner->paths->region;
    struct ws_editor *editor = runner->editor;
    for (uint32_t i = 0; i < region->set_count; i++) {
        const struct set *set = &region->sets[i];
        if (variables[set->slot] != 0)
            store_or(editor, begin_of(runner, set->block), variables[set->slot],
                     ws_constant_u32(editor, 1u << set->bit));
    }
    for (uint32_t i = 0; i < region->call_count; i++) {
        const struct call *call = &region->calls[i];
        const struct ws_cursor cursor = ws_cursor_after(runner->module, call->instruction);
        const uint32_t take = ws_runner_link(runner, runner->paths->function, WS_PRIMITIVE_PATH_TAKE);
        if (take == 0 || variables[call->slot] == 0)
            continue;
        uint32_t shift[] = {ws_link_call(editor, cursor, take, NULL, 0), ws_constant_u32(editor, call->base)};
        if (call->base != 0)
            shift[0] = ws_emit(editor, cursor, SpvOpShiftLeftLogical, ws_type_u32(editor), shift, 2);
        store_or(editor, cursor, variables[call->slot], shift[0]);
    }
}

/* How many bits a turn of a loop of the region has: one at least, so that a word can have no more turns than its bits. */
static uint32_t turn_bits(const struct region *region, uint32_t loop)
{
    return region->bits[1 + loop] > 0 ? region->bits[1 + loop] : 1;
}

/* Adds the sites of a path: `words` per lane, those of its loops from `loop_word` on. Returns the number of the path. */
static uint32_t add_sites(struct ws_runner *runner, uint32_t block, uint32_t offset, const struct step *steps,
                          uint32_t count, uint32_t words, uint32_t loop_word)
{
    const struct region *region = runner->paths->region;
    struct ws_instrumented *result = runner->result;
    const uint32_t number = result->site_count;
    const uint32_t loops = (words - loop_word) / WS_STEP_WORDS_OF_LOOP;
    ws_runner_add_site(runner, WS_SITE_PATH, block, offset, words);
    for (uint32_t i = 0; i < loops; i++) {
        const uint32_t tag =
            WS_TURNS(loop_word + i * WS_STEP_WORDS_OF_LOOP, turn_bits(region, i)) | WS_TURNS_MARKED;
        ws_runner_add_site(runner, WS_SITE_PATH_TURNS, block, offset, number);
        ws_runner_add_site(runner, WS_SITE_PATH_TURNS, block, offset, number);
        if (runner->editor->failed)
            break;
        result->sites[result->site_count - 2].tag = tag | WS_TURNS_ONCE;
        result->sites[result->site_count - 1].tag = tag;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t tag = steps[i].tag;
        const uint32_t slot = WS_STEP_WORD(tag);
        const uint32_t word = slot == 0 ? 0 : loop_word + (slot - 1) * WS_STEP_WORDS_OF_LOOP;
        ws_runner_add_site(runner, WS_SITE_PATH_STEP, block, offset, steps[i].number);
        if (runner->editor->failed)
            break;
        struct ws_site_info *site = &result->sites[result->site_count - 1];
        site->block = result->sites[steps[i].number].block;
        site->offset = result->sites[steps[i].number].offset;
        site->tag =
            tag == WS_STEP_ALL ? WS_STEP_ALL : WS_STEP_REST(word, WS_STEP_BIT(tag), WS_STEP_BASE(tag));
    }
    return number;
}

static void put_place(struct ws_runner *runner, struct ws_cursor cursor, uint32_t number)
{
    const uint32_t callee = ws_runner_link(runner, runner->paths->function, WS_PRIMITIVE_PLACE);
    const uint32_t argument = ws_constant_u32(runner->editor, number);
    if (callee != 0)
        ws_link_call(runner->editor, cursor, callee, &argument, 1);
}

/* Puts the record of a path, with these words per lane. */
static void put_path(struct ws_runner *runner, struct ws_cursor cursor, uint32_t number,
                     const uint32_t *words, uint32_t count)
{
    uint32_t arguments[1 + WS_DATA_WORDS_MAX];
    if (count == 0) {
        put_place(runner, cursor, number);
        return;
    }
    const uint32_t callee = ws_runner_link(runner, runner->paths->function, ws_runner_data_primitive(count));
    arguments[0] = ws_constant_u32(runner->editor, number);
    for (uint32_t i = 0; i < count; i++)
        arguments[1 + i] = words[i];
    if (callee != 0)
        ws_link_call(runner->editor, cursor, callee, arguments, 1 + count);
}

/* A value if the lane's group of turns is full, else another. */
static uint32_t choose(struct ws_editor *editor, struct ws_cursor cursor, uint32_t is_full, uint32_t value,
                       uint32_t otherwise)
{
    const uint32_t operands[] = {is_full, value, otherwise};
    return ws_emit(editor, cursor, SpvOpSelect, ws_type_u32(editor), operands, 3);
}

/* Makes room for the bits of the next turn, which are not set yet. */
static void begin_turn(struct ws_editor *editor, struct ws_cursor cursor, uint32_t path, uint32_t bits,
                       uint32_t variable)
{
    const uint32_t shift[] = {path, ws_constant_u32(editor, bits)};
    store(editor, cursor, variable,
          ws_emit(editor, cursor, SpvOpShiftLeftLogical, ws_type_u32(editor), shift, 2));
}

/* Has a loop keep its turns, of so many bits each, in three variables. Where all turns that there can be have room in the first
 * of them, nothing looks whether it is full. Then nothing in the loop branches, so that a compiler that writes such loops out
 * does so as before, and rounds as before. */
static void put_turns(struct ws_runner *runner, uint32_t loop, uint32_t number, uint32_t bits,
                      const uint32_t *variables)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_cursor cursor =
        begin_of(runner, runner->paths->loops.list[loop].header - runner->paths->first);
    const struct turns *turns = &runner->paths->turns[loop];
    const uint32_t room = WS_TURNS_BITS_MARKED / bits;
    const uint32_t path = load(editor, cursor, variables[0]);
    if (ws_trips_most(&runner->paths->trips, &runner->paths->loops.list[loop], turns->blocks, turns->count,
                      room) != 0) {
        begin_turn(editor, cursor, path, bits, variables[0]);
        return;
    }
    const uint32_t callee = ws_runner_link(runner, runner->paths->function, WS_PRIMITIVE_PATH_TURN);
    const uint32_t one = ws_constant_u32(editor, 1);
    const uint32_t limit = ws_constant_u32(editor, 1u << room * bits);
    const uint32_t last = load(editor, cursor, variables[1]);
    const uint32_t count = load(editor, cursor, variables[2]);
    const uint32_t arguments[] = {ws_constant_u32(editor, number), path, last, count, limit};
    if (callee == 0)
        return;
    const uint32_t counted = ws_link_call(editor, cursor, callee, arguments, 5);
    const uint32_t boolean = ws_global_find(editor, SpvOpTypeBool, 0, NULL, 0);
    const uint32_t compared[] = {path, limit};
    const uint32_t is_full = ws_emit(editor, cursor, SpvOpUGreaterThanEqual, boolean, compared, 2);
    store(editor, cursor, variables[2], counted);
    store(editor, cursor, variables[1], choose(editor, cursor, is_full, path, last));
    const uint32_t begun = choose(editor, cursor, is_full, one, path);
    begin_turn(editor, cursor, begun, bits, variables[0]);
}

/* The sites of a loop's turns, the first of which is `number`, stand where they are appended: who counts blocks knows how often
 * that may be. */
static void place_turns(struct ws_runner *runner, uint32_t loop, uint32_t number)
{
    const uint32_t header = runner->paths->loops.list[loop].header;
    for (uint32_t i = number; i < number + TURNS_SITES && !runner->editor->failed; i++) {
        struct ws_site_info *site = &runner->result->sites[i];
        site->block = runner->block_infos[header];
        site->offset = ws_runner_offset(runner, ws_cursor_block_start(runner->module, header));
    }
}

/* Adds the plain calls of the block that ends the region, if there is room for them. Returns where the region's record stands:
 * behind the last of these, or where the block begins. */
static struct ws_cursor add_last_calls(struct ws_runner *runner, uint32_t to)
{
    struct ws_paths *paths = runner->paths;
    if (paths->called[to] || !is_quiet(runner, to))
        return begin_of(runner, to);
    paths->spare = *paths->region;
    const uint32_t last = add_calls(runner, to, 0, true);
    if (paths->region->full) {
        *paths->region = paths->spare;
        return begin_of(runner, to);
    }
    paths->called[to] = true;
    return last != WS_NONE ? ws_cursor_after(runner->module, last) : begin_of(runner, to);
}

/* Puts the code of a region that ends in a block. */
static void end_region(struct ws_runner *runner, uint32_t to)
{
    struct ws_paths *paths = runner->paths;
    const struct region *region = paths->region;
    uint32_t variables[WS_DATA_WORDS_MAX];
    uint32_t slots[LOOPS_MAX + 1] = {0};
    uint32_t words[WS_DATA_WORDS_MAX] = {0};
    const struct ws_cursor cursor = add_last_calls(runner, to);
    if (region->step_count == 0)
        return;
    if (region->step_count == 1 && region->loop_count == 0 && !region->shared) {
        const uint32_t block = region->set_count > 0 ? region->sets[0].block : to;
        put_place(runner, begin_of(runner, block), region->steps[0].number);
        return;
    }
    const uint32_t loop_word = region->bits[0] > 0 ? 1 : 0;
    const uint32_t count = loop_word + WS_STEP_WORDS_OF_LOOP * region->loop_count;
    for (uint32_t i = 0; i < count; i++)
        variables[i] = ws_runner_add_variable(runner, paths->function);
    slots[0] = loop_word > 0 ? variables[0] : 0;
    const uint32_t offset =
        ws_runner_offset(runner, ws_cursor_block_start(runner->module, paths->first + to));
    const uint32_t number =
        add_sites(runner, paths->first + to, offset, region->steps, region->step_count, count, loop_word);
    for (uint32_t i = 0; i < region->loop_count; i++) {
        const uint32_t word = loop_word + i * WS_STEP_WORDS_OF_LOOP;
        slots[1 + i] = variables[word];
        put_turns(runner, region->loops[i], number + 1 + TURNS_SITES * i, turn_bits(region, i),
                  variables + word);
        place_turns(runner, region->loops[i], number + 1 + TURNS_SITES * i);
    }
    put_bits(runner, slots);
    for (uint32_t i = 0; i < count; i++)
        words[i] = load(runner->editor, cursor, variables[i]);
    put_path(runner, cursor, number, words, count);
    for (uint32_t i = 0; i < count; i++)
        store(runner->editor, cursor, variables[i], ws_constant_u32(runner->editor, 0));
    for (uint32_t i = 0; i < region->loop_count; i++) {
        store(runner->editor, begin_of(runner, 0), slots[1 + i], ws_constant_u32(runner->editor, 1));
        store(runner->editor, cursor, slots[1 + i], ws_constant_u32(runner->editor, 1));
    }
}

/* Whether there is room for the sites of a path, beside those that calls of plain functions need. */
static bool has_numbers(const struct ws_runner *runner)
{
    return runner->result->site_count + 1 + TURNS_SITES * LOOPS_MAX + STEPS_MAX + runner->paths->reserved <=
           WS_RECORD_SITE_MAX;
}

/* Keeps room for the paths of all calls of the function that is being made plain. Its bits can be appended in no other way: a
 * number beyond 16 bits would be that of another record. False where there is none. */
static bool reserve_calls(struct ws_runner *runner)
{
    struct ws_paths *paths = runner->paths;
    const struct ws_calls *calls = &runner->plan->calls;
    const uint64_t count = calls->caller_first[paths->function + 1] - calls->caller_first[paths->function];
    const uint64_t sites = paths->region->bits[0] > 0 ? count * (2 + (uint64_t)paths->region->step_count) : 0;
    if (runner->result->site_count + paths->reserved + sites > WS_RECORD_SITE_MAX)
        return false;
    paths->reserved += sites;
    return true;
}

/* Makes regions of the blocks of a class. */
static void join_class(struct ws_runner *runner, const uint32_t *chain, uint32_t count)
{
    struct ws_paths *paths = runner->paths;
    bool open = false;
    for (uint32_t i = 0; i + 1 < count && !runner->editor->failed; i++) {
        const uint32_t from = chain[i];
        const uint32_t to = chain[i + 1];
        const bool begins = !open && !paths->done[from] && is_quiet(runner, from);
        if (!open && !has_numbers(runner))
            return;
        if (!open)
            begin_region(paths);
        if (begins)
            add_place(paths, from, 0, true);
        if (add_segment(runner, from, to)) {
            paths->done[from] = paths->done[from] || begins;
            open = true;
            if (is_quiet(runner, to) && i + 2 < count)
                continue;
            end_region(runner, to);
            open = false;
        } else if (open) {
            end_region(runner, from);
            open = false;
            i--; /* once more, in a region of its own */
        }
    }
}

/* Per class, its blocks in order: `heads` by leader and `nexts` by block. */
static void join_classes(struct ws_runner *runner)
{
    struct ws_paths *paths = runner->paths;
    const struct ws_cfg *cfg = paths->cfg;
    struct ws_arena *arena = runner->module->arena;
    uint32_t *chain = ws_arena_allocate(arena, cfg->order_count, sizeof(*chain));
    uint32_t *nexts = ws_arena_allocate(arena, cfg->block_count, sizeof(*nexts));
    uint32_t *lasts = ws_arena_allocate(arena, cfg->block_count, sizeof(*lasts));
    if (chain == NULL || nexts == NULL || lasts == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the paths of a function");
        return;
    }
    for (uint32_t b = 0; b < cfg->block_count; b++)
        nexts[b] = lasts[b] = WS_NONE;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const uint32_t leader = paths->leaders[b];
        if (lasts[leader] != WS_NONE)
            nexts[lasts[leader]] = b;
        lasts[leader] = b;
    }
    for (uint32_t i = 0; i < cfg->order_count && !runner->editor->failed; i++) {
        uint32_t count = 0;
        const uint32_t b = cfg->order[i];
        if (paths->leaders[b] != b || paths->done[b])
            continue; /* not the first of its class, or in a region around it */
        for (uint32_t at = b; at != WS_NONE; at = nexts[at])
            chain[count++] = at;
        join_class(runner, chain, count);
    }
}

/* ---- plain functions ---- */

static bool is_return(const struct ws_runner *runner, uint32_t b)
{
    const struct ws_block *block = &runner->module->blocks[runner->paths->first + b];
    const uint16_t opcode = runner->module->instructions[block->end - 1].opcode;
    return opcode == SpvOpReturn || opcode == SpvOpReturnValue;
}

/* Makes the function plain if it is. */
static bool make_plain(struct ws_runner *runner)
{
    struct ws_paths *paths = runner->paths;
    const struct ws_cfg *cfg = paths->cfg;
    struct region *region = paths->region;
    struct plain *plain = &paths->plains[paths->function];
    if (cfg->order_count > NODES_MAX || !ws_plan_has_takers(runner->plan, paths->function))
        return false;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        if (!is_quiet(runner, b) || paths->contexts[b] != paths->contexts[0] ||
            paths->loops.header_of[b] != WS_NONE ||
            (cfg->successor_first[b] == cfg->successor_first[b + 1] && !is_return(runner, b)))
            return false;
    }
    begin_region(paths);
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const bool all = paths->leaders[cfg->order[i]] == paths->leaders[0];
        add_place(paths, cfg->order[i], 0, all);
        add_calls(runner, cfg->order[i], 0, all);
    }
    if (region->full || region->bits[0] > CALLEE_BITS || !reserve_calls(runner))
        return false;
    plain->steps = ws_arena_allocate(runner->module->arena, region->step_count, sizeof(*plain->steps));
    if (plain->steps == NULL)
        return ws_editor_fail(runner->editor, "out of memory for the paths of a function");
    for (uint32_t i = 0; i < region->step_count; i++) {
        plain->steps[i] = region->steps[i];
        if (plain->steps[i].tag != WS_STEP_ALL)
            plain->steps[i].tag = WS_STEP_BIT(plain->steps[i].tag);
    }
    plain->step_count = region->step_count;
    plain->bits = region->bits[0];
    plain->is_plain = true;
    return true;
}

static void put_plain(struct ws_runner *runner)
{
    struct ws_editor *editor = runner->editor;
    const struct ws_paths *paths = runner->paths;
    const struct ws_cfg *cfg = paths->cfg;
    const struct plain *plain = &paths->plains[paths->function];
    if (plain->bits == 0)
        return;
    const uint32_t callee = ws_runner_link(runner, paths->function, WS_PRIMITIVE_PATH_LEAVE);
    const uint32_t variable = ws_runner_add_variable(runner, paths->function);
    put_bits(runner, &variable);
    for (uint32_t b = 0; b < cfg->block_count && callee != 0; b++) {
        if (cfg->position[b] == WS_NONE || !is_return(runner, b))
            continue;
        const struct ws_cursor cursor = ws_cursor_block_end(runner->module, paths->first + b);
        const uint32_t argument = load(editor, cursor, variable);
        ws_link_call(editor, cursor, callee, &argument, 1);
    }
}

/* Puts the record of a call of a plain function behind it. */
static void put_call(struct ws_runner *runner, uint32_t block, uint32_t instruction)
{
    const struct plain *callee = plain_callee(runner, &runner->module->instructions[instruction]);
    const struct ws_cursor cursor = ws_cursor_after(runner->module, instruction);
    uint32_t word = 0;
    if (callee == NULL || callee->step_count == 0)
        return;
    if (callee->bits == 0 && !has_numbers(runner)) {
        for (uint32_t i = 0; i < callee->step_count; i++)
            put_place(runner, cursor, callee->steps[i].number);
        return;
    }
    const uint32_t number = add_sites(runner, block, ws_plan_offset(runner->plan, instruction), callee->steps,
                                      callee->step_count, callee->bits > 0, callee->bits > 0);
    if (callee->bits > 0) {
        const uint32_t take = ws_runner_link(runner, runner->paths->function, WS_PRIMITIVE_PATH_TAKE);
        word = take != 0 ? ws_link_call(runner->editor, cursor, take, NULL, 0) : 0;
    }
    put_path(runner, cursor, number, &word, callee->bits > 0);
}

/* ---- all functions ---- */

/* A region of a block that is in none, with its plain calls. */
static void put_alone(struct ws_runner *runner, uint32_t b)
{
    struct ws_paths *paths = runner->paths;
    if (!is_quiet(runner, b) || !has_numbers(runner))
        return;
    begin_region(paths);
    if (!paths->done[b])
        add_place(paths, b, 0, true);
    end_region(runner, b);
    paths->done[b] = true;
}

/* Puts what is in no region. `joins`: what stands in one block is put as one. */
static void put_rest(struct ws_runner *runner, bool joins)
{
    const struct ws_paths *paths = runner->paths;
    const struct ws_cfg *cfg = paths->cfg;
    for (uint32_t i = 0; i < cfg->order_count; i++) {
        const uint32_t b = cfg->order[i];
        const struct ws_block *block = &runner->module->blocks[paths->first + b];
        if (joins && !paths->called[b])
            put_alone(runner, b);
        if (!paths->done[b] && paths->numbers[paths->first + b] != WS_NONE)
            put_place(runner, begin_of(runner, b), paths->numbers[paths->first + b]);
        for (uint32_t j = block->first; j < block->end && !paths->called[b]; j++)
            put_call(runner, paths->first + b, j);
    }
}

/* Allocates what is known of the blocks of a function. */
static bool begin_function(struct ws_runner *runner, uint32_t function)
{
    struct ws_paths *paths = runner->paths;
    struct ws_arena *arena = runner->module->arena;
    const struct ws_cfg *cfg = &runner->plan->cfgs[function];
    struct ws_error error;
    paths->function = function;
    paths->first = runner->module->functions[function].block_first;
    paths->cfg = cfg;
    paths->leaders = runner->plan->functions[function].leaders;
    paths->stamp = paths->mark = 0;
    paths->contexts = ws_equivalence_contexts(arena, runner->module, function, cfg,
                                              runner->plan->calls.block_parts, &error);
    paths->done = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->done));
    paths->called = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->called));
    paths->tags = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->tags));
    paths->steps = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->steps));
    paths->bit_stamps = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->bit_stamps));
    paths->marks = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->marks));
    paths->loop_marks = ws_arena_allocate(arena, cfg->block_count, sizeof(*paths->loop_marks));
    if (paths->contexts == NULL || paths->done == NULL || paths->called == NULL || paths->tags == NULL ||
        paths->steps == NULL || paths->bit_stamps == NULL || paths->marks == NULL ||
        paths->loop_marks == NULL ||
        !ws_loops_find(&paths->loops, arena, runner->module, function, cfg, &error) ||
        (paths->loops.count > 0 && !ws_trips_init(&paths->trips, arena, runner->module, function, cfg)))
        return ws_editor_fail(runner->editor, "out of memory for the paths of a function");
    paths->turns = ws_arena_allocate(arena, paths->loops.count, sizeof(*paths->turns));
    return paths->turns != NULL ||
           ws_editor_fail(runner->editor, "out of memory for the paths of a function");
}

/* Whether records of blocks of the function may be put as one. Probes append by themselves, and options.per_block is for
 * devices whose lanes do not meet where the rule of classes expects them. */
static bool may_join(const struct ws_runner *runner)
{
    return !runner->options->per_block && runner->options->probe_count == 0 &&
           runner->paths->loops.left_out == 0;
}

static void put_function(struct ws_runner *runner, uint32_t function)
{
    memset(runner->primitives, 0, sizeof(runner->primitives));
    if (!begin_function(runner, function))
        return;
    const bool joins = may_join(runner);
    if (joins) {
        if (make_plain(runner)) {
            put_plain(runner);
            return;
        }
        if (runner->editor->failed)
            return;
        join_classes(runner);
    }
    put_rest(runner, joins);
}

void ws_paths_put(struct ws_runner *runner)
{
    struct ws_paths *paths = runner->paths;
    struct ws_arena *arena = runner->module->arena;
    bool any = false;
    for (uint32_t b = 0; b < runner->module->block_count && !any; b++)
        any = paths->numbers[b] != WS_NONE;
    if (!any || runner->editor->failed)
        return;
    paths->plains = ws_arena_allocate(arena, runner->module->function_count, sizeof(*paths->plains));
    paths->region = ws_arena_allocate(arena, 1, sizeof(*paths->region));
    if (paths->plains == NULL || paths->region == NULL) {
        ws_editor_fail(runner->editor, "out of memory for the paths of a module");
        return;
    }
    /* What is called comes first. */
    for (uint32_t i = runner->module->function_count; i-- > 0 && !runner->editor->failed;) {
        const uint32_t function = runner->plan->calls.by_rank[i];
        if (runner->rows[function].walked && runner->plan->functions[function].refusal == NULL)
            put_function(runner, function);
    }
}
