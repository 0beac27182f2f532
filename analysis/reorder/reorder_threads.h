/* What one worker finds out about the threads of a launch at call sites: who reaches them, what each thread executes then,
 * and what the warps as they were executed for it. reorder.h has the words.
 *
 * MEMORY, bounded: 24 bytes for each visit of a call site by a thread, at most WS_REORDER_TAILS_MAX in a launch; 20 to 30
 * bytes for each different beginning of a tail (paths.h), at most WS_REORDER_NODES_MAX; some 300 bytes for each thread that
 * runs just now. What a thread executes beyond a bound counts as if it had stayed in its warp, and its visit as `lost`. */
#ifndef WS_ANALYSIS_REORDER_REORDER_THREADS_H
#define WS_ANALYSIS_REORDER_REORDER_THREADS_H

#include "analysis/compaction/paths.h"
#include "analysis/reorder/thread_walk.h"
#include "warpscope/base/pages.h"
#include "warpscope/model/replay.h"

#define WS_REORDER_TAILS_MAX (1u << 25)
#define WS_REORDER_NODES_MAX (1u << 24)

/* A call site, as a key: the shader (index in the catalog) and the word offset of its instruction. */
static inline uint64_t ws_reorder_site(uint32_t shader, uint32_t offset)
{
    return (uint64_t)shader << 32 | offset;
}

/* A call by all threads that are at one place: they reach the call site together. */
struct ws_reorder_visit {
    uint64_t site;
    uint64_t name;   /* of the call (thread_walk.h) */
    uint32_t bounce; /* ws_walk_turn */
    uint32_t size;   /* lanes of the warps that call */
    uint64_t calls;  /* by warps */
};

/* What a thread executes after a visit. */
struct ws_reorder_tail {
    uint32_t visit;  /* index in visits */
    uint32_t thread; /* its index in the launch */
    uint32_t node;   /* what it executes, in `tree`: a node for each block, its run is the block's name */
    uint32_t
        key; /* the shader that the call runs and the callables of that, in `shaders`: runs are indices + 1 */
};

/* A block by its name. */
struct ws_reorder_name {
    uint64_t name;
    uint32_t shader;
    uint32_t instructions;
};

/* What warps as they were executed of a shader in tails of a call site and bounce. */
struct ws_reorder_before {
    uint64_t site;
    uint32_t bounce;
    uint32_t ran;          /* the shader, index in the catalog */
    uint64_t executions;   /* of blocks, by warps */
    uint64_t slots;        /* lanes of a warp x instructions */
    uint64_t active;       /* slots of active lanes */
    uint64_t active_after; /* the same after: each lane's in its own bounce */
    uint64_t stay;         /* of `executions`: with lanes that have not reached the call site, and stay */
    uint64_t stay_slots;   /* slots of these */
};

struct ws_reorder_threads {
    const struct ws_catalog *catalog;
    const struct ws_loop_nest *nests; /* parallel to the catalog's modules */
    uint32_t nest_count;
    uint32_t user;
    struct ws_pages threads; /* of the reorder_threads.c's struct thread, by index */
    struct ws_path_tree tree;
    struct ws_path_tree shaders;
    struct ws_id_map names_at; /* name -> index in names */
    struct ws_reorder_name *names;
    uint32_t name_count;
    uint32_t name_capacity;
    struct ws_id_map visits_at;
    struct ws_reorder_visit *visits;
    uint32_t visit_count;
    uint32_t visit_capacity;
    struct ws_id_map befores_at;
    struct ws_reorder_before *befores;
    uint32_t before_count;
    uint32_t before_capacity;
    struct ws_reorder_tail *tails; /* that have ended */
    uint32_t tail_count;
    uint32_t tail_capacity;
    uint64_t lost; /* visits by threads whose tails are not known to their end */
};

/* Zero-initialise, then set the first four members. */
void ws_reorder_threads_finish(struct ws_reorder_threads *threads);

/* What the replay tells (replay.h). False when there is no memory. */
bool ws_reorder_threads_enter(struct ws_reorder_threads *threads, struct ws_context *context);
bool ws_reorder_threads_move(struct ws_reorder_threads *threads, struct ws_context *from, uint32_t from_lane,
                             struct ws_context *context, uint32_t lane);
bool ws_reorder_threads_place(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_place *place, struct ws_lanes lanes);
bool ws_reorder_threads_leave(struct ws_reorder_threads *threads, struct ws_context *context,
                              struct ws_lanes lanes);
bool ws_reorder_threads_close(struct ws_reorder_threads *threads, struct ws_context *context);

#endif
