/* The analysis reorder (analysis/reorder/reorder.h) by brute force: each thread is followed through the program, each new
 * warp is a list of all that its threads execute. Call sites are calls, and in compute shaders partings. */
#ifndef WS_TESTS_MODEL_REORDER_H
#define WS_TESTS_MODEL_REORDER_H

#include "tests/model/figures/partings.h"
#include "tests/model/run/warps.h"

#define MODEL_MARKED 64  /* partings that threads come to, at most */
#define MODEL_SITES  512 /* call sites of a program */
#define MODEL_CALLED 24  /* shaders of a key, at most */

struct ws_reorder_results;

/* A block, by the way on which threads came to it. */
struct model_name {
    uint32_t shader;
    uint32_t invocation;
    uint32_t instructions;
};

/* What a thread executes from a call on. */
struct model_tail {
    uint32_t visit;
    uint32_t thread;
    uint32_t begin; /* in the steps of the thread */
    uint32_t end;
    uint32_t called[MODEL_CALLED]; /* shaders + 1; the rest is 0 */
    uint32_t called_count;
    uint32_t side; /* of a parting: which one it takes; of a loop: how often it turns it */
};

/* Partings at a step of a thread, a bit for each call site: whose tails it is in, and those that are visited from there. */
struct model_mark {
    uint64_t inside, comes;
};

struct model_visit {
    uint64_t hash;
    uint32_t site;
    uint32_t invocation; /* that calls */
};

/* A call site. */
struct model_site {
    uint32_t shader;
    struct model_visit_sums {
        uint64_t visits, calls, joined;
    } sums;
    uint32_t block;
    uint32_t action;  /* MODEL_NONE: it is a parting, */
    uint32_t parting; /* this one */
};

struct model_figures {
    uint64_t executions, slots, partial_warp, indirect_call;
};

struct model_reorder {
    const struct model_program *program;
    const struct model_run *run;
    const struct model_module *modules;
    bool too_many; /* of no use */
    struct model_site sites[MODEL_SITES];
    uint32_t site_count;
    struct model_visit *visits;
    uint32_t visit_count;
    uint32_t visit_capacity;
    struct model_tail *tails;
    uint32_t tail_count;
    uint32_t tail_capacity;
    struct model_name *names;
    uint32_t name_count;
    uint32_t name_capacity;
    uint32_t *callers; /* per invocation: that which called it; MODEL_NONE */
    uint32_t invocation_count;
    uint32_t invocation_capacity;
    uint32_t *steps[MODEL_THREADS]; /* names */
    uint32_t step_count[MODEL_THREADS];
    uint32_t step_capacity[MODEL_THREADS];
    struct model_mark *marks[MODEL_THREADS]; /* parallel to steps */
    uint32_t mark_capacity[MODEL_THREADS];
    struct model_partings partings;             /* of compute programs */
    uint32_t first[MODEL_SITES][MODEL_THREADS]; /* step from which on a thread has visited; MODEL_NONE */
    struct model_table {
        uint64_t *hashes;
        uint32_t *numbers;
        uint32_t capacity;
    } names_at, invocations_at, visits_at;
};

/* Follows the threads; `reorder` starts zeroed or as the last call left it. */
void model_reorder_make(struct model_reorder *reorder, const struct model_program *program,
                        const struct model_run *run, const struct model_module *modules);
void model_reorder_finish(struct model_reorder *reorder);

/* True when all is the same; else what differs is on stdout. Shaders are in the catalog in the program's order. */
bool model_reorder_compare(struct model_reorder *reorder, const struct model_warps *warps,
                           const struct ws_reorder_results *results);

#endif
