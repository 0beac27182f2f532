/* The rays of one launch, as one worker of the replay (replay.h) collects them. Private to analysis/rays.
 *
 * Each thread has a stack of frames: one frame for each execution of a shader that the thread is in. A
 * frame holds the ray for which its shader runs, and the PENDING ray: the ray that its shader has traced
 * and that has not returned yet. Example:
 *
 *     event                       frames of the thread, outermost first
 *     raygen traces ray 0         raygen (no ray, pending ray 0)
 *     closest hit of ray 0 runs   raygen (no ray, pending ray 0), closest hit (ray 0)
 *     closest hit traces ray 1    raygen (no ray, pending ray 0), closest hit (ray 0, pending ray 1)
 *
 * The arena of the part owns rays, candidates, frames and queries. They are freed together with the part, and
 * used again before: those of a frame when it is over, and rays and candidates when their thread has ended.
 * What is known of these is then kept elsewhere (kept_rays.h). One worker at a time uses a part. */
#ifndef WS_ANALYSIS_RAYS_RAYS_PART_H
#define WS_ANALYSIS_RAYS_RAYS_PART_H

#include "analysis/rays/rays.h"
#include "warpscope/base/pages.h"

struct ws_arena;

/* A candidate of a ray: an any-hit run, a report, an intersection run, or a candidate of a query. */
struct ws_ray_run {
    struct ws_ray_run *next; /* the thread's next candidate, in the order of the records; NULL = the last */
    uint32_t ray;            /* number of its ray in the thread */
    bool triangle;           /* only for queries: true = a triangle, false = an AABB */
    struct ws_ray_candidate candidate;
};

struct ws_ray_node {
    struct ws_ray_node *next;    /* the thread's next ray; NULL = the last */
    uint32_t number;             /* its number in the thread */
    uint64_t address;            /* the structure words (ray_events.h); 0 = it has none */
    struct ws_ray_run *accepted; /* the last accepted any-hit run or report; NULL = none */
    bool is_told;                /* traced into a hit object, of which OBJECT_TRACED tells what it hit */
    struct ws_ray ray;
};

/* A query variable in one execution of a shader. */
struct ws_rays_query {
    struct ws_rays_query *next; /* the next query of the frame; NULL = the last */
    uint32_t key;               /* query key (warpscope/ray_events.h) */
    bool over;                  /* it was terminated, or its proceed returned false */
    struct ws_ray_node *ray;    /* the ray of its last initialisation */
    struct ws_ray_run *run;     /* its current candidate; NULL = none */
};

/* A hit object variable in one execution of a shader. */
struct ws_rays_object {
    struct ws_rays_object *next; /* the next object of the frame; NULL = the last */
    uint32_t key;                /* object key (warpscope/ray_events.h) */
    struct ws_ray_node *ray; /* the ray that it holds; NULL = none: the shader put something else into it */
};

struct ws_ray_frame {
    struct ws_ray_frame *outer;  /* the frame of the caller; in the list of spare frames, the next one */
    uint32_t context;            /* number of the context that the thread is in */
    uint32_t shader;             /* index in the catalog */
    uint32_t stage;              /* enum ws_stage */
    struct ws_ray_node *ray;     /* the ray for which the shader runs; NULL = none, or not known */
    struct ws_ray_node *pending; /* the pending ray; NULL = none */
    /* It executes a hit object: pending is the ray that the object holds. */
    bool executes;
    /* It runs for a hit object that holds no ray, or contradicts it: then what it says of a hit is not one of `ray`. */
    bool made;
    /* In an any-hit or intersection shader: the candidate of this run. NULL = not known. */
    struct ws_ray_run *run;
    /* In an intersection shader: the any-hit run that its current report has called. NULL = none. */
    struct ws_ray_run *any_hit;
    struct ws_rays_query *queries; /* list of the frame's queries; NULL = none */
    uint32_t query_count;
    struct ws_rays_object *objects; /* list of its hit objects; NULL = none */
    uint32_t object_count;
};

/* The most queries, and the most hit objects, in one execution of a shader. A device does not have registers for nearly as
 * many. A capture with more is damaged: the rest is counted as malformed. */
#define WS_RAY_QUERIES 1024

/* One thread. */
struct ws_ray_state {
    struct ws_ray_frame *top;  /* the innermost frame; NULL = the thread is in no shader */
    struct ws_ray_node *first; /* its rays that are not kept, in the order of tracing */
    struct ws_ray_node *last;
    struct ws_ray_run *first_run; /* the candidates of these, in the order of the records */
    struct ws_ray_run *last_run;
    uint64_t kept;      /* the place of its last pack (kept_rays.h) + 1; 0 = it has none */
    uint32_t ray_count; /* of all its rays, */
    uint32_t run_count; /* and candidates */
};

/* Packs of rays (kept_rays.h). Zero-initialised is empty. */
struct ws_kept_rays {
    uint32_t *words; /* those that are not in the file */
    uint32_t word_count;
    uint32_t word_capacity;
    uint64_t written; /* words in the file */
    int file;         /* + 1; 0 = none */
    bool unwritable;  /* it was tried */
    uint32_t *window; /* words of the file that were read last, from here on: */
    uint64_t window_first;
    uint32_t window_count;
    uint32_t window_capacity;
};

struct ws_ray_part {
    const struct ws_catalog *catalog; /* not owned */
    uint32_t user;                    /* number of the consumer (ws_rays_attach) */
    struct ws_arena *arena;           /* memory of rays, candidates, frames and queries */
    struct ws_pages states;           /* struct ws_ray_state, by index of the thread in the launch */
    struct ws_kept_rays kept;
    /* What is to be used again: frames by `outer`, the others by `next`. */
    struct ws_ray_frame *spare;
    struct ws_ray_node *spare_nodes;
    struct ws_ray_run *spare_runs;
    struct ws_rays_query *spare_queries;
    struct ws_rays_object *spare_objects;
    uint64_t malformed; /* events that contradict others, and were left out */
    uint32_t calls;     /* data records that were taken, modulo 2^32 */
};

/* One lane of a record. In a place record only part, state and frame are set. */
struct ws_ray_occasion {
    struct ws_ray_part *part;
    struct ws_ray_state *state; /* the thread in the lane */
    struct ws_ray_frame *frame; /* its innermost frame */
    uint32_t site;              /* index in the module's sites */
    uint32_t lane;
    const uint32_t *words; /* the words of the lane */
    uint32_t word_count;
};

/* Makes a ray from the words of the lane and adds it to the thread. `base`: how many words there are without a time and an
 * address. NULL if there is no memory. */
struct ws_ray_node *ws_ray_trace(const struct ws_ray_occasion *at, uint32_t base);

/* Elements with zeros. NULL if there is no memory. */
struct ws_rays_query *ws_rays_query_make(struct ws_ray_part *part);
struct ws_rays_object *ws_rays_object_make(struct ws_ray_part *part);

/* Adds a candidate to the ray, with the result WS_CANDIDATE_OPEN. `state` is the thread of the ray, `kind`
 * an enum ws_candidate_kind, `shader` an index in the catalog. NULL if there is no memory. */
struct ws_ray_run *ws_ray_candidate_add(struct ws_ray_part *part, struct ws_ray_state *state,
                                        struct ws_ray_node *ray, uint32_t kind, uint32_t shader);

/* Returns the float that has the bits of `word`. */
float ws_ray_float(uint32_t word);

/* Handles an event of a query (ray_queries.c). An event that contradicts others is counted as malformed and
 * left out. False if there is no memory. */
bool ws_ray_query_event(const struct ws_ray_occasion *at, enum ws_ray_event event);

/* Handles an event of a hit object (hit_objects.c). The ray that the frame traced before must be settled. */
bool ws_ray_object_event(const struct ws_ray_occasion *at, enum ws_ray_event event);

/* A closest hit or miss shader was entered that its caller executes of a hit object: which ray it is of. */
void ws_ray_object_run(struct ws_ray_part *part, struct ws_ray_frame *frame);

/* Ends the candidates of all queries of a frame, when its execution of the shader ends. A candidate that
 * the shader did not confirm was ignored. */
void ws_ray_queries_end(const struct ws_ray_frame *frame);

#endif
