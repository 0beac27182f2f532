/* What the parts of the replay (replay.h) share.
 *
 * One thread, the feeder, cuts words into records , finds the context of each and numbers threads and warps
 * (replay_feeder.c). Each record becomes an event, which a worker takes in (replay_worker.c): the only worker
 * at once, in the feeder's thread; several in threads of their own, through batches of events. A worker keeps
 * the stacks of its warps' threads and calls the consumers. */
#ifndef WS_ANALYSIS_MODEL_REPLAY_PARTS_H
#define WS_ANALYSIS_MODEL_REPLAY_PARTS_H

#include <stdalign.h>

#include "analysis/capture/paths.h"
#include "warpscope/error.h"
#include "warpscope/model/replay.h"
#include "warpscope/records.h"

#define WS_REPLAY_CONSUMERS  WS_CONTEXT_USERS
#define WS_REPLAY_LANES      128
#define WS_REPLAY_CACHE_LINE 64
#define WS_REPLAY_WORKERS    64

/* From so many records on consumers finish a launch at the same time: a system thread costs as much as some hundred. */
#define WS_REPLAY_LARGE (1u << 15)

/* Shaders call each other no deeper than this; deeper records are malformed. Devices allow rays about 31 deep
 * (maxRayRecursionDepth), and each consumer may walk out through all callers at every record. */
#define WS_REPLAY_DEPTH 1024

/* What a record with one number tells: places[first .. first + count - 1], in the order in which lanes come
 * through them. */
struct ws_replay_number {
    uint32_t first;
    uint16_t count;
    uint16_t flags; /* WS_REPLAY_NUMBER_* */
    /* A bit for each consumer that is told: of data records, and of path records in whose loops it is told of places. */
    uint16_t consumers;
    uint16_t path;        /* of path records: which one of the module's */
    uint8_t words;        /* per lane, that data records have */
    uint8_t fixed;        /* words that they leave out, but consumers are told: so many of the module's, */
    uint32_t fixed_first; /* from this one on */
};

#define WS_REPLAY_NUMBER_KNOWN    1u /* records carry it */
#define WS_REPLAY_NUMBER_ENTRY    2u
#define WS_REPLAY_NUMBER_DATA     4u
#define WS_REPLAY_NUMBER_END      8u  /* its lanes end */
#define WS_REPLAY_NUMBER_END_RAY  16u /* with all that the ray called: OpTerminateRayKHR */
#define WS_REPLAY_NUMBER_CONTINUE 32u /* an entry record's, of threads that are in other contexts */
#define WS_REPLAY_NUMBER_PATH     64u
#define WS_REPLAY_NUMBER_TURNS    128u /* of a loop of a path */
/* Of a path without loops whose steps are all places where no lane ends: nothing of its records can be wrong but lanes. */
#define WS_REPLAY_NUMBER_PLAIN 256u

/* Of a path with loops, in which lanes only come by places: their turns can be added up (paths.h). */
#define WS_REPLAY_NUMBER_ADDS 512u

/* What the records of one module mean. */
struct ws_replay_module {
    struct ws_replay_number *numbers;
    uint32_t number_count;
    struct ws_replay_place *places; /* those of which a consumer is told */
    uint32_t *entries; /* per entry point: a bit per consumer whose pass records something in it */
    bool *ends;        /* per entry point: its lanes leave a record where they end */
    struct ws_path_table paths;
    const struct ws_fixed_word *fixed; /* the catalog's */
};

struct ws_replay_live;

/* Where the thread of a lane came from: a lane of another context. */
struct ws_replay_link {
    struct ws_replay_live *caller; /* NULL = not known */
    uint32_t lane;
};

/* A context that is not over. The feeder makes it, and reads the first members, which do not change. What
 * follows changes with every record, in the thread of its worker, so it has cache lines of its own: otherwise
 * feeder and worker would take the same line from each other at every record. */
struct ws_replay_live {
    alignas(WS_REPLAY_CACHE_LINE) uint32_t number;
    uint32_t worker;
    const struct ws_replay_module *module;
    uint32_t consumers; /* a bit for each consumer that is told of it, */
    uint32_t adders;    /* and for each of them that sums will do for (replay.h), */
    uint32_t leapers;   /* and that take turns that are alike at once */
    bool dropped;       /* of threads that are left out: its records are read, and no worker hears of it */
    struct ws_lanes entered;
    struct ws_path_waiting waiting; /* the feeder's */
    alignas(WS_REPLAY_CACHE_LINE) struct ws_context context;
    /* How often live contexts name this one as a caller: a regular one once, another one once for each lane.
     * This context is kept as long as they are. */
    uint32_t callees;
    /* The caller of all lanes, each in the same lane. NULL where there are links, or no caller is known. */
    struct ws_replay_live *caller;
    struct ws_replay_link *links; /* of a context that is not regular: the caller of each lane; else NULL */
    struct ws_replay_live *next;  /* of the worker's live contexts, or of the free ones */
    struct ws_replay_live *previous;
    uint32_t threads[]; /* per lane */
};

/* The threads of the launch. Only the feeder adds threads. Workers read the first two members without a lock,
 * so the feeder moves those arrays only while the workers rest. */
struct ws_replay_table {
    alignas(WS_REPLAY_CACHE_LINE) struct ws_thread *threads;
    /* Ray tracing: the innermost context of each thread, NULL = the thread has ended. Only the thread's
     * worker uses it. */
    struct ws_replay_live **tops;
    alignas(WS_REPLAY_CACHE_LINE) uint32_t count;
    uint32_t capacity;
    uint32_t *dense; /* flat id -> index + 1, 0 = none; NULL where the launch size is not known or large */
    uint64_t dense_count;
    struct ws_id_map sparse; /* flat id -> index, where there is no dense */
    uint32_t *warp_lanes;    /* per warp: lanes that entered */
    uint32_t *warp_stages;   /* per warp */
    uint32_t *warp_firsts;   /* per warp: its thread with the lowest work id */
    uint32_t warp_count;
    uint32_t warp_capacity;
};

/* MOVE: a context is entered that continues others, and its words say which: of each lane its number. */
enum ws_replay_event_kind {
    WS_REPLAY_EVENT_ENTER,
    WS_REPLAY_EVENT_MOVE,
    WS_REPLAY_EVENT_PLACE,
    WS_REPLAY_EVENT_DATA,
    WS_REPLAY_EVENT_PATH, /* of a plain path, which the worker takes apart */
    WS_REPLAY_EVENT_TURN, /* turns of a loop of a path that are alike: adders are told of them by a sum */
    WS_REPLAY_EVENT_SUM   /* of all turns of a loop of a path, for adders */
};

/* The words of a SUM begin with the first step of the loop, their number, and whether times have 64 bits. Behind them stand the
 * turns of the steps, of 64 bits, and then the times, as struct ws_path_sums has them. */
#define WS_REPLAY_SUM_WORDS 3

/* Those of a TURN begin with the first step of the loop, their number, and how many turns there are, of 64 bits. Behind them
 * stand the lanes of the steps, each as ws_replay_lane_words words. */
#define WS_REPLAY_TURN_WORDS 4

static inline uint32_t ws_replay_lane_words(const struct ws_context *context)
{
    return (context->lane_count + 31) / 32;
}

/* A path with more steps is told turn by turn. */
#define WS_REPLAY_SUM_STEPS 1024

/* A record, decoded. */
struct ws_replay_event {
    struct ws_replay_live *live;
    uint16_t kind; /* enum ws_replay_event_kind */
    uint16_t number;
    uint32_t words; /* DATA, PATH, TURN, SUM: where in the batch's words its payload begins */
    struct ws_lanes lanes;
};

/* Events for a worker in a thread of its own (replay_worker.c). */
#define WS_REPLAY_EVENTS 1024u
/* From so many words on a batch is full, too. */
#define WS_REPLAY_WORDS (1u << 16)

struct ws_replay_batch {
    struct ws_replay_batch *next;
    uint32_t count;
    struct ws_replay_event events[WS_REPLAY_EVENTS];
    uint32_t *words; /* payloads of data and path records */
    uint32_t word_count;
    uint32_t word_capacity;
    struct ws_replay_live *over; /* contexts that were over after it, for the feeder */
};

struct ws_replay_consumer {
    const struct ws_replay_operations *operations;
    void *results;
};

/* A worker. The feeder reads the first members; but for `filling` they do not change once the worker's first context of a
 * launch has been entered. The others are changed by the worker alone. */
struct ws_replay_worker {
    alignas(WS_REPLAY_CACHE_LINE) struct ws_replay *replay;
    uint32_t index;
    bool has_parts;
    struct ws_replay_batch *filling; /* by the feeder, which alone reads it; NULL */
    void *parts[WS_REPLAY_CONSUMERS];
    alignas(WS_REPLAY_CACHE_LINE) struct ws_replay_live *live; /* the newest first */
    struct ws_replay_live
        *over; /* contexts that the feeder is to take out of the directory, linked by next */
    struct ws_replay_turn *turn; /* what a consumer is told of turns that are alike */
    uint32_t turn_capacity;
    uint64_t regrouped;
    uint64_t continued;
    uint64_t unrooted;
    bool malformed; /* a record contradicts the others: the rest of the launch is dropped */
    bool failed;    /* no memory */
};

/* From the number of a context to the context. */
struct ws_replay_directory {
    struct ws_replay_live **slots; /* `capacity`, a power of two; at most half of them used */
    uint32_t capacity;
    uint32_t count;
    uint32_t shift;
};

struct ws_replay_pool;

/* The launch whose records are being fed. */
struct ws_replay_feed {
    bool open;
    struct ws_launch_record launch;
    uint32_t bins;
    uint32_t mask_words;
    uint32_t consumers;   /* a bit for each consumer that is told of the launch */
    uint64_t first_chunk; /* numbers of its first RECS chunk and of the last one so far */
    uint64_t last_chunk;
    uint32_t position;   /* in the stream: of the next record */
    uint32_t next_piece; /* in the stream: where the next piece must begin */
    uint32_t *carry;     /* a record of which not all words came yet */
    uint32_t carry_count;
    uint32_t carry_capacity;
    uint32_t *sums; /* the words of an event SUM or TURN */
    uint32_t sum_capacity;
    bool stopped;  /* the rest of the launch is dropped */
    bool redo;     /* to be replayed by one worker, from the file */
    bool complete; /* its last piece was there */
    uint64_t records;
    uint64_t missing;
    uint64_t sufficient;
    uint64_t malformed;
    uint64_t unsized;
    uint32_t local_size[3]; /* of the last compute shader that was launched; 0 = none, or not known */
    /* By the number in which a warp of a launched shader appears: 1 = it is left out (replay.h). NULL: none is. */
    uint8_t *cut;
    uint32_t cut_count;
    uint32_t appeared;              /* warps of launched shaders so far, those that are left out too */
    uint64_t cut_warps;             /* left out so far, */
    uint64_t cut_threads;           /* and their threads */
    struct ws_replay_live *dropped; /* contexts that are left out, linked by next */
};

struct ws_replay {
    const struct ws_catalog *catalog;
    char *path;
    struct ws_replay_consumer consumers[WS_REPLAY_CONSUMERS];
    uint32_t consumer_count;
    bool rehearsing; /* ws_replay_rehearse: consumers from `rehearsed_from` on are not added */
    uint32_t rehearsed_from;
    uint32_t worker_count; /* that take part; 1 = the feeder itself */
    struct ws_replay_worker workers[WS_REPLAY_WORKERS];
    struct ws_replay_table threads;
    struct ws_replay_pool *pool;       /* threads and batches; NULL while there is one worker */
    struct ws_replay_module **modules; /* by index in the catalog; NULL until one of its shaders runs */
    uint32_t module_count;
    uint32_t *slots; /* shader of each slot in this launch, WS_NONE */
    struct ws_replay_directory directory;
    struct ws_replay_live *spare; /* contexts to be used again, linked by next */
    uint32_t spare_lanes;         /* that each has room for */
    struct ws_replay_feed feed;
    struct ws_reader
        *again;          /* reads launches a second time; they come in order, so it mostly goes on; NULL */
    uint64_t again_next; /* number of the chunk that it reads next */
    struct ws_replay_losses losses;
};

/* While `rehearsing`, consumers have their numbers and take room, but join no other; afterwards none of them was added. So it
 * is known whether several have room before one of them joins another, which cannot be undone. */
void ws_replay_rehearse(struct ws_replay *replay, bool rehearsing);

/* replay_places.c: what the numbers of the module's records mean; made at first use. NULL: no memory. */
const struct ws_replay_module *ws_replay_module(struct ws_replay *replay, uint32_t module);
void ws_replay_modules_finish(struct ws_replay *replay);

/* The consumers that are told of the executions of a shader, a bit for each. False: no memory. */
bool ws_replay_consumers(struct ws_replay *replay, uint32_t shader, uint32_t *consumers);

/* replay_feeder.c, down to ws_replay_feed. */
void ws_replay_directory_clear(struct ws_replay_directory *directory);
void ws_replay_directory_finish(struct ws_replay_directory *directory);

/* Whether shaders of the stage are launched, not called by others. */
bool ws_replay_stage_is_launched(uint32_t stage);
bool ws_replay_stage_is_ray_tracing(uint32_t stage);

/* Makes the table empty for this launch. False: no memory. */
bool ws_replay_table_begin(struct ws_replay_table *table, const struct ws_launch_record *launch);
void ws_replay_table_finish(struct ws_replay_table *table);

/* The index of each warp (replay.h, WARPS), by the number in which it appeared. Freed by the caller; NULL: no
 * memory. */
uint32_t *ws_replay_table_rank(const struct ws_replay_table *table);

/* Takes contexts that are over out of the directory, and keeps their memory for others. */
void ws_replay_recycle(struct ws_replay *replay, struct ws_replay_live *over);

/* The mark of threads that are left out, in place of an index. */
#define WS_REPLAY_DROPPED (WS_NONE - 1)

/* The words of one piece. What is malformed stops the feed. False: no memory. */
bool ws_replay_feed(struct ws_replay *replay, const uint32_t *words, uint32_t count);

/* replay_worker.c, to the end. Takes in one event; `words` is the payload of a data or path record. Sets
 * worker->malformed or worker->failed. */
void ws_replay_worker_take(struct ws_replay_worker *worker, const struct ws_replay_event *event,
                           const uint32_t *words);

/* The parts of the worker's consumers, in this launch. */
bool ws_replay_worker_begin(struct ws_replay_worker *worker);

/* Closes all live contexts, innermost first. False where the worker has failed. */
bool ws_replay_worker_end(struct ws_replay_worker *worker);
void ws_replay_worker_drop_parts(struct ws_replay_worker *worker);

/* replay_worker.c. Workers in threads of their own. */
struct ws_replay_pool *ws_replay_pool_create(struct ws_replay *replay);
void ws_replay_pool_destroy(struct ws_replay_pool *pool);

/* Gives an event to a worker. False: no memory, or the worker has failed or met a malformed record. */
bool ws_replay_pool_put(struct ws_replay_pool *pool, uint32_t worker, const struct ws_replay_event *event,
                        const uint32_t *words, uint32_t word_count);

/* Waits until the workers have taken in all events. False where one has failed or met a malformed record. */
bool ws_replay_pool_rest(struct ws_replay_pool *pool);

#endif
