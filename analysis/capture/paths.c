#include "analysis/capture/paths.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/capture/budget.h"

#define LANES      128
#define TURN_STEPS 4u /* of the budget, for a place record of a turn */
#define TURNS_ONCE 1024u

/* ---- what a module has ---- */

static const struct ws_site_info *site_at(const struct ws_site_info *sites, size_t stride, uint32_t index)
{
    return (const void *)((const char *)sites + stride * index);
}

/* The loop whose words begin with `word`; WS_NONE = none. */
static uint32_t loop_of(const struct ws_path *path, uint32_t word)
{
    for (uint32_t i = 0; i < path->loop_count; i++)
        if (WS_TURNS_WORD(path->loops[i]) == word)
            return i;
    return WS_NONE;
}

/* Whether a step is one of the loop of the step before it. */
static bool is_of_loop_before(const struct ws_path_step *steps, uint32_t index)
{
    return index > 0 && steps[index].tag != WS_STEP_ALL && steps[index - 1].tag != WS_STEP_ALL &&
           WS_STEP_WORD(steps[index].tag) == WS_STEP_WORD(steps[index - 1].tag);
}

/* Whether a step has lanes: those with a bit of a word, or in a loop, whose steps begin with `first`, the rest of a step
 * before it. */
static bool is_sound_step(const struct ws_path *path, const struct ws_path_step *steps, uint32_t index,
                          uint32_t first)
{
    const uint32_t tag = steps[index].tag;
    const uint32_t word = WS_STEP_WORD(tag);
    const uint32_t base = WS_STEP_BASE(tag);
    const bool in_loop = loop_of(path, word) != WS_NONE;
    if (tag == WS_STEP_ALL)
        return true;
    if (word >= path->words || WS_STEP_BIT(tag) > (in_loop ? WS_STEP_LAST : 31))
        return false;
    return base == WS_NONE || (in_loop && base >= first && base < index);
}

static bool is_sound(const struct ws_path *path, const struct ws_path_step *steps)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < path->loop_count; i++) {
        const uint32_t word = WS_TURNS_WORD(path->loops[i]);
        if (word > path->words || path->words - word < WS_STEP_WORDS_OF_LOOP ||
            ws_turns_of_group(path->loops[i]) == 0)
            return false;
    }
    for (uint32_t i = 0; i < path->count; i++) {
        if (!is_of_loop_before(steps, i))
            first = i;
        if (!is_sound_step(path, steps, i, first))
            return false;
    }
    return path->words <= WS_DATA_WORDS_MAX;
}

/* Reads what stands behind a site of kind WS_SITE_PATH. */
static void read_path(struct ws_path_table *table, struct ws_path *path, const struct ws_site_info *sites,
                      size_t stride, uint32_t count, uint32_t *steps)
{
    uint32_t at = path->site + 1;
    for (; at < count && site_at(sites, stride, at)->kind == WS_SITE_PATH_TURNS &&
           path->loop_count < WS_DATA_WORDS_MAX;
         at++) {
        const uint32_t tag = site_at(sites, stride, at)->tag;
        if ((tag & WS_TURNS_ONCE) != 0)
            continue;
        path->turn_sites[path->loop_count] = at;
        path->loops[path->loop_count++] = tag;
    }
    path->first = *steps;
    for (; at < count && site_at(sites, stride, at)->kind == WS_SITE_PATH_STEP; at++) {
        const struct ws_site_info *site = site_at(sites, stride, at);
        table->steps[(*steps)++] = (struct ws_path_step){site->row, site->tag};
    }
    path->count = *steps - path->first;
    path->sound = is_sound(path, table->steps + path->first);
}

bool ws_path_table_make(struct ws_path_table *table, const struct ws_site_info *sites, size_t stride,
                        uint32_t count)
{
    uint32_t paths = 0;
    uint32_t steps = 0;
    *table = (struct ws_path_table){0};
    for (uint32_t i = 0; i < count; i++) {
        paths += site_at(sites, stride, i)->kind == WS_SITE_PATH;
        steps += site_at(sites, stride, i)->kind == WS_SITE_PATH_STEP;
    }
    if (paths == 0)
        return true;
    table->paths = calloc(paths, sizeof(*table->paths));
    table->steps = calloc((size_t)steps + 1, sizeof(*table->steps));
    if (table->paths == NULL || table->steps == NULL)
        return false;
    steps = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (site_at(sites, stride, i)->kind != WS_SITE_PATH)
            continue;
        struct ws_path *path = &table->paths[table->path_count++];
        path->site = i;
        path->words = site_at(sites, stride, i)->row;
        read_path(table, path, sites, stride, count, &steps);
    }
    return true;
}

void ws_path_table_finish(struct ws_path_table *table)
{
    free(table->paths);
    free(table->steps);
    *table = (struct ws_path_table){0};
}

const struct ws_path *ws_path_find(const struct ws_path_table *table, uint32_t number)
{
    uint32_t low = 0;
    uint32_t high = table->path_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (table->paths[middle].site < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < table->path_count && table->paths[low].site == number ? &table->paths[low] : NULL;
}

/* ---- turns that wait ---- */

bool ws_path_wait(struct ws_path_waiting *waiting, uint32_t site, struct ws_lanes lanes,
                  const uint32_t *words, uint32_t words_per_lane)
{
    const size_t size = words_per_lane * sizeof(*words) * ws_lanes_count(lanes);
    struct ws_path_turns *turns = malloc(sizeof(*turns) + size);
    if (turns == NULL)
        return false;
    turns->next = NULL;
    turns->site = words_per_lane == 1 ? site + 1 : site; /* WS_TURNS_ONCE */
    turns->words_per_lane = words_per_lane;
    turns->lanes = turns->left = lanes;
    memcpy(turns->words, words, size);
    if (waiting->last != NULL)
        waiting->last->next = turns;
    else
        waiting->first = turns;
    waiting->last = turns;
    return true;
}

void ws_path_waiting_finish(struct ws_path_waiting *waiting)
{
    while (waiting->first != NULL) {
        struct ws_path_turns *next = waiting->first->next;
        free(waiting->first);
        waiting->first = next;
    }
    waiting->last = NULL;
}

bool ws_path_is_waiting(const struct ws_path_waiting *waiting, struct ws_lanes lanes)
{
    for (const struct ws_path_turns *turns = waiting->first; turns != NULL; turns = turns->next)
        if (!ws_budget_spend(WS_STEPS_WORD) || ws_lanes_any(ws_lanes_and(turns->left, lanes)))
            return true;
    return false;
}

/* ---- taking a record apart ---- */

/* Groups in a row of one lane, which are the same. */
struct run {
    uint32_t group;
    uint32_t turns; /* of the group */
    uint32_t count;
    uint32_t next; /* of the same lane; WS_NONE */
};

/* Where a lane is in its runs. */
struct place {
    uint32_t run; /* the one that it is in */
    uint32_t last;
    uint32_t passed; /* turns of the group, with those that it is in */
    uint64_t bits;   /* of the turns that it is in, with WS_STEP_TURN and WS_STEP_LAST */
    uint64_t left;   /* how many of them there are yet */
};

/* A loop at work. */
struct loop {
    uint32_t turn_bits; /* 32 where a group is one turn */
    bool marked;        /* WS_TURNS_MARKED */
    struct run *runs;
    uint32_t run_count;
    uint32_t run_capacity;
    struct place places[LANES];
    struct ws_lanes active;                 /* lanes that are in a run */
    struct ws_lanes with[WS_STEP_LAST + 1]; /* per bit: those of the active lanes whose turn has it */
    uint32_t first;                         /* its first step among those of the path */
    struct ws_lanes *lanes;                 /* per step: those that come by in the turn at work */
};

/* How many turns a group has: one at least, whatever it says. */
static uint32_t turns_in(const struct loop *loop, uint32_t group)
{
    const uint32_t bits = group != 0 ? 32 - (uint32_t)__builtin_clz(group) : 0;
    const uint32_t count = (bits + loop->turn_bits - 1) / loop->turn_bits;
    const uint32_t turns = loop->marked && count > 0 ? count - 1 : count; /* the mark stands before them */
    return turns > 0 ? turns : 1;
}

static bool add_run(struct loop *loop, uint32_t lane, uint32_t group, uint32_t count)
{
    if (count == 0)
        return true;
    if (loop->run_count == loop->run_capacity) {
        const uint32_t capacity = 2 * loop->run_capacity + LANES;
        struct run *runs = realloc(loop->runs, capacity * sizeof(*runs));
        if (runs == NULL)
            return false;
        loop->runs = runs;
        loop->run_capacity = capacity;
    }
    loop->runs[loop->run_count] = (struct run){group, turns_in(loop, group), count, WS_NONE};
    struct place *place = &loop->places[lane];
    if (ws_lanes_has(loop->active, lane))
        loop->runs[place->last].next = loop->run_count;
    else
        *place = (struct place){.run = loop->run_count};
    place->last = loop->run_count++;
    loop->active = ws_lanes_or(loop->active, ws_lanes_one(lane));
    return true;
}

/* The bits of a group's turn `index` of `count`: the first stands highest. */
static uint32_t turn_of(const struct loop *loop, uint32_t group, uint32_t count, uint32_t index)
{
    const uint32_t bits = group >> (count - 1 - index) * loop->turn_bits;
    return loop->turn_bits < 32 ? bits & ((1u << loop->turn_bits) - 1) : bits;
}

/* Sets the bits of a lane's turn. Turns in a row differ in few bits, so only these are looked at. */
static void set_bits(struct loop *loop, uint32_t lane, uint64_t bits)
{
    const struct ws_lanes one = ws_lanes_one(lane);
    struct place *place = &loop->places[lane];
    for (uint64_t changed = place->bits ^ bits; changed != 0; changed &= changed - 1) {
        struct ws_lanes *with = &loop->with[__builtin_ctzll(changed)];
        with->low ^= one.low;
        with->high ^= one.high;
    }
    place->bits = bits;
}

/* A lane comes to its next turns that are alike; without such it is active no more. They are of one group, unless all turns of
 * that are alike: then of all groups of the run. Its last turn is like no other. */
static void begin_turns(struct loop *loop, uint32_t lane)
{
    struct place *place = &loop->places[lane];
    struct run *run = &loop->runs[place->run];
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
        place->left *= run->count;
        run->count = 1;
    }
}

/* Takes the turns of some lanes out of those that wait. */
static enum ws_path_result take_turns(struct loop *loop, struct ws_path_waiting *waiting, uint32_t site,
                                      struct ws_lanes lanes)
{
    struct ws_path_turns **link = &waiting->first;
    struct ws_path_turns *before = NULL;
    while (*link != NULL) {
        struct ws_path_turns *turns = *link;
        const struct ws_lanes here = ws_lanes_and(turns->left, lanes);
        const uint32_t *words = turns->words;
        if (!ws_budget_spend(WS_STEPS_WORD))
            return WS_PATH_STOPPED;
        if (turns->site != site || !ws_lanes_any(here)) {
            before = turns;
            link = &turns->next;
            continue;
        }
        for (struct ws_lanes left = turns->lanes; ws_lanes_any(left); words += turns->words_per_lane) {
            const uint32_t lane = ws_lanes_take(&left);
            if (ws_lanes_has(here, lane) &&
                !add_run(loop, lane, words[0], turns->words_per_lane > 1 ? words[1] : 1))
                return WS_PATH_FAILED;
        }
        turns->left = ws_lanes_without(turns->left, here);
        if (ws_lanes_any(turns->left)) {
            before = turns;
            link = &turns->next;
            continue;
        }
        *link = turns->next;
        if (waiting->last == turns)
            waiting->last = before;
        free(turns);
    }
    return WS_PATH_TOLD;
}

/* How many turns no lane's bits change for. */
static uint64_t turns_alike(const struct loop *loop)
{
    uint64_t least = UINT64_MAX;
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);) {
        const uint64_t count = loop->places[ws_lanes_take(&left)].left;
        least = count < least ? count : least;
    }
    return least;
}

static void pass_turns(struct loop *loop, uint64_t turns)
{
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);) {
        const uint32_t lane = ws_lanes_take(&left);
        loop->places[lane].left -= turns;
        if (loop->places[lane].left == 0)
            begin_turns(loop, lane);
    }
}

/* Finds the lanes of each step in a turn. */
static void find_lanes(const struct loop *loop, const struct ws_path_step *steps, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ws_lanes lanes = loop->with[WS_STEP_BIT(steps[i].tag)];
        const uint32_t base = WS_STEP_BASE(steps[i].tag);
        loop->lanes[i] = base == WS_NONE ? lanes : ws_lanes_without(loop->lanes[base - loop->first], lanes);
    }
}

/* Tells the turns of a loop, whose steps these are. All lanes that are in it run a turn together (equivalence.h). */
static enum ws_path_result tell_turns(struct loop *loop, const struct ws_path_step *steps, uint32_t count,
                                      ws_path_tell *tell, void *user)
{
    for (struct ws_lanes left = loop->active; ws_lanes_any(left);)
        begin_turns(loop, ws_lanes_take(&left));
    while (ws_lanes_any(loop->active)) {
        const uint64_t turns = turns_alike(loop);
        find_lanes(loop, steps, count);
        for (uint64_t turn = 0; turn < turns; turn++) {
            if (turn % TURNS_ONCE == 0) {
                const uint64_t left = turns - turn < TURNS_ONCE ? turns - turn : TURNS_ONCE;
                if (!ws_budget_spend(TURN_STEPS * left * (count + 1)))
                    return WS_PATH_STOPPED;
            }
            for (uint32_t i = 0; i < count; i++)
                if (ws_lanes_any(loop->lanes[i]) && !tell(user, steps[i].number, loop->lanes[i]))
                    return WS_PATH_STOPPED;
        }
        pass_turns(loop, turns);
    }
    return WS_PATH_TOLD;
}

/* Tells loop `number` of a path. Its steps are `count` from `first` on among those of the path. */
static enum ws_path_result tell_loop(const struct ws_path *path, uint32_t number,
                                     const struct ws_path_step *steps, uint32_t first, uint32_t count,
                                     struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                     const uint32_t *words, ws_path_tell *tell, void *user)
{
    const uint32_t tag = path->loops[number];
    const uint32_t word = WS_TURNS_WORD(tag);
    const bool marked = (tag & WS_TURNS_MARKED) != 0;
    struct loop loop = {.turn_bits = marked || ws_turns_of_group(tag) > 1 ? WS_TURNS_BITS(tag) : 32,
                        .marked = marked,
                        .first = first,
                        .lanes = malloc(count * sizeof(*loop.lanes))};
    const uint32_t none = loop.marked ? 1 : 0; /* a word without turns */
    enum ws_path_result result =
        loop.lanes == NULL ? WS_PATH_FAILED : take_turns(&loop, waiting, path->turn_sites[number], lanes);
    for (struct ws_lanes left = lanes; ws_lanes_any(left) && result == WS_PATH_TOLD; words += path->words) {
        const uint32_t lane = ws_lanes_take(&left);
        if (!add_run(&loop, lane, words[word + 1], words[word + 2]) ||
            !add_run(&loop, lane, words[word], words[word] > none))
            result = WS_PATH_FAILED;
    }
    if (result == WS_PATH_TOLD)
        result = tell_turns(&loop, steps + first, count, tell, user);
    free(loop.lanes);
    free(loop.runs);
    return result;
}

struct ws_lanes ws_path_lanes(const struct ws_path *path, const struct ws_path_step *step,
                              struct ws_lanes lanes, const uint32_t *words)
{
    if (step->tag == WS_STEP_ALL)
        return lanes;
    const uint32_t bit = WS_STEP_BIT(step->tag);
    uint32_t at = WS_STEP_WORD(step->tag);
    struct ws_lanes with = {0, 0};
    for (uint64_t left = lanes.low; left != 0; left &= left - 1, at += path->words)
        if ((words[at] >> bit & 1) != 0)
            with.low |= left & -left;
    for (uint64_t left = lanes.high; left != 0; left &= left - 1, at += path->words)
        if ((words[at] >> bit & 1) != 0)
            with.high |= left & -left;
    return with;
}

enum ws_path_result ws_path_expand(const struct ws_path_table *table, const struct ws_path *path,
                                   struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                   const uint32_t *words, ws_path_tell *tell, void *user)
{
    const struct ws_path_step *steps = table->steps + path->first;
    enum ws_path_result result = WS_PATH_TOLD;
    if (!path->sound)
        return WS_PATH_MALFORMED;
    if (!ws_budget_spend((uint64_t)WS_STEPS_ENTRY * path->count))
        return WS_PATH_STOPPED;
    for (uint32_t i = 0; i < path->count && result == WS_PATH_TOLD;) {
        const uint32_t word = WS_STEP_WORD(steps[i].tag);
        const uint32_t loop = steps[i].tag == WS_STEP_ALL ? WS_NONE : loop_of(path, word);
        uint32_t end = i + 1;
        if (loop != WS_NONE) {
            while (end < path->count && is_of_loop_before(steps, end))
                end++;
            result = tell_loop(path, loop, steps, i, end - i, waiting, lanes, words, tell, user);
        } else {
            const struct ws_lanes with = ws_path_lanes(path, &steps[i], lanes, words);
            if (ws_lanes_any(with) && !tell(user, steps[i].number, with))
                result = WS_PATH_STOPPED;
        }
        i = end;
    }
    return result;
}
