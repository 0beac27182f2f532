/* Follows the threads of one worker's contexts through scopes (model/compaction_plan.h): where each thread
 * is, which path it has taken at each slot, and which visits it makes. thread_compaction.h has the
 * definitions. A SLOT of a plan is a call site.
 *
 * GROUPS. Lanes of a context in the same scope with the same iteration vector make a group. A record takes
 * the lanes that it shows out of their groups, and puts them into the group of their new place. So the work
 * is done per group, not per lane.
 *   Example: 8 lanes enter a loop as one group. Four of them reach the continue target: that group splits
 *   into one of iteration 1 and one of iteration 0. When the other four follow, both are one group again.
 * The place and the paths belong to the thread. If it moves to another context (replay.h, CONTINUATIONS),
 * they move with it.
 *
 * PATHS of launched threads are kept with their context, and counted when the thread ends. The path of a
 * thread in a called shader goes on over all its executions, and is kept until the launch ends.
 *
 * MEMORY: 16 bytes per lane and slot of live contexts, and of threads that ran a called shader with slots. */
#ifndef WS_ANALYSIS_COMPACTION_COMPACTION_THREADS_H
#define WS_ANALYSIS_COMPACTION_COMPACTION_THREADS_H

#include "analysis/compaction/compaction_visits.h"
#include "analysis/compaction/paths.h"
#include "warpscope/model/compaction_plan.h"
#include "warpscope/model/replay.h"
#include "warpscope/model/selection.h"

/* What a worker counts of a shader. */
struct ws_thread_shader {
    struct ws_compaction_visit_site *sites; /* per slot; NULL until it ran */
    uint32_t first;                         /* number of its first slot among those of the worker */
    uint64_t threads; /* that entered it; a thread that enters a called shader several times counts once */
};

/* A thread in a called shader, over all its executions of it. */
struct ws_thread_store {
    uint32_t shader;
    uint32_t executions;
    uint64_t paths; /* the first of its slots' in stored_paths */
};

/* What one worker knows of one launch. */
struct ws_compaction_threads {
    const struct ws_catalog *catalog;
    const struct ws_selection
        *selection; /* call sites in shaders that it does not choose are left out; NULL = none */
    uint64_t launch;
    uint32_t user;
    uint32_t shader_count;
    struct ws_thread_shader *shaders; /* parallel to the catalog's */
    uint32_t *slot_shader;            /* per slot of the worker: its shader */
    uint32_t slot_count;
    uint32_t slot_capacity;
    struct ws_path_tree tree;
    struct ws_path_counts counts; /* owner: slot of the worker; or TOTAL | shader: paths of all slots */
    struct ws_compaction_visits visits;
    struct ws_id_map stored; /* shader << 32 | thread -> index in stores */
    struct ws_thread_store *stores;
    uint32_t store_count;
    uint32_t store_capacity;
    struct ws_path *stored_paths;
    uint64_t stored_path_count;
    uint64_t stored_path_capacity;
};

/* TOTAL | shader: the owner, in counts, of paths through all slots of a shader that has several. */
#define WS_COMPACTION_TOTAL 0x80000000u

/* Zeroed but for the first four members. False when there is no memory. */
bool ws_compaction_threads_init(struct ws_compaction_threads *threads);
void ws_compaction_threads_finish(struct ws_compaction_threads *threads);

/* The plan of a shader's entry point; NULL when it has no slots. */
const struct ws_compaction_plan_entry *ws_compaction_plan(const struct ws_catalog *catalog, uint32_t shader);

/* The events of the replay (struct ws_replay_operations). False when there is no memory. */
bool ws_compaction_threads_enter(struct ws_compaction_threads *threads, struct ws_context *context,
                                 const struct ws_thread *all);
bool ws_compaction_threads_move(struct ws_compaction_threads *threads, struct ws_context *from,
                                uint32_t from_lane, struct ws_context *context, uint32_t lane);
bool ws_compaction_threads_place(struct ws_compaction_threads *threads, struct ws_context *context,
                                 const struct ws_replay_place *place, struct ws_lanes lanes);
bool ws_compaction_threads_leave(struct ws_compaction_threads *threads, struct ws_context *context,
                                 struct ws_lanes lanes);
bool ws_compaction_threads_close(struct ws_compaction_threads *threads, struct ws_context *context);

/* Counts the paths of called shaders, at the end of the launch. */
bool ws_compaction_threads_end(struct ws_compaction_threads *threads);

#endif
