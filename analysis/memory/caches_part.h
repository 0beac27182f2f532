/* What the analysis `caches` finds out of one launch: caches.c runs its accesses, caches_merge.c adds what they came to to the
 * results. It is one thread's, but for what batches run beside it (cache/batches.h). */
#ifndef WS_ANALYSIS_MEMORY_CACHES_PART_H
#define WS_ANALYSIS_MEMORY_CACHES_PART_H

#include "analysis/memory/buffer_elements.h"
#include "analysis/memory/cache/batches.h"
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

/* A request that waits for what caches make of it: lines of its batch from `first` on. */
struct ws_caches_waiting {
    uint32_t shader;
    uint32_t place; /* in the shader's list */
    uint32_t first;
    uint32_t line_count;
};

/* What else is kept of it, where it is told, or counts for more than its place. */
struct ws_caches_request {
    struct ws_execution execution; /* without its words and threads: */
    size_t words; /* these are in the batch's `numbers` from here on, where they are asked for */
    size_t threads;
    const struct ws_traced_access *access;
    uint32_t place;   /* index in the module's traced accesses */
    uint32_t bound;   /* as ws_request has it */
    bool is_chosen;   /* else it only takes its turn */
    uint32_t touched; /* the first of the batch's pages that it touches */
    uint32_t touched_count;
    struct ws_caches_sums sums;
};

/* What is kept of the requests of a batch. */
struct ws_caches_kept {
    struct ws_caches_waiting *waiting;
    uint32_t count;
    uint32_t capacity;
    struct ws_caches_request *requests; /* parallel to them; or there is none */
    uint32_t request_capacity;
    uint32_t *numbers;
    size_t number_count;
    uint32_t number_capacity;
    struct ws_caches_touched *touched;
    uint32_t touched_count;
    uint32_t touched_capacity;
    uint32_t
        *touched_by; /* parallel to the lines of the batch, where the report is by page: index in `touched` */
    uint32_t touched_by_capacity;
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
    struct ws_batches *batches; /* NULL = nothing was accessed yet */
    struct ws_caches_kept kept[WS_BATCHES];
    size_t kept_words; /* of the execution that runs: where the batch has its words and threads; */
    size_t kept_threads;
    uint64_t kept_batch; /* of that batch, counted from 1 on; 0 = none has them yet */
    uint64_t batch_count;
    struct ws_multiprocessors multiprocessors;
    bool has_threads;                         /* the report is by thread */
    uint32_t lane_threads[WS_WIDE_LANES_MAX]; /* of an execution */
    struct ws_buffer_elements elements;       /* it is by element */
    struct ws_built_touches touches;          /* it is by vertex, face or geometry */
    bool has_pages;                           /* it is by page */
    struct ws_page_table pages;
    uint32_t touched;              /* of the request: the first of its batch */
    uint32_t stamp;                /* counts requests, for pages that it touched */
    bool no_memory;                /* for a line of one, or for a batch: nothing is run any more */
    struct ws_part_sums details;   /* of levels that are by thread, time, page or element */
    struct ws_thread_sums threads; /* the next three are of pictures */
    struct ws_part_sums times;
    struct ws_part_sums page_times;
    ws_caches_hear *hear; /* NULL = nobody asks for each request */
    void *hearer;
};

/* Whether something is kept of each request. */
static inline bool ws_caches_keeps(const struct ws_caches_part *part)
{
    return part->hear != NULL || part->results->details != 0 || part->results->draws;
}

/* Tells of a request, and adds it to all that it counts for besides its place. `touched`: pages of its batch. False when there
 * is no memory. */
bool ws_caches_request_take(struct ws_caches_part *part, const struct ws_caches_request *request,
                            const struct ws_caches_touched *touched);

/* As the operation of the replay: `part` is a struct ws_caches_part, `results` are its own. */
bool ws_caches_merge(void *results, void *part, const struct ws_replay_threads *threads);

#endif
