/* What a chosen thread or warp executes, in order, as a list of steps of bounded length. Steps that repeat
 * are folded, so that a loop of a million rounds is as long as one round:
 *
 *     enter raygen, block 10, block 11, block 11, block 11, end
 *     enter raygen, block 10, 3 times {block 11}, end
 *
 * A REPEAT step stands before its body. Bodies may hold further repetitions. */
#ifndef WS_ANALYSIS_TRACE_TRACE_PATH_H
#define WS_ANALYSIS_TRACE_TRACE_PATH_H

#include "warpscope/model/replay.h"

enum ws_trace_step_kind {
    WS_TRACE_ENTER, /* `lanes` enter a shader */
    WS_TRACE_BLOCK, /* `lanes` execute a block */
    WS_TRACE_LEAVE, /* `lanes` end the shader */
    WS_TRACE_CUT,   /* the records end while `lanes` are in the shader */
    /* `lanes` go on with a shader after a call, in another warp than before the call (replay.h,
     * CONTINUATIONS) */
    WS_TRACE_CONTINUE,
    WS_TRACE_REPEAT, /* the next `length` steps are executed `count` times in a row */
};

struct ws_trace_step {
    uint32_t kind;       /* enum ws_trace_step_kind */
    uint32_t depth;      /* how many shaders called each other to get here; 0 = launched */
    uint32_t shader;     /* index in the catalog */
    uint32_t block;      /* BLOCK: index in the blocks of its module */
    uint32_t calls;      /* BLOCK: how many OpFunctionCalls deep within its shader (ws_trace_calls_block) */
    uint32_t lane_count; /* SubgroupSize */
    uint32_t context;    /* number of the context (replay.h); of a repeated step the first time */
    uint32_t length;     /* REPEAT */
    uint64_t count;      /* REPEAT */
    struct ws_lanes lanes;
    struct ws_lanes entered; /* all lanes that entered the context */
    struct ws_lanes own;     /* those of them that are the chosen thread, or threads of the chosen warp */
};

/* The path of a thread, or of a warp. Of a warp `thread`, `work` and `lane` are those of its lowest lane; of one that is
 * shown with a thread (ws_analysis_options.with_warp) those of that thread. */
struct ws_trace_path {
    uint64_t launch; /* index */
    uint32_t shader; /* the launched one */
    uint32_t stage;  /* enum ws_stage */
    bool is_warp;
    uint32_t thread; /* index in the launch */
    uint32_t number; /* in which its warp appeared in the launch */
    uint32_t warp;   /* index of its warp; set when the launch has ended */
    uint32_t work[3];
    uint32_t lane;
    bool truncated;      /* some records of the launch are missing */
    uint64_t blocks;     /* executed, also those whose steps are not kept */
    uint64_t executions; /* of shaders */
    uint64_t regrouped;  /* of these: in contexts that the device regrouped (replay.h) */
    uint32_t limit;      /* steps to keep */
    bool full;           /* later steps are not kept */
    struct ws_trace_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t *tops; /* index of each step that is in no repetition */
    uint32_t top_count;
    uint32_t top_capacity;
};

/* NULL when there is no memory. */
struct ws_trace_path *ws_trace_path_create(uint32_t limit);
void ws_trace_path_destroy(struct ws_trace_path *path);

/* Appends a step, which is no REPEAT, and folds what it repeats. False when there is no memory. */
bool ws_trace_path_add(struct ws_trace_path *path, const struct ws_trace_step *step);

/* Which functions call each other in one execution of a shader, guessed from the blocks that are executed:
 * calls have no records of their own. A block of a function that is under way means that the functions inside
 * it have returned. A block of another function means a call by the innermost function under way that has an
 * OpFunctionCall of it. SPIR-V has no recursion, so a function is under way once at most. The guess can be
 * wrong in two cases: the lanes of a warp are in several functions at once; or two functions that call a
 * third are executed one after the other with no block of their caller between them. */
struct ws_trace_calls {
    uint32_t functions[32]; /* result ids; deeper calls are not shown */
    uint32_t count;
};

/* Notes that a block of `module` is executed. Returns how many calls deep it is. */
uint32_t ws_trace_calls_block(struct ws_trace_calls *calls, const struct ws_module_record *module,
                              uint32_t block);

#endif
