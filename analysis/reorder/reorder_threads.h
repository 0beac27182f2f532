/* What one worker finds out about the threads of a launch at call sites: who reaches them, what each thread executes then,
 * and what the warps as they were executed for it. reorder.h has the words.
 *
 * What a thread executes from its first visit on is its PATH: a span (spans.h) between each two calls. A tail is a piece of it,
 * since a thread that visits one call site goes on in its tails of the others. Equal ones are kept once.
 *
 * A thread is in its tail of a parting (partings.h) from the branch on, or the header of the loop, until it executes a block
 * that is not in the region.
 *
 * Threads at one place that did the same since their last call have the same number (stands.h): what a block leads to is
 * found out for the first of them, of whichever warp. While the same lanes of a warp execute one block after the other, and all
 * stand at one place, their context holds them: a block is one step for all.
 *
 * MEMORY, bounded: visits of call sites by threads, at most WS_REORDER_TAILS_MAX for each worker, are in a file (tails.h) but
 * for the last ones; the spans and paths (spans.h) are not; half a kilobyte, its path, and what is known of its visits for each
 * thread that runs just now, and 4 bytes for each other one; and two kilobytes for each context that does, and half of one for
 * each call site in it. What a thread executes beyond a bound counts as if it had stayed in its warp, and its visit as
 * `lost`. */
#ifndef WS_ANALYSIS_REORDER_REORDER_THREADS_H
#define WS_ANALYSIS_REORDER_REORDER_THREADS_H

#include "analysis/compaction/paths.h"
#include "analysis/reorder/before.h"
#include "analysis/reorder/places/growing.h"
#include "analysis/reorder/places/partings.h"
#include "analysis/reorder/places/spans.h"
#include "analysis/reorder/places/stands.h"
#include "analysis/reorder/places/thread_walk.h"
#include "analysis/reorder/running.h"
#include "analysis/reorder/tails.h"
#include "warpscope/model/replay.h"

#define WS_REORDER_TAILS_MAX (1u << 25)
#define WS_REORDER_SCOPES    1024

/* Places in turns that are followed one by one (reorder_turns.c): of each piece of turns in a row the first ones are not
 * counted. */
#define WS_REORDER_TURNS_FREE 64u
#define WS_REORDER_TURNS_MAX  (1u << 23)

/* A call site, as a key: the shader (index in the catalog) and the word offset of its instruction. */
static inline uint64_t ws_reorder_site(uint32_t shader, uint32_t offset)
{
    return (uint64_t)shader << 32 | offset;
}

/* A call by all threads that are at one place: they reach the call site together. */
struct ws_reorder_visit {
    uint64_t site;
    uint64_t name;              /* of the call (thread_walk.h) */
    uint64_t invocation;        /* that calls (ws_walk_invocation) */
    uint32_t bounce;            /* ws_walk_turn */
    uint32_t size;              /* lanes of the warps that call */
    struct ws_walk_place place; /* of the block that calls */
    uint32_t block;
    bool parts;       /* at a parting; else it is a call */
    bool turns;       /* at a loop, whose header is `block` */
    uint64_t serial;  /* which execution of that header was counted last */
    uint64_t threads; /* that visit: their tails are known, */
    uint64_t words;   /* of so many words (tails.h) */
    uint64_t calls;   /* by warps */
    /* Of these, those that are left if the k-th calls of a warp's threads, in one execution of the shader, are made together,
     * in whichever iterations of the loops around: each is counted in the visit in which the first thread makes it. */
    uint64_t joined;
};

struct ws_reorder_threads {
    const struct ws_catalog *catalog;
    const struct ws_loop_nest *nests;   /* parallel to the catalog's modules */
    const struct ws_partings *partings; /* likewise; NULL = none is looked at */
    uint32_t nest_count;
    uint32_t user;
    uint32_t
        hits_user; /* of contexts: what is known of rays, and of what is handed over (hits.h, payload_rows.h); */
    uint32_t payloads_user;           /* WS_CONTEXT_USERS = that is not heard */
    struct ws_reorder_context *spare; /* contexts that are over */
    struct ws_walks walks;
    struct ws_growing growing; /* its spans are those below */
    struct ws_stands stands;
    struct ws_running threads; /* of reorder_threads.c's struct thread */
    struct ws_spans spans;
    uint64_t scopes[WS_REORDER_SCOPES]; /* that the spans have since just now; 0 = none */
    struct ws_path_tree shaders;
    struct ws_id_map visits_at;
    struct ws_reorder_visit *visits;
    uint32_t visit_count;
    uint32_t visit_capacity;
    struct ws_befores befores;
    struct ws_tails tails; /* of threads that have ended */
    uint32_t tail_count;   /* of all threads */
    uint64_t slots;        /* of all block executions, those of shaders that are not looked at included */
    uint64_t serial;    /* executions of blocks that end in a selection's branch, and of headers of loops */
    uint64_t lost;      /* visits by threads whose tails are not known to their end */
    uint64_t forgotten; /* how often stands were forgotten: numbers that were kept mean nothing any more */
    uint64_t followed;  /* places in turns that were followed one by one, */
    uint64_t followed_most; /* and how many may be: of the launch, too */
    bool turns_end;         /* these are too many: threads are followed no more */
};

/* Zero-initialise, then set the first seven members. */
void ws_reorder_threads_finish(struct ws_reorder_threads *threads);

/* What the replay tells (replay.h). False when there is no memory. */
bool ws_reorder_threads_enter(struct ws_reorder_threads *threads, struct ws_context *context);
bool ws_reorder_threads_move(struct ws_reorder_threads *threads, struct ws_context *from, uint32_t from_lane,
                             struct ws_context *context, uint32_t lane);
bool ws_reorder_threads_place(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_place *place, struct ws_lanes lanes);
bool ws_reorder_threads_alike(struct ws_reorder_threads *threads, struct ws_context *context,
                              const struct ws_replay_turn *places, uint32_t count, uint64_t turns);
/* Of contexts whose threads are not followed: they only have slots. */
bool ws_reorder_threads_sum(struct ws_reorder_threads *threads, const struct ws_context *context,
                            const struct ws_replay_place *place, const struct ws_replay_sum *sum);
bool ws_reorder_threads_leave(struct ws_reorder_threads *threads, struct ws_context *context,
                              struct ws_lanes lanes);
bool ws_reorder_threads_close(struct ws_reorder_threads *threads, struct ws_context *context);

#endif
