/* Which top-level structures of a launch are drawn: those that its rays flew through (scene_match.h). Where nothing tells, all
 * that have a build for the launch, each content once. Not thread-safe. */
#ifndef WS_ANALYSIS_EXPORT_GLTF_TOPS_H
#define WS_ANALYSIS_EXPORT_GLTF_TOPS_H

#include "analysis/export/gltf_rays.h"
#include "analysis/export/gltf_sides.h"
#include "analysis/scene/scene_match.h"

/* Zero-initialised it holds nothing. */
struct ws_gltf_tops {
    bool *chosen; /* of each structure of the scene: whether it is drawn */
    struct ws_scene_matcher
        *matcher;      /* of the rays: where each call site traced; NULL = there were no rays */
    uint32_t live;     /* top-level structures with different contents that have a build for the launch */
    uint64_t unplaced; /* rays whose top-level structure is not known */
};

/* Chooses for a launch. `rays`: some of it, NULL = none. `sides` receives from where they hit; NULL = that is not
 * wanted. The scene must outlive `tops`. False = no memory; finish it then too. */
bool ws_gltf_tops_choose(struct ws_gltf_tops *tops, const struct ws_scene *scene, uint64_t launch,
                         const struct ws_gltf_rays *rays, struct ws_gltf_sides *sides);
void ws_gltf_tops_finish(struct ws_gltf_tops *tops);

#endif
