/* Rays of each thread and what became of them (analysis/rays/rays.h), by following the thread through the program. */
#ifndef WS_TESTS_MODEL_RAYS_H
#define WS_TESTS_MODEL_RAYS_H

#include "tests/model/run/interpret.h"

enum model_ray_end { MODEL_RAY_OPEN, MODEL_RAY_HIT, MODEL_RAY_MISSED };

struct model_ray {
    bool query;
    bool object;     /* traced into a hit object */
    uint32_t shader; /* that traced it, and where */
    uint32_t block;
    uint32_t action;
    uint32_t parent; /* place in the thread's rays; MODEL_NONE */
    uint32_t depth;
    uint32_t instance; /* that it meets; 0 = none */
    enum model_ray_end end;
    uint32_t ran; /* the first closest hit or miss shader that ran for it; MODEL_NONE */
    uint32_t any_hits;
    uint32_t ignored;
    uint32_t intersections;
    uint32_t candidates; /* of a query */
    uint32_t committed;  /* of a query: those of its candidates that were confirmed or generated */
    uint32_t reports;    /* that returned, or whose any-hit shader ended the ray by terminateRay */
};

struct model_rays {
    struct model_ray *rays; /* of one thread after the other, in the order of tracing */
    uint32_t count;
    uint32_t capacity;
    uint32_t first[MODEL_THREADS + 1]; /* per thread: its first one */
};

/* Fills `rays`, which starts zeroed or as the last call left it. */
void model_rays_make(struct model_rays *rays, const struct model_program *program,
                     const struct model_run *run);
void model_rays_finish(struct model_rays *rays);

#endif
