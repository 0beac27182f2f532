/* Runs a random program: see model.h. The gang of all threads goes through each shader block by block; who
 * parts at a branch meets at the merge block of its construct or at the continue target of the loop, or where
 * the function or the shader ends. */
#ifndef WS_TESTS_MODEL_INTERPRET_H
#define WS_TESTS_MODEL_INTERPRET_H

#include "tests/model/program/program.h"

enum model_event_kind {
    MODEL_EVENT_ENTER,  /* an execution of a shader begins */
    MODEL_EVENT_BLOCK,  /* a block begins, or a part of one: `action` is which (MODEL_PARTS) */
    MODEL_EVENT_BEFORE, /* before action `action` of the block: a call of any kind */
    MODEL_EVENT_AFTER,  /* after it */
    MODEL_EVENT_END, /* at the block's end, which ends the threads' execution of the shader; `action` n: at action n - 1 */
    MODEL_EVENT_RETURNED, /* behind main: those of the execution that returned from it */
};

struct model_event {
    enum model_event_kind kind;
    uint32_t execution;
    uint32_t block;
    uint32_t action;
    uint32_t detail; /* index in the run's details; MODEL_NONE */
    struct model_set set;
};

/* What an event says of each thread. BEFORE a trace: the instance that the ray meets, 0 = none. ENTER of a hit shader: the
 * instance that is hit. AFTER a report: whether the hit was accepted. AFTER a trace into a hit object: the instance that it
 * holds a hit of, 0 = a miss. */
struct model_detail {
    uint8_t of[MODEL_THREADS];
};

/* One execution of a shader by the threads that are sent into it together. */
struct model_execution {
    uint32_t shader;
    uint32_t caller; /* execution; MODEL_NONE = launched */
    struct model_set set;
};

struct model_run {
    struct model_event *events;
    uint32_t event_count;
    uint32_t event_capacity;
    struct model_execution *executions;
    uint32_t execution_count;
    uint32_t execution_capacity;
    struct model_detail *details;
    uint32_t detail_count;
    uint32_t detail_capacity;
    bool too_long; /* more events than wanted: of no use */
};

struct model_options {
    uint64_t seed;
    uint32_t events_max;
    bool cases_meet;  /* threads that fall into a case meet those that the switch sent there */
    bool reports_end; /* a first hit that ends the ray by its flag ends the intersection shader too, as
                         terminateRay does; else that goes on, and what it reports then is refused, as on
                         Mesa's software device */
    bool
        hits_run; /* what is hit runs when its hit object is executed, though the ray had the flag that skips it: no
                      specification says whether it does */
    bool orders; /* the sides of a branch, and the shaders of a trace, run in random order */
    bool
        splits; /* after a trace, execute or reorder some threads may go on apart, until a construct around it ends */
};

/* Fills `run`, which starts zeroed or as the last run left it. */
void model_interpret(const struct model_program *program, const struct model_options *options,
                     struct model_run *run);
void model_run_finish(struct model_run *run);

#endif
