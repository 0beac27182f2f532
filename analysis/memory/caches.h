/* The analysis `caches`: what caches would make of the accesses that the pass memory_trace recorded.
 *
 * It puts the requests of warps together (requests.h), in the order of the stream, and runs them through a model of the caches
 * of a device: an L1 for each multiprocessor, and one L2. It is a model: the figures are those of that device if
 * it ran the launch in the order in which the device at hand did, and had compiled each access as SPIR-V has it.
 *
 * REQUEST, LANES, BYTES, SECTORS, LINES: as in memory.h, from records and not from counters; the two agree.
 * L1 HITS = sectors that the L1 of the warp's multiprocessor has. L1 HIT RATE = that / sectors.
 * L2 SECTORS = sectors that go on to the L2: those that miss in the L1, stores, and atomics.
 * L2 HITS = those of them that the L2 has. L2 HIT RATE = that / L2 sectors.
 * MEMORY BYTES = 32 x the sectors that the L2 has to load, and those that it writes back.
 *
 * MULTIPROCESSORS. A workgroup runs on one, and so does a warp that is of none, with all shaders that it calls. They are dealt
 * out in the order in which they begin: the first to multiprocessor 0, the second to 1, and so on around.
 *
 * LAUNCHES begin with empty caches. */
#ifndef WS_ANALYSIS_MEMORY_CACHES_H
#define WS_ANALYSIS_MEMORY_CACHES_H

#include "analysis/memory/requests.h"
#include "warpscope/report/analysis.h"

/* Dimensions and levels of the report (columns.h). A place's key is that of ws_key_in_shader, its index in the module's traced
 * accesses. */
enum ws_caches_dimension {
    WS_CACHES_BY_LAUNCH,
    WS_CACHES_BY_STAGE,
    WS_CACHES_BY_SHADER,
    WS_CACHES_BY_KIND,   /* enum ws_access_kind */
    WS_CACHES_BY_MEMORY, /* enum ws_access_memory */
    WS_CACHES_BY_BUFFER, /* index in the results' buffers */
    WS_CACHES_BY_PLACE,
    WS_CACHES_DIMENSIONS,
};

enum ws_caches_level {
    WS_CACHES_TOTAL,
    WS_CACHES_LAUNCHES,
    WS_CACHES_SHADERS,
    WS_CACHES_MEMORIES,
    WS_CACHES_BUFFERS,
    WS_CACHES_PLACES,
};

/* Sums of a row. */
struct ws_caches_sums {
    uint64_t requests;
    uint64_t lanes;
    uint64_t bytes;
    uint64_t sectors;
    uint64_t lines;
    uint64_t l1_hits;
    uint64_t l2_sectors;
    uint64_t l2_hits;
    uint64_t memory_bytes;
};

extern const struct ws_columns ws_caches_columns;
extern const struct ws_analysis ws_analysis_caches;

#endif
