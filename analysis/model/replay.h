/* Replays the records (records.h) of a capture's launches in order, and tells consumers what happened:
 * which threads entered which shader in which lanes, what blocks they ran, from where they were called and
 * when they ended. Everything that must be known of several analyses alike is found out here, once.
 *
 * THREADS are those of launched shaders: ray generation, compute, vertex, ... each with its work id. A shader
 * that a ray or executeCallable starts runs on behalf of threads that exist already, by flat work id. WARPS
 * are those of launched shaders; a warp's index is the rank of its lowest work id among the warps of its
 * stage in the launch. Work ids are in order of work[2], then [1], then [0] (struct ws_thread): so by z,
 * y, x; fragments by layer and sample, then y, x; vertices by instance, then vertex. Equals are in order of
 * appearing. So the index is the same in every run where no two warps have the same lowest work id (the paper
 * takes the order of starting). It is known when the launch ends; until then a warp has the number in
 * which it appeared.
 *
 * CALLS. Each thread has a stack of contexts. A thread that enters a called shader is away from the context
 * that it was in (the caller) until a record shows it there again, or until its called context ended. Lanes
 * end
 *   - at sites of kind WS_SITE_PLACE_END;
 *   - in the intersection shader that reported, as their thread's any-hit shader ends with OpTerminateRayKHR;
 *   - by a record of their thread further out on its stack;
 *   - as their thread enters a shader whose stage theirs cannot call: closest hit, miss and intersection
 *     shaders are called from ray generation, closest hit and miss shaders; any-hit shaders from intersection
 *     shaders too; callable shaders from callable shaders too;
 * and what never ended is closed with the launch. A context whose lanes come from one caller and are in
 * it in the same lanes is regular; else it is REGROUPED: the device runs hit shaders in other warps than ray
 * generation (the specification allows it).
 *
 * CONTINUATIONS (records.h). A context may begin with threads that are in contexts of the same shader
 * already, to which they do not come back: each has MOVED, from the innermost context of that shader that it
 * is in (what it was in further in has ended), with the caller that it had there. It has not ended the
 * context that it left, nor will it: that context is over when all its other lanes have ended or moved. A
 * context that continues others is REGROUPED, whoever called. Warps, and which of them a thread is of, stay
 * those of the launch.
 *
 * MEMORY: a word or two per thread, and what is live; not what is in the capture. WORK: the launch's
 * warps are dealt out to as many workers as there are processors, each with a part of every consumer; a
 * context that regroups threads of several workers makes the launch be replayed by one. */
#ifndef WS_ANALYSIS_MODEL_REPLAY_H
#define WS_ANALYSIS_MODEL_REPLAY_H

#include "analysis/model/launch.h"
#include "passes/base/lanes.h"

/* What one thread is. */
struct ws_thread {
    uint32_t work[3]; /* ray tracing: LaunchId; compute family: GlobalInvocationId, or WorkgroupId where the
                         workgroup size is not known; else the stage's work words, as records.h lists them,
                         then 0 */
    uint32_t warp;    /* the number in which its warp appeared */
    uint32_t lane;
};

/* One execution of a shader by a warp. Read-only for consumers, but for `user`. */
struct ws_context {
    uint32_t number; /* its position in the stream */
    uint32_t shader; /* index in the catalog's shaders */
    uint32_t stage;  /* enum ws_stage */
    uint32_t warp;   /* number of the warp of its lowest lane's thread; WS_NONE where threads are unknown */
    uint32_t lane_count; /* SubgroupSize */
    uint32_t depth;      /* 0 = launched */
    bool regrouped;      /* see above; false when launched, unless it continues others */
    bool continues;      /* its threads have moved here */
    struct ws_lanes entered;
    struct ws_lanes ended;
    struct ws_lanes moved;     /* lanes whose thread has moved to another context */
    struct ws_lanes away;      /* lanes whose thread is in a shader called from here, or beyond */
    uint32_t *threads;         /* per lane: index of its thread in the launch, WS_NONE where not entered */
    struct ws_context *caller; /* of its lowest lane; NULL when launched or unknown */
    uint32_t block;            /* the block last begun (by any lanes), index in the module's; WS_NONE */
    void *user[8];             /* one per consumer, by its number: zero at entry, for the consumer to use */
};

/* The threads of a launch, complete at its end. */
struct ws_replay_threads {
    const struct ws_launch_record *launch;
    const struct ws_thread *threads; /* by index */
    uint32_t thread_count;
    const uint32_t *warp_index; /* by the number in which a warp appeared */
    const uint32_t *warp_lanes; /* how many lanes entered, by that number */
    uint32_t warp_count;
};

/* What befell; called by one worker for one part, in the order of the records of its warps. `lanes` are those
 * that the record shows. All but create and merge may be NULL; false = no memory, which ends the replay. */
struct ws_replay_operations {
    /* A part of what is to be found out about one launch, for one worker. `results`: as given to
     * ws_replay_add; only to be read. NULL = no memory. */
    void *(*create)(const void *results, const struct ws_launch_record *launch);
    void (*destroy)(void *part);
    bool (*enter)(void *part, struct ws_context *context, const struct ws_thread *threads);
    /* Where context->continues, right after enter: each thread of it that is known. Called before the lane is
     * in from->moved. */
    bool (*move)(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane);
    bool (*block)(void *part, struct ws_context *context, uint32_t block, struct ws_lanes lanes);
    /* Place records; `kind` is enum ws_site_kind, `offset` that of the site. A record that is a block's and a
     * sync point's gives block first, then place. */
    bool (*place)(void *part, struct ws_context *context, uint32_t kind, uint32_t block, uint32_t offset,
                  struct ws_lanes lanes);
    /* Data records: `words` are `words_per_lane` of each lane in `lanes`, lowest lane first. */
    bool (*data)(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane);
    /* Lanes ended this context; called before `lanes` are in context->ended. */
    bool (*leave)(void *part, struct ws_context *context, struct ws_lanes lanes);
    /* All lanes have ended or moved, or the records have ended: the context is freed after it. It follows on
     * every enter, also where that or anything since found no memory. */
    bool (*close)(void *part, struct ws_context *context);
    /* At the end of the launch, serially, once per part in the order of the workers; `threads` are those
     * of the launch, with the index of each warp. */
    bool (*merge)(void *results, void *part, const struct ws_replay_threads *threads);
    /* After the last merge of the launch, serially; its parts are all there still. */
    bool (*finish)(void *results, const struct ws_replay_threads *threads);
};

/* What could not be told, for the foot of every report. */
struct ws_replay_losses {
    uint64_t launches;   /* replayed */
    uint64_t records;    /* replayed */
    uint64_t bytes;      /* of records in the capture, decompressed */
    uint64_t missing;    /* words that did not fit on the device */
    uint64_t sufficient; /* words that would have held the largest submission; 0 when none was missing */
    uint64_t truncated;  /* launches with missing or unreadable records */
    uint64_t malformed;  /* records that contradict what is known of the shader: skipped with the rest of the
                             launch */
    uint64_t regrouped;  /* contexts, those that continue others included */
    uint64_t continued;  /* contexts that continue others */
    uint64_t unrooted;   /* contexts of threads that were never launched (sampling, lost records) */
    uint64_t unsized;    /* warps whose shader's workgroup size is not known */
};

struct ws_replay;

/* `catalog` must outlive it, and record each chunk before the replay does. `path`: the capture's, for reading
 * a launch a second time; NULL = one worker. `workers`: 0 = one per processor. NULL when there is no
 * memory. */
struct ws_replay *ws_replay_create(const struct ws_catalog *catalog, const char *path, uint32_t workers);
void ws_replay_destroy(struct ws_replay *replay);

/* Adds a consumer, at most 8, before the first chunk; `*number` receives which of context->user is its. */
bool ws_replay_add(struct ws_replay *replay, const struct ws_replay_operations *operations, void *results,
                   uint32_t *number);

/* Feed it every chunk of a reader in order; then end. */
bool ws_replay_record(struct ws_replay *replay, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_replay_end(struct ws_replay *replay, struct ws_error *error);

const struct ws_replay_losses *ws_replay_losses(const struct ws_replay *replay);

#endif
