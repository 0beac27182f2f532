/* How long launches took on the device: the analysis `time`. What the time of a launch is, and what it leaves out, is in
 * warpscope/model/times.h; where it comes from another capture, in times_join.h.
 *
 *   time       the sum over launches
 *   share      of the time of all launches that have one
 *   interval   per frame and queue, from the first timestamp of the first launch to the last one of the last; summed.
 *              Not known of times from another capture
 *   busy       time / interval: the rest is copies, builds, barriers, waits and idle time between launches
 *   min, median, max         of single launches
 *   frame min, median, max   of the sums in each frame where any of the launches ran; only where several frames have
 *              times. A program that never presents has one frame
 *
 * What the summary says of them: pipelines, the launch and the label that take most (their share of the device time);
 *
 *   far longer   than the median of all frames, is a frame that takes more than WS_TIME_FAR times as long, of at least
 *                WS_TIME_LEAST_COUNT frames. In a capture of one frame it is a launch, among equal ones
 *   between      launches there is much time where they are busy for less than WS_TIME_LEAST_BUSY of the interval
 *
 * A median of an even number is the lower one of the two in the middle, so that it is a time that was taken.
 *
 * The results are complete after `end`: only then are the times known. Not thread-safe. */
#ifndef WS_ANALYSIS_TIME_LAUNCH_TIMES_H
#define WS_ANALYSIS_TIME_LAUNCH_TIMES_H

#include "warpscope/model/times.h"
#include "warpscope/report/analysis.h"

#define WS_TIME_FAR         2.0
#define WS_TIME_LEAST_COUNT 3u
#define WS_TIME_LEAST_BUSY  0.75

struct ws_findings;

enum ws_time_dimension {
    WS_TIME_LAUNCH,
    /* The same launch in every frame (launch_content.h). In a capture of one frame, all launches of one content: a program
     * that never presents may run the same a thousand times. */
    WS_TIME_PLACE,
    WS_TIME_PIPELINE,
    WS_TIME_LABEL,
    WS_TIME_FRAME,
    WS_TIME_QUEUE,
    WS_TIME_DIMENSIONS,
};

enum ws_time_level {
    WS_TIME_BY_ALL,
    WS_TIME_BY_PLACE,
    WS_TIME_BY_PIPELINE,
    WS_TIME_BY_LABEL,
    WS_TIME_BY_FRAME,
    WS_TIME_BY_QUEUE,
    WS_TIME_BY_LAUNCH,
};

/* The time of a launch, in its frame. */
struct ws_time_sample {
    uint64_t frame;
    uint64_t nanoseconds;
};

/* Sums of one row. */
struct ws_time_sums {
    uint64_t launches;    /* with and without a time */
    uint64_t untimed;     /* those without */
    uint64_t nanoseconds; /* of those with */
    uint64_t interval;    /* ns; 0 = not known */
    struct ws_time_sample *samples;
    uint64_t sample_count;
    uint64_t sample_capacity;
};

/* The smallest, the median and the largest of some times, in ns; `count` 0 = there are none. */
struct ws_time_spread {
    uint64_t count;
    uint64_t least;
    uint64_t median;
    uint64_t most;
};

/* What all launches of one place have in common. */
struct ws_time_place {
    uint64_t launch; /* index of the first */
    uint32_t order;
};

struct ws_launch_times {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_groups *groups;         /* sums are struct ws_time_sums */
    struct ws_time_place *places;     /* what keys of WS_TIME_PLACE are indices of */
    uint32_t place_count;
    uint32_t place_capacity;
    struct ws_text_pool texts; /* owns the labels */
    const char **labels;       /* what keys of WS_TIME_LABEL are indices of */
    uint32_t label_count;
    uint32_t label_capacity;
    bool one_frame;     /* all launches are of one */
    uint32_t frames;    /* that have times */
    uint64_t states[8]; /* launches by enum ws_time_state; 6 = backwards, 7 = not joined */
    uint64_t absent;    /* launches that no TIME chunk has */
};

/* False where there are no such times. */
bool ws_time_spread_of_launches(const struct ws_time_sums *sums, struct ws_time_spread *spread);
bool ws_time_spread_of_frames(const struct ws_time_sums *sums, struct ws_time_spread *spread);

/* Adds up the launches of the catalog, which has been read to its end. */
bool ws_launch_times_collect(struct ws_launch_times *results, struct ws_error *error);

/* What the summary says of them. */
bool ws_launch_times_findings(const void *results, struct ws_findings *findings);

/* How sums add up, for ws_time_columns. */
bool ws_time_sums_add(void *to, const void *from);
void ws_time_sums_finish(void *sums);

extern const struct ws_columns ws_time_columns;
extern const struct ws_analysis ws_analysis_time;

#endif
