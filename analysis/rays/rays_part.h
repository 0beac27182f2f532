/* What one worker of the replay keeps of the rays of one launch.
 *
 * Each thread has a stack of frames, one for each execution of a shader that the thread is in. A frame has
 * the ray for which its shader runs, and the ray that its shader has traced and that has not returned:
 *
 *     raygen traces ray 0       frame raygen: no ray, pending ray 0
 *     closest hit runs          frame raygen, frame closest hit: ray 0
 *     closest hit traces ray 1  frame raygen, frame closest hit: ray 0, pending ray 1 */
#ifndef WS_ANALYSIS_RAYS_RAYS_PART_H
#define WS_ANALYSIS_RAYS_RAYS_PART_H

#include "analysis/rays/rays.h"
#include "passes/base/pages.h"

struct ws_arena;

/* A candidate of a ray: an any-hit run, a report, an intersection run, or one of a query. */
struct ws_ray_run {
    struct ws_ray_run *next; /* of the thread, in the order of the records */
    uint32_t ray;            /* its number in the thread */
    bool triangle;           /* of a query; else an AABB */
    struct ws_ray_candidate candidate;
};

struct ws_ray_node {
    struct ws_ray_node *next; /* of the thread */
    uint32_t number;
    struct ws_ray_run *accepted; /* the last any-hit run or report that was accepted; NULL */
    struct ws_ray ray;
};

/* A query variable in one execution of a shader. */
struct ws_rays_query {
    struct ws_rays_query *next; /* of the frame */
    uint32_t key;
    bool over; /* terminated, or proceeded to its end */
    struct ws_ray_node *ray;
    struct ws_ray_run *run; /* the current candidate; NULL */
};

struct ws_ray_frame {
    struct ws_ray_frame *outer;
    uint32_t context; /* number of the context that the thread is in */
    uint32_t shader;
    uint32_t stage;
    struct ws_ray_node *ray;     /* for which the shader runs; NULL = none, or not known */
    struct ws_ray_node *pending; /* that traceRay traced here; NULL = none, or it has returned */
    struct ws_ray_run *run;      /* of an any-hit or intersection shader: this run of it; NULL = not known */
    struct ws_ray_run *any_hit;  /* of an intersection shader: the any-hit run that its report has called */
    struct ws_rays_query *queries;
    uint32_t query_count;
};

/* Most queries of one execution of a shader: far more than a device has registers for. */
#define WS_RAY_QUERIES 1024

struct ws_ray_state {
    struct ws_ray_frame *top;
    struct ws_ray_node *first;
    struct ws_ray_node *last;
    uint32_t ray_count;
    struct ws_ray_run *first_run;
    struct ws_ray_run *last_run;
    uint32_t run_count;
};

struct ws_ray_part {
    const struct ws_catalog *catalog;
    uint32_t user;
    struct ws_arena *arena; /* of rays, candidates, frames and queries */
    struct ws_pages states; /* struct ws_ray_state, by thread */
    struct ws_ray_frame *spare;
    uint64_t malformed;
};

/* One lane of a record: the thread with its frame, the site, and the words of the lane. */
struct ws_ray_occasion {
    struct ws_ray_part *part;
    struct ws_ray_state *state;
    struct ws_ray_frame *frame;
    uint32_t site;
    uint32_t lane;
    const uint32_t *words;
    uint32_t word_count;
};

/* Adds a ray, made of its words, to the thread. NULL when there is no memory. */
struct ws_ray_node *ws_ray_trace(const struct ws_ray_occasion *at);

/* Adds a candidate, which is open, to the ray. NULL when there is no memory. */
struct ws_ray_run *ws_ray_candidate_add(struct ws_ray_part *part, struct ws_ray_state *state,
                                        struct ws_ray_node *ray, uint32_t kind, uint32_t shader);

/* A float whose bits these are. */
float ws_ray_float(uint32_t word);

/* ray_queries.c: events of queries. False when there is no memory. */
bool ws_ray_query_event(const struct ws_ray_occasion *at, enum ws_ray_event event);

/* Ends the queries of an execution of a shader that ends. */
void ws_ray_queries_end(const struct ws_ray_frame *frame);

#endif
