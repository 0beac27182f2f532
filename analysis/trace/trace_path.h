/* What a chosen thread or warp ran, in order, with loops folded: a list of bounded length. */
#ifndef WS_ANALYSIS_TRACE_TRACE_PATH_H
#define WS_ANALYSIS_TRACE_TRACE_PATH_H

#include "analysis/model/replay.h"

enum ws_trace_step_kind {
    WS_TRACE_ENTER,    /* `lanes` enter a shader */
    WS_TRACE_BLOCK,    /* `lanes` run a block */
    WS_TRACE_LEAVE,    /* `lanes` end the shader */
    WS_TRACE_CUT,      /* `lanes` were still in the shader when the records ended */
    WS_TRACE_CONTINUE, /* `lanes` go on with a shader, after a call, where they were not before it: a context
                          of the replay that continues others */
    WS_TRACE_REPEAT,   /* the next `length` steps ran `count` times in a row */
};

struct ws_trace_step {
    uint32_t kind;
    uint32_t depth; /* of shaders: 0 = launched */
    uint32_t shader;
    uint32_t block;      /* index in the module's; of a BLOCK */
    uint32_t calls;      /* OpFunctionCalls within the shader around it, as far as the blocks show them */
    uint32_t lane_count; /* SubgroupSize */
    uint32_t context; /* number of the execution of the shader: tells which goes on; of a repeated step that
                         of the first time */
    uint32_t length;
    uint64_t count;
    struct ws_lanes lanes;
    struct ws_lanes entered; /* those of the execution */
    struct ws_lanes own; /* of the execution: lanes of the chosen thread, or of threads of the chosen warp */
};

/* Of a thread, or of a warp. */
struct ws_trace_path {
    uint64_t launch;
    uint32_t shader; /* launched */
    uint32_t stage;
    bool is_warp;
    uint32_t thread;  /* index; of a warp: of its lowest lane */
    uint32_t number;  /* of its warp */
    uint32_t warp;    /* index of its warp; known at the launch's end */
    uint32_t work[3]; /* of a warp: of its lowest lane */
    uint32_t lane;
    bool truncated;
    uint64_t blocks;     /* executions, those that are not kept included */
    uint64_t executions; /* of shaders */
    uint64_t regrouped;  /* of these */
    uint32_t limit;      /* steps to keep */
    bool full;           /* later steps were not kept */
    struct ws_trace_step *steps;
    uint32_t step_count;
    uint32_t step_capacity;
    uint32_t *tops; /* where each step begins that is in no repetition */
    uint32_t top_count;
    uint32_t top_capacity;
};

/* NULL when there is no memory. */
struct ws_trace_path *ws_trace_path_create(uint32_t limit);
void ws_trace_path_destroy(struct ws_trace_path *path);

/* Appends a step (not a repetition) and folds what it repeats. False when there is no memory. */
bool ws_trace_path_add(struct ws_trace_path *path, const struct ws_trace_step *step);

/* The calls of functions in one execution of a shader, from the blocks that run: a block of another function
 * is a call by the innermost of those under way that calls it, or else a return. SPIR-V knows no recursion,
 * so a function is there once. A guess where a warp's lanes are in several functions at once, and where two
 * that may call the third run with no block of their caller between them. */
struct ws_trace_calls {
    uint32_t functions[32]; /* result ids; deeper calls are not shown */
    uint32_t count;
};

/* Takes in a block of `module`; returns how many calls deep it is. */
uint32_t ws_trace_calls_block(struct ws_trace_calls *calls, const struct ws_module_record *module,
                              uint32_t block);

#endif
