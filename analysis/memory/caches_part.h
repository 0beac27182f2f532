/* What the analysis `caches` finds out of one launch: caches.c runs its accesses, caches_merge.c adds what they came to to the
 * results. */
#ifndef WS_ANALYSIS_MEMORY_CACHES_PART_H
#define WS_ANALYSIS_MEMORY_CACHES_PART_H

#include "analysis/memory/buffer_elements.h"
#include "analysis/memory/cache/hierarchy.h"
#include "analysis/memory/caches_results.h"
#include "analysis/memory/part_sums.h"
#include "analysis/memory/thread_sums.h"
#include "analysis/memory/traced_sites.h"
#include "analysis/memory/warps/multiprocessors.h"
#include "warpscope/passes.h"

#define WS_CACHES_RECENT 64

/* What one access came to in one buffer of the application. */
struct ws_caches_place {
    uint32_t place; /* index in the module's traced accesses */
    uint32_t bound; /* as ws_request has it */
    struct ws_caches_sums sums;
};

/* What a request came to on one page. */
struct ws_caches_touched {
    uint32_t page;
    struct ws_caches_sums sums;
};

struct ws_caches_shader {
    struct ws_id_map ids; /* place << 32 | bound -> index below */
    uint32_t recent
        [WS_CACHES_RECENT]; /* by place and bound, modulo: an index that was found last, if it is the one */
    struct ws_caches_place *list;
    uint32_t count;
    uint32_t capacity;
};

/* One launch. There is one part of it: records come in order (struct ws_replay_operations, in_order). */
struct ws_caches_part {
    const struct ws_caches_results *results;
    const struct ws_launch_record *launch;
    struct ws_caches_shader *shaders; /* parallel to the catalog's */
    uint32_t shader_count;
    struct ws_traced_sites sites;
    struct ws_request_memory memory;
    struct ws_request request;
    uint64_t addresses[WS_REQUEST_LINES_MAX * (WS_MEMORY_LINE / WS_MEMORY_SECTOR)]; /* of its sectors */
    struct ws_hierarchy *hierarchy;    /* NULL = nothing was accessed yet */
    struct ws_hierarchy_counts counts; /* of all requests */
    struct ws_size_run sizes;
    struct ws_multiprocessors multiprocessors;
    bool has_threads;                         /* the report is by thread */
    uint32_t lane_threads[WS_WIDE_LANES_MAX]; /* of an execution */
    struct ws_buffer_elements elements;       /* it is by element */
    struct ws_built_touches touches;          /* it is by vertex, face or geometry */
    bool has_pages;                           /* it is by page */
    struct ws_page_table pages;
    struct ws_caches_touched *touched; /* of the request */
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint32_t stamp;                /* counts requests, for pages that it touched */
    bool no_memory;                /* for what one was touched */
    struct ws_part_sums details;   /* of levels that are by thread, time, page or element */
    struct ws_thread_sums threads; /* the next three are of pictures */
    struct ws_part_sums times;
    struct ws_part_sums page_times;
    ws_caches_hear *hear; /* NULL = nobody asks for each request */
    void *hearer;
};

/* As the operation of the replay: `part` is a struct ws_caches_part, `results` are its own. */
bool ws_caches_merge(void *results, void *part, const struct ws_replay_threads *threads);

#endif
