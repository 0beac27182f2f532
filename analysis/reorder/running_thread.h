/* A thread that runs, with its tails, and a context that is looked at: what the two files know that follow threads at call
 * sites. Calls and paths are in reorder_threads.c, partings in thread_partings.c. Private to analysis/reorder. */
#ifndef WS_ANALYSIS_REORDER_RUNNING_THREAD_H
#define WS_ANALYSIS_REORDER_RUNNING_THREAD_H

#include "analysis/reorder/hits.h"
#include "analysis/reorder/payload_rows.h"
#include "analysis/reorder/reorder_threads.h"

/* A tail of a thread that runs. */
struct ws_running_tail {
    uint64_t site;
    uint32_t visit;
    uint32_t nth; /* visit of the call site by the thread, from 0 */
    uint32_t key;
    uint32_t begin;   /* in the thread's path */
    uint32_t end;     /* likewise; WS_NONE: it grows */
    uint32_t depth;   /* shaders around the call */
    uint32_t parting; /* its bit in `inside` (partings.h); 0 = it is of a call */
    bool inside;      /* the thread is in a shader that the call runs */
    bool cut;         /* what the thread executes did not fit any more: it is as if it stayed in its warp */
};

/* A selection whose branch a thread comes to: it is in its block, or in what that calls. */
struct ws_running_coming {
    uint32_t parting; /* its number */
    uint32_t visit;   /* the thread's there, if it comes into the region */
    uint64_t serial;  /* which execution of that block it was; 0 = by this one the warp has been counted */
};

struct ws_running_thread {
    uint32_t index;     /* in the launch; of the pool's where nobody has it any (running.h) */
    uint32_t stand;     /* where it is, and what it has executed behind its path */
    uint32_t shaders;   /* that it is in */
    uint32_t *contexts; /* of these: numbers */
    uint32_t context_capacity;
    uint64_t call; /* name of the last call */
    struct ws_running_tail
        *tails; /* those that grow stand first: one for each call site that it has visited */
    uint32_t open_count;
    uint32_t tail_count;
    uint32_t tail_capacity;
    uint32_t list;                     /* of its open tails (before.h) */
    uint32_t partings;                 /* that these are of: bits */
    struct ws_running_coming *comings; /* one for each function at most, those of what is called last */
    uint32_t coming_count;
    uint32_t coming_capacity;
    bool cut;
    struct ws_reorder_context *holder; /* that knows where it stands; NULL = `stand` says it */
    uint32_t *path;
    uint32_t path_count;
    uint32_t path_capacity;
};

/* What is kept of a context that is looked at. */
struct ws_reorder_context {
    const struct ws_loop_nest *nest;
    const struct ws_partings *partings;                   /* NULL = it has none */
    uint32_t threads;                                     /* of the warp */
    uint32_t inside;                                      /* of these: threads that entered */
    struct ws_running_thread *lanes[WS_BEFORE_LANES_MAX]; /* that entered; NULL where none did */
    /* Threads that executed the last block, and all stand at one place: while they execute blocks together only this is
     * brought up to date. Whoever looks at one of them lets go of all before. */
    struct held {
        struct ws_lanes lanes; /* none = nobody is held */
        uint32_t stand;
        uint32_t partings; /* that all of them are in */
        /* They come to the same branches: each has the first so many of its comings, and one more if `comes`. */
        const struct ws_running_thread *first;
        uint32_t coming_count;
        bool comes;
        struct ws_running_coming coming;
        bool appends; /* what they execute is kept */
        bool visited; /* one of them has a tail */
    } held;
    struct ws_before_last last;
    struct site_calls {
        uint32_t offset;
        uint32_t most;                      /* of `made` */
        uint32_t made[WS_BEFORE_LANES_MAX]; /* calls by each lane */
    } * sites;
    uint32_t site_count;
    uint32_t site_capacity;
    struct ws_reorder_context *next; /* of those that are over */
};

/* Lets go of threads: each says itself where it stands, and to which branch it comes. */
static inline void ws_running_threads_let_go(struct ws_reorder_context *looked)
{
    const struct held *held = &looked->held;
    for (struct ws_lanes left = held->lanes; ws_lanes_any(left);) {
        struct ws_running_thread *thread = looked->lanes[ws_lanes_take(&left)];
        thread->stand = held->stand;
        thread->holder = NULL;
        thread->coming_count = held->coming_count;
        if (held->comes) /* there is room for it since the thread is held */
            thread->comings[thread->coming_count++] = held->coming;
    }
    looked->held.lanes = (struct ws_lanes){0};
}

/* The thread of a lane of a context that is looked at; NULL = none, or it has ended. */
static inline struct ws_running_thread *ws_running_thread_at(const struct ws_reorder_threads *threads,
                                                             const struct ws_context *context, uint32_t lane)
{
    const struct ws_reorder_context *looked = context->user[threads->user];
    const uint32_t index = context->threads[lane];
    struct ws_running_thread *thread = looked->lanes[lane];
    if (thread == NULL || thread->index != index || thread->shaders == 0)
        thread = index != WS_NONE ? ws_running_get(&threads->threads, index) : NULL;
    if (thread != NULL && thread->holder != NULL)
        ws_running_threads_let_go(thread->holder);
    return thread;
}

static inline uint32_t ws_running_thread_walk(const struct ws_reorder_threads *threads,
                                              const struct ws_running_thread *thread)
{
    return threads->stands.stands[thread->stand].walk;
}

/* What is known of the visits of a thread that has ended, from other passes: NULL = nothing. */
struct ws_running_known {
    struct ws_reorder_hits *hits;
    struct ws_payload_rows *payloads;
};

/* The loop whose header a block is, of those that threads may be sorted at: its number; WS_NONE. */
static inline uint32_t ws_parting_loop_at(const struct ws_partings *partings, uint32_t block)
{
    const uint32_t number = partings != NULL ? partings->begins[block] : 0;
    return number > 0 && partings->list[number - 1].loop ? number - 1 : WS_NONE;
}

/* The span that grows is all. False when there is no memory. */
bool ws_running_thread_end_span(struct ws_reorder_threads *threads, struct ws_running_thread *thread);

/* The thread, which is in an iteration of a loop, is as many further on, and has executed in each what it did in this one.
 * False when there is no memory. */
bool ws_running_thread_turn(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                            uint32_t turns);

/* Keeps a tail that has ended. False when there is no memory. */
bool ws_running_thread_keep_tail(struct ws_reorder_threads *threads, const struct ws_running_thread *thread,
                                 uint32_t index, const struct ws_running_tail *tail,
                                 const struct ws_running_known *known);

/* The visit of that name, by threads that are at a walk; it is made if need be. False when there is no memory. */
bool ws_running_thread_find_visit(struct ws_reorder_threads *threads, uint32_t walk,
                                  const struct ws_reorder_visit *sought, uint32_t *found);

/* The thread visits: its tail of the call site ends, and the next begins. `parting`: its bit; 0 = it is a call. False when
 * there is no memory. */
bool ws_running_thread_begin_tail(struct ws_reorder_threads *threads, struct ws_running_thread *thread,
                                  uint64_t site, uint32_t visit, uint32_t parting);

/* Counts a call by a lane. False when there is no memory. */
bool ws_running_thread_count_call(struct ws_reorder_threads *threads, struct ws_reorder_context *looked,
                                  uint32_t offset, uint32_t lane, uint32_t visit);

/* What was found out for the last thread that came to a block: most others of its warp come from the same place. */
struct ws_running_come {
    uint32_t block;
    uint32_t walk; /* where it came from; WS_NONE = nothing is known yet */
    uint32_t partings;
    uint32_t left;       /* of these, those that are left */
    uint32_t loop_walk;  /* where it came from to the loop whose header the block is; WS_NONE = it did not */
    uint32_t loop_visit; /* that visit */
};

/* A thread comes to a block of a shader with partings: it may have parted from others before that, and leave the regions that
 * it is in. False when there is no memory. */
bool ws_running_thread_come(struct ws_reorder_threads *threads, const struct ws_context *context,
                            struct ws_running_thread *thread, uint32_t lane, struct ws_running_come *come);

/* Lanes come to the branch of a selection: threads that are held, or those of the lanes. False when there is no memory. */
bool ws_running_threads_part_held(struct ws_reorder_threads *threads, const struct ws_context *context,
                                  uint32_t parting);
bool ws_running_threads_part(struct ws_reorder_threads *threads, const struct ws_context *context,
                             uint32_t parting, struct ws_lanes lanes);

/* Which of the regions that threads at a walk are in they leave where they come to a block: partings, as bits. False when there
 * is no memory. */
bool ws_running_threads_leave(struct ws_reorder_threads *threads, const struct ws_context *context,
                              uint32_t walk, uint32_t partings, uint32_t block, uint32_t *left);

#endif
