/* Random structured programs, run lane by lane in a small model of SIMT execution: blocks that are put into
 * one class must have been run by the same sets of lanes. And classes by their definition, in quadratic time.
 *
 * The model: lanes that part at a header meet again at its merge block or continue target, never anywhere
 * else (so not where one switch case falls into another); after a callable shader was executed they come
 * back in two groups that never meet again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "arena.h"
#include "calls.h"
#include "cycles.h"
#include "equivalence.h"
#include "flow.h"

#define PROGRAMS         1500
#define RUNS_PER_PROGRAM 4
#define FUNCTIONS        3
#define BLOCKS_MAX       64
#define BLOCKS_WANTED    24 /* a function grows no new constructs beyond */
#define LANES            16
#define STEPS_MAX        4000
#define STOPS_MAX        128
#define NEVER            UINT32_MAX

static uint64_t random_state;

static uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

static uint64_t mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* ---- making programs ---- */

struct maker {
    struct flow_block blocks[BLOCKS_MAX];
    uint32_t count;
    uint32_t sequence[BLOCKS_MAX]; /* blocks in the order in which they are to be written */
    uint32_t written;
    uint32_t function;
    enum flow_stage stage;
    bool splits; /* it has loops or falls through cases: not all mask contexts are the same */
};

/* Where `break` and `continue` lead; 0 = nowhere. */
struct targets {
    uint32_t loop_break;
    uint32_t loop_continue;
};

static uint32_t new_block(struct maker *maker)
{
    assert_true(maker->count < BLOCKS_MAX);
    maker->blocks[maker->count] = (struct flow_block){.end = FLOW_RETURN};
    return maker->count++;
}

static void begin_block(struct maker *maker, uint32_t block)
{
    maker->sequence[maker->written++] = block;
    struct flow_block *self = &maker->blocks[block];
    switch (random_below(14)) {
    case 0:
        if (maker->function + 1 < FUNCTIONS) {
            self->body = FLOW_CALL;
            self->callee = maker->function + 1 + random_below(FUNCTIONS - maker->function - 1);
        }
        break;
    case 1:
        if (random_below(2) == 0) {
            self->body = maker->stage == FLOW_FRAGMENT ? FLOW_DEMOTE : FLOW_CALLABLE;
        }
        break;
    default: break;
    }
}

static void go(struct maker *maker, uint32_t from, uint32_t to)
{
    maker->blocks[from].end = FLOW_GO;
    maker->blocks[from].to[0] = to;
}

static void branch(struct maker *maker, uint32_t from, uint32_t a, uint32_t b)
{
    const bool swap = random_below(2) == 0;
    maker->blocks[from].end = FLOW_IF;
    maker->blocks[from].to[0] = swap ? b : a;
    maker->blocks[from].to[1] = swap ? a : b;
}

static uint32_t make_statements(struct maker *maker, uint32_t open, uint32_t depth, struct targets targets);

/* Ends the open block, if any, in `next` unless it ends otherwise. */
static void make_body(struct maker *maker, uint32_t block, uint32_t depth, struct targets targets,
                      uint32_t next)
{
    begin_block(maker, block);
    const uint32_t open = make_statements(maker, block, depth, targets);
    if (open == NEVER) {
        return;
    }
    switch (random_below(12)) {
    case 0: maker->blocks[open].end = FLOW_RETURN; break;
    case 1: maker->blocks[open].end = maker->stage == FLOW_FRAGMENT ? FLOW_KILL : FLOW_RETURN; break;
    case 2: go(maker, open, targets.loop_break != 0 ? targets.loop_break : next); break;
    case 3: go(maker, open, targets.loop_continue != 0 ? targets.loop_continue : next); break;
    default: go(maker, open, next); break;
    }
}

static uint32_t make_if(struct maker *maker, uint32_t open, uint32_t depth, struct targets targets)
{
    const uint32_t merge = new_block(maker);
    const uint32_t then = new_block(maker);
    const uint32_t other = random_below(2) == 0 ? merge : new_block(maker);
    maker->blocks[open].merge = merge;
    branch(maker, open, then, other);
    make_body(maker, then, depth, targets, merge);
    if (other != merge) {
        make_body(maker, other, depth, targets, merge);
    }
    begin_block(maker, merge);
    return merge;
}

static uint32_t make_switch(struct maker *maker, uint32_t open, uint32_t depth, struct targets targets)
{
    const uint32_t merge = new_block(maker);
    const uint32_t case_count = 1 + random_below(3);
    struct flow_block *header = &maker->blocks[open];
    header->end = FLOW_SWITCH;
    header->merge = merge;
    uint32_t cases[4];
    for (uint32_t i = 0; i < case_count; i++) {
        cases[i] = new_block(maker);
        header->to[1 + i] = cases[i];
    }
    header->to[0] = random_below(2) == 0 ? merge : cases[random_below(case_count)];
    for (uint32_t i = 0; i < case_count; i++) {
        const bool falls = i + 1 < case_count && random_below(2) == 0;
        maker->splits = maker->splits || falls;
        make_body(maker, cases[i], depth, targets, falls ? cases[i + 1] : merge);
    }
    begin_block(maker, merge);
    return merge;
}

static uint32_t make_loop(struct maker *maker, uint32_t open, uint32_t depth)
{
    const uint32_t header = new_block(maker);
    const uint32_t merge = new_block(maker);
    maker->splits = true;
    go(maker, open, header);
    begin_block(maker, header);
    maker->blocks[header].merge = merge;
    if (random_below(6) == 0) {
        maker->blocks[header].next = header;
        branch(maker, header, header, merge);
    } else {
        const uint32_t next = new_block(maker);
        const uint32_t body = new_block(maker);
        const struct targets targets = {merge, next};
        maker->blocks[header].next = next;
        if (random_below(3) == 0) {
            go(maker, header, body);
        } else {
            branch(maker, header, body, merge);
        }
        make_body(maker, body, depth, targets, next);
        begin_block(maker, next);
        if (random_below(3) == 0) {
            branch(maker, next, header, merge);
        } else {
            go(maker, next, header);
        }
    }
    begin_block(maker, merge);
    return merge;
}

/* `if (...) break;` or `if (...) continue;` in a loop */
static uint32_t make_leave(struct maker *maker, uint32_t open, struct targets targets)
{
    const uint32_t rest = new_block(maker);
    branch(maker, open, random_below(2) == 0 ? targets.loop_break : targets.loop_continue, rest);
    begin_block(maker, rest);
    return rest;
}

/* Statements that begin in the open block; returns the block that is open behind them. */
static uint32_t make_statements(struct maker *maker, uint32_t open, uint32_t depth, struct targets targets)
{
    for (uint32_t i = random_below(4); i > 0 && depth > 0 && maker->count < BLOCKS_WANTED; i--) {
        switch (random_below(6)) {
        case 0:
        case 1: open = make_if(maker, open, depth - 1, targets); break;
        case 2: open = make_switch(maker, open, depth - 1, targets); break;
        case 3: open = make_loop(maker, open, depth - 1); break;
        case 4:
            if (targets.loop_break != 0) {
                open = make_leave(maker, open, targets);
                break;
            }
            /* fallthrough */
        default: {
            const uint32_t next = new_block(maker);
            go(maker, open, next);
            begin_block(maker, next);
            open = next;
        }
        }
    }
    return open;
}

/* Renames the blocks by the order in which they are to be written. */
static void order_blocks(struct maker *maker)
{
    uint32_t names[BLOCKS_MAX];
    struct flow_block blocks[BLOCKS_MAX];
    assert_int_equal(maker->written, maker->count);
    for (uint32_t i = 0; i < maker->count; i++) {
        names[maker->sequence[i]] = i;
    }
    for (uint32_t i = 0; i < maker->count; i++) {
        struct flow_block *block = &maker->blocks[maker->sequence[i]];
        for (uint32_t j = 0; j < FLOW_TARGETS; j++) {
            block->to[j] = names[block->to[j]];
        }
        block->merge = names[block->merge];
        block->next = names[block->next];
        blocks[i] = *block;
    }
    memcpy(maker->blocks, blocks, sizeof(blocks));
}

static void make_function(struct maker *maker, uint32_t function, enum flow_stage stage)
{
    *maker = (struct maker){.function = function, .stage = stage};
    const uint32_t first = new_block(maker);
    begin_block(maker, first);
    make_statements(maker, first, 4, (struct targets){0, 0});
    order_blocks(maker);
}

/* ---- running programs ---- */

struct machine {
    const struct maker *functions;
    uint64_t seed;
    uint32_t steps;
    uint32_t alive;
    uint32_t helpers;
    uint64_t group[LANES]; /* lanes of different groups never meet again */
    uint32_t visits[LANES];
    uint64_t masks[FUNCTIONS][BLOCKS_MAX]; /* sum over executions of a hash of the mask */
};

/* One call of a function. Lanes that reach a stop wait there. */
struct frame {
    uint32_t function;
    uint32_t stops[STOPS_MAX];
    uint32_t stop_count;
    uint32_t at[LANES]; /* where a lane waits; NEVER = it returned */
};

static void run(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask);

static const struct flow_block *block_of(const struct machine *machine, const struct frame *frame,
                                         uint32_t block)
{
    return &machine->functions[frame->function].blocks[block];
}

static uint32_t lanes_at(const struct machine *machine, const struct frame *frame, uint32_t mask,
                         uint32_t block)
{
    uint32_t lanes = 0;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if ((mask >> lane & 1) != 0 && frame->at[lane] == block) {
            lanes |= 1u << lane;
        }
    }
    return lanes & machine->alive;
}

/* Runs on from a place where lanes meet: those of one group together. */
static void run_groups(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    while (mask != 0) {
        uint32_t together = 0;
        const uint32_t first = (uint32_t)__builtin_ctz(mask);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if ((mask >> lane & 1) != 0 && machine->group[lane] == machine->group[first]) {
                together |= 1u << lane;
            }
        }
        mask &= ~together;
        run(machine, frame, block, together);
    }
}

static void call(struct machine *machine, uint32_t function, uint32_t mask)
{
    struct frame frame = {.function = function};
    run(machine, &frame, 0, mask);
}

/* Which target a lane takes. */
static uint32_t choose(struct machine *machine, const struct frame *frame, uint32_t block, uint32_t lane)
{
    const struct flow_block *self = block_of(machine, frame, block);
    uint32_t count = 1;
    if (self->end == FLOW_IF) {
        count = 2;
    } else if (self->end == FLOW_SWITCH) {
        while (count < FLOW_TARGETS && self->to[count] != 0) {
            count++;
        }
    }
    const uint64_t hash =
        mix(machine->seed ^ mix((uint64_t)lane << 40 | block << 20 | machine->visits[lane]++));
    return self->to[hash % count];
}

/* Lanes leave a block by its terminator, each set to its target on its own, until they wait somewhere. */
static void leave(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    uint32_t targets[LANES];
    if (block_of(machine, frame, block)->end == FLOW_KILL) {
        machine->alive &= ~mask;
        return;
    }
    if (block_of(machine, frame, block)->end == FLOW_RETURN) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            frame->at[lane] = (mask >> lane & 1) != 0 ? NEVER : frame->at[lane];
        }
        return;
    }
    for (uint32_t lane = 0; lane < LANES; lane++) {
        targets[lane] = (mask >> lane & 1) != 0 ? choose(machine, frame, block, lane) : NEVER;
    }
    while (mask != 0) {
        const uint32_t target = targets[__builtin_ctz(mask)];
        uint32_t together = 0;
        for (uint32_t lane = 0; lane < LANES; lane++) {
            together |= (mask >> lane & 1) != 0 && targets[lane] == target ? 1u << lane : 0;
        }
        mask &= ~together;
        run(machine, frame, target, together);
    }
}

/* Counts a block and does what is in it; afterwards lanes may be of different groups. */
static void enter(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    const struct flow_block *self = block_of(machine, frame, block);
    if ((mask & ~machine->helpers) != 0) {
        machine->masks[frame->function][block] += mix((mask & ~machine->helpers) + 1);
    }
    machine->steps++;
    if (self->body == FLOW_CALL) {
        call(machine, self->callee, mask);
    } else if (self->body == FLOW_DEMOTE) {
        machine->helpers |= mask;
    } else if (self->body == FLOW_CALLABLE) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if ((mask >> lane & 1) != 0) {
                const uint64_t side = mix(machine->seed + lane + machine->steps) & 1;
                machine->group[lane] = mix(machine->group[lane] + 2 * (uint64_t)machine->steps + side);
            }
        }
    }
}

static void leave_groups(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    mask &= machine->alive;
    while (mask != 0) {
        uint32_t together = 0;
        const uint32_t first = (uint32_t)__builtin_ctz(mask);
        for (uint32_t lane = 0; lane < LANES; lane++) {
            if ((mask >> lane & 1) != 0 && machine->group[lane] == machine->group[first]) {
                together |= 1u << lane;
            }
        }
        mask &= ~together;
        leave(machine, frame, block, together);
    }
}

/* All iterations of a loop, until no lane is left in it. */
static void run_loop(struct machine *machine, struct frame *frame, uint32_t header, uint32_t mask)
{
    const struct flow_block *self = block_of(machine, frame, header);
    const uint32_t all = mask;
    assert_true(frame->stop_count + 3 < STOPS_MAX);
    frame->stops[frame->stop_count++] = self->merge;
    frame->stops[frame->stop_count++] = header;
    while (mask != 0 && machine->steps < STEPS_MAX) {
        uint32_t round = mask;
        frame->stops[frame->stop_count++] = self->next;
        for (uint32_t rest = round; rest != 0;) {
            uint32_t together = 0;
            const uint32_t first = (uint32_t)__builtin_ctz(rest);
            for (uint32_t lane = 0; lane < LANES; lane++) {
                together |=
                    (rest >> lane & 1) != 0 && machine->group[lane] == machine->group[first] ? 1u << lane : 0;
            }
            rest &= ~together;
            enter(machine, frame, header, together);
            leave_groups(machine, frame, header, together);
        }
        frame->stop_count--;
        if (self->next != header) {
            run_groups(machine, frame, self->next, lanes_at(machine, frame, round, self->next));
        }
        mask = lanes_at(machine, frame, round, header);
    }
    frame->stop_count -= 2;
    run_groups(machine, frame, self->merge, lanes_at(machine, frame, all, self->merge));
}

static void run(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    mask &= machine->alive;
    if (mask == 0 || machine->steps >= STEPS_MAX) {
        return;
    }
    for (uint32_t i = 0; i < frame->stop_count; i++) {
        if (frame->stops[i] == block) {
            for (uint32_t lane = 0; lane < LANES; lane++) {
                frame->at[lane] = (mask >> lane & 1) != 0 ? block : frame->at[lane];
            }
            return;
        }
    }
    const struct flow_block *self = block_of(machine, frame, block);
    if (self->next != 0) {
        run_loop(machine, frame, block, mask);
        return;
    }
    enter(machine, frame, block, mask);
    if (self->merge == 0) {
        leave_groups(machine, frame, block, mask);
        return;
    }
    assert_true(frame->stop_count + 1 < STOPS_MAX);
    frame->stops[frame->stop_count++] = self->merge;
    leave_groups(machine, frame, block, mask);
    frame->stop_count--;
    run_groups(machine, frame, self->merge, lanes_at(machine, frame, mask, self->merge));
}

/* ---- the definition, in quadratic time ---- */

struct reference {
    const struct maker *maker;
    bool edges[BLOCKS_MAX + 1][BLOCKS_MAX + 1]; /* the node behind the blocks is EXIT */
};

/* Whether a walk of at least one step leads from `from` to `to` without node `avoid`. */
static bool can_walk(const struct reference *reference, uint32_t from, uint32_t to, uint32_t avoid)
{
    const uint32_t count = reference->maker->count + 1;
    bool seen[BLOCKS_MAX + 1] = {false};
    uint32_t stack[BLOCKS_MAX + 2];
    uint32_t depth = 0;
    stack[depth++] = from;
    while (depth > 0) {
        const uint32_t node = stack[--depth];
        for (uint32_t next = 0; next < count; next++) {
            if (!reference->edges[node][next] || next == avoid) {
                continue;
            }
            if (next == to) {
                return true;
            }
            if (!seen[next]) {
                seen[next] = true;
                stack[depth++] = next;
            }
        }
    }
    return false;
}

static bool block_parts(const struct maker *functions, const struct flow_block *block);

static bool function_parts(const struct maker *functions, uint32_t function)
{
    struct reference plain = {.maker = &functions[function]};
    for (uint32_t b = 0; b < plain.maker->count; b++) {
        const struct flow_block *block = &plain.maker->blocks[b];
        for (uint32_t i = 0; block->end != FLOW_RETURN && block->end != FLOW_KILL && i < FLOW_TARGETS; i++) {
            plain.edges[b][block->to[i]] |= block->to[i] != 0;
        }
    }
    for (uint32_t b = 0; b < plain.maker->count; b++) {
        if ((b == 0 || can_walk(&plain, 0, b, NEVER)) && block_parts(functions, &plain.maker->blocks[b])) {
            return true;
        }
    }
    return false;
}

static bool block_parts(const struct maker *functions, const struct flow_block *block)
{
    return block->end == FLOW_KILL || block->body == FLOW_DEMOTE || block->body == FLOW_CALLABLE ||
           (block->body == FLOW_CALL && function_parts(functions, block->callee));
}

static void reference_init(struct reference *reference, const struct maker *functions, uint32_t function)
{
    *reference = (struct reference){.maker = &functions[function]};
    const uint32_t exit = reference->maker->count;
    for (uint32_t b = 0; b < exit; b++) {
        const struct flow_block *block = &reference->maker->blocks[b];
        const bool ends = block->end == FLOW_RETURN || block->end == FLOW_KILL;
        for (uint32_t i = 0; !ends && i < FLOW_TARGETS; i++) {
            reference->edges[b][block->to[i]] |= block->to[i] != 0;
        }
        reference->edges[b][exit] = ends || block_parts(functions, block);
    }
    bool endless[BLOCKS_MAX];
    for (uint32_t b = 0; b < exit; b++) {
        endless[b] = !can_walk(reference, b, exit, NEVER);
    }
    for (uint32_t b = 0; b < exit; b++) {
        reference->edges[b][exit] = reference->edges[b][exit] || endless[b];
    }
    reference->edges[exit][0] = true;
}

static void check_definition(const struct maker *functions, uint32_t function, const uint32_t *leaders)
{
    struct reference reference;
    reference_init(&reference, functions, function);
    const uint32_t exit = functions[function].count;
    bool one_context = !functions[function].splits;
    for (uint32_t b = 0; b < exit; b++) {
        one_context = one_context && !block_parts(functions, &functions[function].blocks[b]);
    }
    for (uint32_t a = 0; a < exit; a++) {
        const bool reached = a == 0 || can_walk(&reference, exit, a, NEVER);
        assert_int_equal(reached, leaders[a] != WS_NONE);
        for (uint32_t b = 0; b < a && reached; b++) {
            if (leaders[b] == WS_NONE) {
                continue;
            }
            const bool same = !can_walk(&reference, a, a, b) && !can_walk(&reference, b, b, a);
            if (leaders[a] == leaders[b]) {
                assert_true(same);
            } else if (one_context) {
                assert_false(same);
            }
        }
    }
}

/* ---- the tests ---- */

static uint32_t parts_count;

/* Runs a program on several inputs and compares the blocks of each class. */
static void check_runs(const struct maker *functions, uint32_t *const *leaders)
{
    for (uint32_t input = 0; input < RUNS_PER_PROGRAM; input++) {
        static struct machine machine;
        memset(&machine, 0, sizeof(machine));
        machine.functions = functions;
        machine.seed = mix(random_state + input);
        machine.alive = input == 0 ? 1 : (1u << LANES) - 1;
        call(&machine, 0, machine.alive);
        if (machine.steps >= STEPS_MAX) {
            continue; /* it would not end, or hardly */
        }
        for (uint32_t f = 0; f < FUNCTIONS; f++) {
            for (uint32_t b = 0; b < functions[f].count; b++) {
                const uint32_t leader = leaders[f][b];
                if (leader == WS_NONE) {
                    assert_true(machine.masks[f][b] == 0);
                } else if (machine.masks[f][b] != machine.masks[f][leader]) {
                    fail_msg("function %u: block %u and its leader %u differ", f, b, leader);
                }
            }
        }
        parts_count++;
    }
}

static void test_random_programs(void **state)
{
    (void)state;
    static struct maker functions[FUNCTIONS];
    uint32_t valid = 0;
    for (uint32_t program = 0; program < PROGRAMS; program++) {
        random_state = mix(program + 1);
        const enum flow_stage stage = program % 2 == 0 ? FLOW_FRAGMENT : FLOW_RAYGEN;
        struct flow_function flows[FUNCTIONS];
        for (uint32_t f = 0; f < FUNCTIONS; f++) {
            make_function(&functions[f], f, stage);
            flows[f] = (struct flow_function){functions[f].blocks, functions[f].count};
        }
        size_t word_count = 0;
        uint32_t *words = flow_assemble(flows, FUNCTIONS, stage, program % 3 == 0 ? 64 : 32, &word_count);
        struct ws_arena *arena = ws_arena_create();
        if (flow_is_valid(words, word_count)) {
            struct ws_module module;
            struct ws_cfg cfgs[FUNCTIONS];
            struct ws_calls calls;
            struct ws_error error = {0};
            uint32_t *leaders[FUNCTIONS];
            valid++;
            assert_true(ws_module_parse(&module, arena, words, word_count, &error));
            for (uint32_t f = 0; f < FUNCTIONS; f++) {
                assert_true(ws_cfg_build(&cfgs[f], arena, &module, f, &error));
            }
            assert_true(ws_calls_build(&calls, arena, &module, cfgs, &error));
            for (uint32_t f = 0; f < FUNCTIONS; f++) {
                leaders[f] = ws_equivalence_find(arena, &module, f, &cfgs[f], calls.block_parts, &error);
                assert_non_null(leaders[f]);
                check_definition(functions, f, leaders[f]);
            }
            check_runs(functions, leaders);
        }
        ws_arena_destroy(arena);
        free(words);
    }
    print_message("%u of %u programs valid, %u runs that ended\n", valid, PROGRAMS, parts_count);
    assert_true(valid > PROGRAMS / 2);
    assert_true(parts_count > PROGRAMS);
}

/* Cycle equivalence on graphs without any structure. */
static void test_random_graphs(void **state)
{
    (void)state;
    static struct maker nodes;
    for (uint32_t graph = 0; graph < 2000; graph++) {
        random_state = mix(graph + 1000000);
        static struct reference reference;
        struct ws_edge edges[128];
        uint32_t classes[128];
        memset(&reference, 0, sizeof(reference));
        const uint32_t count = 2 + random_below(8); /* each node is split in two: begin 2n, end 2n + 1 */
        nodes.count = count - 1;
        reference.maker = &nodes;
        uint32_t edge_count = 0;
        for (uint32_t node = 0; node < count; node++) {
            edges[edge_count++] = (struct ws_edge){2 * node, 2 * node + 1};
        }
        for (uint32_t node = 0; node < count + random_below(2 * count); node++) {
            /* A ring first, so that every node reaches every other, then anything. */
            const uint32_t from = node < count ? node : random_below(count);
            const uint32_t to = node < count ? (node + 1) % count : random_below(count);
            reference.edges[from][to] = true;
            edges[edge_count++] = (struct ws_edge){2 * from + 1, 2 * to};
        }
        struct ws_arena *arena = ws_arena_create();
        assert_true(ws_cycles_classify(arena, 2 * count, edges, edge_count, classes));
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = 0; b < a; b++) {
                const bool same = !can_walk(&reference, a, a, b) && !can_walk(&reference, b, b, a);
                assert_int_equal(same, classes[a] == classes[b]);
            }
        }
        ws_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_graphs),
        cmocka_unit_test(test_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
