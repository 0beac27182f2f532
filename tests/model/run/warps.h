/* Warps of any size that run what the gang ran (model.h), and the records that they append.
 *
 * A RECORD of the model stands for one place that lanes of one context came by; a UNIT is what is really
 * appended: records that one number of a site stands for (warpscope/pass.h), of the same lanes. That those
 * lanes are the same is checked here. */
#ifndef WS_TESTS_MODEL_WARPS_H
#define WS_TESTS_MODEL_WARPS_H

#include "tests/model/run/interpret.h"
#include "tests/model/run/module.h"
#include "warpscope/base/lanes.h"

#define MODEL_LANES 128

enum model_place {
    MODEL_PLACE_ENTER,
    MODEL_PLACE_CONTINUE, /* behind a call: threads are in another warp, or other lanes, than before it */
    MODEL_PLACE_BLOCK,
    MODEL_PLACE_SYNC,
    MODEL_PLACE_BEFORE,
    MODEL_PLACE_AFTER,
    MODEL_PLACE_END,
    MODEL_PLACE_DATA, /* a record with words, of what `event` says */
};

struct model_record {
    enum model_place place;
    uint32_t block;
    uint32_t action; /* BLOCK: part of the block; END: 0 = the block's end, n = action n - 1 */
    uint32_t next;   /* of the same unit; MODEL_NONE */
};

struct model_unit {
    uint32_t context;
    uint32_t site; /* the number that is appended; of entries that of the entry's site */
    struct ws_lanes lanes;
    struct ws_lanes by; /* lanes that come by together: of a clock record more than it is of */
    uint32_t first;     /* record */
    uint32_t last;
    uint32_t event; /* of the run, where it was made; a device's: MODEL_NONE */
    uint64_t time;  /* of a clock record: what it shows */
};

/* One execution of a shader by one warp. */
struct model_context {
    uint32_t shader;
    uint32_t caller; /* of its lowest lane's thread; MODEL_NONE: launched */
    bool regrouped;
    bool continues; /* its threads have moved here from others of the same execution */
    struct ws_lanes entered;
    uint32_t threads[MODEL_LANES]; /* MODEL_NONE: no lane */
    uint32_t callers[MODEL_LANES]; /* per lane: the context that its thread was called from; MODEL_NONE */
    uint32_t from[MODEL_LANES];    /* per lane of one that continues: the context that its thread has left */
};

/* Executions of places by warps, by active lanes: [n - 1] with n. */
struct model_histogram {
    uint32_t counts[MODEL_LANES];
};

/* What counters count of a shader. */
struct model_counts {
    struct model_histogram entries;
    struct model_histogram blocks[MODEL_BLOCKS][MODEL_PARTS];
    struct model_histogram ends[MODEL_BLOCKS];
    struct model_histogram demotes[MODEL_BLOCKS][MODEL_ACTIONS];
    struct model_histogram returned;                             /* behind main, where all its returns lead */
    struct model_histogram reports[MODEL_BLOCKS][MODEL_ACTIONS]; /* before them */
    struct model_histogram reported[MODEL_BLOCKS][MODEL_ACTIONS]; /* after them */
};

/* One execution of a place that is counted. */
struct model_tally {
    uint32_t shader;
    uint32_t histogram; /* of those of a struct model_counts, from its beginning */
    uint32_t context;
    uint32_t active;
};

struct model_warps {
    const struct model_program *program;
    const struct model_run *run;
    uint32_t lanes;
    uint32_t
        first_shader; /* of the program, in the capture: that of the vertex shader that draws may stand before it */
    uint32_t warp_of[MODEL_THREADS]; /* by rank of the lowest thread */
    uint32_t lane_of[MODEL_THREADS];
    uint32_t warp_count;
    struct model_context *contexts;
    uint32_t context_count;
    uint32_t context_capacity;
    struct model_record *records;
    uint32_t record_count;
    uint32_t record_capacity;
    struct model_counts counts[MODEL_SHADERS];
    struct model_tally *tallies; /* what `counts` is the sum of */
    uint32_t tally_count;
    uint32_t tally_capacity;
    /* Records of a stream, those of paths taken as one; 0 = each unit is one. */
    uint64_t appended;
    uint32_t event;           /* whose units are being made */
    struct model_unit *units; /* in the order of the stream */
    bool shuffled;            /* they are not as the gang made them */
    uint32_t unit_count;
    uint32_t unit_capacity;
};

enum model_assignment {
    MODEL_ASSIGN_ROWS,  /* in workgroups: workgroup by workgroup; others: row by row */
    MODEL_ASSIGN_FLAT,  /* others: as the threads are numbered, over the ends of rows */
    MODEL_ASSIGN_MIXED, /* others: any threads in any lanes; of fragments some lanes are helpers */
};

struct model_warps_options {
    uint64_t seed;
    uint32_t lanes;
    enum model_assignment assignment;
    bool regroups; /* called shaders may run in other warps and lanes */
    bool moves;    /* threads may come back from calls in other warps and lanes */
    bool shuffles; /* units of different threads in any order */
};

/* Fills `warps`, which starts zeroed or as the last call left it. `modules`: per shader. False with a message
 * on stdout where a record that is left out would have shown other lanes. */
bool model_warps_make(struct model_warps *warps, const struct model_program *program,
                      const struct model_run *run, const struct model_module *modules,
                      const struct model_warps_options *options);
void model_warps_finish(struct model_warps *warps);

/* Says what the clock shows where it is recorded: it goes on from unit to unit, in their order. */
void model_warps_stamp(struct model_warps *warps, const struct model_module *modules, uint64_t seed);

/* Adds an execution of a place with so many active lanes to `counts` of the shader, where `histogram` is, and to `tallies`. */
void model_warps_tally(struct model_warps *warps, uint32_t shader, struct model_histogram *histogram,
                       uint32_t context, uint32_t active);

/* The number of a thread within its workgroup; `group` receives that of the group. */
uint32_t model_local_index(const struct model_program *program, uint32_t thread, uint32_t *group);

#endif
