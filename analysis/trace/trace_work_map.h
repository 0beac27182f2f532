/* Which work ids make a warp, found from the warps of a launch: nothing says how a device does it.
 *
 * A FULL warp has a thread in each of its SubgroupSize lanes. Its PATTERN is one of these:
 *   - a box of work ids that it fills, with the order of the lanes in the box: "8 x 4 tiles, row-major";
 *   - a run of consecutive work ids that goes on in the next row: "32 consecutive, through rows of 60";
 *   - irregular.
 * The pattern of the launch is the one that more than half of its full warps have; else it is irregular.
 * Partial warps are only counted. */
#ifndef WS_ANALYSIS_TRACE_TRACE_WORK_MAP_H
#define WS_ANALYSIS_TRACE_TRACE_WORK_MAP_H

#include "warpscope/model/replay.h"

enum ws_trace_order {
    WS_TRACE_ROW_MAJOR,    /* x, then y, then z */
    WS_TRACE_COLUMN_MAJOR, /* y, then x */
    WS_TRACE_MORTON,       /* bits of x and y (and z) in turn, x lowest */
    WS_TRACE_MORTON_Y,     /* the same, y lowest */
    WS_TRACE_QUADS,        /* 2 x 2 quads, row by row, quads row by row */
    WS_TRACE_OTHER,        /* a box in another order */
    WS_TRACE_RUN,          /* row-major through rows that are box[0] wide, more than one of them */
    WS_TRACE_IRREGULAR,
};

struct ws_trace_pattern {
    enum ws_trace_order order;
    uint32_t box[3];
};

#define WS_TRACE_PATTERNS 12

struct ws_trace_work_map {
    uint64_t full;
    uint64_t partial;
    uint32_t lanes; /* subgroup size; 0 = none seen */
    bool several;   /* warps have different subgroup sizes; `lanes` is the largest */
    struct ws_trace_pattern patterns[WS_TRACE_PATTERNS];
    uint64_t counts[WS_TRACE_PATTERNS]; /* full warps of each pattern */
    uint32_t pattern_count;
    uint64_t others;   /* full warps of further patterns */
    uint32_t first[3]; /* lowest and highest work id on each axis; undefined if there is no warp */
    uint32_t last[3];
};

/* The pattern of a full warp. `work`: the work id of each of `lanes` lanes, in order. */
struct ws_trace_pattern ws_trace_pattern_find(const uint32_t (*work)[3], uint32_t lanes);

/* Adds a warp that entered a launched shader. */
void ws_trace_work_map_add(struct ws_trace_work_map *map, const struct ws_context *context,
                           const struct ws_thread *threads);

/* Adds the map of another worker. */
void ws_trace_work_map_merge(struct ws_trace_work_map *map, const struct ws_trace_work_map *more);

/* The pattern of the launch: "8 x 4 tiles, row-major", "irregular", ... and in `*fitting` how many full warps
 * have it. */
void ws_trace_work_map_text(const struct ws_trace_work_map *map, char *text, size_t size, uint64_t *fitting);

#endif
