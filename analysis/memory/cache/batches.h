/* Lines of requests that run through the caches of a device (hierarchy.h), and through caches of all sizes (size_curve.h), in
 * batches: beside whoever makes the requests.
 *
 * STAGES. The caches of the device, reuse distances, and stacks of sets each take all batches, one after the other. They know
 * nothing of each other: so each has a thread of its own, where there is more than one processor, and what comes out is the
 * same as without threads. Threads begin with the second batch, so small launches have none.
 * TAKING. What a batch came to is given back to its maker, batch by batch in their order, and in the maker's thread.
 * MEMORY: WS_BATCHES batches, about 200 KB each, and 64 KB more where L1s have other lines than caches of all sizes. Who makes
 * requests faster than a stage takes them waits.
 *
 * Not thread-safe: one thread, the maker, calls all functions. The threads of stages are their own affair. */
#ifndef WS_ANALYSIS_MEMORY_CACHE_BATCHES_H
#define WS_ANALYSIS_MEMORY_CACHE_BATCHES_H

#include "analysis/memory/cache/hierarchy.h"
#include "analysis/memory/cache/size_curve.h"

#define WS_BATCHES     6u
#define WS_BATCH_LINES 8192u

/* Lines that are handed over together. The batches own it. */
struct ws_batch {
    uint32_t part_count; /* the next three are parallel */
    uint64_t lines[WS_BATCH_LINES];
    struct ws_hierarchy_part parts[WS_BATCH_LINES];
    struct ws_hierarchy_outcome outcomes[WS_BATCH_LINES]; /* once it is given back */
    uint32_t curve_count;  /* lines of the size curve, where these are others */
    uint64_t *curve_lines; /* NULL = they are the same */
};

struct ws_batches_settings {
    const struct ws_cache_shape *shape;
    bool has_curve;
    uint32_t one_of;  /* of the curve */
    uint32_t threads; /* at most; 0 = as there are processors, 1 = none but the maker's own */

    /* A batch is done: `slot`, below WS_BATCHES, is what ws_batches_slot was while it was filled. False = no memory. */
    bool (*take)(void *user, uint32_t slot, const struct ws_batch *batch);
    void *user;
};

struct ws_batches;

/* Empty ones; the settings and the shape are copied. NULL when there is no memory. Destroying NULL is fine; what was not given
 * back is dropped. */
struct ws_batches *ws_batches_create(const struct ws_batches_settings *settings);
void ws_batches_destroy(struct ws_batches *batches);

/* The batch that is filled, and its slot: the maker adds to it, at most so many lines as there is room for. */
struct ws_batch *ws_batches_filled(struct ws_batches *batches);
uint32_t ws_batches_slot(const struct ws_batches *batches);

/* Whether L1s have the lines and sectors of the size curve: else the maker adds both. */
bool ws_batches_has_lines(const struct ws_batches *batches);

/* Hands it over, and begins an empty one, whose slot is free: what was in it before has been given back. False when there is no
 * memory, and then nothing is to be added any more; likewise below. */
bool ws_batches_next(struct ws_batches *batches);

/* Hands the last one over. When it returns all have been given back, and no thread runs. */
bool ws_batches_end(struct ws_batches *batches);

/* What they have run through. To be looked at after ws_batches_end, but for what does not change. */
struct ws_hierarchy *ws_batches_hierarchy(struct ws_batches *batches);
const struct ws_size_run *ws_batches_sizes(const struct ws_batches *batches);

#endif
