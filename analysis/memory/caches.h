/* The analysis `caches`: what the caches of a device would make of the accesses that the pass memory_trace recorded.
 *
 * It puts the requests of warps together (requests.h), in the order of the stream, and runs them through the caches of a device
 * (hierarchy.h, cache_shape.h): an L1 for each multiprocessor, and one L2. It is a model: the figures are those of that
 * device if it ran the launch in the order in which the device at hand did, and loaded what SPIR-V has, and no less. With
 * --compiled it loads what a compiler would leave of that (warpscope/spirv/stretches.h, ws_stretch_compile).
 *
 * REQUESTS, LANES, BYTES, SECTORS, LINES: as in memory.h, from records and not from counters; the two agree, without
 * --compiled, but for compressed texels of which counters have no tiles (memory.h, ASSUMED), and for samples that touch more
 * texels than counters count, or others (memory.h, POINTED). Here they touch what their samplers say (footprint.h).
 * POINTED = requests of samples whose sampler is not known, or may be one of several that do different things: they touch the
 * texel that they point to. UNMODELLED = those of samplers with anisotropy, cubic filters or conversions.
 * LANE BYTES = bytes / lanes: of images the bytes of a texel, or of a block where they are compressed, times how many of these
 * a sample touches.
 * L1 HITS, L1 MISSES, L2 HITS, L2 MISSES, MEMORY BYTES, WRITTEN BYTES: as in hierarchy.h.
 * L1 HIT RATE = L1 hits / (L1 hits + L1 misses). L2 HIT RATE likewise.
 *
 * MULTIPROCESSORS: as in warps/multiprocessors.h.
 *
 * CURVE: the hit rate of one cache of each size in place of all these, fully associative, with LRU and lines of 128 bytes: the
 * share of lines that requests touch whose reuse distance (stack_distance.h) is below its lines. Where it rises steeply lies
 * the memory that is used again and again: its working set. The same with 16 ways (set_stacks.h), and what the distances alone
 * let one expect of 16 ways (sdcm.h): where the first is far below the second, addresses fall into few sets. With --shards
 * 1/R it is estimated from one of R lines (size_curve.h).
 *
 * WIDE WARPS (--lanes N): warps are put together from narrower ones (wide_warps.h), so a request has up to N lanes. It is a
 * simulation, and the report says so.
 *
 * ACTIVE = lanes / (requests x lanes of a warp).
 * BY THREAD (--by thread, --by thread,buffer): as in thread_sums.h. Of a dispatch that draws, or of fragments, a thread is a
 * pixel. Pictures show the same (thread_pictures.h).
 * BY TIME (--by time, --by launch,time, --by time,buffer): parts of launches, as in part_sums.h. The first part of each
 * launch is part 0 of all.
 * BY PAGE (--by page, --by launch,page,time): pages of the memory that was touched, as in page_table.h.
 * Each goes with all other dimensions, but for page with thread: what a request touches on a page is not told by lane.
 * BY ELEMENT (--by element): buffers as arrays of vertices, faces, nodes or the like (buffer_elements.h). A request counts
 * for each element that its lanes touch: with the lanes that do, and with all its sectors, and what caches make of them.
 * Accesses to buffers that are no arrays are not there, nor those where which buffer it is differs from lane to lane.
 * BY VERTEX, BY FACE, BY GEOMETRY: what acceleration structures were built of (warpscope/model/built.h), wherever shaders
 * read it from: a descriptor, or a device address. A request counts for each vertex, face (its three indices; three vertices
 * without indices; an AABB) or array of them that its lanes touch with any byte: with the lanes that do, with all bytes that
 * these ask for, with all its sectors, and what caches make of them. By hand: two of four lanes read all 32 bytes of vertex
 * 5, and two of vertex 7: each vertex has 1 request, 2 lanes, 64 bytes and 2 sectors.
 *
 * LAUNCHES begin with empty caches, and write back what they changed where they end.
 *
 * THREADS. Caches run in threads beside who puts requests together (batches.h). What a request comes to is known later,
 * and taken in the order of requests: so reports are the same as without. */
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
    WS_CACHES_BY_BOUND,  /* what its lanes touched: as ws_request has it */
    WS_CACHES_BY_PLACE,
    WS_CACHES_BY_THREAD,   /* its work id, 21 bits for each number; only where the user asks for it */
    WS_CACHES_BY_TIME,     /* part of its launch; likewise */
    WS_CACHES_BY_PAGE,     /* its number; likewise */
    WS_CACHES_BY_ELEMENT,  /* buffer << 32 | its number there; likewise */
    WS_CACHES_BY_GEOMETRY, /* number of an array (ws_built_array); likewise */
    WS_CACHES_BY_VERTEX,   /* array << 32 | its number there; likewise */
    WS_CACHES_BY_FACE,     /* likewise */
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

struct ws_page;
struct ws_page_pictures;
struct ws_thread_pictures;

/* Sums of a row. */
struct ws_caches_sums {
    uint64_t requests;
    uint64_t lanes;
    uint64_t slots; /* lanes that the warps have */
    uint64_t bytes;
    uint64_t sectors;
    uint64_t lines;
    uint64_t l1_sectors; /* hits and misses */
    uint64_t l1_hits;
    uint64_t l2_sectors; /* hits and misses */
    uint64_t l2_hits;
    uint64_t memory_bytes;
    uint64_t written_bytes; /* of launches: no access has any */
    uint64_t assumed;       /* requests of texels whose size is not known (texel_place.h) */
    uint64_t pointed;       /* requests of samples whose sampler is not known (texel_place.h) */
    uint64_t unmodelled;    /* requests of samples whose sampler does what is not modelled (footprint.h) */
};

/* Adds what accesses have: all but written_bytes. */
void ws_caches_sums_add(struct ws_caches_sums *to, const struct ws_caches_sums *from);

/* The page of a key of WS_CACHES_BY_PAGE, which is its place among all pages in their order. */
const struct ws_page *ws_caches_page(const void *results, uint64_t key);
uint32_t ws_caches_page_count(const void *results); /* 0 where no level is by page */

const char *ws_caches_device(const void *results); /* whose caches these are */

/* What pictures show, of a report that has some (struct ws_analysis_options, plots). */
const struct ws_page_pictures *ws_caches_page_pictures(const void *results);
const struct ws_thread_pictures *ws_caches_thread_pictures(const void *results);

/* Results, whatever the report is by, also keep what each vertex and each face comes to in all launches. Call it before
 * anything is run. Then ws_caches_built gives those of element `number` of an array: of the face, or else the vertex; NULL =
 * nothing touched it. */
void ws_caches_keep_built(void *results);
const struct ws_caches_sums *ws_caches_built(const void *results, uint32_t array, uint32_t number,
                                             bool is_face);

/* Who replays the same records, and asks what each request comes to: in their order, but later than their execution, and until
 * the part is merged. `part` is one of ws_caches_replay (caches_results.h); `place`: index in the traced accesses of the
 * shader's module. Requests of shaders that were not chosen are left out. False = no memory. */
struct ws_execution;
typedef bool ws_caches_hear(void *user, const struct ws_execution *execution, uint32_t place,
                            const struct ws_caches_sums *request);
void ws_caches_part_hear(void *part, ws_caches_hear *hear, void *user);

/* Results have no curve: nobody asks for it. Call it before anything is run. */
void ws_caches_leave_out_curve(void *results);

/* Requests that found no room in rows by thread, time, page or element, or in pictures (part_sums.h). */
uint64_t ws_caches_left_out(const void *results);

extern const struct ws_columns ws_caches_columns;
extern const struct ws_analysis ws_analysis_caches;

#endif
