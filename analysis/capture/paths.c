#include "analysis/capture/paths.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/capture/path_loop.h"
#include "analysis/capture/path_sums.h"
#include "warpscope/capture/budget.h"

#define TURN_STEPS 4u                  /* of the budget, for a place record of a turn */
#define TURNS_FREE (UINT64_C(1) << 16) /* more turns that cost a step of the budget, for those who leap */

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

bool ws_path_in_loop(const struct ws_path *path, const struct ws_path_step *step)
{
    return step->tag != WS_STEP_ALL && loop_of(path, WS_STEP_WORD(step->tag)) != WS_NONE;
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

/* Whether it has loops, the first steps of which are those of all turns. */
static bool adds(const struct ws_path *path, const struct ws_path_step *steps)
{
    bool any = false;
    for (uint32_t i = 0; i < path->count; i++) {
        if (!ws_path_in_loop(path, &steps[i]) || is_of_loop_before(steps, i))
            continue;
        if (steps[i].tag != WS_STEP(WS_STEP_WORD(steps[i].tag), WS_STEP_TURN))
            return false;
        any = true;
    }
    return any;
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
    path->adds = path->sound && adds(path, table->steps + path->first);
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

/* A record at work, and who hears of it. */
struct record {
    const struct ws_path *path;
    const struct ws_path_step *steps; /* of the path */
    struct ws_path_waiting *waiting;
    struct ws_lanes lanes;
    const uint32_t *words;
    const struct ws_path_listener *listener;
    void *user;
};

/* Takes the turns of some lanes out of those that wait. */
static enum ws_path_result take_turns(struct ws_path_loop *loop, struct ws_path_waiting *waiting,
                                      uint32_t site, struct ws_lanes lanes)
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
                !ws_path_loop_add(loop, lane, words[0], turns->words_per_lane > 1 ? words[1] : 1))
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

/* Tells turns that are alike together. What leaps is told all at once. */
static enum ws_path_result tell_together(const struct record *record, const struct ws_path_loop *loop,
                                         uint32_t count, uint64_t turns)
{
    const struct ws_path_listener *listener = record->listener;
    const uint64_t most = listener->leaps ? UINT64_MAX : WS_PATH_TURNS_ONCE;
    while (turns > 0) {
        const uint64_t now = turns < most ? turns : most;
        const uint64_t each = now < WS_PATH_TURNS_ONCE ? now : WS_PATH_TURNS_ONCE;
        const struct ws_path_turns_alike alike = {loop->first, count, loop->lanes, now};
        if (!ws_budget_spend((count + 1) * (TURN_STEPS * each + now / TURNS_FREE)) ||
            !listener->alike(record->user, &alike))
            return WS_PATH_STOPPED;
        turns -= now;
    }
    return WS_PATH_TOLD;
}

/* Tells turns that are alike, `turns` of them. */
static enum ws_path_result tell_alike(const struct record *record, const struct ws_path_loop *loop,
                                      uint32_t count, uint64_t turns)
{
    const struct ws_path_step *steps = record->steps + loop->first;
    for (uint64_t turn = 0; turn < turns; turn++) {
        if (turn % WS_PATH_TURNS_ONCE == 0) {
            const uint64_t left = turns - turn < WS_PATH_TURNS_ONCE ? turns - turn : WS_PATH_TURNS_ONCE;
            if (!ws_budget_spend(TURN_STEPS * left * (count + 1)))
                return WS_PATH_STOPPED;
        }
        for (uint32_t i = 0; i < count; i++)
            if (ws_lanes_any(loop->lanes[i]) &&
                !record->listener->turn(record->user, steps[i].number, loop->lanes[i]))
                return WS_PATH_STOPPED;
    }
    return WS_PATH_TOLD;
}

/* Walks the turns of a loop, which has `count` steps. All lanes that are in it run a turn together (equivalence.h). They are
 * told one by one where the listener hears turns, and added up where `sums` is not NULL. */
static enum ws_path_result walk_turns(const struct record *record, struct ws_path_loop *loop, uint32_t count,
                                      struct ws_path_sums *sums)
{
    enum ws_path_result result = WS_PATH_TOLD;
    ws_path_loop_begin(loop);
    while (ws_lanes_any(loop->active) && result == WS_PATH_TOLD) {
        const uint64_t turns = ws_path_loop_alike(loop);
        ws_path_loop_lanes(loop, record->steps + loop->first, count);
        if (sums != NULL)
            result = ws_path_sums_turns(sums, loop, turns);
        if (record->listener->alike != NULL && result == WS_PATH_TOLD)
            result = tell_together(record, loop, count, turns);
        else if (record->listener->turn != NULL && result == WS_PATH_TOLD)
            result = tell_alike(record, loop, count, turns);
        ws_path_loop_pass(loop, turns);
    }
    return result;
}

/* Tells the turns of a loop one by one, then their sums, as the listener hears them. */
static enum ws_path_result tell_turns(const struct record *record, struct ws_path_loop *loop, uint32_t count)
{
    const struct ws_path_listener *listener = record->listener;
    struct ws_path_sums sums;
    if (listener->sums == NULL)
        return walk_turns(record, loop, count, NULL);
    if (!ws_lanes_any(loop->active))
        return WS_PATH_TOLD;
    if (!ws_path_sums_init(&sums, loop, count))
        return WS_PATH_FAILED;
    const bool by_groups = ws_path_sums_are_groups(loop);
    enum ws_path_result result =
        by_groups ? ws_path_sums_groups(&sums, loop, record->steps + loop->first) : WS_PATH_TOLD;
    if (result == WS_PATH_TOLD && (!by_groups || listener->turn != NULL || listener->alike != NULL))
        result = walk_turns(record, loop, count, by_groups ? NULL : &sums);
    if (result == WS_PATH_TOLD && !listener->sums(record->user, &sums))
        result = WS_PATH_STOPPED;
    ws_path_sums_finish(&sums);
    return result;
}

/* Tells loop `number` of a path. Its steps are `count` from `first` on among those of the path. */
static enum ws_path_result tell_loop(const struct record *record, uint32_t number, uint32_t first,
                                     uint32_t count)
{
    const struct ws_path *path = record->path;
    const uint32_t tag = path->loops[number];
    const uint32_t word = WS_TURNS_WORD(tag);
    const bool marked = (tag & WS_TURNS_MARKED) != 0;
    const uint32_t group_turns = ws_turns_of_group(tag);
    struct ws_path_loop loop = {.turn_bits = marked || group_turns > 1 ? WS_TURNS_BITS(tag) : 32,
                                .group_turns = group_turns,
                                .marked = marked,
                                .first = first,
                                .lanes = malloc(count * sizeof(*loop.lanes))};
    const uint32_t none = loop.marked ? 1 : 0; /* a word without turns */
    const uint32_t *words = record->words;
    enum ws_path_result result =
        loop.lanes == NULL ? WS_PATH_FAILED
                           : take_turns(&loop, record->waiting, path->turn_sites[number], record->lanes);
    for (struct ws_lanes left = record->lanes; ws_lanes_any(left) && result == WS_PATH_TOLD;
         words += path->words) {
        const uint32_t lane = ws_lanes_take(&left);
        if (!ws_path_loop_add(&loop, lane, words[word + 1], words[word + 2]) ||
            !ws_path_loop_add(&loop, lane, words[word], words[word] > none))
            result = WS_PATH_FAILED;
    }
    if (result == WS_PATH_TOLD)
        result = tell_turns(record, &loop, count);
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

enum ws_path_result ws_path_hear(const struct ws_path_table *table, const struct ws_path *path,
                                 struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                 const uint32_t *words, const struct ws_path_listener *listener, void *user)
{
    const struct record record = {path, table->steps + path->first, waiting, lanes, words, listener, user};
    const struct ws_path_step *steps = record.steps;
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
            result = tell_loop(&record, loop, i, end - i);
        } else {
            const struct ws_lanes with = ws_path_lanes(path, &steps[i], lanes, words);
            if (ws_lanes_any(with) && !listener->step(user, steps[i].number, with))
                result = WS_PATH_STOPPED;
        }
        i = end;
    }
    return result;
}

enum ws_path_result ws_path_expand(const struct ws_path_table *table, const struct ws_path *path,
                                   struct ws_path_waiting *waiting, struct ws_lanes lanes,
                                   const uint32_t *words, ws_path_tell *tell, void *user)
{
    const struct ws_path_listener listener = {.step = tell, .turn = tell};
    return ws_path_hear(table, path, waiting, lanes, words, &listener, user);
}
