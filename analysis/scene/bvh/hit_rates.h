/* What captured geometry comes to in the caches, for pictures of it: each triangle and AABB of a content, and each box of the
 * model BVH.
 *
 * ACCESSES: requests of the program's own shaders that touch what the triangle was built of, as `report caches --by face` and
 * `--by vertex` have it. FIGURES OF A TRIANGLE = those of its indices and of its three vertices, added up; without indices
 * those of its face alone; of an AABB those of its bytes. So a vertex counts for each triangle that has it. Of a content that
 * several builds read from different places, the figures of these are added up, those of an array that several read once. By
 * hand: indices with 3 of 4 sectors in the L1, vertices with 1 of 2, 1 of 2 and 0 of 2: 5 of 10, an L1 hit rate of 50 %.
 * MODEL: visits of rays in the model BVH, as `report bvh_model --by element` has it.
 *
 * Not thread-safe. */
#ifndef WS_ANALYSIS_SCENE_BVH_HIT_RATES_H
#define WS_ANALYSIS_SCENE_BVH_HIT_RATES_H

#include "analysis/memory/caches.h"
#include "analysis/scene/bvh/bvh_model.h"

struct ws_hit_rate {
    uint32_t geometry;
    uint32_t primitive; /* of a node of the model its number */
    uint32_t depth;     /* of a node of the model */
    const float *
        bounds; /* of a node or instance of the model, as struct ws_bvh_row has them; NULL = it is a primitive */
    uint64_t requests; /* that ask for it; of the model requests of warps in the walk */
    uint64_t l1_sectors;
    uint64_t l1_hits;
    uint64_t l2_sectors;
    uint64_t l2_hits;
};

/* Takes one. False = it is enough. */
typedef bool ws_hit_rate_take(void *user, const struct ws_hit_rate *rate);

/* What has been hit or missed; -1 where nothing was asked for. */
double ws_hit_rate_l1(const struct ws_hit_rate *rate);
double ws_hit_rate_l2(const struct ws_hit_rate *rate);

/* The analysis caches, with what ws_hit_rates_of_accesses needs. */
extern const struct ws_analysis ws_analysis_face_accesses;

/* Gives each primitive of a content that accesses touched, `results` being of that analysis. False = no memory, the budget is
 * spent, or it was enough. */
bool ws_hit_rates_of_accesses(const struct ws_catalog *catalog, const struct ws_scene *scene,
                              const void *results, uint32_t content, ws_hit_rate_take *take, void *user);

/* Finds what one primitive of a build comes to; false = nothing touched it, or it is not there. */
bool ws_hit_rate_of_accesses(const struct ws_catalog *catalog, const struct ws_scene *scene,
                             const void *results, uint32_t build, uint32_t geometry, uint32_t primitive,
                             struct ws_hit_rate *rate);

/* The analysis bvh_model by element. */
extern const struct ws_analysis ws_analysis_model_elements;

/* Gives each primitive of a content that rays visited in the model, `results` being of that analysis; with `boxes` each node
 * of its tree instead. False likewise. */
bool ws_hit_rates_of_model(const void *results, uint32_t content, bool boxes, ws_hit_rate_take *take,
                           void *user);

/* The same of the nodes and instances of all top levels, which are in the world. */
bool ws_hit_rates_of_tops(const void *results, ws_hit_rate_take *take, void *user);

#endif
