#include "analysis/trace/trace_work_map.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define LANES_MOST 128

/* Whether bit `bit` of the coordinate on `axis` exists in a box of that extent. */
static bool has_bit(uint32_t extent, uint32_t bit)
{
    return (extent >> bit) > 1;
}

/* Where lane `lane` is in a box in Morton order (Morton, "A Computer Oriented Geodetic Data Base", 1966): the
 * bits of the lane's number go to the coordinates in turn, lowest bit first, beginning with axis `first`. An
 * axis gets as many bits as its extent has, which is a power of two. */
static void morton(uint32_t lane, const uint32_t box[3], uint32_t first, uint32_t at[3])
{
    uint32_t axes[3] = {first, 1 - first, 2};
    memset(at, 0, 3 * sizeof(at[0]));
    for (uint32_t bit = 0; bit < 8; ++bit)
        for (uint32_t i = 0; i < 3; ++i)
            if (has_bit(box[axes[i]], bit)) {
                at[axes[i]] |= (lane & 1) << bit;
                lane >>= 1;
            }
}

static void position(enum ws_trace_order order, uint32_t lane, const uint32_t box[3], uint32_t at[3])
{
    switch (order) {
    case WS_TRACE_COLUMN_MAJOR:
        at[1] = lane % box[1];
        at[0] = lane / box[1] % box[0];
        at[2] = lane / box[1] / box[0];
        return;
    case WS_TRACE_MORTON: morton(lane, box, 0, at); return;
    case WS_TRACE_MORTON_Y: morton(lane, box, 1, at); return;
    case WS_TRACE_QUADS: {
        uint32_t quad = lane / 4;
        uint32_t row = box[0] / 2;
        at[0] = quad % row * 2 + (lane & 1);
        at[1] = quad / row % (box[1] / 2) * 2 + (lane >> 1 & 1);
        at[2] = quad / row / (box[1] / 2);
        return;
    }
    default:
        at[0] = lane % box[0];
        at[1] = lane / box[0] % box[1];
        at[2] = lane / box[0] / box[1];
        return;
    }
}

/* Whether the order is defined in a box of these extents. */
static bool is_possible(enum ws_trace_order order, const uint32_t box[3])
{
    if (order == WS_TRACE_QUADS)
        return box[0] % 2 == 0 && box[1] % 2 == 0;
    if (order != WS_TRACE_MORTON && order != WS_TRACE_MORTON_Y)
        return true;
    return (box[0] & (box[0] - 1)) == 0 && (box[1] & (box[1] - 1)) == 0 && (box[2] & (box[2] - 1)) == 0;
}

static bool is_order(enum ws_trace_order order, const uint32_t (*work)[3], uint32_t lanes,
                     const uint32_t first[3], const uint32_t box[3])
{
    if (!is_possible(order, box))
        return false;
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        uint32_t at[3];
        position(order, lane, box, at);
        if (work[lane][0] - first[0] != at[0] || work[lane][1] - first[1] != at[1] ||
            work[lane][2] - first[2] != at[2])
            return false;
    }
    return true;
}

/* Whether no two lanes have the same place in the box, so that as many lanes as places fill it. */
static bool is_filled(const uint32_t (*work)[3], uint32_t lanes, const uint32_t first[3],
                      const uint32_t box[3])
{
    bool seen[LANES_MOST] = {false};
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        uint32_t place = ((work[lane][2] - first[2]) * box[1] + work[lane][1] - first[1]) * box[0] +
                         work[lane][0] - first[0];
        if (seen[place])
            return false;
        seen[place] = true;
    }
    return true;
}

/* Whether each lane has the work id that follows that of the lane before. Rows begin at first[0]; slices, if
 * the warp goes on in the next one, begin at first[1]. */
static bool is_run(const uint32_t (*work)[3], uint32_t lanes, const uint32_t first[3], const uint32_t box[3])
{
    for (uint32_t lane = 1; lane < lanes; ++lane) {
        const uint32_t *before = work[lane - 1];
        uint32_t next[3] = {before[0] + 1, before[1], before[2]};
        if (before[0] - first[0] == box[0] - 1) {
            bool slice_ends = work[lane][2] != before[2] && before[1] - first[1] == box[1] - 1;
            next[0] = first[0];
            next[1] = slice_ends ? first[1] : before[1] + 1;
            next[2] = slice_ends ? before[2] + 1 : before[2];
        }
        if (memcmp(work[lane], next, sizeof(next)) != 0)
            return false;
    }
    return true;
}

struct ws_trace_pattern ws_trace_pattern_find(const uint32_t (*work)[3], uint32_t lanes)
{
    uint32_t first[3];
    uint32_t last[3];
    struct ws_trace_pattern pattern = {WS_TRACE_IRREGULAR, {0, 0, 0}};
    memcpy(first, work[0], sizeof(first));
    memcpy(last, work[0], sizeof(last));
    for (uint32_t lane = 1; lane < lanes; ++lane)
        for (uint32_t axis = 0; axis < 3; ++axis) {
            first[axis] = work[lane][axis] < first[axis] ? work[lane][axis] : first[axis];
            last[axis] = work[lane][axis] > last[axis] ? work[lane][axis] : last[axis];
        }
    uint64_t volume = 1;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        pattern.box[axis] = last[axis] - first[axis] + 1;
        /* A warp cannot fill a box that is larger than itself. An extent of 0 is 2^32. */
        volume = volume > LANES_MOST || pattern.box[axis] == 0 ? UINT64_MAX / LANES_MOST / 2
                                                               : volume * pattern.box[axis];
    }
    if (volume == lanes && is_filled(work, lanes, first, pattern.box)) {
        pattern.order = WS_TRACE_ROW_MAJOR;
        while (pattern.order < WS_TRACE_OTHER && !is_order(pattern.order, work, lanes, first, pattern.box))
            pattern.order++;
        return pattern;
    }
    if (pattern.box[0] != 0 && is_run(work, lanes, first, pattern.box))
        return (struct ws_trace_pattern){WS_TRACE_RUN, {pattern.box[0], 1, 1}};
    return (struct ws_trace_pattern){WS_TRACE_IRREGULAR, {0, 0, 0}};
}

static void add_pattern(struct ws_trace_work_map *map, const struct ws_trace_pattern *pattern, uint64_t count)
{
    uint32_t i = 0;
    while (i < map->pattern_count && (map->patterns[i].order != pattern->order ||
                                      memcmp(map->patterns[i].box, pattern->box, sizeof(pattern->box)) != 0))
        ++i;
    if (i == WS_TRACE_PATTERNS) {
        map->others += count;
        return;
    }
    if (i == map->pattern_count)
        map->patterns[map->pattern_count++] = *pattern;
    map->counts[i] += count;
}

static void widen(struct ws_trace_work_map *map, const uint32_t first[3], const uint32_t last[3])
{
    bool empty = map->full + map->partial == 0;
    for (uint32_t axis = 0; axis < 3; ++axis) {
        map->first[axis] = empty || first[axis] < map->first[axis] ? first[axis] : map->first[axis];
        map->last[axis] = empty || last[axis] > map->last[axis] ? last[axis] : map->last[axis];
    }
}

static void add_size(struct ws_trace_work_map *map, uint32_t lanes)
{
    map->several = map->several || (map->lanes != 0 && map->lanes != lanes);
    map->lanes = lanes > map->lanes ? lanes : map->lanes;
}

void ws_trace_work_map_add(struct ws_trace_work_map *map, const struct ws_context *context,
                           const struct ws_thread *threads)
{
    uint32_t work[LANES_MOST][3];
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < context->lane_count && lane < LANES_MOST; ++lane)
        if (context->threads[lane] != WS_NONE) {
            const uint32_t *words = threads[context->threads[lane]].work;
            memcpy(work[count], words, sizeof(work[0]));
            /* Pixels are packed into one word (records.h). */
            if (context->stage == WS_STAGE_FRAGMENT) {
                work[count][0] = words[0] & 0xffff;
                work[count][1] = words[0] >> 16;
                work[count][2] = 0;
            }
            ++count;
        }
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; ++i) {
        widen(map, work[i], work[i]);
        map->full += i == 0 && count == context->lane_count;
        map->partial += i == 0 && count != context->lane_count;
    }
    add_size(map, context->lane_count);
    if (count == context->lane_count) {
        struct ws_trace_pattern pattern = ws_trace_pattern_find((const uint32_t(*)[3])work, count);
        add_pattern(map, &pattern, 1);
    }
}

void ws_trace_work_map_merge(struct ws_trace_work_map *map, const struct ws_trace_work_map *more)
{
    if (more->full + more->partial == 0)
        return;
    widen(map, more->first, more->last);
    map->full += more->full;
    map->partial += more->partial;
    add_size(map, more->lanes);
    map->several = map->several || more->several;
    map->others += more->others;
    for (uint32_t i = 0; i < more->pattern_count; ++i)
        add_pattern(map, &more->patterns[i], more->counts[i]);
}

static bool is_row(const struct ws_trace_pattern *pattern)
{
    return pattern->order == WS_TRACE_ROW_MAJOR && pattern->box[1] == 1 && pattern->box[2] == 1;
}

/* The pattern that most full warps have; of equals the more regular one, then the smaller box. So the answer
 * does not depend on the order in which workers found the warps. */
static uint32_t most_common(const struct ws_trace_work_map *map)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < map->pattern_count; ++i) {
        const struct ws_trace_pattern *a = &map->patterns[i];
        const struct ws_trace_pattern *b = &map->patterns[best];
        int order = memcmp(a->box, b->box, sizeof(a->box));
        if (map->counts[i] > map->counts[best] ||
            (map->counts[i] == map->counts[best] &&
             (a->order < b->order || (a->order == b->order && order < 0))))
            best = i;
    }
    return best;
}

/* Warps along rows are one pattern with warps that go on from one row to the next: both are runs of work ids.
 * False if no warp goes on in the next row, or rows have different widths. */
static bool find_runs(const struct ws_trace_work_map *map, uint32_t *width, uint64_t *fitting)
{
    uint64_t rows = 0;
    uint64_t runs = 0;
    *width = 0;
    for (uint32_t i = 0; i < map->pattern_count; ++i) {
        if (is_row(&map->patterns[i])) {
            rows += map->counts[i];
        } else if (map->patterns[i].order == WS_TRACE_RUN) {
            if (*width != 0 && *width != map->patterns[i].box[0])
                return false;
            *width = map->patterns[i].box[0];
            runs += map->counts[i];
        }
    }
    *fitting = rows + runs;
    return runs > 0;
}

void ws_trace_work_map_text(const struct ws_trace_work_map *map, char *text, size_t size, uint64_t *fitting)
{
    static const char *const orders[] = {"row-major",       "column-major",           "Morton",
                                         "Morton, y first", "2 x 2 quads, row-major", "in another order"};
    uint32_t width = 0;
    uint32_t best = most_common(map);
    const struct ws_trace_pattern *pattern = &map->patterns[best];
    *fitting = 0;
    if (map->full == 0) {
        snprintf(text, size, "no full warp");
        return;
    }
    if (find_runs(map, &width, fitting) && *fitting > map->full / 2) {
        snprintf(text, size, "%" PRIu32 " consecutive, row-major, through rows of %" PRIu32, map->lanes,
                 width);
        return;
    }
    *fitting = map->counts[best];
    if (*fitting <= map->full / 2 || pattern->order >= WS_TRACE_RUN) {
        *fitting = 0;
        snprintf(text, size, "irregular");
        return;
    }
    if (is_row(pattern))
        snprintf(text, size, "%" PRIu32 " x 1, row-major", pattern->box[0]);
    else if (pattern->box[2] == 1)
        snprintf(text, size, "%" PRIu32 " x %" PRIu32 " tiles, %s", pattern->box[0], pattern->box[1],
                 orders[pattern->order]);
    else
        snprintf(text, size, "%" PRIu32 " x %" PRIu32 " x %" PRIu32 " boxes, %s", pattern->box[0],
                 pattern->box[1], pattern->box[2], orders[pattern->order]);
}
