#include "analysis/capture/path_loop.h"

#include <stdlib.h>

/* How many turns a group has: one at least, whatever it says. */
static uint32_t turns_in(const struct ws_path_loop *loop, uint32_t group)
{
    const uint32_t bits = group != 0 ? 32 - (uint32_t)__builtin_clz(group) : 0;
    const uint32_t count = (bits + loop->turn_bits - 1) / loop->turn_bits;
    const uint32_t turns = loop->marked && count > 0 ? count - 1 : count; /* the mark stands before them */
    return turns > 0 ? turns : 1;
}

bool ws_path_loop_add(struct ws_path_loop *loop, uint32_t lane, uint32_t group, uint32_t count)
{
    if (count == 0)
        return true;
    if (loop->run_count == loop->run_capacity) {
        const uint32_t capacity = 2 * loop->run_capacity + WS_PATH_LANES;
        struct ws_path_run *runs = realloc(loop->runs, capacity * sizeof(*runs));
        if (runs == NULL)
            return false;
        loop->runs = runs;
        loop->run_capacity = capacity;
    }
    loop->runs[loop->run_count] = (struct ws_path_run){group, turns_in(loop, group), count, WS_NONE};
    struct ws_path_place *place = &loop->places[lane];
    if (ws_lanes_has(loop->active, lane))
        loop->runs[place->last].next = loop->run_count;
    else
        *place = (struct ws_path_place){.run = loop->run_count};
    place->last = loop->run_count++;
    loop->active = ws_lanes_or(loop->active, ws_lanes_one(lane));
    return true;
}

/* The bits of a group's turn `index` of `count`: the first stands highest. */
static uint32_t turn_of(const struct ws_path_loop *loop, uint32_t group, uint32_t count, uint32_t index)
{
    const uint32_t bits = group >> (count - 1 - index) * loop->turn_bits;
    return loop->turn_bits < 32 ? bits & ((1u << loop->turn_bits) - 1) : bits;
}

/* Sets the bits of a lane's turn. Turns in a row differ in few bits, so only these are looked at. */
static void set_bits(struct ws_path_loop *loop, uint32_t lane, uint64_t bits)
{
    const struct ws_lanes one = ws_lanes_one(lane);
    struct ws_path_place *place = &loop->places[lane];
    for (uint64_t changed = place->bits ^ bits; changed != 0; changed &= changed - 1) {
        struct ws_lanes *with = &loop->with[__builtin_ctzll(changed)];
        with->low ^= one.low;
        with->high ^= one.high;
    }
    place->bits = bits;
}

/* A lane comes to its next turns that are alike; without such it is active no more. They are of one group, unless all turns of
 * that are alike: then of all groups of the run. Its last turn is like no other, nor the group that it is in. */
static void begin_turns(struct ws_path_loop *loop, uint32_t lane)
{
    struct ws_path_place *place = &loop->places[lane];
    struct ws_path_run *run = &loop->runs[place->run];
    if (place->passed > 0 && place->passed == run->turns) {
        place->passed = 0;
        run->count--;
    }
    if (run->count == 0) {
        place->run = run->next;
        if (place->run == WS_NONE) {
            loop->active = ws_lanes_without(loop->active, ws_lanes_one(lane));
            set_bits(loop, lane, 0);
            return;
        }
        run = &loop->runs[place->run];
    }
    const uint32_t count = run->turns;
    const uint32_t first = place->passed;
    const bool ends = run->next == WS_NONE && run->count == 1;
    const uint32_t end = ends && first + 1 < count ? count - 1 : count;
    const uint32_t bits = turn_of(loop, run->group, count, first);
    while (place->passed < end && turn_of(loop, run->group, count, place->passed) == bits)
        place->passed++;
    set_bits(loop, lane,
             bits | (uint64_t)1 << WS_STEP_TURN | (uint64_t)(ends && end == count) << WS_STEP_LAST);
    place->left = place->passed - first;
    if (place->left == count) {
        const uint32_t alike = run->next == WS_NONE && run->count > 1 ? run->count - 1 : run->count;
        place->left *= alike;
        run->count -= alike - 1;
    }
}

void ws_path_loop_begin(struct ws_path_loop *loop)
{
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);)
        begin_turns(loop, ws_lanes_take(&left));
}

uint64_t ws_path_loop_alike(const struct ws_path_loop *loop)
{
    uint64_t least = UINT64_MAX;
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);) {
        const uint64_t count = loop->places[ws_lanes_take(&left)].left;
        least = count < least ? count : least;
    }
    return least;
}

void ws_path_loop_pass(struct ws_path_loop *loop, uint64_t turns)
{
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        loop->places[lane].left -= turns;
        if (loop->places[lane].left == 0)
            begin_turns(loop, lane);
    }
}

void ws_path_loop_lanes(const struct ws_path_loop *loop, const struct ws_path_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_lanes lanes = loop->with[WS_STEP_BIT(steps[i].tag)];
        const uint32_t base = WS_STEP_BASE(steps[i].tag);
        loop->lanes[i] = base == WS_NONE ? lanes : ws_lanes_without(loop->lanes[base - loop->first], lanes);
    }
}
