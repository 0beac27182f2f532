/* All rays of one launch, so that questions on them can be answered: which fit a filter (ray_filter.h), what one of them is
 * exactly, where many of them are.
 *
 * RAYS are numbered as they are handed on (rays.h): by the work id of their thread, then in the order of tracing. That number
 * is what the viewer calls a ray; the capture always gives the same.
 *
 * ORDER: answers give rays in a shuffled order, the same for every question. So each prefix of the order is a uniform
 * sample of the launch, and each prefix of those that fit a filter is one of these.
 *
 * A CALL SITE is one place of one shader that traces. The call sites of a launch are numbered as its rays come.
 *
 * MEMORY: 4 bytes for each ray; all else, about 210 bytes for each ray and 44 for each candidate, is in a temporary file
 * (scratch.h), which is mapped. Fill it by one thread; then any number may read it. */
#ifndef WS_ANALYSIS_VIEWER_RAYS_RAY_STORE_H
#define WS_ANALYSIS_VIEWER_RAYS_RAY_STORE_H

#include "analysis/scene/scene_match.h"
#include "warpscope/base/id_map.h"
#include "warpscope/capture/scratch.h"

#define WS_RAY_BLOCK  16384u      /* rays */
#define WS_RAYS_MOST  0xfffffffeu /* of a launch */
#define WS_SITES_MOST 0xffffu     /* of a launch; rays of all further ones have this number */

/* What a ray is for the reader: its call, and whether it runs closest hit shaders. */
enum ws_ray_kind { WS_RAY_KIND_TRACE = 0, WS_RAY_KIND_SKIP, WS_RAY_KIND_QUERY, WS_RAY_KINDS };

/* "trace", "skip_closest_hit", "query". */
const char *ws_ray_kind_name(uint32_t kind);
enum ws_ray_kind ws_ray_kind_of(const struct ws_ray *ray);

/* What filters look at, column by column, of so many rays in the order of their numbers. Counts stop at UINT16_MAX. */
struct ws_ray_block {
    uint32_t parent[WS_RAY_BLOCK];   /* number of the ray; WS_NONE */
    uint32_t place[3][WS_RAY_BLOCK]; /* of the thread (ws_ray_thread_place) */
    uint32_t warp[WS_RAY_BLOCK];
    uint32_t shader[WS_RAY_BLOCK];   /* that traced it: index in the catalog */
    uint32_t instance[WS_RAY_BLOCK]; /* that was hit; WS_NONE = no hit is known */
    uint32_t geometry[WS_RAY_BLOCK];
    uint32_t primitive[WS_RAY_BLOCK];
    float t[WS_RAY_BLOCK]; /* of the hit; NaN = no hit is known */
    uint16_t depth[WS_RAY_BLOCK];
    uint16_t any_hits[WS_RAY_BLOCK];
    uint16_t intersections[WS_RAY_BLOCK];
    uint16_t site[WS_RAY_BLOCK]; /* number of the call site in the launch */
    uint8_t kind[WS_RAY_BLOCK];  /* enum ws_ray_kind */
    uint8_t end[WS_RAY_BLOCK];   /* enum ws_ray_end */
};

/* A thread with its place among all rays and candidates of the launch. */
struct ws_ray_owner {
    struct ws_thread thread;
    uint32_t place[3];
    uint32_t index; /* in the launch's threads */
    uint32_t warp;
    uint32_t lane;
    uint32_t ray_first;
    uint32_t ray_count;
    bool truncated;
    uint64_t candidate_first;
};

/* Of a call site that traces through several structures, by their device addresses, there are several. */
struct ws_ray_call {
    struct ws_scene_call of;
    uint32_t next; /* number of the next one of the same call site; WS_NONE */
    uint64_t rays;
    uint32_t top; /* the top-level build through which its rays flew; WS_NONE = not known */
};

struct ws_ray_store {
    uint64_t launch; /* its index */
    uint32_t count;  /* rays */
    uint32_t owner_count;
    uint64_t candidate_count;
    struct ws_ray_call *calls; /* by number of the call site */
    uint32_t call_count;
    uint32_t top_count; /* top-level structures that the launch has */
    float extent[6];    /* box of all finite origins and hits; low > high = there is none */
    float scene
        [6]; /* rays without a hit are drawn to a little behind this box: of what they could meet, else `extent` */
    const uint32_t *order; /* all rays, shuffled */
    const uint32_t *rules; /* by ray: which rules of advice it is evidence for; NULL = none */

    /* Private. */
    struct ws_scratch rays;       /* struct ws_ray, by number; their places are those in their thread */
    struct ws_scratch candidates; /* struct ws_ray_candidate */
    struct ws_scratch owners;     /* struct ws_ray_owner */
    struct ws_scratch blocks;     /* struct ws_ray_block */
    struct ws_ray_block *block;   /* being filled */
    struct ws_id_map call_of;
    uint32_t call_capacity;
};

/* NULL = no memory. */
struct ws_ray_store *ws_ray_store_create(uint64_t launch);
void ws_ray_store_destroy(struct ws_ray_store *store);

/* Adds the rays of a thread; `place` is its place (ws_ray_thread_place). False and `error`: no memory, a full disk, or more
 * than WS_RAYS_MOST rays. */
bool ws_ray_store_add(struct ws_ray_store *store, const struct ws_ray_thread *thread, const uint32_t place[3],
                      struct ws_error *error);

/* After the last thread: makes the order. All below works from then on. */
bool ws_ray_store_end(struct ws_ray_store *store, struct ws_error *error);

/* The number of the call site of a ray among the calls; WS_SITES_MOST = it has none of its own. */
uint32_t ws_ray_store_call(const struct ws_ray_store *store, uint32_t ray);

/* Numbers are below the count. */
const struct ws_ray *ws_ray_store_ray(const struct ws_ray_store *store, uint32_t number);
const struct ws_ray_block *ws_ray_store_block(const struct ws_ray_store *store, uint32_t block);

/* The thread of a ray, and the ray's place in it. `thread` points into the store. */
const struct ws_ray_owner *ws_ray_store_owner(const struct ws_ray_store *store, uint32_t number);
/* The first thread with rays at that place; NULL = there is none. */
const struct ws_ray_owner *ws_ray_store_find(const struct ws_ray_store *store, const uint32_t place[3]);
void ws_ray_store_thread(const struct ws_ray_store *store, const struct ws_ray_owner *owner,
                         struct ws_ray_thread *thread);

/* Bytes in the file. */
uint64_t ws_ray_store_file(const struct ws_ray_store *store);

#endif
