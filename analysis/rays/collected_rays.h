/* The rays of one thread, put together at the end of its launch from what was kept of them (kept_rays.h) and what is still in
 * memory: numbered, each with its candidates and the structure through which it flew. Private to analysis/rays.
 *
 * One thread after the other is taken into the same arrays. What is looked up of a launch for one ray is known for the next. */
#ifndef WS_ANALYSIS_RAYS_COLLECTED_RAYS_H
#define WS_ANALYSIS_RAYS_COLLECTED_RAYS_H

#include "analysis/rays/rays_part.h"
#include "warpscope/base/array.h"

#define WS_RAY_BOUNDS 8 /* a power of two */

/* The structure that was found for a call. */
struct ws_ray_bound {
    bool known;
    uint32_t shader;
    uint32_t site;
    uint32_t element;
    uint32_t structure;
};

/* Only `catalog` is set before the first use. Others read `rays`, `ray_count` and `candidates`. */
struct ws_collected_rays {
    const struct ws_catalog *catalog; /* not owned */
    struct ws_ray *rays;
    uint32_t ray_count;
    uint32_t ray_capacity;
    struct ws_ray_candidate *candidates;
    uint32_t candidate_capacity;
    uint64_t *addresses; /* the structure words of the rays */
    uint32_t address_capacity;
    struct ws_ray_run *runs; /* the candidates in the order of the records */
    uint32_t run_capacity;
    uint32_t *places; /* where each ray is among the chosen ones; WS_NONE = it is not chosen */
    uint32_t place_capacity;
    struct ws_id_map calls; /* shader << 32 | site -> number, of those that traced in the launch */
    struct ws_id_map bound; /* number << 32 | element -> index in `structures` */
    uint32_t call_count;
    uint32_t *structures; /* what ws_structure_chosen says */
    uint32_t structure_count;
    uint32_t structure_capacity;
    /* By the lowest bits of the site: most rays are of one of the last few calls. */
    struct ws_ray_bound recent[WS_RAY_BOUNDS];
    uint64_t last_address; /* that was looked up in the launch, and what was found; 0 = none */
    uint32_t last_structure;
};

/* Puts all rays of a thread together, in place of those of the thread before. False = no memory, or what was kept cannot be
 * read. */
bool ws_collected_rays_take(struct ws_collected_rays *collected, struct ws_kept_rays *kept,
                            const struct ws_ray_state *state, uint64_t launch, uint32_t warp);

/* Keeps of these the rays that chosen shaders trace, with their candidates. False = no memory. */
bool ws_collected_rays_choose(struct ws_collected_rays *collected, const struct ws_selection *selection,
                              uint64_t launch);

/* Forgets what was looked up of the launch. */
void ws_collected_rays_end_launch(struct ws_collected_rays *collected);

void ws_collected_rays_finish(struct ws_collected_rays *collected);

#endif
