/* What the analysis `caches` has found out (caches.h): caches.c runs what was recorded, launch by launch (caches_part.h),
 * caches_report.c shows it. Not thread-safe. */
#ifndef WS_ANALYSIS_MEMORY_CACHES_RESULTS_H
#define WS_ANALYSIS_MEMORY_CACHES_RESULTS_H

#include "analysis/memory/built_touches.h"
#include "analysis/memory/cache/cache_shape.h"
#include "analysis/memory/cache/size_curve.h"
#include "analysis/memory/caches.h"
#include "analysis/memory/page_pictures.h"
#include "analysis/memory/page_table.h"
#include "analysis/memory/part_pictures.h"
#include "analysis/memory/rows.h"
#include "analysis/memory/thread_pictures.h"

/* Of what acceleration structures were built of. */
#define WS_CACHES_BUILT (1u << WS_CACHES_BY_GEOMETRY | 1u << WS_CACHES_BY_VERTEX | 1u << WS_CACHES_BY_FACE)

#define WS_CACHES_DETAILS                                                                                    \
    (1u << WS_CACHES_BY_THREAD | 1u << WS_CACHES_BY_TIME | 1u << WS_CACHES_BY_PAGE |                         \
     1u << WS_CACHES_BY_ELEMENT | WS_CACHES_BUILT)

struct ws_caches_results {
    struct ws_memory_rows rows; /* first: what it has in common with other analyses of accesses */
    struct ws_groups *groups;   /* sums are struct ws_caches_sums */
    const struct ws_selection *selection;
    struct ws_cache_shape shape;
    bool compiled;   /* accesses as a compiler would leave them */
    uint32_t lanes;  /* of wide warps; 0 = warps are as recorded */
    uint32_t user;   /* number in the replay */
    uint64_t formed; /* wide warps; the next two as in wide_warps.h */
    uint64_t kept;
    uint64_t hurried;
    bool draws; /* pictures are asked for */
    struct ws_thread_pictures pictures;
    struct ws_part_pictures time_pictures;
    struct ws_page_pictures page_pictures;
    struct ws_page_table pages;
    uint32_t *page_order;       /* pages in their order; NULL = there are none */
    uint32_t details;           /* set of those dimensions that some level is by, of WS_CACHES_DETAILS */
    bool details_of_code;       /* such a level is also by what stands in the code */
    uint64_t left_out;          /* requests, of such levels and of pictures */
    struct ws_built_sums built; /* of all launches, where they are kept */
    bool keeps_built;
    struct ws_size_curve curve;
    bool has_no_curve; /* nobody asks for it */
    bool recorded;     /* there is a request */
};

/* The replay of its records; its results are these. */
extern const struct ws_replay_operations ws_caches_replay;

#endif
