/* How long launches took on the device, as far as the capture has device timestamps of them (pass time).
 *
 * THE TIME of a launch is the time from its first timestamp to its second (layer/commands/timer.h). The first was
 * written when all commands before the launch on its queue had ended, the second when the launch had ended, too. So:
 *
 *   - Of two launches that overlap on one queue, the later one has only what it took longer than the earlier one. The
 *     times of a queue add up, and never exceed the time that went by.
 *   - Copies, builds of acceleration structures, barriers, waits for semaphores, and idle time between launches are in
 *     no launch's time.
 *   - Launches of two queues may run at the same time. Their times add up to more than went by.
 *   - The time of a render pass is that of its whole instance, with the load and store of its attachments. A device
 *     that draws in tiles may do some of its work later, with that of other commands.
 *
 * The specification: "Timestamp Queries" (vkCmdWriteTimestamp), VkQueueFamilyProperties::timestampValidBits,
 * VkPhysicalDeviceLimits::timestampPeriod.
 *
 * WHOSE TIMES. They are the program's own if nothing was instrumented while they were taken: then pass time was the
 * only one, or they come from a capture of such a run (times_join.h). Times of instrumented shaders tell what
 * recording costs, and not what the program costs.
 *
 * A catalog takes them in by ws_catalog_record. They are known when the capture has been read: in the `end` of an
 * analysis, and when it shows its results. Times that come from another capture are there only then. Sums stand at
 * UINT64_MAX where they do not fit. Not thread-safe. */
#ifndef WARPSCOPE_MODEL_TIMES_H
#define WARPSCOPE_MODEL_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "warpscope/base/id_map.h"
#include "warpscope/chunks.h"

struct ws_catalog;
struct ws_times_join;

/* Whether any launch has a time. */
bool ws_times_any(const struct ws_catalog *catalog);

/* How many launches have a time, and the nanoseconds of all of them: the capture's device time. */
uint64_t ws_times_count(const struct ws_catalog *catalog);
uint64_t ws_times_total(const struct ws_catalog *catalog);

/* The share of the capture's device time, 0 to 1. 0 where no launch has a time. */
double ws_times_share(const struct ws_catalog *catalog, uint64_t nanoseconds);

/* Each sets `*nanoseconds` to the time of
 *   - the launch of that index,
 *   - all launches that used this pipeline, an index in the catalog, and no other one. The time of a render pass with
 *     several pipelines belongs to none of them.
 *   - all launches with this label. Looks at all launches.
 * False, and 0, where no such launch has a time. */
bool ws_times_launch(const struct ws_catalog *catalog, uint64_t launch, uint64_t *nanoseconds);
bool ws_times_pipeline(const struct ws_catalog *catalog, uint32_t pipeline, uint64_t *nanoseconds);
bool ws_times_label(const struct ws_catalog *catalog, const char *label, uint64_t *nanoseconds);

/* The time of the launches that each shader can have run in: those whose pipelines have it. By index in the catalog;
 * UINT64_MAX where none of them has a time. The caller frees it. NULL without memory. */
uint64_t *ws_times_of_shaders(const struct ws_catalog *catalog);

/* Whether the times are those of instrumented shaders: then they are not what the program costs. */
bool ws_times_are_instrumented(const struct ws_catalog *catalog);

/* How the times came from another capture (times_join.h); NULL where they are this capture's own. */
const struct ws_times_join *ws_times_joined(const struct ws_catalog *catalog);

/* Writes nanoseconds as text with a unit: "12 ns", "3.4 us", "17.25 ms", "1.500 s". Returns `text`. */
#define WS_TIME_TEXT 32
const char *ws_time_text(double nanoseconds, char text[WS_TIME_TEXT]);

/* ---- For the catalog, and for those that show every launch. ---- */

/* In place of an enum ws_time_state. */
#define WS_TIME_BACKWARDS  100u /* its second timestamp is before its first */
#define WS_TIME_NOT_JOINED 101u /* the other capture has no such launch with a time */

/* A launch that is in a TIME chunk, or was joined. */
struct ws_timed_launch {
    uint64_t launch;      /* index */
    uint64_t nanoseconds; /* 0 unless it was taken */
    uint64_t begin;       /* ns since the first launch of its queue that has a time */
    uint32_t queue; /* number of its queue, in the order in which they first come; 0 where it was joined */
    uint32_t state; /* enum ws_time_state, or one of the two above */
};

/* A queue while times are taken in: where its launches stand since its first. */
struct ws_timed_queue {
    uint32_t device; /* index in the catalog */
    uint32_t family;
    uint32_t index;
    uint32_t valid_bits;
    bool begun;
    uint64_t last;     /* ticks of the latest beginning */
    uint64_t position; /* ns of it */
};

struct ws_times {
    struct ws_id_map by_launch; /* index of a launch -> its place in `launches` */
    struct ws_timed_launch *launches;
    uint32_t count;
    uint32_t capacity;
    struct ws_id_map by_queue;
    struct ws_timed_queue *queues;
    uint32_t queue_count;
    uint32_t queue_capacity;
    uint64_t *
        pipelines; /* by index in the catalog: ns of the launches that used only this one; UINT64_MAX = none */
    uint32_t pipeline_count;
    uint32_t pipeline_capacity;
    uint64_t taken; /* launches that have a time */
    uint64_t total; /* ns of them */
    bool instrumented;
    struct ws_times_join *join; /* owned; NULL = the times are the capture's own */
};

/* Takes in a TIME chunk. A launch whose SUBM chunk is damaged, or that has a time already, is left out. False without
 * memory. */
bool ws_times_record(struct ws_catalog *catalog, const struct ws_chunk_times *chunk);

/* Adds a launch. False without memory. */
bool ws_times_add(struct ws_catalog *catalog, struct ws_times *times, const struct ws_timed_launch *launch);

void ws_times_finish(struct ws_times *times);

/* Nanoseconds of so many ticks of `period` femtoseconds, rounded to the nearest. */
uint64_t ws_ticks_to_nanoseconds(uint64_t ticks, uint64_t period);

#endif
