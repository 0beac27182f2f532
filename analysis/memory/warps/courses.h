/* How far executions of shaders have come, so that those of warps that would be one wide warp can be put in step
 * (wide_warps.h).
 *
 * TURNS. An access stands in loops, one in the other (struct ws_traced_position). A turn of the innermost loop that two
 * accesses of a function share has begun where the second does not stand behind the first. Turns without an access are not
 * seen. Where the function's caller has gone on, or another loop was entered, turns begin anew.
 * CALLS. The calls that a context makes are numbered, from its last access on: closest-hit, miss and callable shaders end a
 * call for their lanes, so what these lanes enter next is of the next call. Those that find hits, any-hit and
 * intersection shaders, come before the others of a call. For example, of 4 lanes two hit a mesh and two nothing: call 0 has
 * the hit shader with the first two and the miss shader with the others; whichever shader a lane of theirs enters next is
 * of call 1.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_WARPS_COURSES_H
#define WS_ANALYSIS_MEMORY_WARPS_COURSES_H

#include "analysis/memory/warps/wide_warps.h"
#include "warpscope/base/lanes.h"
#include "warpscope/model/catalog.h"

#define WS_COURSE_FUNCTIONS 8 /* whose turns are kept: those that were executed last */

struct ws_course_function {
    uint32_t function; /* as in struct ws_traced_position; 0 = none */
    uint32_t height;
    struct ws_wide_order last;
};

/* One context. Zero-initialised has begun, and called nothing. */
struct ws_course {
    struct ws_lanes served;           /* lanes whose part of the call has ended */
    uint32_t call;                    /* the one under way */
    uint32_t path[WS_WIDE_CALLS_MAX]; /* as in struct ws_wide_order */
    uint32_t path_count;
    struct ws_course_function functions[WS_COURSE_FUNCTIONS];
};

/* A context begins that `caller` has called. */
void ws_course_enter(struct ws_course *course, struct ws_course *caller, struct ws_lanes lanes,
                     uint32_t stage);

/* It executes the accesses of a site. `order` has its depth and shader, and gets the rest. */
void ws_course_go_on(struct ws_course *course, const struct ws_module_traces *traces, uint32_t site,
                     struct ws_wide_order *order);

#endif
