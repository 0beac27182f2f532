/* Something for each thread of a launch that runs just now, by its index. Zero-initialise, then set the size. Not thread-safe.
 *
 * MEMORY: that of the threads that ran at the same time, at most, and 4 bytes for each thread of the launch. */
#ifndef WS_ANALYSIS_REORDER_RUNNING_H
#define WS_ANALYSIS_REORDER_RUNNING_H

#include "warpscope/base/pages.h"

struct ws_running {
    size_t size;             /* bytes of an element */
    struct ws_pages places;  /* uint32_t per thread: its place in the pool + 1; 0 = it does not run */
    struct ws_pages pool;    /* elements */
    uint32_t count;          /* of the pool */
    uint32_t *spare;         /* places that nobody has, */
    uint32_t spare_count;    /* so many */
    uint32_t spare_capacity; /* >= count: to end needs no memory */
};

void ws_running_finish(struct ws_running *running);

/* The element of a thread; NULL where it does not run. */
void *ws_running_get(const struct ws_running *running, uint32_t thread);

/* Likewise, but where it does not run it begins, with zeros. NULL when there is no memory. */
void *ws_running_touch(struct ws_running *running, uint32_t thread);

/* The thread, which runs, has ended. */
void ws_running_end(struct ws_running *running, uint32_t thread);

/* An element of the pool: all zeros where nobody has it. */
void *ws_running_at(const struct ws_running *running, uint32_t place);

#endif
