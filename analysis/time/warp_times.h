/* When warps ran: the analysis `warp_time`, of the pass of that name (passes/warp_time.c).
 *
 * Times are TICKS of the shader clock. How long a tick is the device does not say. Where the capture has the times of launches
 * too (pass time), two bounds follow from them: all that a launch's warps show lies between its two timestamps. With A the
 * first launch of a queue that has times and Z the last,
 *
 *   ticks a nanosecond >= (last end in Z - first begin in A) / (end of Z - begin of A), and
 *                      >= (last end in L - first begin in L) / time of L, of each launch L that has one, and
 *   ticks a nanosecond <= (first begin in Z - last end in A) / (begin of Z - end of A), where Z is not A.
 *
 * The second tells most where a launch's time has other things in it than its warps: a driver that compiles when a shader is
 * first used. Launches in which the clock ran backwards (below) are no L.
 *
 * An EXECUTION is one of a shader by a warp, called or launched.
 *   total     from its begin to the end of its last lane
 *   self      total without the time in which any execution that it called runs. One counts as running until the place record
 *             behind the clock record of its last end, if another one begins in between
 *   waiting   of each lane from where it ends to where the last lane of the execution ends; summed over lanes
 *   lane time total * lanes that entered
 * Example: a warp of 2 lanes begins at 10. A hit shader that it calls with both runs from 20 to 50. One lane ends at 60, the
 * other at 100. Its total is 90, its self 60, its waiting 40 of the lane time 180.
 *
 * A WARP is one of a launched shader, with all that it calls. Its threads may end in other executions than the one they began
 * in (replay.h, CONTINUATIONS): it ends with the last of its threads, and they wait for that. `in flight`, tail and drain of a
 * launch are in flight.h. They compare warps, so they need a clock of the device: with that of the subgroup there are none.
 *
 * A lane that leaves without a clock record (an intersection shader's, when its any-hit shader ends the ray; what moved to
 * another execution) ends at the latest time that its execution and those that it called have shown. Executions that show no
 * begin are not counted, but as `unknown`.
 *
 * The clock runs BACKWARDS in an execution where it, or one that it called, shows a time before its begin. A device's clock
 * must not; that of a software device does, where the processors that it goes on from and to disagree. Such a time counts as
 * that of the begin, and the times of others may be as wrong without being seen.
 *
 * The records take time themselves: an execution's own begin and end are read inside of its records, so what they cost is in
 * the time of the shader that called it. `share` compares shaders, and counts it so.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_TIME_WARP_TIMES_H
#define WS_ANALYSIS_TIME_WARP_TIMES_H

#include "analysis/time/flight.h"
#include "warpscope/base/text.h"
#include "warpscope/model/work_grid.h"
#include "warpscope/report/analysis.h"

#define WS_WARP_TIMES_MOST     10 /* slowest warps that are listed */
#define WS_WARP_TIMES_CURVES   4  /* launches whose warps in flight are drawn: those with the longest spans */
#define WS_WARP_TIMES_BINS     200        /* of such a curve */
#define WS_WARP_TIMES_PICTURES 8          /* launched shaders and sizes that are drawn, */
#define WS_WARP_TIMES_PIXELS   (1u << 22) /* with so many pixels together */

/* From which tail and which waiting on the summary says so: below it, a change wins little. */
#define WS_WARP_TIMES_LONG_TAIL 0.1
#define WS_WARP_TIMES_WAITING   0.25

enum ws_warp_times_dimension {
    WS_WARP_TIMES_LAUNCH,
    WS_WARP_TIMES_STAGE,
    WS_WARP_TIMES_SHADER,
    WS_WARP_TIMES_SLOW, /* place in the list of the slowest warps */
    WS_WARP_TIMES_DIMENSIONS,
};

enum ws_warp_times_level {
    WS_WARP_TIMES_BY_ALL,
    WS_WARP_TIMES_BY_SHADER,
    WS_WARP_TIMES_BY_LAUNCH,
    WS_WARP_TIMES_BY_SLOW,
};

struct ws_warp_times_sums {
    uint64_t executions;
    uint64_t ticks; /* total */
    uint64_t self;
    uint64_t lane_ticks;
    uint64_t waiting;
    uint64_t unknown;   /* executions without a begin */
    uint64_t backwards; /* executions in which the clock ran backwards */
    uint64_t warps;
    uint64_t warp_ticks;
    uint64_t warp_lane_ticks;
    uint64_t warp_waiting;
    uint64_t launches; /* from here on of launches, not of shaders */
    uint64_t span;
    uint64_t peak; /* the largest */
    uint64_t tail;
    uint64_t drain;
    uint64_t room; /* peak * span */
    uint64_t flight_ticks;
};

/* One of the slowest warps. */
struct ws_warp_times_slow {
    uint64_t launch;
    uint64_t ticks;
    uint64_t waiting;
    uint64_t lane_ticks;
    uint32_t shader;
    uint32_t work[3]; /* its lowest work id */
    uint32_t warp;    /* index */
};

/* A launch, as its warps show it. */
struct ws_warp_times_launch {
    uint64_t launch;
    struct ws_flight flight;
    uint32_t warps;
    bool backwards; /* the clock ran backwards in some execution */
    double *curve;  /* WS_WARP_TIMES_BINS means of warps in flight; NULL = not kept */
};

/* Time of threads by their work ids, summed over launches of one size. */
struct ws_warp_times_picture {
    uint32_t shader;
    uint32_t stage;
    uint32_t kind;
    uint32_t size[3];
    struct ws_work_grid grid;
    uint64_t launches;
    uint64_t last; /* index of the last launch */
    uint64_t *values;
};

/* An execution that is kept for a timeline. */
struct ws_warp_times_slice {
    uint64_t launch;
    uint64_t begin;
    uint64_t end;
    uint32_t shader;
    uint32_t warp; /* index */
    uint32_t depth;
    uint32_t lanes;
};

struct ws_warp_times {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_analysis_options options;
    struct ws_groups *groups; /* sums are struct ws_warp_times_sums */
    uint32_t user;
    bool of_subgroup; /* some clock is that of a subgroup */
    uint64_t self;    /* of all executions */
    struct ws_warp_times_launch *launches;
    uint32_t launch_count;
    uint32_t launch_capacity;
    struct ws_warp_times_slow slow[WS_WARP_TIMES_MOST];
    uint32_t slow_count;
    struct ws_warp_times_picture pictures[WS_WARP_TIMES_PICTURES];
    uint32_t picture_count;
    uint64_t pictures_left_out; /* launches without one */
    double least_rate;          /* ticks a nanosecond, at least and at most; 0 = not known */
    double most_rate;
    uint64_t rate_launches; /* that tell it */

    /* For timelines: at most `slice_limit` of a launch, and of all launches, the first in time. */
    uint32_t slice_limit;
    struct ws_warp_times_slice *slices;
    uint32_t slice_count;
    uint32_t slice_capacity;
    uint64_t slices_left_out;

    /* The launch whose parts are being merged. */
    struct ws_flight_warp *flights;
    uint32_t flight_count;
    uint32_t flight_capacity;
    uint32_t slice_first;
    bool backwards;
};

/* For the analysis, and for others that need its results (analysis/export). */
void *ws_warp_times_create(const struct ws_catalog *catalog, const struct ws_analysis_options *options,
                           struct ws_error *error);
void ws_warp_times_destroy(void *results);
void ws_warp_times_attach(void *results, uint32_t user);
bool ws_warp_times_end(void *results, struct ws_error *error);
extern const struct ws_replay_operations ws_warp_times_replay;

/* What the clock shows a launch's first warp begin with, and the launch; NULL where it has no warps with times. */
const struct ws_warp_times_launch *ws_warp_times_launch(const struct ws_warp_times *results, uint64_t launch);

/* The time of launch `index` of `launches`; NULL = it has none. */
const struct ws_timed_launch *ws_warp_times_timed(const struct ws_warp_times *results, uint32_t index);

/* Ticks a nanosecond, at least, as that launch alone tells; 0 = it does not. */
double ws_warp_times_rate(const struct ws_warp_times *results, uint32_t index);

/* warp_times_report.c */
extern const struct ws_columns ws_warp_times_columns;
extern const struct ws_analysis ws_analysis_warp_time;

#endif
