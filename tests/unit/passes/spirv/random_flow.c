#include "tests/unit/passes/spirv/random_flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define BLOCKS_WANTED 24 /* a function grows no new constructs beyond */
#define STEPS_MAX     4000
#define STOPS_MAX     128
#define NEVER         UINT32_MAX

static uint64_t random_state;

uint32_t random_below(uint32_t bound)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % bound);
}

uint64_t random_mix(uint64_t value)
{
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
    value = (value ^ value >> 27) * 0x94d049bb133111ebu;
    return value ^ value >> 31;
}

/* ---- making programs ---- */

/* Where `break` and `continue` lead; 0 = nowhere. */
struct targets {
    uint32_t loop_break;
    uint32_t loop_continue;
};

static uint32_t new_block(struct random_function *maker)
{
    assert_true(maker->count < RANDOM_BLOCKS_MAX);
    maker->blocks[maker->count] = (struct flow_block){.end = FLOW_RETURN};
    return maker->count++;
}

static void begin_block(struct random_function *maker, uint32_t block)
{
    maker->sequence[maker->written++] = block;
    struct flow_block *self = &maker->blocks[block];
    switch (random_below(14)) {
    case 0:
        if (maker->function + 1 < RANDOM_FUNCTIONS) {
            self->body = FLOW_CALL;
            self->callee = maker->function + 1 + random_below(RANDOM_FUNCTIONS - maker->function - 1);
        }
        break;
    case 1:
        if (random_below(2) == 0)
            self->body = maker->stage == FLOW_FRAGMENT ? FLOW_DEMOTE : FLOW_CALLABLE;
        break;
    default: break;
    }
}

static void go(struct random_function *maker, uint32_t from, uint32_t to)
{
    maker->blocks[from].end = FLOW_GO;
    maker->blocks[from].to[0] = to;
}

static void branch(struct random_function *maker, uint32_t from, uint32_t a, uint32_t b)
{
    const bool swap = random_below(2) == 0;
    maker->blocks[from].end = FLOW_IF;
    maker->blocks[from].to[0] = swap ? b : a;
    maker->blocks[from].to[1] = swap ? a : b;
}

static uint32_t make_statements(struct random_function *maker, uint32_t open, uint32_t depth,
                                struct targets targets);

/* Ends the open block, if any, in `next` unless it ends otherwise. */
static void make_body(struct random_function *maker, uint32_t block, uint32_t depth, struct targets targets,
                      uint32_t next)
{
    begin_block(maker, block);
    const uint32_t open = make_statements(maker, block, depth, targets);
    if (open == NEVER)
        return;
    switch (random_below(12)) {
    case 0: maker->blocks[open].end = FLOW_RETURN; break;
    case 1: maker->blocks[open].end = maker->stage == FLOW_FRAGMENT ? FLOW_KILL : FLOW_RETURN; break;
    case 2: go(maker, open, targets.loop_break != 0 ? targets.loop_break : next); break;
    case 3: go(maker, open, targets.loop_continue != 0 ? targets.loop_continue : next); break;
    default: go(maker, open, next); break;
    }
}

static uint32_t make_if(struct random_function *maker, uint32_t open, uint32_t depth, struct targets targets)
{
    const uint32_t merge = new_block(maker);
    const uint32_t then = new_block(maker);
    const uint32_t other = random_below(2) == 0 ? merge : new_block(maker);
    maker->blocks[open].merge = merge;
    branch(maker, open, then, other);
    make_body(maker, then, depth, targets, merge);
    if (other != merge)
        make_body(maker, other, depth, targets, merge);
    begin_block(maker, merge);
    return merge;
}

static uint32_t make_switch(struct random_function *maker, uint32_t open, uint32_t depth,
                            struct targets targets)
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

static uint32_t make_loop(struct random_function *maker, uint32_t open, uint32_t depth)
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
        if (random_below(3) == 0)
            go(maker, header, body);
        else
            branch(maker, header, body, merge);
        make_body(maker, body, depth, targets, next);
        begin_block(maker, next);
        if (random_below(3) == 0)
            branch(maker, next, header, merge);
        else
            go(maker, next, header);
    }
    begin_block(maker, merge);
    return merge;
}

/* `if (...) break;` or `if (...) continue;` in a loop */
static uint32_t make_leave(struct random_function *maker, uint32_t open, struct targets targets)
{
    const uint32_t rest = new_block(maker);
    branch(maker, open, random_below(2) == 0 ? targets.loop_break : targets.loop_continue, rest);
    begin_block(maker, rest);
    return rest;
}

/* Statements that begin in the open block; returns the block that is open behind them. */
static uint32_t make_statements(struct random_function *maker, uint32_t open, uint32_t depth,
                                struct targets targets)
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
static void order_blocks(struct random_function *maker)
{
    uint32_t names[RANDOM_BLOCKS_MAX];
    struct flow_block blocks[RANDOM_BLOCKS_MAX];
    assert_int_equal(maker->written, maker->count);
    for (uint32_t i = 0; i < maker->count; i++)
        names[maker->sequence[i]] = i;
    for (uint32_t i = 0; i < maker->count; i++) {
        struct flow_block *block = &maker->blocks[maker->sequence[i]];
        for (uint32_t j = 0; j < FLOW_TARGETS; j++)
            block->to[j] = names[block->to[j]];
        block->merge = names[block->merge];
        block->next = names[block->next];
        blocks[i] = *block;
    }
    memcpy(maker->blocks, blocks, sizeof(blocks));
}

static void make_function(struct random_function *maker, uint32_t function, enum flow_stage stage)
{
    *maker = (struct random_function){.function = function, .stage = stage};
    const uint32_t first = new_block(maker);
    begin_block(maker, first);
    make_statements(maker, first, 4, (struct targets){0, 0});
    order_blocks(maker);
}

/* ---- running programs ---- */

struct machine {
    const struct random_function *functions;
    uint64_t seed;
    uint32_t steps;
    uint32_t alive;
    uint32_t helpers;
    uint64_t group[RANDOM_LANES]; /* lanes of different groups never meet again */
    uint32_t visits[RANDOM_LANES];
    const struct random_watch *watch;
    bool meets; /* pieces that a warp came back in from a callable shader are one again where lanes meet */
};

/* One call of a function. Lanes that reach a stop wait there. */
struct frame {
    uint32_t function;
    uint32_t stops[STOPS_MAX];
    uint32_t stop_count;
    uint32_t at[RANDOM_LANES]; /* where a lane waits; NEVER = it returned */
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
    for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
        if ((mask >> lane & 1) != 0 && frame->at[lane] == block)
            lanes |= 1u << lane;
    return lanes & machine->alive;
}

/* Lanes are where lanes meet. */
static void meet(struct machine *machine, uint32_t mask)
{
    for (uint32_t lane = 0; lane < RANDOM_LANES && machine->meets; lane++)
        if ((mask >> lane & 1) != 0)
            machine->group[lane] = machine->group[__builtin_ctz(mask)];
}

/* Runs on from a place where lanes meet: those of one group together. */
static void run_groups(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    meet(machine, mask);
    while (mask != 0) {
        uint32_t together = 0;
        const uint32_t first = (uint32_t)__builtin_ctz(mask);
        for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
            if ((mask >> lane & 1) != 0 && machine->group[lane] == machine->group[first])
                together |= 1u << lane;
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
    if (self->end == FLOW_IF)
        count = 2;
    else if (self->end == FLOW_SWITCH)
        while (count < FLOW_TARGETS && self->to[count] != 0)
            count++;
    const uint64_t hash =
        random_mix(machine->seed ^ random_mix((uint64_t)lane << 40 | block << 20 | machine->visits[lane]++));
    return self->to[hash % count];
}

/* Tells who watches of the lanes that count. */
static void come(const struct machine *machine, const struct frame *frame, enum random_place place,
                 uint32_t block, uint32_t mask)
{
    if ((mask & ~machine->helpers) != 0)
        machine->watch->come(machine->watch->user, place, frame->function, block, mask & ~machine->helpers);
}

/* Lanes leave a block by its terminator, each set to its target on its own, until they wait somewhere. */
static void leave(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    uint32_t targets[RANDOM_LANES];
    if (block_of(machine, frame, block)->end == FLOW_KILL) {
        come(machine, frame, RANDOM_END, block, mask);
        machine->alive &= ~mask;
        return;
    }
    if (block_of(machine, frame, block)->end == FLOW_RETURN) {
        if (frame->function == 0)
            come(machine, frame, RANDOM_END, block, mask);
        for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
            frame->at[lane] = (mask >> lane & 1) != 0 ? NEVER : frame->at[lane];
        return;
    }
    for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
        targets[lane] = (mask >> lane & 1) != 0 ? choose(machine, frame, block, lane) : NEVER;
    while (mask != 0) {
        const uint32_t target = targets[__builtin_ctz(mask)];
        uint32_t together = 0;
        for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
            together |= (mask >> lane & 1) != 0 && targets[lane] == target ? 1u << lane : 0;
        mask &= ~together;
        run(machine, frame, target, together);
    }
}

/* Begins a block and does what is in it; afterwards lanes may be of different groups. */
static void enter(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    const struct flow_block *self = block_of(machine, frame, block);
    come(machine, frame, RANDOM_BLOCK, block, mask);
    come(machine, frame, RANDOM_BEFORE, block, mask);
    machine->steps++;
    if (self->body == FLOW_CALL) {
        call(machine, self->callee, mask);
    } else if (self->body == FLOW_DEMOTE) {
        machine->helpers |= mask;
    } else if (self->body == FLOW_CALLABLE) {
        for (uint32_t lane = 0; lane < RANDOM_LANES; lane++) {
            if ((mask >> lane & 1) != 0) {
                const uint64_t side = random_mix(machine->seed + lane + machine->steps) & 1;
                machine->group[lane] = random_mix(machine->group[lane] + 2 * (uint64_t)machine->steps + side);
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
        for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
            if ((mask >> lane & 1) != 0 && machine->group[lane] == machine->group[first])
                together |= 1u << lane;
        mask &= ~together;
        come(machine, frame, RANDOM_AFTER, block, together);
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
        meet(machine, round);
        for (uint32_t rest = round; rest != 0;) {
            uint32_t together = 0;
            const uint32_t first = (uint32_t)__builtin_ctz(rest);
            for (uint32_t lane = 0; lane < RANDOM_LANES; lane++) {
                together |=
                    (rest >> lane & 1) != 0 && machine->group[lane] == machine->group[first] ? 1u << lane : 0;
            }
            rest &= ~together;
            enter(machine, frame, header, together);
            leave_groups(machine, frame, header, together);
        }
        frame->stop_count--;
        if (self->next != header)
            run_groups(machine, frame, self->next, lanes_at(machine, frame, round, self->next));
        mask = lanes_at(machine, frame, round, header);
    }
    frame->stop_count -= 2;
    run_groups(machine, frame, self->merge, lanes_at(machine, frame, all, self->merge));
}

static void run(struct machine *machine, struct frame *frame, uint32_t block, uint32_t mask)
{
    mask &= machine->alive;
    if (mask == 0 || machine->steps >= STEPS_MAX)
        return;
    for (uint32_t i = 0; i < frame->stop_count; i++) {
        if (frame->stops[i] == block) {
            for (uint32_t lane = 0; lane < RANDOM_LANES; lane++)
                frame->at[lane] = (mask >> lane & 1) != 0 ? block : frame->at[lane];
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

/* ---- both ---- */

void random_seed(uint64_t seed)
{
    random_state = random_mix(seed);
}

void random_flow_make(struct random_function functions[RANDOM_FUNCTIONS], enum flow_stage stage)
{
    for (uint32_t f = 0; f < RANDOM_FUNCTIONS; f++)
        make_function(&functions[f], f, stage);
}

bool random_flow_run(const struct random_function functions[RANDOM_FUNCTIONS], uint64_t seed, uint32_t lanes,
                     const struct random_watch *watch)
{
    static struct machine machine;
    memset(&machine, 0, sizeof(machine));
    machine.functions = functions;
    machine.seed = seed;
    machine.alive = lanes;
    machine.watch = watch;
    machine.meets = random_mix(seed + 1) % 2 == 0;
    call(&machine, 0, machine.alive);
    return machine.steps < STEPS_MAX;
}
