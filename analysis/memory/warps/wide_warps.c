#include "analysis/memory/warps/wide_warps.h"

#include <stdlib.h>
#include <string.h>

#include "warpscope/base/array.h"
#include "warpscope/instrument.h"

/* An execution that waits. */
struct step {
    struct step *next;
    struct ws_wide_order order;
    struct ws_execution execution; /* its words and threads are below */
    size_t bytes;
    uint32_t data[];
};

struct ws_wide_narrow {
    struct step *first;
    struct step *last;
    uint32_t warp;     /* index of its wide warp; WS_NONE = it is in none */
    uint32_t position; /* in what the wide warp is of */
    uint32_t next;     /* of the wide warp, by position; WS_NONE = it is the last one */
    uint32_t contexts; /* that have begun and not ended */
    bool ended;
};

struct ws_wide_warp {
    uint32_t begun; /* number of the warp that began first */
    uint32_t first; /* by position */
    uint32_t count;
    uint32_t most;    /* narrow warps that it has room for */
    uint32_t threads; /* that have entered */
    uint32_t length;  /* threads that it will have, at most */
};

static void free_steps(struct ws_wide_narrow *narrow)
{
    for (struct step *step = narrow->first, *next; step != NULL; step = next) {
        next = step->next;
        free(step);
    }
    narrow->first = NULL;
    narrow->last = NULL;
}

void ws_wide_warps_finish(struct ws_wide_warps *wide)
{
    for (uint32_t i = 0; i < wide->narrow_count; ++i)
        free_steps(&wide->narrow[i]);
    free(wide->narrow);
    free(wide->warps);
    free(wide->words);
    ws_id_map_finish(&wide->rows);
    ws_id_map_finish(&wide->shaders);
    ws_id_map_finish(&wide->places);
    *wide = (struct ws_wide_warps){0};
}

/* ---- who is together ---- */

/* The value of a key; a new one gets the next number. */
static bool find_number(struct ws_id_map *map, uint64_t key, uint32_t *count, uint32_t *number)
{
    if (ws_id_map_get(map, key, number))
        return true;
    *number = (*count)++;
    return ws_id_map_put(map, key, *number);
}

/* No other narrow warp will be in it. */
static bool is_whole(const struct ws_wide_warp *warp)
{
    return warp->count >= warp->most || warp->threads >= warp->length;
}

/* Which place a member has. Rows whose number is 0 are those of warps without a place. */
static bool find_place(struct ws_wide_warps *wide, const struct ws_wide_member *member, uint64_t *key)
{
    uint32_t row = 0;
    uint32_t of_shader = 0;
    if (member->is_placed && !find_number(&wide->rows, member->row, &wide->row_count, &row))
        return false;
    row = member->is_placed ? row + 1 : 0;
    if (!find_number(&wide->shaders, (uint64_t)row << 32 | member->shader, &wide->shader_count, &of_shader))
        return false;
    *key = (uint64_t)of_shader << 32 | (member->is_placed ? member->position / wide->lanes : 0);
    return true;
}

/* The wide warp that a member is to be in. */
static bool find_warp(struct ws_wide_warps *wide, const struct ws_wide_member *member, uint32_t *index)
{
    uint64_t key = 0;
    if (!find_place(wide, member, &key))
        return false;
    if (ws_id_map_get(&wide->places, key, index) && !is_whole(&wide->warps[*index]))
        return true;
    struct ws_wide_warp *warps =
        ws_array_grow(wide->warps, &wide->warp_capacity, wide->warp_count + 1, sizeof(*warps));
    if (warps == NULL)
        return false;
    wide->warps = warps;
    *index = wide->warp_count++;
    const uint32_t begin = member->position / wide->lanes * wide->lanes;
    const bool ends = member->is_placed && member->length > begin && member->length - begin < wide->lanes;
    warps[*index] = (struct ws_wide_warp){.begun = member->warp,
                                          .first = WS_NONE,
                                          .most = wide->lanes / member->lanes,
                                          .length = ends ? member->length - begin : wide->lanes};
    return ws_id_map_put(&wide->places, key, *index);
}

/* Makes narrow warps up to that number known, as being in none. */
static bool make_room(struct ws_wide_warps *wide, uint32_t number)
{
    struct ws_wide_narrow *narrow =
        ws_array_grow(wide->narrow, &wide->narrow_capacity, (size_t)number + 1, sizeof(*narrow));
    if (narrow == NULL)
        return false;
    wide->narrow = narrow;
    while (wide->narrow_count <= number)
        narrow[wide->narrow_count++] = (struct ws_wide_narrow){.warp = WS_NONE, .next = WS_NONE};
    return true;
}

bool ws_wide_warps_enter(struct ws_wide_warps *wide, const struct ws_wide_member *member, uint32_t *first)
{
    uint32_t index = 0;
    *first = member->warp;
    if (member->lanes == 0 || wide->lanes < 2 || member->lanes == wide->lanes)
        return true;
    if (member->lanes > wide->lanes || wide->lanes % member->lanes != 0) {
        wide->kept++;
        return true;
    }
    if (!make_room(wide, member->warp))
        return false;
    if (wide->narrow[member->warp].warp != WS_NONE) {
        wide->narrow[member->warp].contexts++;
        *first = wide->warps[wide->narrow[member->warp].warp].begun;
        return true;
    }
    if (!find_warp(wide, member, &index))
        return false;
    struct ws_wide_warp *warp = &wide->warps[index];
    uint32_t *link = &warp->first;
    while (*link != WS_NONE && wide->narrow[*link].position <= member->position)
        link = &wide->narrow[*link].next;
    wide->narrow[member->warp] =
        (struct ws_wide_narrow){.warp = index, .position = member->position, .next = *link, .contexts = 1};
    *link = member->warp;
    warp->count++;
    warp->threads += member->entered;
    wide->formed += warp->count == 2;
    *first = warp->begun;
    return true;
}

/* ---- in step ---- */

static int compare_numbers(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare_orders(const struct ws_wide_order *a, const struct ws_wide_order *b)
{
    for (uint32_t i = 0; i < a->call_count && i < b->call_count; ++i)
        if (a->calls[i] != b->calls[i])
            return compare_numbers(a->calls[i], b->calls[i]);
    if (a->depth != b->depth)
        return compare_numbers(b->depth, a->depth);
    if (a->shader != b->shader)
        return compare_numbers(a->shader, b->shader);
    for (uint32_t i = 0; i < a->loop_count && i < b->loop_count && a->loops[i].loop == b->loops[i].loop; ++i)
        if (a->loops[i].turn != b->loops[i].turn)
            return compare_numbers(a->loops[i].turn, b->loops[i].turn);
    return compare_numbers(a->place, b->place);
}

/* Whether it can go on: it is whole, and each of its warps has a next execution, or has ended. */
static bool is_ready(const struct ws_wide_warps *wide, const struct ws_wide_warp *warp)
{
    bool has_next = false;
    if (!is_whole(warp))
        return false;
    for (uint32_t i = warp->first; i != WS_NONE; i = wide->narrow[i].next) {
        if (wide->narrow[i].first == NULL && !wide->narrow[i].ended)
            return false;
        has_next = has_next || wide->narrow[i].first != NULL;
    }
    return has_next;
}

/* Of the next executions the one that comes first; of equal ones that of the first warp. NULL = there is none. */
static const struct step *find_next(const struct ws_wide_warps *wide, const struct ws_wide_warp *warp)
{
    const struct step *found = NULL;
    for (uint32_t i = warp->first; i != WS_NONE; i = wide->narrow[i].next) {
        const struct step *step = wide->narrow[i].first;
        if (step != NULL && (found == NULL || compare_orders(&step->order, &found->order) < 0))
            found = step;
    }
    return found;
}

static void take_step(struct ws_wide_warps *wide, struct ws_wide_narrow *narrow)
{
    struct step *step = narrow->first;
    narrow->first = step->next;
    if (narrow->first == NULL)
        narrow->last = NULL;
    wide->waiting -= step->bytes;
    free(step);
}

/* Whether an execution is at the place of another one, and there is room for its lanes. */
static bool joins(const struct ws_wide_warps *wide, const struct step *step,
                  const struct ws_wide_order *order, const struct ws_execution *joined)
{
    return step != NULL && compare_orders(&step->order, order) == 0 && step->execution.site == joined->site &&
           step->execution.words_per_lane == joined->words_per_lane &&
           (step->execution.threads == NULL) == (joined->threads == NULL) &&
           step->execution.lane_count <= wide->lanes - joined->lane_count;
}

/* Runs the next execution of a wide warp. */
static bool run_next(struct ws_wide_warps *wide, const struct ws_wide_warp *warp)
{
    const struct step *next = find_next(wide, warp);
    if (next == NULL)
        return true;
    const struct ws_wide_order order = next->order;
    struct ws_execution joined = next->execution;
    const uint32_t per_lane = joined.words_per_lane;
    uint32_t *words =
        ws_array_grow(wide->words, &wide->word_capacity, per_lane * WS_WIDE_LANES_MAX + 1, sizeof(*words));
    if (words == NULL)
        return false;
    wide->words = words;
    joined.lane_count = 0;
    joined.slots = wide->lanes;
    joined.words = per_lane > 0 ? words : NULL;
    joined.threads = joined.threads != NULL ? wide->threads : NULL;
    for (uint32_t i = warp->first; i != WS_NONE; i = wide->narrow[i].next) {
        const struct step *step = wide->narrow[i].first;
        if (!joins(wide, step, &order, &joined))
            continue;
        const uint32_t lane_count = step->execution.lane_count;
        if (per_lane > 0)
            memcpy(words + (size_t)joined.lane_count * per_lane, step->execution.words,
                   (size_t)lane_count * per_lane * sizeof(*words));
        if (step->execution.threads != NULL)
            memcpy(wide->threads + joined.lane_count, step->execution.threads,
                   lane_count * sizeof(*wide->threads));
        joined.lane_count += lane_count;
        take_step(wide, &wide->narrow[i]);
    }
    return wide->run(wide->user, &joined);
}

static bool go_on(struct ws_wide_warps *wide, const struct ws_wide_warp *warp)
{
    bool ran = true;
    while (ran && is_ready(wide, warp))
        ran = run_next(wide, warp);
    while (ran && wide->waiting > wide->limit && find_next(wide, warp) != NULL) {
        wide->hurried++;
        ran = run_next(wide, warp);
    }
    return ran;
}

static struct step *make_step(const struct ws_wide_order *order, const struct ws_execution *execution)
{
    const size_t words = (size_t)execution->lane_count * execution->words_per_lane;
    const size_t threads = execution->threads != NULL ? execution->lane_count : 0;
    const size_t bytes = sizeof(struct step) + (words + threads) * sizeof(uint32_t);
    struct step *step = malloc(bytes);
    if (step == NULL)
        return NULL;
    *step = (struct step){.order = *order, .execution = *execution, .bytes = bytes};
    step->execution.words = words > 0 ? step->data : NULL;
    step->execution.threads = threads > 0 ? step->data + words : NULL;
    if (words > 0)
        memcpy(step->data, execution->words, words * sizeof(uint32_t));
    if (threads > 0)
        memcpy(step->data + words, execution->threads, threads * sizeof(uint32_t));
    return step;
}

bool ws_wide_warps_add(struct ws_wide_warps *wide, uint32_t warp, const struct ws_wide_order *order,
                       const struct ws_execution *execution)
{
    struct ws_wide_narrow *narrow = warp < wide->narrow_count ? &wide->narrow[warp] : NULL;
    if (narrow == NULL || narrow->warp == WS_NONE || narrow->ended || execution->lane_count == 0 ||
        execution->lane_count > wide->lanes)
        return wide->run(wide->user, execution);
    struct step *step = make_step(order, execution);
    if (step == NULL)
        return false;
    if (narrow->last != NULL)
        narrow->last->next = step;
    else
        narrow->first = step;
    narrow->last = step;
    wide->waiting += step->bytes;
    return go_on(wide, &wide->warps[narrow->warp]);
}

bool ws_wide_warps_leave(struct ws_wide_warps *wide, uint32_t warp)
{
    if (warp >= wide->narrow_count || wide->narrow[warp].warp == WS_NONE ||
        wide->narrow[warp].contexts == 0 || --wide->narrow[warp].contexts > 0)
        return true;
    wide->narrow[warp].ended = true;
    return go_on(wide, &wide->warps[wide->narrow[warp].warp]);
}

bool ws_wide_warps_end(struct ws_wide_warps *wide)
{
    bool ran = true;
    for (uint32_t i = 0; ran && i < wide->warp_count; ++i)
        while (ran && find_next(wide, &wide->warps[i]) != NULL)
            ran = run_next(wide, &wide->warps[i]);
    return ran;
}
