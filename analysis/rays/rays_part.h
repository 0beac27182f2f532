/* What one worker of the replay keeps of the rays of one launch.
 *
 * Each thread has a stack of frames, one for each execution of a shader that it is in, as the replay tells.
 * A frame knows on behalf of which ray it runs, and which ray it has traced that is not back yet. */
#ifndef WS_ANALYSIS_RAYS_RAYS_PART_H
#define WS_ANALYSIS_RAYS_RAYS_PART_H

#include "analysis/rays/rays.h"
#include "passes/base/pages.h"

struct ws_arena;

/* A candidate of a ray. */
struct ws_ray_run {
    struct ws_ray_run *next; /* of the thread */
    uint32_t ray;            /* its number in the thread */
    bool triangle;           /* of a query; else an AABB */
    struct ws_ray_candidate candidate;
};

struct ws_ray_node {
    struct ws_ray_node *next; /* of the thread */
    uint32_t number;
    struct ws_ray_run *accepted; /* the last any-hit run or report that was; NULL */
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
    struct ws_ray_node *ray;     /* on behalf of which it runs; NULL = none, or not known */
    struct ws_ray_node *pending; /* pipeline ray that it traced; NULL = none, or it is back */
    struct ws_ray_run *run;      /* any-hit, intersection: the candidate that it is; NULL = not known */
    struct ws_ray_run *any_hit;  /* intersection: the any-hit run of the report under way */
    struct ws_rays_query *queries;
    uint32_t query_count;
};

/* Queries of one execution of a shader: far more than a device has registers for. */
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
    struct ws_arena *arena; /* of rays and all that is listed above but states */
    struct ws_pages states; /* struct ws_ray_state, by thread */
    struct ws_ray_frame *spare;
    uint64_t malformed;
};

/* A lane of a data record: who, where and what. */
struct ws_ray_occasion {
    struct ws_ray_part *part;
    struct ws_ray_state *state;
    struct ws_ray_frame *frame;
    uint32_t site;
    uint32_t lane;
    const uint32_t *words;
    uint32_t word_count;
};

/* The thread's next ray, with what its words say; NULL when there is no memory. */
struct ws_ray_node *ws_ray_trace(const struct ws_ray_occasion *at);

/* The ray's next candidate, still open; NULL when there is no memory. */
struct ws_ray_run *ws_ray_candidate_add(struct ws_ray_part *part, struct ws_ray_state *state,
                                        struct ws_ray_node *ray, uint32_t kind, uint32_t shader);

/* A float whose bits these are. */
float ws_ray_float(uint32_t word);

/* ray_queries.c: events of queries. False when there is no memory. */
bool ws_ray_query_event(const struct ws_ray_occasion *at, enum ws_ray_event event);

/* The execution of the shader ends, and with it its queries. */
void ws_ray_queries_end(const struct ws_ray_frame *frame);

#endif
