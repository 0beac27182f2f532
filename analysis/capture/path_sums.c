#include "analysis/capture/path_sums.h"

#include <stdlib.h>

#include "warpscope/capture/budget.h"

#define EIGHT      8u /* lanes that are taken at once */
#define STEP_STEPS 4u /* of the budget, for a step of a group; and as many again for each eight lanes */
#define TURNS_FREE (UINT64_C(1) << 16)

bool ws_path_sums_init(struct ws_path_sums *sums, const struct ws_path_loop *loop, uint32_t steps)
{
    const uint32_t lane_count = ws_lanes_count(loop->active);
    const uint32_t stride = ws_path_stride(lane_count);
    const size_t cells = (size_t)steps * stride;
    *sums = (struct ws_path_sums){.first = loop->first,
                                  .steps = steps,
                                  .lanes = loop->active,
                                  .lane_count = lane_count,
                                  .stride = stride,
                                  .room = UINT32_MAX};
    sums->turns = calloc(1, steps * sizeof(*sums->turns) + 2 * cells * sizeof(*sums->few));
    if (sums->turns == NULL)
        return false;
    sums->few = (uint32_t *)(sums->turns + steps);
    sums->ones = sums->few + cells;
    return true;
}

void ws_path_sums_finish(struct ws_path_sums *sums)
{
    free(sums->turns);
    free(sums->times);
}

/* Pays for work on all steps, and for turns that it stands for. */
static bool pay(const struct ws_path_sums *sums, uint64_t turns)
{
    return ws_budget_spend((sums->steps + 1) *
                           (STEP_STEPS * (1 + sums->lane_count / EIGHT) + turns / TURNS_FREE));
}

/* Makes room for so many turns, where they are added to `few`. */
static enum ws_path_result make_room(struct ws_path_sums *sums, uint64_t turns)
{
    const size_t cells = (size_t)sums->steps * sums->stride;
    if (!pay(sums, turns))
        return WS_PATH_STOPPED;
    if (turns <= sums->room) {
        sums->room -= turns;
        return WS_PATH_TOLD;
    }
    if (sums->times == NULL)
        sums->times = calloc(cells, sizeof(*sums->times));
    if (sums->times == NULL)
        return WS_PATH_FAILED;
    for (size_t i = 0; i < cells; i++) {
        sums->times[i] += sums->few[i];
        sums->few[i] = 0;
    }
    sums->room = turns <= UINT32_MAX ? UINT32_MAX - turns : 0;
    return WS_PATH_TOLD;
}

static void add_to(const struct ws_path_sums *sums, size_t cell, uint64_t turns)
{
    if (sums->times != NULL)
        sums->times[cell] += turns;
    else
        sums->few[cell] += (uint32_t)turns;
}

enum ws_path_result ws_path_sums_turns(struct ws_path_sums *sums, const struct ws_path_loop *loop,
                                       uint64_t turns)
{
    const enum ws_path_result result = make_room(sums, turns);
    for (uint32_t i = 0; i < sums->steps && result == WS_PATH_TOLD; i++) {
        size_t cell = (size_t)i * sums->stride;
        sums->turns[i] += ws_lanes_any(loop->lanes[i]) ? turns : 0;
        for (struct ws_lanes left = sums->lanes; ws_lanes_any(left); cell++)
            add_to(sums, cell, ws_lanes_has(loop->lanes[i], ws_lanes_take(&left)) ? turns : 0);
    }
    return result;
}

/* ---- by groups ---- */

/* Where a lane is in its groups. */
struct place {
    uint32_t run;  /* WS_NONE = it has no more */
    uint32_t left; /* of the groups of the run */
};

/* A group of all lanes: the first turn stands highest, also where a lane's last group is short. */
struct groups {
    uint32_t ones; /* a one for each turn, at its lowest bit */
    struct place places[WS_PATH_LANES];
    uint32_t words[WS_PATH_LANES];
    uint32_t turns[WS_PATH_LANES]; /* a one for each that the lane has */
    uint32_t last[WS_PATH_LANES];  /* for the lane's last one */
};

bool ws_path_sums_are_groups(const struct ws_path_loop *loop)
{
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);) {
        const struct ws_path_run *run = &loop->runs[loop->places[ws_lanes_take(&left)].run];
        for (; run->next != WS_NONE; run = &loop->runs[run->next])
            if (run->turns != loop->group_turns)
                return false;
        if (run->turns > loop->group_turns || (run->turns < loop->group_turns && run->count > 1))
            return false;
    }
    return true;
}

static uint32_t lowest_bits(uint32_t count)
{
    return count < 32 ? (1u << count) - 1 : UINT32_MAX;
}

static void begin_groups(struct groups *groups, const struct ws_path_loop *loop)
{
    const uint32_t stride = ws_path_stride(ws_lanes_count(loop->active));
    uint32_t index = 0;
    groups->ones = 0;
    for (uint32_t i = 0; i < loop->group_turns; i++)
        groups->ones |= 1u << i * loop->turn_bits;
    for (struct ws_lanes left = loop->active; ws_lanes_any(left); index++) {
        const uint32_t run = loop->places[ws_lanes_take(&left)].run;
        groups->places[index] = (struct place){run, loop->runs[run].count};
    }
    for (; index < stride; index++)
        groups->words[index] = groups->turns[index] = groups->last[index] = 0;
}

/* Reads the group that each lane is in. Returns for how many groups from here on nothing changes; 0 = there are no more. */
static uint32_t read_groups(struct groups *groups, const struct ws_path_loop *loop, uint32_t lane_count)
{
    uint32_t alike = UINT32_MAX;
    bool any = false;
    for (uint32_t i = 0; i < lane_count; i++) {
        const struct place place = groups->places[i];
        groups->words[i] = groups->turns[i] = groups->last[i] = 0;
        if (place.run == WS_NONE)
            continue;
        const struct ws_path_run *run = &loop->runs[place.run];
        const uint32_t up = (loop->group_turns - run->turns) * loop->turn_bits;
        const bool ends = run->next == WS_NONE;
        groups->words[i] = (run->group & lowest_bits(run->turns * loop->turn_bits)) << up;
        groups->turns[i] = groups->ones & ~lowest_bits(up);
        groups->last[i] = ends && place.left == 1 ? 1u << up : 0;
        /* A lane's last group is like no other. */
        const uint32_t count = ends && place.left > 1 ? place.left - 1 : place.left;
        alike = count < alike ? count : alike;
        any = true;
    }
    return any ? alike : 0;
}

static void pass_groups(struct groups *groups, const struct ws_path_loop *loop, uint32_t lane_count,
                        uint32_t count)
{
    for (uint32_t i = 0; i < lane_count; i++) {
        struct place *place = &groups->places[i];
        if (place->run == WS_NONE)
            continue;
        place->left -= count;
        if (place->left > 0)
            continue;
        place->run = loop->runs[place->run].next;
        place->left = place->run != WS_NONE ? loop->runs[place->run].count : 0;
    }
}

/* All eight at once, where the processor can: there is no multiplication, and no branch. */
static inline uint32_t count_ones(uint32_t word)
{
    word -= word >> 1 & 0x55555555;
    word = (word & 0x33333333) + (word >> 2 & 0x33333333);
    word = (word + (word >> 4)) & 0x0f0f0f0f;
    word += word >> 8;
    return (word + (word >> 16)) & 0x3f;
}

static inline void shift_eight(uint32_t *restrict ones, const uint32_t *restrict words, uint32_t bit,
                               uint32_t mask)
{
    for (uint32_t i = 0; i < EIGHT; i++)
        ones[i] = words[i] >> bit & mask;
}

static inline void take_eight(uint32_t *restrict ones, const uint32_t *restrict base)
{
    for (uint32_t i = 0; i < EIGHT; i++)
        ones[i] = base[i] & ~ones[i];
}

static inline uint32_t any_of_eight(const uint32_t *ones)
{
    return ones[0] | ones[1] | ones[2] | ones[3] | ones[4] | ones[5] | ones[6] | ones[7];
}

static inline void add_eight(uint32_t *restrict few, const uint32_t *restrict ones)
{
    for (uint32_t i = 0; i < EIGHT; i++)
        few[i] += count_ones(ones[i]);
}

/* The ones of a step: of the turns of the group in which each lane came by. */
static void find_ones(const struct ws_path_sums *sums, const struct groups *groups,
                      const struct ws_path_loop *loop, uint32_t tag, uint32_t *ones)
{
    const uint32_t bit = WS_STEP_BIT(tag);
    const uint32_t base = WS_STEP_BASE(tag);
    const uint32_t *of_base =
        base != WS_NONE ? sums->ones + (size_t)(base - loop->first) * sums->stride : NULL;
    const uint32_t *of_bit = bit == WS_STEP_TURN   ? groups->turns
                             : bit == WS_STEP_LAST ? groups->last
                                                   : groups->words;
    const uint32_t mask = bit < loop->turn_bits || bit >= 32 ? groups->ones : 0;
    for (uint32_t i = 0; i < sums->stride; i += EIGHT) {
        shift_eight(ones + i, of_bit + i, bit < 32 ? bit : 0, mask);
        if (of_base != NULL)
            take_eight(ones + i, of_base + i);
    }
}

/* Adds the ones of a step so many times. */
static void add_ones(struct ws_path_sums *sums, uint32_t step, uint32_t alike)
{
    const size_t first = (size_t)step * sums->stride;
    const uint32_t *ones = sums->ones + first;
    uint32_t any = 0;
    for (uint32_t i = 0; i < sums->stride; i += EIGHT)
        any |= any_of_eight(ones + i);
    sums->turns[step] += (uint64_t)alike * count_ones(any);
    if (alike == 1 && sums->times == NULL)
        for (uint32_t i = 0; i < sums->stride; i += EIGHT)
            add_eight(sums->few + first + i, ones + i);
    else
        for (uint32_t i = 0; i < sums->stride; i++)
            add_to(sums, first + i, (uint64_t)alike * count_ones(ones[i]));
}

enum ws_path_result ws_path_sums_groups(struct ws_path_sums *sums, const struct ws_path_loop *loop,
                                        const struct ws_path_step *steps)
{
    struct groups groups;
    begin_groups(&groups, loop);
    for (;;) {
        const uint32_t alike = read_groups(&groups, loop, sums->lane_count);
        if (alike == 0)
            return WS_PATH_TOLD;
        const enum ws_path_result result = make_room(sums, (uint64_t)alike * loop->group_turns);
        if (result != WS_PATH_TOLD)
            return result;
        for (uint32_t i = 0; i < sums->steps; i++) {
            find_ones(sums, &groups, loop, steps[i].tag, sums->ones + (size_t)i * sums->stride);
            add_ones(sums, i, alike);
        }
        pass_groups(&groups, loop, sums->lane_count, alike);
    }
}
