/* Replays the records (records.h) of a capture's launches in order, and tells consumers what happened: which
 * threads entered which shader in which lanes, which blocks they ran, who called them and when they ended.
 * What several analyses must know is found out here, once.
 *
 * THREADS are those of launched shaders: ray generation, compute, vertex and so on. Each has a work id. A
 * shader that a ray or executeCallable starts runs for threads that exist already, which its flat work ids
 * name. WARPS are those of launched shaders too. The index of a warp is its rank by lowest work id among the
 * warps of its stage in the launch; work ids are ordered by work[2], then [1], then [0] (struct ws_thread).
 * So rays and workgroups are ordered by z, y, x; fragments by layer and sample, then y, x; vertices by
 * instance, then vertex. Warps with equal lowest work ids are ordered by appearance. So the index of a warp
 * is the same in every run where no two warps have the same lowest work id. (The paper numbers warps in the
 * order in which they start, which changes from run to run.) The index is known when the launch ends; until
 * then a warp has the number in which it appeared.
 *
 * CALLS. Each thread has a stack of contexts. A thread that enters a called shader is away from the context
 * that it was in (the caller). It is back when a record shows it there again, or when its called context has
 * ended. A lane ends
 *   - at a site of kind WS_SITE_PLACE_END, of whichever pass;
 *   - in the intersection shader that reported a hit, when its thread's any-hit shader ends with
 *     OpTerminateRayKHR;
 *   - when a record shows its thread in a context further out on its stack;
 *   - when its thread enters a shader that its own stage cannot call. Closest hit, miss and intersection
 *     shaders are called from ray generation, closest hit and miss shaders; any-hit shaders from intersection
 *     shaders too; callable shaders from callable shaders too.
 * What has not ended when the launch ends is closed then. A context is regular when its lanes come from one
 * caller, each from the same lane there. Every other one is REGROUPED: the device runs hit shaders in other
 * warps than ray generation, as the specification allows.
 *
 * CONTINUATIONS (records.h). A context may begin with threads that are in contexts of the same shader
 * already: the device has put them into other lanes when they came back from a call. Each of these threads
 * has MOVED: from the innermost context of that shader that it was in, to this one, with the caller that it
 * had. What it was in further in has ended. The context that it left has not ended for it, and never will;
 * that context is over when all its other lanes have ended or moved. For example, warps A and B of ray
 * generation each trace a ray in all lanes, and the device brings the lanes back mixed: then two
 * continuations begin, each with lanes of A and of B, and A and B are over. A context that continues others
 * is REGROUPED, whoever called it. The warp that a thread belongs to stays that of the launch.
 *
 * PASSES. A consumer says which pass it hears. It is told of the places and data records of that pass, each
 * under its own tag, and of the contexts of shaders in which that pass records something; of launches without
 * such a shader it is not told at all. The records of other passes tell the replay where threads are (back in
 * a caller, ended), which may close a context earlier; they never make a consumer see another place, another
 * lane or another order.
 *
 * RECORDS THAT END EARLY, since they did not fit on the device or the program died. A warp of a launched shader is CUT where
 * one of its threads is in a context that its lanes have not all left, of a shader whose lanes leave a record where they end.
 * The launch is then replayed again without the cut warps, and without the contexts whose threads are all of cut warps. So
 * every context that consumers are told of is complete, and every thread has all of its contexts. Shaders that leave no
 * record at their end (a pass of a plug-in may not ask for it) cannot be told to be cut, and are kept. A launch with a
 * malformed record is told of up to that record. From a pipe, and once the budget was spent (budget.h), a launch cannot be
 * replayed again: then cut warps are told of as far as they came.
 *
 * MEMORY: a word or two for each thread, and the contexts that are live; not what is in the capture. WORK:
 * the warps of a launch are dealt out to as many workers as there are processors, each with a part of every
 * consumer. A launch in which a context regroups threads of several workers is replayed again by one
 * worker. */
#ifndef WARPSCOPE_MODEL_REPLAY_H
#define WARPSCOPE_MODEL_REPLAY_H

#include "warpscope/base/lanes.h"
#include "warpscope/model/launch.h"

/* What one thread is. */
struct ws_thread {
    /* Ray tracing: LaunchId. Compute, task, mesh: GlobalInvocationId, or WorkgroupId where the workgroup size
     * is not known. Other stages: their work words (records.h, WORK IDS), then 0. */
    uint32_t work[3];
    uint32_t warp; /* the number in which its warp appeared */
    uint32_t lane;
};

/* Consumers of one replay, at most. */
#define WS_CONTEXT_USERS 16

/* One execution of a shader by a warp (records.h, CONTEXT). Consumers change nothing but `user`. */
struct ws_context {
    uint32_t number;     /* its position in the stream */
    uint32_t shader;     /* index in the catalog's shaders */
    uint32_t stage;      /* enum ws_stage */
    uint32_t warp;       /* of its lowest lane's thread, as in struct ws_thread; WS_NONE = not known */
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
    void *user
        [WS_CONTEXT_USERS]; /* one per consumer, by its number: zero at entry, for the consumer to use; stays
                                  zero in contexts that it is not told of, which a caller may be */
};

/* The threads and warps of a launch; complete at its end. */
struct ws_replay_threads {
    const struct ws_launch_record *launch;
    const struct ws_thread *threads; /* by index */
    uint32_t thread_count;
    const uint32_t *warp_index; /* by the number in which a warp appeared */
    const uint32_t *warp_lanes; /* how many lanes entered, by that number */
    uint32_t warp_count;
};

/* A place of the consumer's pass that a record shows. */
struct ws_replay_place {
    uint32_t tag;       /* that the pass gave its site */
    uint32_t block;     /* index in the module's */
    uint32_t offset;    /* of the site (struct ws_site_info) */
    uint32_t consumers; /* the replay's own: a bit per consumer that is told */
};

/* How often lanes came by a place in all turns of a loop, for consumers that only add up. */
struct ws_replay_sum {
    uint64_t executions;   /* turns in which lanes came by: so many records it stands for */
    uint64_t active;       /* lanes that came by in each of these, added up */
    struct ws_lanes lanes; /* that are in the loop */
    const uint64_t *times; /* in how many turns each of them came by, lowest lane first; 0 = never */
};

/* A place that lanes come by in each of some turns of a loop that are alike. */
struct ws_replay_turn {
    const struct ws_replay_place *place;
    struct ws_lanes lanes;
};

/* What a consumer is told. One worker calls it for one part, in the order of the records of the worker's
 * warps. `lanes` are those that the record shows. All but create, destroy and merge may be NULL. False = no
 * memory: the replay ends. */
struct ws_replay_operations {
    /* Whose records it hears (warpscope/passes.h); not NULL, static. "probe:" is all passes that begin so. */
    const char *pass;

    /* A new part: what one worker finds out about one launch. `results` is what was given to ws_replay_add;
     * it is only to be read. NULL = no memory. */
    void *(*create)(const void *results, const struct ws_launch_record *launch);
    void (*destroy)(void *part);
    bool (*enter)(void *part, struct ws_context *context, const struct ws_thread *threads);
    /* Right after enter where context->continues, once for each thread that is known: it was in lane
     * `from_lane` of `from` and is now in `lane` of `context`. from->moved does not have the lane yet. */
    bool (*move)(void *part, struct ws_context *from, uint32_t from_lane, struct ws_context *context,
                 uint32_t lane);
    /* Place records: once for each of the pass's sites that a record is of, in their order. */
    bool (*place)(void *part, struct ws_context *context, const struct ws_replay_place *place,
                  struct ws_lanes lanes);
    /* Data records: `words` are `words_per_lane` of each lane in `lanes`, lowest lane first; `site`: index in
     * the module's. */
    bool (*data)(void *part, struct ws_context *context, uint32_t site, struct ws_lanes lanes,
                 const uint32_t *words, uint32_t words_per_lane);
    /* The lanes end this context. context->ended does not have them yet. */
    bool (*leave)(void *part, struct ws_context *context, struct ws_lanes lanes);
    /* All lanes have ended or moved, or there are no more records. The context is freed after this call.
     * Every enter is followed by a close, also where it or a call since found no memory. */
    bool (*close)(void *part, struct ws_context *context);
    /* At the end of the launch, in one thread, once for each part in the order of the workers. */
    bool (*merge)(void *results, void *part, const struct ws_replay_threads *threads);
    /* After the last merge of the launch, in some thread, while other consumers may finish theirs; no part has been
     * destroyed yet. */
    bool (*finish)(void *results, const struct ws_replay_threads *threads);
    /* It must hear the records of a launch in the order of the stream, whatever warp they are of: one worker replays each
     * launch that has records of its pass. */
    bool in_order;
    /* Place records of loops whose turns are recorded together (records.h, PATH RECORD): once for each place and loop, in place
     * of calls of `place`, which is not NULL then. No lane enters, ends or moves between the records that it stands for; in
     * which order they were is not told. Sums of capture files that no layer wrote may overflow: they are modulo 2^64. */
    bool (*sum)(void *part, struct ws_context *context, const struct ws_replay_place *place,
                const struct ws_replay_sum *sum);
    /* Whether sums will do for a shader, by its index in the catalog; `results` is only to be read. NULL = of all. */
    bool (*adds_up)(const void *results, uint32_t shader);
    /* Another consumer with these operations was added: `results`, which was added first, is to tell `other` all
     * that it finds out, for the replay will not. NULL = each consumer finds out its own. */
    void (*join)(void *results, void *other);
    /* Turns of a loop in which the same lanes come by the same places, WS_REPLAY_ALIKE of them or more: in place of `turns`
     * times a call of `place`, which is not NULL then, for each of `count` places in turn. It is to cost less than these, since
     * a few words of a file may stand for a billion turns. No lane enters, ends or moves in between. */
    bool (*alike)(void *part, struct ws_context *context, const struct ws_replay_turn *places, uint32_t count,
                  uint64_t turns);
};

#define WS_REPLAY_ALIKE 8u

/* Where another consumer is told of each turn, turns in a row that are alike come in pieces of so many, from the first on. */
#define WS_REPLAY_ALIKE_PIECE 1024u

/* A launch whose records end early: how much of it is whole, and where. */
#define WS_REPLAY_LOST        4
#define WS_REPLAY_MAP_COLUMNS 32
#define WS_REPLAY_MAP_ROWS    16
struct ws_replay_lost {
    uint64_t launch;      /* index */
    uint64_t threads;     /* that it launched, as far as its size is known; 0 = not known */
    uint64_t kept;        /* threads that consumers are told of */
    uint64_t cut_threads; /* of warps that are left out */
    uint64_t cut_warps;
    /* So many times the records that there was room for; 0 = not known. One tile of as many fits: --tile WxH/STEP. */
    uint64_t step;
    /* The launch in tiles of `tile` x `tile` threads; 0 = it has no map, since its size is not known, or not in a plane. */
    uint32_t tile;
    uint32_t columns;
    uint32_t rows;
    /* '#': all threads of the tile are kept, '+': some, '.': none. */
    char map[WS_REPLAY_MAP_ROWS][WS_REPLAY_MAP_COLUMNS + 1];
};

/* What could not be found out, for the foot of every report. */
struct ws_replay_losses {
    uint64_t launches;    /* replayed */
    uint64_t records;     /* replayed */
    uint64_t bytes;       /* of records in the capture, decompressed */
    uint64_t missing;     /* words that did not fit on the device */
    uint64_t sufficient;  /* words that would have held the largest submission; 0 when none was missing */
    uint64_t truncated;   /* launches with missing or unreadable records */
    uint64_t malformed;   /* records that contradict their shader: dropped with the rest of their launch */
    uint64_t regrouped;   /* contexts, those that continue others included */
    uint64_t continued;   /* contexts that continue others */
    uint64_t unrooted;    /* contexts of threads that were never launched (sampling, lost records) */
    uint64_t unsized;     /* warps whose shader's workgroup size is not known */
    uint64_t cut_warps;   /* left out, since their records end early; */
    uint64_t cut_threads; /* and their threads */
    struct ws_replay_lost lost[WS_REPLAY_LOST]; /* the first launches whose records end early */
    uint32_t lost_count;
};

struct ws_replay;

/* `catalog` must outlive the replay, and take in each chunk before it. `path` is the capture's, from which a
 * launch is read a second time where that is needed; NULL = one worker, which never needs it. `workers`: 0 =
 * one for each processor. NULL when there is no memory. */
struct ws_replay *ws_replay_create(const struct ws_catalog *catalog, const char *path, uint32_t workers);
void ws_replay_destroy(struct ws_replay *replay);

/* Adds a consumer before the first chunk. `*number` receives which member of context->user it may use. False
 * where there are WS_CONTEXT_USERS already. Consumers that join another one (ws_replay_operations.join) have its number. */
bool ws_replay_add(struct ws_replay *replay, const struct ws_replay_operations *operations, void *results,
                   uint32_t *number);

/* Takes in every chunk of a reader, in order; ws_replay_end after the last one. False and `error`: no memory,
 * or the file changed while it was read. */
bool ws_replay_record(struct ws_replay *replay, const struct ws_chunk *chunk, struct ws_error *error);
bool ws_replay_end(struct ws_replay *replay, struct ws_error *error);

const struct ws_replay_losses *ws_replay_losses(const struct ws_replay *replay);

#endif
